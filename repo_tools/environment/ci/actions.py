"""What an action of a marketplace stands for among a job's steps, told by its own name and inputs: servers that it
starts, or the script that it only runs.

Those that start servers are many, and alike: ``some/redis-github-action`` with ``redis-version``,
``some/setup-postgres`` with ``database``. Nothing is run.
"""

import re
from collections.abc import Callable, Iterable, Mapping

from repo_tools.environment.ci.commands import CommandEvidence
from repo_tools.environment.ci.servers import KINDS_OF_SERVERS
from repo_tools.environment.contract import Service

_BESIDE = frozenset((
    "action", "actions", "github", "gha", "setup", "start", "run", "install", "server", "service", "database",
    "db", "and", "a", "ci",
))  # fmt: skip
"""What such a name has besides the server's own."""
_UNKNOWN = frozenset((
    "mongodb", "mongo", "memcached", "elasticsearch", "opensearch", "kafka", "minio", "localstack", "mssql",
    "sqlserver", "oracle", "neo4j", "cassandra", "nats", "mosquitto", "etcd", "consul", "vault", "clickhouse",
    "solr", "meilisearch", "typesense", "cockroachdb", "zookeeper", "couchdb", "couchbase", "rethinkdb",
))  # fmt: skip
"""Servers that cannot be had here."""
_COMPOSE = frozenset(("compose-action", "docker-compose-action"))
_DATABASE, _USER = ("database", "db", "database name", "db name"), ("user", "username")
_PASSWORD, _ROOT = ("password", "user password"), ("root password",)
_PORTS = ("port", "host port")
_INPUTS: Mapping[str, Mapping[str, tuple[str, ...]]] = {
    "redis": {"REDIS_PASSWORD": _PASSWORD},
    "rabbitmq": {"RABBITMQ_DEFAULT_USER": _USER, "RABBITMQ_DEFAULT_PASS": _PASSWORD},
    "postgresql": {"POSTGRES_DB": _DATABASE, "POSTGRES_USER": _USER, "POSTGRES_PASSWORD": _PASSWORD},
    **{
        kind: {
            f"{prefix}_DATABASE": _DATABASE, f"{prefix}_USER": _USER, f"{prefix}_PASSWORD": _PASSWORD,
            f"{prefix}_ROOT_PASSWORD": _ROOT,
        }
        for kind, prefix in (("mysql", "MYSQL"), ("mariadb", "MARIADB"))
    },
}  # fmt: skip
"""Kind -> variable of its image -> the inputs that say it, without the server's name before them."""


def server_of_action(uses: str, inputs: Mapping[str, str], source: str) -> Service | str | None:
    """The server that the action `uses` starts with these `inputs`, or its name, where that is of no kind known here;
    None where it starts none."""
    name = uses.partition("@")[0].rpartition("/")[2].lower()
    words = [word for word in re.split(r"[-_.]", name) if word not in _BESIDE]
    if len(words) != 1:
        return None
    kind = KINDS_OF_SERVERS.get(words[0])
    if kind is None:
        return words[0] if words[0] in _UNKNOWN else None
    said = {_plain(key): value for key, value in inputs.items() if value}
    variables = {name: value for name, keys in _INPUTS.get(kind, {}).items() if (value := _first(said, keys))}
    version, port = said.get("version", ""), _first(said, _PORTS)
    return Service(
        kind,
        version if re.fullmatch(r"\d+(?:\.\d+)*", version) else "",
        int(port) if re.fullmatch(r"\d{4,5}", port) and int(port) < 65536 else None,
        variables,
        source=source,
        required=False,
    )


def compose_of_action(uses: str, inputs: Mapping[str, str], source: str) -> tuple[CommandEvidence, ...]:
    """What ``some/compose-action`` does with these `inputs` (https://github.com/hoverkraft-tech/compose-action#inputs),
    as it would be typed."""
    if uses.partition("@")[0].rpartition("/")[2].lower() not in _COMPOSE:
        return ()
    files = [word for path in inputs.get("compose-file", "").split() for word in ("-f", path)]
    return (CommandEvidence(("docker", "compose", *files, "up", *inputs.get("services", "").split()), source=source),)


def _plain(key: str) -> str:
    """``postgresql db`` and ``POSTGRES_DB`` are ``db``."""
    words = re.split(r"[-_ ]", key.lower())
    return " ".join(word for word in words if word not in KINDS_OF_SERVERS)


def _first(said: Mapping[str, str], keys: Iterable[str]) -> str:
    return next((said[key] for key in keys if key in said), "")


def _cargo(inputs: Mapping[str, str]) -> str:
    """https://github.com/actions-rs/cargo"""
    toolchain = f"+{inputs['toolchain']}" if inputs.get("toolchain") else ""
    return " ".join(filter(None, ("cargo", toolchain, inputs.get("command"), *inputs.get("args", "").split("\n"))))


def _gradle(inputs: Mapping[str, str]) -> str:
    """https://github.com/burrunan/gradle-cache-action, and what others took over from it"""
    return " ".join(("./gradlew", *inputs["arguments"].split("\n"))) if inputs.get("arguments") else ""


def _conda(inputs: Mapping[str, str]) -> str:
    """https://github.com/conda-incubator/setup-miniconda, https://github.com/mamba-org/setup-micromamba"""
    return f"conda env create -f {inputs['environment-file']}" if inputs.get("environment-file") else ""


_SCRIPTS_OF_ACTIONS: Mapping[str, Callable[[Mapping[str, str]], str]] = {
    **dict.fromkeys(("cargo", "rs-cargo"), _cargo),
    **dict.fromkeys(("gradle-cache-action", "gradle-build-action", "gradle-command-action", "setup-gradle"), _gradle),
    **dict.fromkeys(("setup-miniconda", "setup-micromamba", "provision-with-micromamba"), _conda),
    **dict.fromkeys(("retry", "wretry.action"), lambda inputs: inputs.get("command", "")),
    **dict.fromkeys(("xvfb-action", "setup-xvfb"), lambda inputs: inputs.get("run", "")),
}
"""Last part of an action's name -> the script that it runs with its inputs."""


def script_of_action(uses: str, inputs: Mapping[str, str]) -> str:
    """Empty where the action does something of its own. Expressions stay as they are written."""
    script = _SCRIPTS_OF_ACTIONS.get(uses.partition("@")[0].rpartition("/")[2].lower())
    return script(inputs) if script else ""
