"""A repository whose tests need a database and a cache, from its files to a green baseline."""

from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace

import pytest

from repo_tools.environment.contract import PreparedEnvironment, Service
from repo_tools.git_checkout import GitCheckout
from repo_tools.sandbox.contract import SandboxEngine
from repo_tools.sandbox.docker import DockerEngine
from repo_tools.verification.baseline import baseline
from tests.support.engine import ENGINES
from tests.support.laboratory import checkout_of, prepared_for
from tests.support.services import require_bubblewrap_with_postgresql, require_service_images

pytestmark = [pytest.mark.registry, pytest.mark.timeout(900)]

FILES = {
    "requirements.txt": "pytest\npsycopg[binary]\nredis\n",
    "app.py": """\
import os
import psycopg
import redis


def remember(name, value):
    with psycopg.connect(os.environ["DATABASE_URL"]) as connection:
        connection.execute("create table if not exists things (name text primary key, value text)")
        connection.execute("insert into things values (%s, %s)", (name, value))
    redis.Redis.from_url(os.environ["CACHE_URL"]).set(name, value)


def recall(name):
    with psycopg.connect(os.environ["DATABASE_URL"]) as connection:
        (stored,) = connection.execute("select value from things where name = %s", (name,)).fetchone()
    return stored, redis.Redis.from_url(os.environ["CACHE_URL"]).get(name).decode()
""",
    "test_app.py": """\
import app


def test_what_is_remembered_is_recalled():
    app.remember("colour", "red")
    assert app.recall("colour") == ("red", "red")
""",
}
SERVICES = (
    Service("postgresql", port=5433, variables={"POSTGRES_PASSWORD": "secret", "POSTGRES_DB": "app"}),
    Service("redis", name="cache"),
)
VARIABLES = {
    "DATABASE_URL": "postgresql://postgres:secret@localhost:5433/app",
    "CACHE_URL": "redis://cache:6379/0",
}
PASSED = frozenset({"test_app.py::test_what_is_remembered_is_recalled"})


@pytest.fixture(scope="module", params=ENGINES)
def engine(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[SandboxEngine]:
    if request.param == "bubblewrap":
        yield require_bubblewrap_with_postgresql(tmp_path_factory.mktemp("bubblewrap"))
        return
    with closing(DockerEngine(docker_host=require_service_images("postgresql", "redis"))) as engine:
        yield engine


@pytest.fixture(scope="module")
def plain(engine: SandboxEngine, tmp_path_factory: pytest.TempPathFactory) -> tuple[GitCheckout, PreparedEnvironment]:
    """The repository, set up, before anybody said what services it needs."""
    checkout = checkout_of(tmp_path_factory.mktemp("shop") / "repository", FILES)
    return checkout, prepared_for(engine, checkout)


def serving(prepared: PreparedEnvironment, *services: Service) -> PreparedEnvironment:
    environment = replace(prepared.environment, services=services, test_variables=VARIABLES)
    return replace(prepared, environment=environment)


def test_a_suite_that_needs_a_database_and_a_cache_is_green(
    engine: SandboxEngine, plain: tuple[GitCheckout, PreparedEnvironment]
) -> None:
    """Twice: each run has servers without the data of the one before."""
    checkout, prepared = plain
    for _ in range(2):
        report = baseline(engine, checkout, serving(prepared, *SERVICES), timeout_seconds=120)
        assert (report.problem, report.passed, report.red) == (None, PASSED, frozenset())


@pytest.mark.long(short="test_a_suite_that_needs_a_database_and_a_cache_is_green")
def test_without_its_services_the_same_suite_is_red(
    engine: SandboxEngine, plain: tuple[GitCheckout, PreparedEnvironment]
) -> None:
    checkout, prepared = plain
    report = baseline(engine, checkout, serving(prepared), timeout_seconds=120)
    assert report.red == PASSED


def test_a_service_that_was_found_and_cannot_be_had_does_not_stop_the_run(
    engine: SandboxEngine, plain: tuple[GitCheckout, PreparedEnvironment]
) -> None:
    checkout, prepared = plain
    found = Service("postgresql", port=80, required=False)
    report = baseline(engine, checkout, serving(prepared, found), timeout_seconds=120)
    assert (report.problem, report.red) == (None, PASSED)
