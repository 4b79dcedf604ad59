"""Servers that a CI's machine has and its steps start, and the databases that they make there. Nothing is run.

https://github.com/actions/runner-images/blob/main/images/ubuntu/Ubuntu2404-Readme.md#databases
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace

from repo_tools.environment.ci.commands import CommandEvidence
from repo_tools.environment.contract import Service

KINDS_OF_SERVERS: Mapping[str, str] = {
    **dict.fromkeys(("postgresql", "postgres"), "postgresql"), **dict.fromkeys(("mysql", "mysqld"), "mysql"),
    "mariadb": "mariadb", **dict.fromkeys(("redis", "redis-server"), "redis"),
    **dict.fromkeys(("rabbitmq", "rabbitmq-server"), "rabbitmq"), "valkey": "redis",
}  # fmt: skip
"""What a server's daemon is called -> its kind."""
_VARIABLES: Mapping[str, Mapping[str, str]] = {"mysql": {"MYSQL_ROOT_PASSWORD": "root"}}
"""What the machine's own server differs in from one that nobody said anything of."""
_START = re.compile(r"systemctl start ([\w-]+?)(?:\.service)?|(?:service |/etc/init\.d/)([\w-]+) start")
_CREATE = re.compile(r"create\s+(?:database|schema)\s+(?:if\s+not\s+exists\s+)?[`\"]?(\w+)", re.IGNORECASE)
_NAMES = {"postgresql": "POSTGRES_DB", "mysql": "MYSQL_DATABASE", "mariadb": "MARIADB_DATABASE"}
_CLIENTS = {
    "psql": ("postgresql",), "createdb": ("postgresql",),
    "mysql": ("mysql", "mariadb"), "mariadb": ("mysql", "mariadb"), "mysqladmin": ("mysql", "mariadb"),
}  # fmt: skip


def installed_server(command: CommandEvidence) -> tuple[Service, ...]:
    """What `command` starts of the machine's own: ``sudo systemctl start postgresql``."""
    found = _START.fullmatch(" ".join(command.program))
    server = named_server(found[1] or found[2], command.source) if found else None
    return (replace(server, variables=_VARIABLES.get(server.kind, {})),) if server else ()


def named_server(name: str, source: str) -> Service | None:
    """The service of a daemon called `name`; None where there is no such kind."""
    kind = KINDS_OF_SERVERS.get(name)
    return Service(kind, source=source, required=False) if kind else None


def with_databases(services: Iterable[Service], commands: Iterable[CommandEvidence]) -> tuple[Service, ...]:
    """`services`, each with the first database that `commands` make in one of its kind, where it names none itself."""
    made: dict[str, str] = {}
    for command in commands:
        for kind, name in _made(command.program):
            made.setdefault(kind, name)
    return tuple(_with_database(service, made.get(service.kind, "")) for service in services)


def _with_database(service: Service, name: str) -> Service:
    variable = _NAMES.get(service.kind, "")
    named = {variable, variable.replace("MARIADB_", "MYSQL_")} & set(service.variables)
    return service if named or not name else replace(service, variables={**service.variables, variable: name})


def _made(program: tuple[str, ...]) -> list[tuple[str, str]]:
    """(kind, name) of a database; ``-u postgres`` of ``sudo`` may stand before its client."""
    before = next((number for number, word in enumerate(program[:3]) if word in _CLIENTS), 0)
    client, *words = program[before:] or ("",)
    plain = [word for word in words if not word.startswith("-")]
    if client == "createdb":
        name = plain[-1] if plain else ""
    elif client == "mysqladmin":
        name = plain[-1] if "create" in plain[:-1] else ""
    else:
        name = next((found[1] for word in words if (found := _CREATE.search(word))), "")
    return [(kind, name) for kind in _CLIENTS.get(client, ()) if re.fullmatch(r"\w+", name)]
