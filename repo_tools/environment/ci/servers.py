"""Servers that a CI's machine has and its steps start, and the databases that they make there. Nothing is run.

https://github.com/actions/runner-images/blob/main/images/ubuntu/Ubuntu2404-Readme.md#databases
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Set
from dataclasses import replace
from itertools import chain, islice, pairwise
from posixpath import basename

from repo_tools.environment.ci.commands import CommandEvidence
from repo_tools.environment.commands import root_relative
from repo_tools.environment.contract import Service
from repo_tools.sandbox.service import ACCOUNT, DATABASE, MOST_DATABASES

KINDS_OF_SERVERS: Mapping[str, str] = {
    **dict.fromkeys(("postgresql", "postgres"), "postgresql"), **dict.fromkeys(("mysql", "mysqld"), "mysql"),
    "mariadb": "mariadb", **dict.fromkeys(("redis", "redis-server", "valkey-server"), "redis"),
    **dict.fromkeys(("rabbitmq", "rabbitmq-server"), "rabbitmq"), "valkey": "redis",
}  # fmt: skip
"""What a server's daemon is called -> its kind."""
_VARIABLES: Mapping[str, Mapping[str, str]] = {"mysql": {"MYSQL_ROOT_PASSWORD": "root"}}
"""What the machine's own server differs in from one that nobody said anything of."""
_STARTS = frozenset(("start", "restart", "reload-or-restart", "force-reload"))
_STOPS = frozenset(("stop",))
_UNIT = re.compile(r"([a-z-]+?)(?:[@-]\d[\w.-]*)?(?:\.service)?")
"""``postgresql@16-main.service`` is one of `postgresql`."""
_OF_INIT = "/etc/init.d/"
_OWN_SERVERS = frozenset(("redis-server", "valkey-server"))
_OTHERWISE_MEANT = frozenset(("--version", "-v", "-h", "--help", "--sentinel", "--cluster-enabled", "--test-memory"))
_CREATE = re.compile(
    r"create\s+(?:database|schema)\s+(?:if\s+not\s+exists\s+)?(?:[`\"]([^`\"\n]{1,99})[`\"]|(\w+))", re.IGNORECASE
)
_EXTENSION = re.compile(r"create\s+extension\s+(?:if\s+not\s+exists\s+)?\"?([\w-]{1,63})", re.IGNORECASE)
"""https://www.postgresql.org/docs/current/sql-createextension.html"""
EXTENSION = "extension of postgresql"
"""Among the kinds of what is made: it is made in the databases."""
USER_OF = "user of "
"""Before a kind, among the kinds of what is made, which is called ``name:password`` then."""
_USER = re.compile(
    r"create\s+(?:user|role)\s+(?:if\s+not\s+exists\s+)?([`\"']?)([\w.-]{1,63})\1(?=[\s;@]|$)([^;]*)", re.IGNORECASE
)
_GRANTED = re.compile(
    r"\bgrant\s[^;'\"]{1,200}?\sto\s+([`\"']?)([\w.-]{1,63})\1(?:@[`\"']?[\w.%-]*[`\"']?)?(\s+identified\s+by\s+'[^']*')",
    re.IGNORECASE,
)
"""Until MySQL 8 this makes the user as well: https://dev.mysql.com/doc/refman/5.7/en/grant.html"""
_PASSWORD = re.compile(r"(?:identified\s+by|password)\s+'([^']*)'", re.IGNORECASE)
_COMMENT = re.compile(r"^[ \t]*(?:--|#)[^\n]*", re.MULTILINE)
_NAMES = {"postgresql": "POSTGRES_DB", "mysql": "MYSQL_DATABASE", "mariadb": "MARIADB_DATABASE"}
_CLIENTS = {
    "psql": ("postgresql",), "createdb": ("postgresql",), "createuser": ("postgresql",),
    "mysql": ("mysql", "mariadb"), "mariadb": ("mysql", "mariadb"), "mysqladmin": ("mysql", "mariadb"),
}  # fmt: skip


_ALWAYS_THERE = frozenset(
    ("postgres", "template0", "template1", "mysql", "sys", "information_schema", "performance_schema")
)
_DOCKER = (("docker",), ("docker-compose",))
_BEHIND_SUDO, _WITHIN_DOCKER = 3, 12
"""Among so many words a client is looked for."""


def installed_server(command: CommandEvidence) -> tuple[Service, ...]:
    """What `command` starts of the machine's own: ``sudo systemctl start postgresql``, ``redis-server &``."""
    program = command.program
    if program and basename(program[0]) in _OWN_SERVERS:
        return _told_by_options(program, command.source)
    found = (_of_unit(name, command.source) for name in _units(program, _STARTS))
    return tuple(replace(server, variables=_VARIABLES.get(server.kind, {})) for server in found if server)


def installed_servers(commands: Iterable[CommandEvidence]) -> tuple[Service, ...]:
    """Those that are up after all of them, one for each port. To install a package is none of these ways: some do it
    for the program, which their tests start themselves."""
    found: dict[tuple[str, int | None], Service] = {}
    for command in commands:
        for stopped in filter(None, (_of_unit(unit, "") for unit in _units(command.program, _STOPS))):
            found.pop((stopped.kind, None), None)
        for service in installed_server(command):
            found.setdefault((service.kind, service.port), service)
    return tuple(found.values())


def _of_unit(name: str, source: str) -> Service | None:
    unit = _UNIT.fullmatch(name)
    return named_server(unit[1], source) if unit else None


def _units(program: tuple[str, ...], verbs: Set[str]) -> Iterator[str]:
    """The names of the daemons that it does this to."""
    name, *words = program or ("",)
    plain = [word for word in words if not word.startswith("-")]
    if name == "systemctl":
        begins = plain[:1] == ["enable"] and verbs is _STARTS if "--now" in words else not verbs.isdisjoint(plain[:1])
        yield from plain[1:] if begins else ()
    elif name == "pg_ctlcluster" and not verbs.isdisjoint(plain[2:3]):
        yield "postgresql"
    elif name == "service" and not verbs.isdisjoint(plain[1:2]):
        yield plain[0]
    elif name.startswith(_OF_INIT) and not verbs.isdisjoint(plain[:1]):
        yield name.removeprefix(_OF_INIT)


def _told_by_options(program: tuple[str, ...], source: str) -> tuple[Service, ...]:
    """Redis, but for one that a file configures, which may say anything."""
    name, *words = program
    options = {word: after for word, after in pairwise((*words, "")) if word.startswith("-")}
    is_configured = bool(words) and not words[0].startswith(("-", "&"))
    server = named_server(basename(name), source)
    if server is None or is_configured or not _OTHERWISE_MEANT.isdisjoint(options):
        return ()
    port, password = options.get("--port", ""), options.get("--requirepass", "")
    return (
        replace(
            server,
            port=int(port) if re.fullmatch(r"\d{4,5}", port) else None,
            variables={"REDIS_PASSWORD": password} if password else {},
        ),
    )


def starts_server(command: CommandEvidence) -> bool:
    """Whether it may do so."""
    return command.program[:1] in _DOCKER or bool(installed_server(command))


def is_of_a_client(command: CommandEvidence) -> bool:
    """Whether it may make a database in one."""
    return not _CLIENTS.keys().isdisjoint(command.program[:_BEHIND_SUDO])


def named_server(name: str, source: str) -> Service | None:
    """The service of a daemon called `name`; None where there is no such kind."""
    kind = KINDS_OF_SERVERS.get(name)
    return Service(kind, source=source, required=False) if kind else None


def with_databases(services: Iterable[Service], made: Iterable[tuple[str, str]]) -> tuple[Service, ...]:
    """`services`, each with the databases and users (kind, name) that are `made` in one of its kind, and those of
    PostgreSQL with their extensions, besides what it has already; the first database is its own where it names none
    itself."""
    made = list(made)
    known = [(kind, name) for kind, name in made if DATABASE.fullmatch(name) and name not in _ALWAYS_THERE]
    extensions = [name for kind, name in known if kind == EXTENSION]
    accounts = [(kind, name) for kind, name in made if ACCOUNT.fullmatch(name)]
    return tuple(
        replace(
            _with_databases(service, [name for kind, name in known if kind == service.kind]),
            users=_together(service.users, (name for kind, name in accounts if kind == USER_OF + service.kind)),
            extensions=_together(service.extensions, extensions if service.kind == "postgresql" else ()),
        )
        for service in services
    )


def _together(there: Iterable[str], more: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys((*there, *more)))[:MOST_DATABASES]


def _with_databases(service: Service, names: list[str]) -> Service:
    variable, known = _NAMES.get(service.kind, ""), service.variables
    naming = (variable, variable.replace("MARIADB_", "MYSQL_"), "POSTGRES_USER")
    own = next((known[name] for name in naming if name in known), "")
    if names and not own:
        own = names[0]
        service = replace(service, variables={**known, variable: own})
    more = dict.fromkeys(name for name in (*service.databases, *names) if name != own)
    return replace(service, databases=tuple(more)[:MOST_DATABASES])


def made_databases(command: CommandEvidence, read_text: Callable[[str], str]) -> tuple[tuple[str, str], ...]:
    """(kind, name) of the databases, users and extensions that a client is told to make, in words or in a file; ``-u
    postgres`` of ``sudo`` may stand before it. `read_text`: of a root-relative path; empty where there is none."""
    program = command.program
    among = program[: _WITHIN_DOCKER if program[:1] in _DOCKER else _BEHIND_SUDO]
    before = next((number for number, word in enumerate(among) if word in _CLIENTS), 0)
    client, *words = program[before:] or ("",)
    plain = [word for word in words if not word.startswith("-")]
    if client == "createuser":
        return tuple((USER_OF + "postgresql", f"{name}:") for name in plain[-1:])
    if client == "createdb":
        names = plain[-1:]
    elif client == "mysqladmin":
        names = plain[-1:] if "create" in plain[:-1] else []
    else:
        files = [root_relative(path, command.directory) for path in _files(words)]
        text = "\n".join((*words, *map(read_text, files)))
        return tuple(made for kind in _CLIENTS.get(client, ()) for made in made_in(text, kind))
    return tuple((kind, name) for kind in _CLIENTS.get(client, ()) for name in names)


def made_in(script: str, kind: str) -> Iterator[tuple[str, str]]:
    """(kind, name) of what its statements make; PostgreSQL folds names that stand in no quotes."""
    text = _COMMENT.sub("", script)
    for found in islice(_CREATE.finditer(text), MOST_DATABASES):
        yield kind, found[1] or (found[2].lower() if kind == "postgresql" else found[2])
    for found in islice(chain(_USER.finditer(text), _GRANTED.finditer(text)), MOST_DATABASES):
        name = found[2].lower() if kind == "postgresql" and not found[1] else found[2]
        password = _PASSWORD.search(found[3])
        yield USER_OF + kind, f"{name}:{password[1] if password else ''}"
    for found in islice(_EXTENSION.finditer(text) if kind == "postgresql" else (), MOST_DATABASES):
        yield EXTENSION, found[1].lower()


def _files(words: Iterable[str]) -> Iterator[str]:
    for word, after in pairwise((*words, "")):
        name, _, value = word.partition("=")
        if name in ("-f", "--file"):
            yield value or after
