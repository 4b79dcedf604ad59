"""What may be asked for, what is made of it, and what is said where it cannot be had."""

import json
import uuid
from collections.abc import Iterator
from contextlib import ExitStack, closing
from copy import deepcopy
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from docker.errors import APIError, ImageNotFound

from repo_tools.errors import ServiceError, ServiceMissingError
from repo_tools.sandbox.bubblewrap import BubblewrapEngine
from repo_tools.sandbox.bwrap_network import NETWORK, network_stage, shared, split
from repo_tools.sandbox.contract import BoxSpec
from repo_tools.sandbox.docker import DockerEngine
from repo_tools.sandbox.docker_policy import GVISOR
from repo_tools.sandbox.service import KINDS, Offer, Service, check_services, offered, variables_of
from repo_tools.sandbox.service_containers import (
    FIRST,
    ContainerServices,
    command_of,
    environment_of,
    service_options,
    service_violations,
)
from repo_tools.sandbox.service_images import REFUSED_SECONDS, ServiceImage, ServiceImages, official_name
from repo_tools.sandbox.service_images import missing as image_missing
from repo_tools.sandbox.service_probe import is_ready
from repo_tools.sandbox.service_processes import PodCommand
from repo_tools.sandbox.service_programs import ServicePrograms
from repo_tools.sandbox.service_scripts import SCRIPTS
from tests.support.boxes import LIMITS
from tests.support.containers import containers
from tests.support.engine import engine_client
from tests.support.services import require_service_images

REDIS = Service("redis", name="cache")
OFFICIAL = ServiceImage("sha256:1", own=False, entrypoint=("docker-entrypoint.sh",), volumes=("/data",))
OWN = ServiceImage("sha256:2", own=True)
BOX = "b" * 64

# What may be asked for

WRONG = {
    "unknown kind": (Service("oracle"), "No service is called oracle"),
    "host name": (Service("redis", name="a b"), "not a host name"),
    "line in a host name": (Service("redis", name="a\n10.0.0.1 pypi.org"), "not a host name"),
    "version": (Service("redis", version="8@sha256:0"), "not a version"),
    "registry in a version": (Service("redis", version="../evil"), "not a version"),
    "database": (Service("mysql", databases=("a b",)), "cannot be given the databases"),
    "quote in a database": (Service("postgresql", databases=('a"',)), "cannot be given the databases"),
    "quote in an extension": (Service("postgresql", extensions=('a"',)), "cannot be given the extensions"),
    "quote in a password": (Service("postgresql", users=("a:b'",)), "cannot be given the users"),
    "user without a password's place": (Service("mysql", users=("a",)), "cannot be given the users"),
    "too many databases": (Service("mysql", databases=tuple("abcdefghijk")), "cannot be given the databases"),
    "privileged port": (Service("redis", port=80), "between 1024 and 65535"),
}


@pytest.mark.parametrize("what", WRONG)
def test_what_no_server_can_be_told_is_refused(what: str) -> None:
    service, words = WRONG[what]
    with pytest.raises(ServiceError, match=words):
        check_services([service])


def test_one_port_has_one_service() -> None:
    with pytest.raises(ServiceError, match=r"PostgreSQL \(db, port 5000\) and Redis \(port 5000\) cannot both"):
        check_services([Service("postgresql", port=5000, name="db"), Service("redis", port=5000)])


def test_a_box_has_room_for_eight() -> None:
    check_services([Service("redis", port=7000 + number) for number in range(8)])
    with pytest.raises(ServiceError, match="room for 8"):
        check_services([Service("redis", port=7000 + number) for number in range(9)])


def missing(service: Service) -> str:
    if service.kind == "rabbitmq":
        raise ServiceMissingError("no RabbitMQ here")
    return "Debian's MariaDB" if service.kind == "mysql" else ""


def test_a_service_that_was_found_is_left_out_where_it_cannot_be_had_and_that_is_told() -> None:
    found = Service("rabbitmq", source="ci.yml:12", required=False)
    told = "The tests run without RabbitMQ (port 5672), which ci.yml:12 asks for: no RabbitMQ here"
    assert offered((found, REDIS), missing) == Offer((REDIS,), (told,))


def test_what_stands_in_for_a_service_is_told() -> None:
    asked = Service("mysql", version="8.0")
    assert offered((asked,), missing) == Offer((asked,), ("MySQL 8.0 (port 3306) is Debian's MariaDB.",))
    (told,) = offered((replace(asked, source="ci.yml:12"),), missing).notes
    assert told == "MySQL 8.0 (port 3306), which ci.yml:12 asks for, is Debian's MariaDB."


def test_a_service_that_is_asked_for_is_not_left_out() -> None:
    with pytest.raises(ServiceMissingError, match="no RabbitMQ here"):
        offered((REDIS, Service("rabbitmq")), missing)


def test_all_services_that_are_asked_for_in_vain_are_told_at_once() -> None:
    def none(service: Service) -> str:
        raise ServiceMissingError(f"{service.kind} is not here.")

    with pytest.raises(ServiceMissingError, match=r"^redis is not here\.\nrabbitmq is not here\.$"):
        offered((REDIS, Service("rabbitmq")), none)


def test_one_that_is_asked_for_and_wrong_is_not_told_as_missing() -> None:
    with pytest.raises(ServiceError) as raised:
        offered((REDIS, Service("redis", name="again")), lambda _: "")
    assert not isinstance(raised.value, ServiceMissingError)


def test_of_two_on_one_port_the_one_that_is_asked_for_stays() -> None:
    found, asked = Service("redis", name="found", required=False), Service("redis", name="asked")
    assert offered((found, asked), lambda _: "").services == (asked,)


# Variables


def test_only_variables_of_the_kind_reach_a_server() -> None:
    given = {"POSTGRES_PASSWORD": "x", "LD_PRELOAD": "/tmp/x.so", "PATH": "/tmp", "MYSQL_USER": "u"}
    assert variables_of(Service("postgresql", variables=given)) == {"POSTGRES_PASSWORD": "x"}


@pytest.mark.parametrize("kind", ["postgresql", "mysql", "mariadb"])
def test_who_names_no_password_needs_none(kind: str) -> None:
    assert set(variables_of(Service(kind)).values()) <= {"trust", "yes"}
    assert variables_of(Service(kind))


def test_what_we_set_is_not_overridden_by_the_repository() -> None:
    redis = Service("redis", variables={"REDIS_X": "1", "DATA": "/etc", "PORT": "1"})
    assert environment_of(redis, OWN) == {
        "REDIS_X": "1",
        "DATA": "/workspace/data",
        "PORT": "6379",
        "VERSION": "",
        "DATABASES": "",
        "EXTENSIONS": "",
        "USERS": "",
    }


def test_every_kind_can_be_started_from_packages() -> None:
    assert SCRIPTS.keys() == KINDS.keys()


# The registry's images


def test_a_version_is_a_tag_of_the_official_image() -> None:
    assert official_name(Service("postgresql", version="15-alpine")) == "postgres:15-alpine"
    assert official_name(Service("rabbitmq")) == KINDS["rabbitmq"].image


def test_an_official_image_is_started_by_its_own_entry_point_on_the_wanted_port() -> None:
    command = command_of(Service("redis", port=6380), OFFICIAL)
    assert command == ["docker-entrypoint.sh", "redis-server", "--port", "6380", "--save", ""]
    closed = command_of(Service("redis", variables={"REDIS_PASSWORD": "{a} b"}), OFFICIAL)
    assert closed[-2:] == ["--requirepass", "{a} b"]
    assert environment_of(Service("postgresql", port=5433), OFFICIAL)["PGPORT"] == "5433"


@pytest.mark.parametrize(
    ("kind", "variables", "statements"),
    [
        ("postgresql", {"POSTGRES_USER": "u"}, 'create database "a-b";\ncreate database "c";\n'),
        ("mysql", {}, "create database if not exists `a-b`;\ncreate database if not exists `c`;\n"),
        (
            "mariadb",
            {"MYSQL_USER": "u"},
            "create database if not exists `a-b`;\ncreate database if not exists `c`;\n"
            "grant all on `a-b`.* to 'u'@'%';\ngrant all on `c`.* to 'u'@'%';\n",
        ),
    ],
)
def test_an_official_image_finds_the_databases_that_it_is_to_make_at_its_first_start(
    kind: str, variables: dict[str, str], statements: str
) -> None:
    service = Service(kind, variables=variables, databases=("a-b", "c"))
    shell, option, text, name, written, *started = command_of(service, OFFICIAL)
    assert (shell, option, name, written) == ("sh", "-c", "sh", statements)
    assert text == f'printf %s "$1" > {FIRST}/databases.sql && shift && exec "$@"'
    assert started == command_of(Service(kind), OFFICIAL)
    assert FIRST in service_options(service, OFFICIAL, BOX, runtime="runc")["tmpfs"]
    assert FIRST not in service_options(Service(kind), OFFICIAL, BOX, runtime="runc")["tmpfs"]


def test_each_of_its_databases_has_the_extensions_that_the_image_knows() -> None:
    service = Service("postgresql", databases=("a",), extensions=("hstore",))
    extended = 'do $$ begin create extension if not exists "hstore"; exception when others then null; end $$;\n'
    assert command_of(service, OFFICIAL)[4] == f'create database "a";\n{extended}\\connect "a"\n{extended}'
    assert command_of(replace(service, databases=()), OFFICIAL)[4] == extended


def test_an_official_image_makes_other_users_at_its_first_start() -> None:
    role = "do $$ begin create role \"u\" superuser login password 'p:w'; exception when others then null; end $$;\n"
    assert command_of(Service("postgresql", users=("u:p:w",)), OFFICIAL)[4] == role
    made = "create user if not exists 'u'@'%' identified by 'p';\ngrant all on *.* to 'u'@'%' with grant option;\n"
    assert command_of(Service("mysql", users=("u:p",)), OFFICIAL)[4] == made


def test_an_official_image_runs_as_its_own_user_and_keeps_its_data_in_sized_memory() -> None:
    options = service_options(REDIS, OFFICIAL, BOX, runtime="runc")
    assert options["user"] == "redis"
    assert set(options["tmpfs"]) >= {"/data", "/tmp"}
    assert "extra_hosts" not in options, "names are the box's"
    assert all("size=" in each and "nosuid" in each for each in options["tmpfs"].values())
    assert (options["read_only"], options["cap_drop"]) == (True, ["ALL"])


def test_an_image_that_nobody_has_names_the_remedy() -> None:
    assert "run `agent-fix sandbox build --services redis`" in image_missing(REDIS, None)
    assert "redis:8" in image_missing(REDIS, None)
    assert "AGENT_FIX_SERVICE_IMAGES names mine:1" in image_missing(REDIS, "mine:1")


class Registry:
    """An engine whose registry is away, and then back; or has these images and no others."""

    def __init__(self, *offered: str) -> None:
        self.api = self.images = self
        self.asked = 0
        self.offered = offered
        self.away = not offered
        self.has: set[str] = set()

    def pull(self, name: str, **_: object) -> Iterator[dict[str, str]]:
        self.asked += 1
        if self.away or (self.offered and name not in self.offered):
            raise APIError(f"{name} cannot be had")
        self.has.add(name)
        yield {"status": "done"}

    def get(self, name: str) -> Any:
        if name not in self.has:
            raise ImageNotFound(name)
        return SimpleNamespace(id="sha256:1", attrs={"Config": {}})


def test_a_registry_that_was_away_is_asked_again_but_not_for_every_box() -> None:
    engine, now = Registry(), 1000.0
    client: Any = engine
    images = ServiceImages(client, {"redis": "mine:1"}, clock=lambda: now)
    for _ in range(3):
        with pytest.raises(ServiceMissingError, match="mine:1"):
            images.find(REDIS)
    assert engine.asked == 1
    engine.away, now = False, now + REFUSED_SECONDS
    assert images.find(REDIS).id == "sha256:1"


@pytest.mark.parametrize(
    ("version", "given"), [("15.4.0", "postgres:15.4"), ("15.9", "postgres:15"), ("99", "postgres:17")]
)
def test_a_version_that_a_registry_lacks_is_replaced_by_the_nearest_where_it_was_only_found(
    version: str, given: str
) -> None:
    client: Any = Registry("postgres:15.4", "postgres:15", "postgres:17")
    images, found = ServiceImages(client, {}), Service("postgresql", version, required=False)
    assert images.stand_in(found, images.find(found)) == given
    with pytest.raises(ServiceMissingError, match=f"has postgres:{version} nor can pull"):
        images.find(replace(found, required=True))


def test_under_gvisor_services_are_refused_with_the_remedy() -> None:
    nothing: Any = None
    services = ContainerServices(nothing, nothing, GVISOR)
    with pytest.raises(ServiceMissingError, match=r"Redis \(cache, port 6379\).*AGENT_FIX_SANDBOX_RUNTIME"):
        services.offered((REDIS,))


@pytest.mark.parametrize(
    ("service", "image", "told"),
    [
        (Service("postgresql", version="16"), OFFICIAL, ""),
        (Service("postgresql"), OWN, ""),
        (Service("postgresql", version="16"), OWN, "Debian's PostgreSQL, of its own version"),
        (Service("mysql"), OWN, "Debian's MariaDB"),
        (Service("redis", version="7"), OFFICIAL, "the operator's image valkey:8"),
    ],
)
def test_an_image_that_is_not_what_was_asked_for_says_so(service: Service, image: ServiceImage, told: str) -> None:
    nothing: Any = None
    assert ServiceImages(nothing, {"redis": "valkey:8"}).stand_in(service, image) == told


# Programs of this machine


def test_a_program_that_this_machine_lacks_names_the_remedy() -> None:
    with pytest.raises(ServiceMissingError, match=r"no rabbitmq-server: install.*AGENT_FIX_SERVICE_PROGRAMS"):
        ServicePrograms(system="/nowhere").check(Service("rabbitmq"))


def test_redis_is_always_offered() -> None:
    """By the Valkey that comes with this program."""
    ServicePrograms().check(REDIS)


def test_the_operators_programs_come_first(tmp_path: Path) -> None:
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "rabbitmq-server").write_text("#!/bin/sh\n")
    (tmp_path / "bin" / "rabbitmq-server").chmod(0o755)
    programs = ServicePrograms(tmp_path)
    assert programs.check(Service("rabbitmq")) == ""
    assert programs.check(Service("rabbitmq", version="3")) == "this machine's rabbitmq-server, of its own version"
    assert programs.shown()["/opt/services/0"] == tmp_path
    assert programs.path().startswith("/opt/services/0/bin:/opt/services/0:")


# When a server is ready

ANSWERS = {
    "password wanted": ("postgresql", b"R\0\0\0\x08\0\0\0\x03", True),
    "no such user": ("postgresql", b"E\0\0\0\x10SFATAL\0C28000\0", True),
    "still starting": ("postgresql", b"E\0\0\0\x10SFATAL\0C57P03\0", False),
    "greeting": ("mysql", b"\x4a\0\0\0\x0a8.4", True),
    "too many connections": ("mariadb", b"\x17\0\0\0\xff\x10\x04", False),
    "pong": ("redis", b"+PONG\r\n", True),
    "password first": ("redis", b"-NOAUTH Authentication required.", True),
    "loading": ("redis", b"-LOADING Redis is loading", False),
    "start of a connection": ("rabbitmq", b"\x01\0\0", True),
    "another protocol": ("rabbitmq", b"AMQP\0\0\x09\x01", False),
    "hung up": ("redis", b"", False),
}


@pytest.mark.parametrize("what", ANSWERS)
def test_a_server_is_ready_when_it_says_so_in_its_own_protocol(what: str) -> None:
    kind, answer, ready = ANSWERS[what]
    assert is_ready(kind, answer) is ready


# What is started is checked: containers


@pytest.fixture(scope="module")
def live_service() -> Iterator[tuple[dict[str, Any], ServiceImage, str]]:
    """What `docker inspect` shows of a service, its image, and the id of its box."""
    run, host = f"test-{uuid.uuid4().hex}", require_service_images("redis")
    with (
        closing(DockerEngine(docker_host=host, runtime="runc", installation=run)) as engine,
        closing(engine_client(host)) as client,
    ):
        image = ServiceImages(client, {}).local(REDIS)
        assert image
        with engine.start(BoxSpec(limits=LIMITS, services=(REDIS,))):
            shown = [client.api.inspect_container(container.id) for container in containers(client, run)]
            (service,) = [each for each in shown if each["HostConfig"]["NetworkMode"] != "none"]
            (box,) = [each for each in shown if each["HostConfig"]["NetworkMode"] == "none"]
            yield service, image, box["Id"]


BREACHES: dict[str, tuple[str, str, object]] = {
    "network": ("HostConfig", "NetworkMode", "host"),
    "another program": ("Config", "Entrypoint", ["/bin/sh"]),
    "root user": ("Config", "User", "0:0"),
    "capabilities": ("HostConfig", "CapAdd", ["NET_ADMIN"]),
    "new privileges": ("HostConfig", "SecurityOpt", ["seccomp=unconfined"]),
    "writable root": ("HostConfig", "ReadonlyRootfs", False),
    "mounts": ("HostConfig", "Binds", ["/var/run/docker.sock:/var/run/docker.sock"]),
    "volumes without their size": ("HostConfig", "Tmpfs", {"/workspace": "rw"}),
    "log on the host": ("HostConfig", "LogConfig", {"Type": "json-file", "Config": {}}),
    "memory": ("HostConfig", "Memory", 0),
    "processes": ("HostConfig", "PidsLimit", 0),
    "processors": ("HostConfig", "NanoCpus", 0),
    "host namespaces": ("HostConfig", "PidMode", "host"),
    "ports": ("HostConfig", "PublishAllPorts", True),
    "privileged": ("HostConfig", "Privileged", True),
}


@pytest.mark.docker
def test_a_live_service_breaks_no_rule(live_service: tuple[dict[str, Any], ServiceImage, str]) -> None:
    shown, image, box = live_service
    assert service_violations(shown, REDIS, image, box, "runc") == ()


@pytest.mark.docker
@pytest.mark.parametrize("rule", BREACHES)
def test_each_breach_by_a_service_is_named(live_service: tuple[dict[str, Any], ServiceImage, str], rule: str) -> None:
    """S02."""
    shown, image, box = live_service
    part, setting, value = BREACHES[rule]
    opened = deepcopy(shown)
    opened[part][setting] = value
    assert rule in service_violations(opened, REDIS, image, box, "runc")


@pytest.mark.docker
def test_a_service_in_the_network_of_another_box_is_refused(
    live_service: tuple[dict[str, Any], ServiceImage, str],
) -> None:
    shown, image, _box = live_service
    assert service_violations(shown, REDIS, image, "f" * 64, "runc") == ("network",)


# and command lines

ROOT_COMMAND = "bwrap --dev-bind / / --tmpfs /tmp setpriv --reuid 7 --regid 7 --clear-groups bwrap2 --unshare-net"


def test_a_command_line_is_taken_apart_where_root_is_left() -> None:
    parts = split(ROOT_COMMAND.split())
    assert parts.stage == ["bwrap", "--dev-bind", "/", "/", "--tmpfs", "/tmp"]
    assert parts.become == ["setpriv", "--reuid", "7", "--regid", "7", "--clear-groups"]
    assert parts.box == ["bwrap2", NETWORK]


def test_a_sandbox_of_a_pod_has_the_pods_network_and_a_root_that_is_still_read_only() -> None:
    alone = ["bwrap", "--unshare-pid", NETWORK, "--ro-bind", "/usr", "/usr", "--remount-ro", "/", "--", "server"]
    made = shared(alone, ["--ro-bind", "/a", "/b"])
    end = ["--ro-bind", "/a", "/b", "--remount-ro", "/", "--", "server"]
    assert made == ["bwrap", "--unshare-pid", "--ro-bind", "/usr", "/usr", *end]


@pytest.mark.bubblewrap
@pytest.mark.parametrize("line", [ROOT_COMMAND, "bwrap --unshare-net"], ids=["root", "anybody else"])
def test_the_program_outside_of_a_box_has_no_network_but_the_boxs(bubblewrap: BubblewrapEngine, line: str) -> None:
    parts = split(line.split())
    stage = network_stage(bubblewrap._command, parts, 7 if parts.become else None)
    assert NETWORK in stage[: stage.index("-I")]
    assert "--share-net" not in stage


@pytest.mark.bubblewrap
def test_the_network_is_cut_off_before_the_box_and_its_services_are_made(bubblewrap: BubblewrapEngine) -> None:
    command: PodCommand = bubblewrap._pod_command
    with ExitStack() as held:
        user = bubblewrap._users.take(held)
    argv = command.argv(BoxSpec(limits=LIMITS, services=(REDIS,)), None, user, {6379: 9})
    outer, plan = argv[: argv.index("-c")], json.loads(argv[-1])
    assert NETWORK in outer
    (side, _log), box = plan["services"][0], plan["box"]
    for made in (side, box):
        assert NETWORK not in made
        assert {"--unshare-user", "--unshare-pid", "--disable-userns", "--cap-drop", "--clearenv"} <= set(made)
        assert "--bind" not in made
        assert made[made.index("--") - 2 : made.index("--")] == ["--remount-ro", "/"]
    assert "--die-with-parent" in side
    assert plan["hosts"].endswith("127.0.0.1 cache\n")
