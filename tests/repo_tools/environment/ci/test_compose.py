"""What a job starts by Docker's own commands is there for its tests like its service containers."""

import shlex

import pytest

from repo_tools.environment.ci.commands import CommandEvidence
from repo_tools.environment.ci.compose import starting
from repo_tools.environment.ci.script_commands import commands_of
from repo_tools.environment.ci.services import JobServices
from repo_tools.environment.contract import Service
from repo_tools.environment.detect import detect
from tests.support.files_checkout import FilesCheckout

COMPOSE = """\
x-common: &common {restart: always}
services:
  app: {build: ., image: me/app}
  db:
    <<: *common
    image: postgres:${PG:-15}-alpine
    environment: [POSTGRES_PASSWORD=x, "POSTGRES_DB=${DB-app}", NOTHING]
    ports: [{target: 5432, published: "5440"}]
  cache: {image: redis:7, ports: ["${PORT:-6380}:6379"], environment: {REDIS_A: 1}}
  search: {image: elasticsearch:8}
"""
MERGED = """\
x-pg: &pg {image: "postgres:16", environment: {POSTGRES_PASSWORD: x}}
x-ports: &ports {image: mysql, ports: ["5433:5432"]}
services:
  a: {<<: *pg}
  b: {<<: [*pg, *ports], environment: {POSTGRES_DB: b}}
  c: {<<: nobody}
"""
QUEUE = Service("rabbitmq", "", 5672, {}, "", "ci.yml:1", required=False, richer="me/own-queue:3.6")
MYSQL = Service("mysql", "", 3306, {}, "", "ci.yml:1", required=False, richer="me/own-mysql")
BUILT = Service("redis", "", 6379, {}, "main", "built.yml:1", required=False, richer="main of built.yml")
DB = Service(
    "postgresql", "15", 5440, {"POSTGRES_PASSWORD": "x", "POSTGRES_DB": "app"}, "db", "docker-compose.yml:4",
    required=False,
)  # fmt: skip
CACHE = Service("redis", "7", 6380, {"REDIS_A": "1"}, "cache", "docker-compose.yml:9", required=False)
OTHER = Service("mariadb", "11", None, {}, "m", "ci/dc.yml:1", required=False)
PLAIN = Service("postgresql", "16", 5433, {"POSTGRES_PASSWORD": "x"}, "pg", "ci.yml:1", required=False)
TOLD = """services:
  db: {image: postgres, env_file: [../db.env, none.env], environment: {POSTGRES_DB: own}}
  cache: {image: redis, command: redis-server --requirepass "secret"}
  other: {image: bitnami/redis, command: [redis-server, --requirepass, "${PASSWORD:-secret}"], ports: ["6380:6379"]}
"""
TOLD_DB = Service(
    "postgresql", variables={"POSTGRES_USER": "me", "POSTGRES_DB": "own"}, name="db", source="told/c.yml:2",
    required=False,
)  # fmt: skip
SECRET = {"REDIS_PASSWORD": "secret"}
TOLD_CACHES = (
    Service("redis", variables=SECRET, name="cache", source="told/c.yml:3", required=False),
    Service("redis", port=6380, variables=SECRET, name="other", source="told/c.yml:4", required=False),
)
CLOSED = Service("redis", "7", variables=SECRET, source="ci.yml:1", required=False)
FILES = {
    "docker-compose.yml": COMPOSE,
    "told/c.yml": TOLD,
    "merged.yml": MERGED,
    "db.env": "# who\nPOSTGRES_USER='me'  # 'us'\n\nPOSTGRES_DB=x\nA\n",
    "ci/dc.yml": "services: {m: {image: mariadb:11}}\n",
    "broken.yml": "services: [",
    "profiles.yml": "services: {cache: {image: mongo, profiles: [extra]}, r: {image: r}}",
    "list.yml": "- services\n",
    "built.yml": "services: {main: {build: a, ports: ['6379:6379']}, web: {build: b, ports: ['80:80']}}\n",
}


def started_by(command: str) -> JobServices:
    checkout = FilesCheckout(FILES)
    return starting(checkout.tree, checkout.read)(CommandEvidence(tuple(shlex.split(command)), source="ci.yml:1"))


@pytest.mark.parametrize(
    ("command", "services", "unknown"),
    [
        ("docker compose up -d", (DB, CACHE), ("elasticsearch:8",)),
        ("docker-compose up -d --timeout 5 db", (DB,), ()),
        ("sudo docker compose -f ci/dc.yml up --wait", (OTHER,), ()),
        ("docker compose -f docker-compose.yml --file=ci/dc.yml up db m", (DB, OTHER), ()),
        ("docker compose -f ../elsewhere.yml up", (), ("docker compose -f ../elsewhere.yml up",)),
        (
            "docker run -d -p 127.0.0.1:5433:5432 --name pg -e POSTGRES_PASSWORD=x postgres:16 -c a=b",
            (PLAIN,),
            (),
        ),
        ("docker run --rm --name=pg -e A -dp 5433:5432 --env=POSTGRES_PASSWORD=x postgres:16", (PLAIN,), ()),
        ("docker run -d -p 15672:15672 -p 5672:5672 me/own-queue:3.6", (QUEUE,), ()),
        ("docker run -d -p 5672:5672 -p 6379:6379 me/all-in-one", (), ("me/all-in-one",)),
        ("docker run -d -p 3306:3306 me/own-mysql", (MYSQL,), ()),
        ("docker compose -f built.yml up", (BUILT,), ()),
        ("docker compose -f told/c.yml up -d", (TOLD_DB, *TOLD_CACHES), ()),
        ("docker run -d redis:7 redis-server --requirepass secret", (CLOSED,), ()),
        ("docker run --detach mongo:7", (), ("mongo:7",)),
        ("docker run -d --name roach -p 26257:26257 ? start", (), ("roach",)),
        ("docker run -d -p ? ?", (), ("?",)),
        ("docker run -d -p 5433:5432 --name pg -e A=? -e POSTGRES_PASSWORD=x postgres:16", (PLAIN,), ()),
        ("docker container run -d --read-only mongo:7", (), ("mongo:7",)),
        ("docker compose -f profiles.yml up -d", (), ("r",)),
        ("docker compose -f profiles.yml --profile extra up -d", (), ("mongo", "r")),
        ("docker compose -f profiles.yml up -d cache", (), ("mongo",)),
    ],
)
def test_servers_are_known_by_their_images_or_else_by_their_ports(
    command: str, services: tuple[Service, ...], unknown: tuple[str, ...]
) -> None:
    assert started_by(command) == JobServices(services, unknown)


@pytest.mark.parametrize(
    "command",
    [
        "docker", "docker run", "docker run -d", "docker build .", "docker compose", "docker compose down", "make up",
        "docker compose -f broken.yml up", "docker compose -f list.yml up", "docker run --rm -v a:/b postgres:16 psql",
    ],
)  # fmt: skip
def test_what_starts_no_server_says_nothing(command: str) -> None:
    assert started_by(command) == JobServices()


def detected(job: str) -> tuple[Service, ...]:
    checkout = FilesCheckout({
        **FILES, ".github/workflows/ci.yml": f"jobs:\n  test:\n{job}", "a.py": "", "test_a.py": "import a\n",
    })  # fmt: skip
    return detect(checkout.tree, checkout.read).services


def test_a_job_has_what_its_steps_start_before_the_tests_besides_its_own() -> None:
    own = "    services: {pg: {image: 'postgres:17'}}\n"
    steps = "    steps:\n      - run: docker compose up -d\n      - run: pytest\n"
    assert detected(steps) == (DB, CACHE)
    assert [(s.kind, s.version) for s in detected(own + steps)] == [("postgresql", "17"), ("redis", "7")]
    assert detected("    steps:\n      - run: pytest\n      - run: docker compose up -d\n") == ()


def test_an_image_alone_is_a_service_too() -> None:
    steps = "    steps:\n      - run: pytest\n"
    assert [s.version for s in detected("    services: {cache: 'redis:7'}\n" + steps)] == ["7"]


VARIABLES = {
    "dc/compose.yaml": """services:
  db:
    image: postgres:${PG}
    environment: [POSTGRES_PASSWORD, "POSTGRES_DB=${DB:?must be set}", NOTHING]
    ports: ["${PORT:-5432}:5432"]
""",
    "dc/.env": "# of this project\nPG=16\nDB='app'\nPORT=5444\nPOSTGRES_PASSWORD=x\n",
    "ci.env": "PG=15\n",
}


@pytest.mark.parametrize(
    ("command", "service"),
    [
        (
            "docker compose -f dc/compose.yaml up -d",
            ("16", 5444, {"POSTGRES_PASSWORD": "x", "POSTGRES_DB": "app"}),
        ),
        ("docker compose -f dc/compose.yaml --env-file ci.env up -d", ("15", None, {"POSTGRES_DB": ""})),
        (
            "PG=14 PORT= docker compose -f dc/compose.yaml up -d",
            ("14", None, {"POSTGRES_PASSWORD": "x", "POSTGRES_DB": "app"}),
        ),
    ],
)
def test_variables_of_a_compose_file_come_from_the_command_and_from_the_projects_env_file(
    command: str, service: tuple[str, int | None, dict[str, str]]
) -> None:
    checkout = FilesCheckout(VARIABLES)
    (given,) = commands_of(command, "", "ci.yml", 1)
    (found,) = starting(checkout.tree, checkout.read)(given).services
    assert (found.version, found.port if found.port != 5432 else None, found.variables) == service


@pytest.mark.parametrize(
    "volume",
    ["./sql:/docker-entrypoint-initdb.d:ro", "sql/a.sql:/docker-entrypoint-initdb.d/a.sql",
     "{type: bind, source: ./sql, target: /docker-entrypoint-initdb.d}"],
)  # fmt: skip
def test_databases_that_are_made_at_the_first_start_are_there(volume: str) -> None:
    compose = "services: {db: {image: 'mysql:8', environment: {MYSQL_DATABASE: own}, volumes: [%s]}}\n" % (
        volume if volume.startswith("{") else f"'{volume}'"
    )
    checkout = FilesCheckout(
        {
            "compose.yml": compose,
            "sql/a.sql": "CREATE DATABASE IF NOT EXISTS own;\ncreate database one;",
            "sql/deep/b.sql": "create database two",
            "sql/c.txt": "create database three",
        }
    )
    started = starting(checkout.tree, checkout.read)(CommandEvidence(("docker", "compose", "up", "-d")))
    assert [service.databases for service in started.services] == [("one",)]


def test_a_job_has_the_users_that_are_made_at_the_first_start_besides_those_that_its_steps_make() -> None:
    checkout = FilesCheckout({
        "compose.yml": "services: {db: {image: postgres, volumes: ['./a.sql:/docker-entrypoint-initdb.d/a.sql']}}\n",
        "a.sql": "create user one with password 'x'; create extension hstore;",
        ".github/workflows/ci.yml": "jobs:\n  test:\n    steps:\n      - run: docker compose up -d\n"
        "      - run: psql -c \"create user two password 'y'; create extension citext\"\n      - run: pytest\n",
        "test_a.py": "",
    })  # fmt: skip
    (service,) = detect(checkout.tree, checkout.read).services
    assert (service.users, service.extensions) == (("one:x", "two:y"), ("hstore", "citext"))


TOGETHER = {
    "docker-compose.yml": "services: {db: {image: 'postgres:16', environment: {POSTGRES_DB: a}}, r: {image: redis}}\n",
    "docker-compose.override.yml": "services: {db: {ports: ['5444:5432'], environment: [POSTGRES_PASSWORD=x]}}\n",
    "ci/a.yml": "services: {db: {extends: {file: base.yml, service: pg}, ports: ['5445:5432']}}\n",
    "ci/base.yml": "services:\n  own: {image: 'postgres:15', env_file: db.env}\n"
    "  pg: {extends: own}\n  x: {extends: x}\n",
    "ci/db.env": "export POSTGRES_USER=me\n",
    "ci/b.yml": "include: [inner/c.yml, {path: inner/none.yml}]\nservices: {}\n",
    "ci/c.yml": "services: {db: {env_file: ci/db.env}}\n",
    "ci/d.yml": "services: {db: {extends: {file: inner/d.yml, service: pg}}}\n",
    "ci/inner/d.yml": "services: {pg: {build: pg}}\n",
    "ci/inner/pg/Dockerfile": "FROM postgres:13\n",
    "ci/inner/c.yml": "services: {db: {image: 'postgres:14', env_file: db.env}}\n",
    "ci/inner/db.env": "POSTGRES_USER=inner\n",
}


@pytest.mark.parametrize(
    ("command", "version"),
    [
        ("docker compose up -d", "15"),
        ("COMPOSE_FILE=ci/b.yml docker compose up", "14"),
        ("docker compose -f ci/d.yml up", "13"),
    ],
)
def test_the_file_of_variables_may_say_which_files_are_read(command: str, version: str) -> None:
    checkout = FilesCheckout({**TOGETHER, ".env": "COMPOSE_FILE=ci/a.yml:ci/none.yml\n"})
    (given,) = commands_of(command, "", "ci.yml", 1)
    assert [each.version for each in starting(checkout.tree, checkout.read)(given).services] == [version]


@pytest.mark.parametrize(
    ("variables", "version"),
    [
        ("COMPOSE_FILE=ci/a.yml;ci/none.yml\nCOMPOSE_PATH_SEPARATOR=;\n", "15"),
        ("COMPOSE_FILE=ci/of-a-person.yml\n", "16"),
        ("COMPOSE_FILE=${OTHER:-ci/a.yml}\n", "16"),
        ("COMPOSE_FILE=\n", "16"),
    ],
)
def test_of_files_that_are_not_there_the_file_of_variables_says_nothing(variables: str, version: str) -> None:
    checkout = FilesCheckout({**TOGETHER, ".env": variables})
    (given,) = commands_of("docker compose up -d", "", "ci.yml", 1)
    assert version in [each.version for each in starting(checkout.tree, checkout.read)(given).services]


@pytest.mark.parametrize(
    ("command", "service"),
    [
        ("docker compose up -d db", ("16", 5444, {"POSTGRES_DB": "a", "POSTGRES_PASSWORD": "x"})),
        (
            "docker compose -f docker-compose.yml -f docker-compose.override.yml up db",
            ("16", 5444, {"POSTGRES_DB": "a", "POSTGRES_PASSWORD": "x"}),
        ),
        ("docker compose -f docker-compose.yml up -d db", ("16", None, {"POSTGRES_DB": "a"})),
        ("COMPOSE_FILE=ci/a.yml docker compose up", ("15", 5445, {"POSTGRES_USER": "me"})),
        ("docker compose -f ci/b.yml up -d", ("14", None, {"POSTGRES_USER": "inner"})),
        ("docker compose -f ci/d.yml up -d", ("13", None, {})),
        (
            "docker compose -f docker-compose.yml -f ci/c.yml up db",
            ("16", None, {"POSTGRES_DB": "a", "POSTGRES_USER": "me"}),
        ),
    ],
)
def test_what_several_files_say_of_a_service_counts_together(
    command: str, service: tuple[str, int | None, dict[str, str]]
) -> None:
    checkout = FilesCheckout(TOGETHER)
    (given,) = commands_of(command, "", "ci.yml", 1)
    (found,) = starting(checkout.tree, checkout.read)(given).services
    assert (found.version, found.port, found.variables) == service


def test_what_extends_itself_has_an_end() -> None:
    checkout = FilesCheckout(TOGETHER)
    command = CommandEvidence(("docker", "compose", "-f", "ci/base.yml", "up", "x"))
    assert starting(checkout.tree, checkout.read)(command) == JobServices()


@pytest.mark.parametrize(
    "options",
    ["-d --env-file ci/db.env", "-d -e POSTGRES_USER", "-d --env=POSTGRES_USER -e OTHER", "--rm -e POSTGRES_USER"],
)
def test_a_container_has_the_variables_of_a_file_and_of_the_job(options: str) -> None:
    run = f"docker run {options} postgres:16{' &' if '-d' not in options else ''}"
    job = f"    env: {{POSTGRES_USER: me}}\n    steps:\n      - run: {run}\n      - run: pytest\n"
    checkout = FilesCheckout({**TOGETHER, ".github/workflows/ci.yml": f"jobs:\n  test:\n{job}", "test_a.py": ""})
    (service,) = detect(checkout.tree, checkout.read).services
    assert (service.version, service.variables) == ("16", {"POSTGRES_USER": "me"})


def test_what_a_service_takes_from_others_is_its_own() -> None:
    told = [(s.kind, s.version, s.port, s.variables) for s in started_by("docker compose -f merged.yml up -d").services]
    assert told == [
        ("postgresql", "16", None, {"POSTGRES_PASSWORD": "x"}),
        ("postgresql", "16", 5433, {"POSTGRES_DB": "b"}),
    ]
