"""Servers beside a box: what tests may ask for, and what each kind of them takes."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from repo_tools.errors import ServiceError, ServiceMissingError

HOST_NAME = re.compile(r"[a-z0-9]([a-z0-9_-]{0,61}[a-z0-9])?", re.IGNORECASE)
VERSION = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,60}")
"""What may stand after the colon of an image's name."""
DATABASE = re.compile(r"[\w.-]{1,63}", re.ASCII)
ACCOUNT = re.compile(r"[\w.-]{1,63}:[^\s'\"`\\]{0,99}", re.ASCII)
"""A user and the password, which may be none."""
MOST_DATABASES = 10
"""As many users and extensions, too."""
MOST_SERVICES = 8


@dataclass(frozen=True)
class Service:
    """A server beside the tests. `kind`: ``postgresql``, ``mysql``, ``mariadb``, ``redis`` or ``rabbitmq``; `version`
    as the repository asks (empty: any); `variables` as its image takes them (``POSTGRES_PASSWORD``); `port`: where
    tests reach it on ``localhost`` (None: the kind's own); `name`: the host name that tests know it by, besides
    ``localhost``; `source` where it was read from. `required` False: found, not asked for; where it cannot be had, the
    tests are run without it. `richer`: the image that was asked for, where it has more than the kind's own server
    (``postgis/postgis``). `databases`: names of those that it has besides the one that its variables say; `extensions`:
    of PostgreSQL, what each of them has where the server knows it. `users`: ``name:password`` of those that the server
    has besides, who may do everything."""

    kind: str
    version: str = ""
    port: int | None = None
    variables: Mapping[str, str] = field(default_factory=dict)
    name: str = ""
    source: str = ""
    required: bool = True
    richer: str = ""
    databases: tuple[str, ...] = ()
    extensions: tuple[str, ...] = ()
    users: tuple[str, ...] = ()


@dataclass(frozen=True)
class ServiceSources:
    """Where an operator has servers: `images` by kind, for containers; `programs`: a folder, for bubblewrap."""

    images: Mapping[str, str] = field(default_factory=dict)
    programs: Path | None = None


@dataclass(frozen=True)
class Kind:
    """`image`: repository and tag in a registry; `packages`, `programs`: Debian's, any one of the programs will do.
    `user`: whom the registry's image runs its server as. `prefixes`: which variables it takes. `argv`: its server, in
    the registry's image, with ``{port}``; `settings`: variables that it gets there besides; `options`: of its variables
    those that no image takes, and the server's option that says the same."""

    title: str
    port: int
    image: str
    packages: tuple[str, ...]
    programs: tuple[str, ...]
    user: str
    prefixes: tuple[str, ...]
    argv: tuple[str, ...]
    settings: Mapping[str, str] = field(default_factory=dict)
    options: Mapping[str, str] = field(default_factory=dict)


_MARIADB_PROGRAMS = ("mariadbd", "mysqld")
_MYSQL_VARIABLES = ("MYSQL_", "MARIADB_")
KINDS: Mapping[str, Kind] = {
    "postgresql": Kind(
        "PostgreSQL", 5432, "postgres:17", ("postgresql",), ("postgres",), "postgres", ("POSTGRES_",),
        ("postgres", "-c", "fsync=off"),
        {"PGPORT": "{port}", "PGDATA": "/var/lib/postgresql/data/cluster"},
    ),
    "mysql": Kind(
        "MySQL", 3306, "mysql:8.4", ("mariadb-server",), _MARIADB_PROGRAMS, "mysql", _MYSQL_VARIABLES,
        ("mysqld", "--port={port}", "--datadir=/var/lib/mysql/data", "--mysqlx=OFF"),
    ),
    "mariadb": Kind(
        "MariaDB", 3306, "mariadb:11", ("mariadb-server",), _MARIADB_PROGRAMS, "mysql", _MYSQL_VARIABLES,
        ("mariadbd", "--port={port}", "--datadir=/var/lib/mysql/data"),
    ),
    "redis": Kind(
        "Redis", 6379, "redis:8", ("redis-server",), ("redis-server", "valkey-server"), "redis", ("REDIS_",),
        ("redis-server", "--port", "{port}", "--save", ""), options={"REDIS_PASSWORD": "--requirepass"},
    ),
    "rabbitmq": Kind(
        "RabbitMQ", 5672, "rabbitmq:4", ("rabbitmq-server",), ("rabbitmq-server",), "rabbitmq", ("RABBITMQ_DEFAULT_",),
        ("rabbitmq-server",),
        {"RABBITMQ_NODE_PORT": "{port}", "RABBITMQ_NODENAME": "rabbit@localhost"},
    ),
}  # fmt: skip
WITHOUT_PASSWORD: Mapping[str, tuple[tuple[str, ...], tuple[str, str]]] = {
    "postgresql": (("POSTGRES_PASSWORD", "POSTGRES_HOST_AUTH_METHOD"), ("POSTGRES_HOST_AUTH_METHOD", "trust")),
    "mysql": (("MYSQL_ROOT_PASSWORD", "MYSQL_RANDOM_ROOT_PASSWORD"), ("MYSQL_ALLOW_EMPTY_PASSWORD", "yes")),
    "mariadb": (
        ("MARIADB_ROOT_PASSWORD", "MYSQL_ROOT_PASSWORD", "MARIADB_RANDOM_ROOT_PASSWORD", "MYSQL_RANDOM_ROOT_PASSWORD"),
        ("MARIADB_ALLOW_EMPTY_ROOT_PASSWORD", "yes"),
    ),
}
"""Who names no password gets a server that asks for none; nobody else reaches it. (any of these, else this)"""


def port_of(service: Service) -> int:
    return service.port or KINDS[service.kind].port


def label_of(service: Service) -> str:
    """For people: ``PostgreSQL 16 (postgres, port 5432)``."""
    title = " ".join(filter(None, (KINDS[service.kind].title, service.version)))
    return f"{title} ({', '.join(filter(None, (service.name, f'port {port_of(service)}')))})"


def plain_server(service: Service, stand_in: str) -> str:
    """`stand_in`, and what the server lacks of the image that was asked for."""
    if not service.richer:
        return stand_in
    return f"{stand_in or f'a plain {KINDS[service.kind].title}'}, without what {service.richer} has besides"


def variables_of(service: Service) -> dict[str, str]:
    """The ones that its kind knows: others could steer more than the server."""
    prefixes = KINDS[service.kind].prefixes
    known = {name: value for name, value in service.variables.items() if name.startswith(prefixes)}
    named, (name, value) = WITHOUT_PASSWORD.get(service.kind, ((), ("", "")))
    return known if not name or any(known.get(each) for each in named) else {**known, name: value}


def host_names(services: Iterable[Service]) -> tuple[str, ...]:
    return tuple(sorted({service.name for service in services if service.name not in ("", "localhost")}))


@dataclass(frozen=True)
class Offer:
    """The services that a box is started with, and what people are told of those that are not as they were wanted."""

    services: tuple[Service, ...] = ()
    notes: tuple[str, ...] = ()


def offered(services: Iterable[Service], check: Callable[[Service], str]) -> Offer:
    """Of the services that were found, not asked for, only the ones that can be had.

    `check` raises ServiceError for one that cannot; so does this, for one that is required: for all that are missing
    at once. Else it says what stands in for it, or nothing where it is what was wanted."""
    kept: list[Service] = []
    notes: list[str] = []
    missing: list[str] = []
    for service in sorted(services, key=lambda service: not service.required):
        try:
            check_service(service)
            check_room(service, kept)
            stand_in = check(service)
        except ServiceError as error:
            if not service.required:
                notes.append(left_out(service, error))
            elif isinstance(error, ServiceMissingError):
                missing.append(str(error))
            else:
                raise
        else:
            kept.append(service)
            notes += [f"{described(service)}{', ' if service.source else ' '}is {stand_in}."] if stand_in else []
    if missing:
        raise ServiceMissingError("\n".join(missing))
    return Offer(tuple(kept), tuple(notes))


def left_out(service: Service, why: ServiceError) -> str:
    """For people: that the tests are run without it."""
    return f"The tests run without {described(service)}: {str(why).partition(chr(10))[0]}"


def described(service: Service) -> str:
    """``PostgreSQL 16 (postgres, port 5432), which .github/workflows/ci.yml:12 asks for``."""
    return label_of(service) + (f", which {service.source} asks for" if service.source else "")


def check_services(services: Sequence[Service]) -> None:
    """ServiceError where they cannot be asked for together."""
    for number, service in enumerate(services):
        check_service(service)
        check_room(service, services[:number])


def check_service(service: Service) -> None:
    """ServiceMissingError for a kind that is not known, ServiceError for what no server can be told."""
    if service.kind not in KINDS:
        raise ServiceMissingError(f"No service is called {service.kind}: there are {', '.join(KINDS)}.")
    title = KINDS[service.kind].title
    if service.name and not HOST_NAME.fullmatch(service.name):
        raise ServiceError(f"{service.name!r} is not a host name for {title}.")
    if service.version and not VERSION.fullmatch(service.version):
        raise ServiceError(f"{service.version!r} is not a version of {title}.")
    given = {"databases": service.databases, "extensions": service.extensions, "users": service.users}
    for what, names in given.items():
        known = ACCOUNT if what == "users" else DATABASE
        if len(names) > MOST_DATABASES or not all(map(known.fullmatch, names)):
            shown = ", ".join(name.partition(":")[0] for name in names)[:200]
            raise ServiceError(f"{title} cannot be given the {what} {shown!r}.")
    if not 1024 <= port_of(service) <= 65535:
        raise ServiceError(f"{label_of(service)}: the port must be between 1024 and 65535.")


def check_room(service: Service, others: Sequence[Service]) -> None:
    """ServiceError where it cannot stand beside `others`."""
    if len(others) == MOST_SERVICES:
        raise ServiceError(f"A box has room for {MOST_SERVICES} services and not for {label_of(service)} besides.")
    for other in others:
        if port_of(other) == port_of(service):
            raise ServiceError(f"{label_of(other)} and {label_of(service)} cannot both have this port.")
