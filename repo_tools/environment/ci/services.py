"""The service containers of a workflow's job, as services beside the tests."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise

from repo_tools.environment.ci.values import Scope, items_at, node_at, text_of, variables_of
from repo_tools.environment.contract import Service
from repo_tools.yaml_text import Node

MOST_SERVICES = 20
MOST_SHOWN = 100
KINDS: Mapping[str, str] = {
    "postgres": "postgresql", "postgresql": "postgresql", "postgis": "postgresql", "pgvector": "postgresql",
    "timescaledb": "postgresql", "timescaledb-ha": "postgresql", "mysql": "mysql", "mysql-server": "mysql",
    "percona": "mysql", "percona-server": "mysql", "mariadb": "mariadb", "redis": "redis", "redis-stack": "redis",
    "redis-stack-server": "redis", "valkey": "redis", "rabbitmq": "rabbitmq",
}  # fmt: skip
"""Last part of an image's name -> the kind that answers as it does."""
_PLAIN = frozenset({"postgres", "postgresql", "mysql", "mysql-server", "mariadb", "redis", "valkey", "rabbitmq"})
"""Images that are the kind's server and no more."""
_PORTS = {"postgresql": "5432", "mysql": "3306", "mariadb": "3306", "redis": "6379", "rabbitmq": "5672"}
_AT_PORT = {port: kind for kind, port in _PORTS.items() if kind != "mariadb"}  # MySQL's, too
_OFFICIAL: Mapping[str, str] = {
    "POSTGRESQL_USERNAME": "POSTGRES_USER", "POSTGRESQL_USER": "POSTGRES_USER",
    "POSTGRESQL_PASSWORD": "POSTGRES_PASSWORD", "POSTGRESQL_DATABASE": "POSTGRES_DB",
    "RABBITMQ_USERNAME": "RABBITMQ_DEFAULT_USER", "RABBITMQ_PASSWORD": "RABBITMQ_DEFAULT_PASS",
    "RABBITMQ_VHOST": "RABBITMQ_DEFAULT_VHOST", "VALKEY_PASSWORD": "REDIS_PASSWORD",
}  # fmt: skip
"""A variable of others' images (Bitnami's, Red Hat's) -> the one that says the same here."""
_PORT = re.compile(r"(?:(?:\d+\.){3}\d+:)?(?:(\d{1,5}):)?(\d{1,5})(?:/tcp)?")
_VERSION = re.compile(r"(\d+(?:\.\d+)*)")
_OWN_VERSION = re.compile(r"(?:^|[-_])pg(\d+(?:\.\d+)*)")


@dataclass(frozen=True)
class JobServices:
    """`unknown` are images of no kind that can be started here; `databases`: kind and name of what steps make."""

    services: tuple[Service, ...] = ()
    unknown: tuple[str, ...] = ()
    databases: tuple[tuple[str, str], ...] = ()

    @classmethod
    def of(cls, found: Iterable[Service | str]) -> "JobServices":
        each = tuple(found)
        return cls(
            tuple(service for service in each if isinstance(service, Service)),
            tuple(image[:MOST_SHOWN] for image in each if isinstance(image, str)),
        )


def each_once(services: Iterable[Service]) -> tuple[Service, ...]:
    """Two commands may start the same one."""
    found: list[Service] = []
    for service in services:
        found += [service] if service not in found else []
    return tuple(found)


def services_of(job: Node, scope: Scope, path: str) -> JobServices:
    """What the job starts beside its steps."""
    node = job.mapping.get("services")
    if node is not None and (expression := text_of(node)):
        return JobServices.of([expression])
    return JobServices.of(_each(node, scope, path, beside=is_in_container(job, scope)) if node else ())


def ports_of(job: Node, scope: Scope) -> dict[tuple[str, str], str]:
    """(service, port inside) -> port that the steps use, as expressions name it."""
    node = job.mapping.get("services")
    entries = list(node.mapping.items())[:MOST_SERVICES] if node else []
    beside = is_in_container(job, scope)
    return {
        (name, inside): (not beside and outside) or inside
        for name, service in entries
        for outside, inside in _pairs(_ports(service, scope))
    }


def is_in_container(job: Node, scope: Scope) -> bool:
    """Whether its steps stand in the services' own network, where no port is another one:
    https://docs.github.com/en/actions/tutorials/use-containerized-services/use-docker-service-containers"""
    image = text_of(node_at(job, "container")) or text_of(node_at(job, "container", "image"))
    return scope.resolve(image) != ""


def _each(node: Node, scope: Scope, path: str, *, beside: bool) -> Iterator[Service | str]:
    """`beside`: `is_in_container`."""
    for name, service in list(node.mapping.items())[:MOST_SERVICES]:
        written = text_of(service) or text_of(node_at(service, "image"))
        image = _known(written, scope)
        if not written or (not image and scope.resolve(written) == ""):
            continue  # as GitHub takes an empty image
        source = f"{path}:{node.key_lines[name]}"
        ports = _ports(service, scope)
        if beside:
            ports = [inside for _, inside in _pairs(ports)]
        variables = variables_of(service, scope) | _in_options(service, scope)
        yield service_of(image or written, name, source, ports, variables)


def _in_options(service: Node, scope: Scope) -> dict[str, str]:
    """Variables among the options for the container, and what its command says."""
    options = (scope.resolve(text_of(node_at(service, "options"))) or "").split()
    pairs = (pair.strip("'\"").partition("=") for word, pair in pairwise(options) if word in ("-e", "--env"))
    given = {name: value for name, equals, value in pairs if equals}
    return given | told_to((scope.resolve(text_of(node_at(service, "command"))) or "").split())


def service_of(image: str, name: str, source: str, ports: Iterable[str], variables: Mapping[str, str]) -> Service | str:
    """The service that `image` stands for, or the image itself. `ports` as Docker maps them: ``5433:5432``. An image of
    somebody's own answers as the kind does whose port it has."""
    ports = tuple(ports)
    known = kind_of(image)
    kind = known or kind_at(inside for _, inside in _pairs(ports))
    if kind is None:
        return image
    richer = "" if _repository(image) in _PLAIN else image.partition("@")[0]
    port = _port(ports, kind)
    version = version_of(image) if known else ""
    said = {
        _OFFICIAL.get(variable, variable): value
        for variable, value in variables.items()
        if "\0" not in variable + value
    }
    return Service(kind, version, port, said, name, source, required=False, richer=richer)


def told_to(words: Iterable[str]) -> dict[str, str]:
    """What the words behind an image tell its server, as variables: Redis learns its password from nothing else."""
    rest = iter(words)
    password = next((next(rest, "") for word in rest if word == "--requirepass"), "")
    return {"REDIS_PASSWORD": password.strip("'\"")} if password else {}


def _known(written: str, scope: Scope) -> str:
    """The image, without its tag where that cannot be known before a run."""
    image = scope.resolve(written)
    name, separator, _ = written.partition(":${{")
    return image if image is not None else name if separator and "${{" not in name else ""


def kind_of(image: str) -> str | None:
    return KINDS.get(_repository(image))


def kind_at(ports: Iterable[str]) -> str | None:
    """The kind whose own port is among these; of two, none."""
    found = {_AT_PORT[port] for port in ports if port in _AT_PORT}
    return found.pop() if len(found) == 1 else None


def _repository(image: str) -> str:
    """``registry:5000/library/postgres:15-alpine@sha256:…`` -> ``postgres``."""
    return image.partition("@")[0].rpartition("/")[2].partition(":")[0].lower()


def version_of(image: str) -> str:
    """That of the kind's own server: ``timescaledb:2.17.2-pg16`` has PostgreSQL 16."""
    tag = image.partition("@")[0].rpartition("/")[2].partition(":")[2]
    found = _OWN_VERSION.search(tag) or _VERSION.match(tag)
    return found[1] if found else ""


def _port(ports: Iterable[str], kind: str) -> int | None:
    """Where the steps reach the kind's own port, if the job says so; another place than the usual one."""
    outside = next((outside for outside, inside in _pairs(ports) if inside == _PORTS[kind] and outside), "")
    return int(outside) if outside and 0 < int(outside) < 65536 else None


def _ports(service: Node, scope: Scope) -> list[str]:
    return [scope.resolve(text_of(node)) or "" for node in items_at(service, "ports")[:MOST_SERVICES]]


def _pairs(ports: Iterable[str]) -> Iterator[tuple[str, str]]:
    """(outside, inside) of each port; outside is empty where GitHub chooses it."""
    return ((found[1] or "", found[2]) for port in ports if (found := _PORT.fullmatch(port)))
