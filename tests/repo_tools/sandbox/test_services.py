"""Servers beside a box, on every backend: they answer as the repository asks for them, and nobody else reaches them."""

import os
import socket
import subprocess
import sys
import threading
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from repo_tools.errors import ServiceError, ServiceMissingError
from repo_tools.sandbox.bubblewrap import BubblewrapEngine
from repo_tools.sandbox.contract import BoxSpec, Sandbox, SandboxEngine
from repo_tools.sandbox.docker import DockerEngine
from repo_tools.sandbox.service import Service
from repo_tools.sandbox.service_images import ServiceImages
from tests.support.boxes import LIMITS, process_count, sh
from tests.support.containers import containers
from tests.support.engine import ENGINES, engine_client, require_docker
from tests.support.services import KINDS, ask, require_bubblewrap_with_postgresql, require_service_images

REDIS = Service("redis", name="cache")
POSTGRESQL = Service(
    "postgresql",
    port=5433,
    name="db",
    variables={
        "POSTGRES_USER": "the owner",
        "POSTGRES_PASSWORD": 'pass" word$1',
        "POSTGRES_DB": 'the "app"',
        "POSTGRES_HOST_AUTH_METHOD": "password",
        "LD_PRELOAD": "/tmp/evil.so",
    },
    databases=("two", "and-three"),
    extensions=("hstore", "of_nobody", "vector"),
    users=("another:pass:word$1", "plain:"),
)
CREDENTIALS = ("the owner", 'pass" word$1', 'the "app"')


@pytest.fixture(scope="module", params=ENGINES)
def serving_engine(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[SandboxEngine]:
    """An engine that offers PostgreSQL and Redis."""
    if request.param == "bubblewrap":
        yield require_bubblewrap_with_postgresql(tmp_path_factory.mktemp("bubblewrap"))
        return
    with closing(DockerEngine(docker_host=require_service_images("postgresql", "redis"))) as engine:
        yield engine


def start(engine: SandboxEngine, *services: Service) -> Sandbox:
    return engine.start(BoxSpec(limits=LIMITS, services=services))


@pytest.fixture(scope="module")
def box(serving_engine: SandboxEngine) -> Iterator[Sandbox]:
    with start(serving_engine, REDIS, POSTGRESQL) as box:
        yield box


def test_a_service_answers_on_localhost_and_by_its_name(box: Sandbox) -> None:
    assert ask(box, "redis", 6379, "SET", "name", "value", host="localhost") == "+OK"
    assert ask(box, "redis", 6379, "GET", "name", host="cache") == "$5\r\nvalue"


def test_a_database_has_the_user_the_password_and_the_name_that_its_variables_say(box: Sandbox) -> None:
    assert ask(box, "postgresql", 5433, *CREDENTIALS, "select current_database()", host="db") == 'the "app"'
    user, _password, database = CREDENTIALS
    assert "password authentication failed" in ask(box, "postgresql", 5433, user, "wrong", database, "select 1")


def test_every_database_has_the_extensions_that_are_asked_for_and_known(box: Sandbox) -> None:
    user, password, own = CREDENTIALS
    for database in (own, *POSTGRESQL.databases):
        query = "select string_agg({0}, ' ' order by {0}) from {1}"
        known = ask(box, "postgresql", 5433, user, password, database, query.format("name", "pg_available_extensions"))
        found = ask(box, "postgresql", 5433, user, password, database, query.format("extname", "pg_extension"))
        assert found.split() == [name for name in known.split() if name in ("plpgsql", *POSTGRESQL.extensions)]
        assert found != "plpgsql"


def test_a_server_has_the_other_databases_that_are_asked_for(box: Sandbox) -> None:
    user, password, _database = CREDENTIALS
    for name in ("two", "and-three"):
        assert ask(box, "postgresql", 5433, user, password, name, "select current_database()", host="db") == name


def test_a_server_has_the_other_users_that_are_asked_for(box: Sandbox) -> None:
    query = "create table of_another(); select current_user"
    assert ask(box, "postgresql", 5433, "another", "pass:word$1", "two", query).split()[-1] == "another"
    assert "authentication failed" in ask(box, "postgresql", 5433, "plain", "wrong", "two", "select 1")


def test_a_cache_asks_for_the_password_that_its_variables_say(serving_engine: SandboxEngine) -> None:
    with start(serving_engine, Service("redis", variables={"REDIS_PASSWORD": "pass word$1"})) as box:
        assert "NOAUTH" in ask(box, "redis", 6379, "GET", "name")
        assert ask(box, "redis", 6379, "AUTH", "pass word$1") == "+OK"


def test_the_port_is_the_one_that_the_tests_know(box: Sandbox) -> None:
    assert "refused" in ask(box, "redis", 5432, "PING")


def test_a_service_outlives_the_commands_of_the_box(box: Sandbox) -> None:
    sh(box, "kill -9 -1")
    assert ask(box, "redis", 6379, "PING") == "+PONG"


def test_a_service_that_ends_under_the_tests_is_told(serving_engine: SandboxEngine) -> None:
    with start(serving_engine, REDIS) as box:
        assert box.silent_services() == ()
        ask(box, "redis", 6379, "SHUTDOWN", "NOSAVE")
        assert "Redis (cache, port 6379)" in box.silent_services()[0]


def test_services_are_no_processes_of_the_box(box: Sandbox) -> None:
    assert process_count(box) == 2


def test_a_service_gets_only_variables_of_its_kind(box: Sandbox) -> None:
    secret = "copy (select 1) to program 'cat > /dev/null; env > /tmp/seen'"
    ask(box, "postgresql", 5433, *CREDENTIALS, secret)
    seen = ask(box, "postgresql", 5433, *CREDENTIALS, "select pg_read_file('/tmp/seen')")
    assert "PORT=5433" in seen
    assert "LD_PRELOAD" not in seen


# What a database's superuser can do, who runs programs beside the server


def in_service(box: Sandbox, script: str) -> str:
    """Run a shell script as the database's server; its output."""
    quoted = script.replace("'", "''")
    # The row is read first: a program that ends before the server has written it would be an error of the copy.
    program = f"cat > /dev/null; ({quoted}) > /tmp/out 2>&1; true"
    refused = ask(box, "postgresql", 5433, *CREDENTIALS, f"copy (select 1) to program '{program}'")
    assert not refused, refused
    return ask(box, "postgresql", 5433, *CREDENTIALS, "select pg_read_file('/tmp/out')")


ATTEMPTS: dict[str, tuple[str, str]] = {
    "is not root": ("id -u", "1000"),
    "has no capability": ("grep CapEff /proc/self/status | tr -d '0\\t'", "CapEff:"),
    "cannot gain privileges": ("grep NoNewPrivs /proc/self/status | tr -d '\\t'", "NoNewPrivs:1"),
    "is filtered": ("grep ^Seccomp: /proc/self/status | tr -d '\\t'", "Seccomp:2"),
    "writes no system file": ("touch /usr/evil /etc/evil 2>/dev/null || echo no", "no"),
    "sees no socket of an engine": ("ls /var/run/docker.sock /run/docker.sock 2>/dev/null || echo no", "no"),
    "has a loopback interface alone": ("grep -c : /proc/net/dev", "1"),
    "sees no file of the box": ("ls /workspace/planted 2>/dev/null || echo no", "no"),
    "sees no process of the box": ("cat /proc/[0-9]*/comm 2>/dev/null | grep -c python", "0"),
}


@pytest.mark.parametrize("what", ATTEMPTS)
def test_who_takes_a_service_over_is_as_confined_as_in_a_box(box: Sandbox, what: str) -> None:
    """S02."""
    script, expected = ATTEMPTS[what]
    box.write("/workspace/planted", b"x")
    assert in_service(box, script).strip() == expected


# Who reaches whom


@pytest.fixture
def host_server() -> Iterator[int]:
    """A server of the host on every address; its port."""
    with socket.create_server(("0.0.0.0", 0)) as listener:
        listener.settimeout(0.1)
        stop = threading.Event()

        def serve() -> None:
            while not stop.is_set():
                try:
                    connection, _ = listener.accept()
                except TimeoutError:
                    continue
                connection.sendall(b"+reached\r\n")
                connection.close()

        thread = threading.Thread(target=serve)
        thread.start()
        yield listener.getsockname()[1]
        stop.set()
        thread.join()


def test_the_hosts_own_services_are_not_reachable(box: Sandbox, host_server: int) -> None:
    """S03."""
    with socket.create_connection(("127.0.0.1", host_server), 5) as own:
        assert own.recv(20) == b"+reached\r\n"
    addresses = {info[4][0] for info in socket.getaddrinfo(socket.gethostname(), None, socket.AF_INET)}
    for address in {"127.0.0.1", *map(str, addresses)}:
        answer = ask(box, "redis", host_server, "PING", host=address)
        assert "reached" not in answer.replace("unreachable", "")
        probe = f"exec 3<>/dev/tcp/{address}/{host_server} && head -c 9 <&3"
        assert "+reached" not in in_service(box, f'bash -c "{probe}" || perl -e 1 || true')


def test_another_runs_services_are_not_reachable(box: Sandbox, serving_engine: SandboxEngine) -> None:
    """S03."""
    ask(box, "redis", 6379, "SET", "whose", "mine")
    with start(serving_engine) as other:
        assert "refused" in ask(other, "redis", 6379, "PING")
        assert "gaierror" in ask(other, "redis", 6379, "PING", host="cache")
    with start(serving_engine, REDIS) as third:
        assert ask(third, "redis", 6379, "GET", "whose") == "$-1"


def test_each_box_has_fresh_services(serving_engine: SandboxEngine) -> None:
    with start(serving_engine, REDIS) as first:
        ask(first, "redis", 6379, "SET", "left", "over")
    with start(serving_engine, REDIS) as second:
        assert ask(second, "redis", 6379, "GET", "left") == "$-1"


# Ends and failures


def test_a_service_that_does_not_come_up_is_an_error_with_its_last_words(serving_engine: SandboxEngine) -> None:
    wrong = Service("postgresql", variables={"POSTGRES_PASSWORD": "x", "POSTGRES_INITDB_ARGS": "--no-such-option"})
    with pytest.raises(ServiceError, match=r"(?s)PostgreSQL \(port 5432\) ended.*no-such-option") as told:
        start(serving_engine, wrong)
    assert "bwrap" not in str(told.value)


def test_what_was_found_and_does_not_come_up_is_left_out_of_this_box_and_the_next(
    serving_engine: SandboxEngine,
) -> None:
    options = {"POSTGRES_INITDB_ARGS": "--no-such-option"}
    found = Service("postgresql", port=5434, variables=options, source="ci.yml:12", required=False)
    with start(serving_engine, REDIS, found) as first, start(serving_engine, REDIS, found) as second:
        assert first.service_notes() == second.service_notes()
        assert "run without PostgreSQL (port 5434), which ci.yml:12 asks for" in second.service_notes()[-1]
        assert ask(second, "redis", 6379, "PING") == "+PONG"


def test_a_kind_that_nobody_knows_is_refused_before_anything_starts(serving_engine: SandboxEngine) -> None:
    with pytest.raises(ServiceMissingError, match="No service is called oracle"):
        start(serving_engine, Service("oracle"))


def test_two_services_on_one_port_are_refused(serving_engine: SandboxEngine) -> None:
    with pytest.raises(ServiceError, match="cannot both have this port"):
        start(serving_engine, Service("redis", name="a"), Service("redis", name="b"))


def test_two_services_of_one_kind_stand_side_by_side(serving_engine: SandboxEngine) -> None:
    with start(serving_engine, REDIS, Service("redis", port=6380, name="queue")) as box:
        ask(box, "redis", 6379, "SET", "where", "cache")
        assert ask(box, "redis", 6380, "GET", "where", host="queue") == "$-1"


def eventually(holds: Callable[[], bool], seconds: float = 60.0) -> bool:
    deadline = time.monotonic() + seconds
    while not holds():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.1)
    return True


def is_served(engine: SandboxEngine, run: str, port: int) -> bool:
    """Whether a server of that run is alive: a container with its label, or a process of this machine that has the
    port in its title."""
    if engine.name == "docker":
        client = engine_client(require_docker())
        try:
            return any(container.status == "running" for container in containers(client, run))
        finally:
            client.close()
    title = f":{port}".encode()
    return any(
        title in command_line(place) and b"server" in command_line(place) for place in Path("/proc").glob("[0-9]*")
    )


def command_line(place: Path) -> bytes:
    try:
        return (place / "cmdline").read_bytes()
    except OSError:
        return b""


OWNER = """
import sys
from pathlib import Path
from repo_tools.sandbox.bubblewrap import BubblewrapEngine
from repo_tools.sandbox.contract import BoxSpec
from repo_tools.sandbox.docker import DockerEngine
from repo_tools.sandbox.service import Service
from repo_tools.sandbox.service_images import ServiceImages
kind, place, run, port = sys.argv[1:]
engine = DockerEngine(docker_host=place, installation=run) if kind == "docker" else BubblewrapEngine(Path(place))
box = engine.start(BoxSpec(services=(Service("redis", port=int(port)),)))
print("ready", flush=True)
box.exec(["sleep", "1000"], timeout_seconds=1000)
"""


def test_nothing_runs_of_services_after_their_worker_was_killed(serving_engine: SandboxEngine, tmp_path: Path) -> None:
    run, port = f"test-{uuid.uuid4().hex}", 20_000 + os.getpid() % 10_000
    place = require_docker() if serving_engine.name == "docker" else str(tmp_path)
    argv = [sys.executable, "-c", OWNER, serving_engine.name, place, run, str(port)]
    with subprocess.Popen(argv, stdout=subprocess.PIPE, cwd=Path(__file__).parents[3]) as owner:
        try:
            assert owner.stdout
            assert owner.stdout.readline() == b"ready\n"
            assert is_served(serving_engine, run, port)
        finally:
            owner.kill()
    assert eventually(lambda: not is_served(serving_engine, run, port))


@pytest.mark.bubblewrap
def test_closing_a_box_ends_its_services(bubblewrap: BubblewrapEngine) -> None:
    port = 10_000 + os.getpid() % 10_000
    with start(bubblewrap, Service("redis", port=port)):
        assert is_served(bubblewrap, "", port)
    assert eventually(lambda: not is_served(bubblewrap, "", port))


@pytest.mark.docker
def test_closing_a_box_removes_the_containers_of_its_services() -> None:
    run, host = f"test-{uuid.uuid4().hex}", require_service_images("redis")
    with closing(DockerEngine(docker_host=host, installation=run)) as engine, closing(engine_client(host)) as client:
        with start(engine, REDIS):
            assert len(containers(client, run)) == 2
        assert containers(client, run) == []


# What one backend alone offers


@pytest.fixture(scope="module")
def containers_engine() -> Iterator[DockerEngine]:
    with closing(DockerEngine(docker_host=require_service_images(*KINDS))) as engine:
        yield engine


@pytest.mark.docker
@pytest.mark.parametrize("kind", ["mariadb", "mysql"])
def test_mariadb_has_the_accounts_and_the_database_that_its_variables_say(
    containers_engine: DockerEngine, kind: str
) -> None:
    variables = {
        "MYSQL_ROOT_PASSWORD": "ro'ot\\",
        "MYSQL_DATABASE": "the`app",
        "MYSQL_USER": "us'er",
        "MYSQL_PASSWORD": "pa''ss",
    }
    service = Service(kind, port=3307, variables=variables, name="db", databases=("a-b", "c"))
    with start(containers_engine, service) as box:
        assert ask(box, "mariadb", 3307, "us'er", "pa''ss", "a-b", "create table t (n int)") == "ok"
        assert ask(box, "mariadb", 3307, "root", "ro'ot\\", "mysql", "select 1", host="db") == "ok"
        assert ask(box, "mariadb", 3307, "us'er", "pa''ss", "the`app", "create table t (n int)") == "ok"
        assert "Access denied" in ask(box, "mariadb", 3307, "us'er", "pa''ss", "mysql", "select 1")
        assert "Access denied" in ask(box, "mariadb", 3307, "root", "", "mysql", "select 1")


@pytest.mark.docker
def test_a_server_without_a_password_in_its_variables_asks_for_none(containers_engine: DockerEngine) -> None:
    with start(containers_engine, Service("mariadb"), Service("postgresql")) as box:
        assert ask(box, "mariadb", 3306, "root", "", "mysql", "select 1") == "ok"
        assert ask(box, "postgresql", 5432, "postgres", "", "postgres", "select 7") == "7"


@pytest.mark.docker
def test_rabbitmq_lets_in_whom_its_variables_name(containers_engine: DockerEngine) -> None:
    variables = {"RABBITMQ_DEFAULT_USER": "us er", "RABBITMQ_DEFAULT_PASS": "pa$s"}
    with start(containers_engine, Service("rabbitmq", port=5673, variables=variables)) as box:
        assert ask(box, "rabbitmq", 5673, "us er", "pa$s") == "Tune"
        assert "Tune" not in ask(box, "rabbitmq", 5673, "guest", "guest")


@pytest.fixture
def image_of_a_registry() -> Iterator[str]:
    """Made as the official ones are: an entry point that takes the server's command, a volume, a user by name."""
    with closing(engine_client(require_service_images("redis"))) as client:
        own = ServiceImages(client, {}).local(Service("redis"))
        assert own
        if not own.own:
            yield own.id
            return
        container = client.containers.create(own.id, "true", network_mode="none")
        image = container.commit(changes='ENTRYPOINT ["/usr/bin/env", "STARTED_BY=entrypoint"]\nVOLUME /data')
        container.remove()
        yield str(image.id)
        client.images.remove(image.id)


@pytest.mark.docker
def test_an_image_of_a_registry_is_started_as_its_own_user_by_its_own_entry_point(image_of_a_registry: str) -> None:
    run, host = f"test-{uuid.uuid4().hex}", require_docker()
    images = {"redis": image_of_a_registry}
    with (
        closing(DockerEngine(docker_host=host, installation=run, service_images=images)) as engine,
        closing(engine_client(host)) as client,
    ):
        with start(engine, Service("redis", port=6380, name="cache")) as box:
            assert ask(box, "redis", 6380, "PING", host="cache") == "+PONG"
            (side,) = [one for one in containers(client, run) if one.attrs["HostConfig"]["NetworkMode"] != "none"]
            script = "id -un; touch /data/written && echo written; touch /usr/evil 2>/dev/null || echo read-only"
            assert side.exec_run(["sh", "-c", script]).output.split() == [b"redis", b"written", b"read-only"]
        assert containers(client, run) == []
