"""A server that a job starts by an action is there for its tests like its service containers."""

import pytest

from repo_tools.environment.ci.actions import server_of_action
from repo_tools.environment.ci.workflows import read_workflows
from repo_tools.environment.contract import Service
from repo_tools.environment.detect import detect
from tests.support.files_checkout import FilesCheckout


def service(kind: str, version: str = "", port: int | None = None, **variables: str) -> Service:
    return Service(kind, version, port, variables, source="ci.yml:1", required=False)


@pytest.mark.parametrize(
    ("uses", "inputs", "expected"),
    [
        ("some/redis-github-action@1.8", {"redis-version": "7", "redis-port": "6380"}, service("redis", "7", 6380)),
        ("some/setup-postgres@v1", {"database": "app"}, service("postgresql", POSTGRES_DB="app")),
        (
            "some/postgresql-action@v1",
            {"postgresql version": "15", "postgresql db": "a", "postgresql user": "b", "postgresql password": "c"},
            service("postgresql", "15", POSTGRES_DB="a", POSTGRES_USER="b", POSTGRES_PASSWORD="c"),
        ),
        (
            "some/mysql-action@v1",
            {"host port": "3307", "mysql database": "a", "mysql root password": "b"},
            service("mysql", "", 3307, MYSQL_DATABASE="a", MYSQL_ROOT_PASSWORD="b"),
        ),
        ("some/setup-mariadb", {"mariadb-version": "latest", "user": "me"}, service("mariadb", MARIADB_USER="me")),
        ("some/action-start-valkey-server@main", {"port": "0"}, service("redis")),
        ("some/redis-action", {"redis-password": "s"}, service("redis", REDIS_PASSWORD="s")),
        ("some/rabbitmq-github-action@v1", {"ports": "5672:5672"}, service("rabbitmq")),
        ("some/mongodb-github-action@v1", {"mongodb-version": "6"}, "mongodb"),
        ("some/postgres-backup-action@v1", {}, None),
        ("some/redis-postgres-action@v1", {}, None),
        ("actions/checkout@v4", {"repository": "redis/redis"}, None),
        ("actions/setup-python@v5", {"python-version": "3.12"}, None),
        ("", {}, None),
    ],
)
def test_an_action_that_is_called_like_a_server_starts_it(
    uses: str, inputs: dict[str, str], expected: Service | str | None
) -> None:
    assert server_of_action(uses, inputs, "ci.yml:1") == expected


JOB = """\
jobs:
  test:
    runs-on: ubuntu-latest
    strategy: {matrix: {redis: [6, 7]}}
    services: {pg: {image: 'postgres:17'}}
    steps:
      - uses: some/redis-github-action@1.8
        with: {redis-version: '${{ matrix.redis }}'}
      - uses: some/setup-postgres@v1
        with: {postgres-version: 12}
      - uses: some/setup-kafka@v1
      - uses: some/setup-mysql@v1
        if: runner.os == 'Windows'
      - run: pytest
"""


def test_a_job_has_the_servers_of_its_actions_besides_its_own() -> None:
    checkout = FilesCheckout({".github/workflows/ci.yml": JOB, "a.py": "", "test_a.py": "import a\n"})
    found = detect(checkout.tree, checkout.read)
    assert [(s.kind, s.version) for s in found.services] == [("postgresql", "17"), ("redis", "7")]
    assert any("runs without its service kafka" in line for line in found.evidence)


@pytest.mark.parametrize(
    "step",
    [
        "uses: some/setup-mariadb@v1",
        "run: sudo systemctl start mysql.service",
        "run: docker compose up -d",
        "uses: some/compose-action@v1, with: {services: db}",
    ],
)
def test_what_a_step_for_other_jobs_of_the_matrix_starts_is_not_there(step: str) -> None:
    workflow = (
        "jobs:\n  test:\n    strategy: {matrix: {db: [sqlite, mysql]}}\n    steps:\n"
        f"      - {{if: matrix.db == 'mysql', {step}}}\n      - run: pytest\n"
    )
    composed = "services: {db: {image: mysql}}\n"
    files = {
        ".github/workflows/ci.yml": workflow,
        "docker-compose.yml": composed,
        "test_a.py": "import a\n",
        "a.py": "",
    }
    checkout = FilesCheckout(files)
    assert detect(checkout.tree, checkout.read).services == ()


def test_what_an_action_is_told_by_a_shells_variables_is_what_the_job_sets() -> None:
    told = "{'postgresql db': $DB, 'postgresql user': '${WHO}', 'postgresql password': 'a$$b$NOT'}"
    steps = f"[{{uses: some/postgresql-action@v1, with: {told}}}, {{run: pytest}}]"
    workflow = f"env: {{DB: app}}\njobs: {{test: {{env: {{WHO: me}}, steps: {steps}}}}}\n"
    checkout = FilesCheckout({".github/workflows/ci.yml": workflow, "a.py": "", "test_a.py": "import a\n"})
    (found,) = detect(checkout.tree, checkout.read).services
    assert found.variables == {"POSTGRES_DB": "app", "POSTGRES_USER": "me", "POSTGRES_PASSWORD": "a$$b$NOT"}


COMPOSED = """\
jobs:
  test:
    steps:
      - uses: hoverkraft-tech/compose-action@v2
        with:
          compose-file: ci/compose.yml
          services: |
            db
            cache
      - run: pytest
"""


def test_a_job_has_what_an_action_starts_by_compose() -> None:
    compose = "services: {db: {image: 'postgres:15'}, cache: {image: redis}, mail: {image: 'rabbitmq:3'}}\n"
    files = {".github/workflows/ci.yml": COMPOSED, "ci/compose.yml": compose, "a.py": "", "test_a.py": "import a\n"}
    checkout = FilesCheckout(files)
    found = detect(checkout.tree, checkout.read)
    assert [(s.kind, s.version) for s in found.services] == [("postgresql", "15"), ("redis", "")]


@pytest.mark.parametrize(
    ("uses", "inputs", "tests"),
    [
        (
            "actions-rs/cargo@v1",
            "{command: test, args: --features a --workspace}",
            ["cargo test --features a --workspace"],
        ),
        ("some/rs-cargo@v2", "{toolchain: nightly, command: test}", ["cargo +nightly test"]),
        ("actions-rs/cargo@v1", "{command: fmt, args: --check}", []),
        ("burrunan/gradle-cache-action@v1", '{arguments: "--scan\\ntest"}', ["./gradlew --scan test"]),
        ("gradle/actions/setup-gradle@v4", "{gradle-version: 8}", []),
        ("nick-fields/retry@v3", '{timeout_minutes: 5, command: "npm ci\\nnpm test"}', ["npm test"]),
        ("coactions/setup-xvfb@v1", "{run: npm test}", ["npm test"]),
        ("actions-rs/cargo@v1", "[command]", []),
        ("actions-rs/cargo@v1", "{command: test, args: '${{ secrets.A }}'}", ["cargo test ?"]),
    ],
)
def test_an_action_that_runs_what_it_is_given_is_the_command(uses: str, inputs: str, tests: list[str]) -> None:
    text = f"jobs:\n  test:\n    steps:\n      - run: pytest\n      - uses: {uses}\n        with: {inputs}\n"
    checkout = FilesCheckout({".github/workflows/ci.yml": text})
    (evidence,) = read_workflows(checkout.tree, checkout.read)
    assert [" ".join(command.argv) for command in evidence.tests[1:]] == tests
