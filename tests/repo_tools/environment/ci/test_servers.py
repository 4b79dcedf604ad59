"""Servers that stand on the CI's machine already are services like others, with the databases that its steps make."""

import shlex

import pytest

from repo_tools.changes import FileMode, TreeEntry
from repo_tools.environment.ci.commands import CommandEvidence, commands_of
from repo_tools.environment.ci.servers import installed_server, with_databases
from repo_tools.environment.ci.workflows import read_workflows
from repo_tools.environment.contract import Service
from repo_tools.environment.detect import detect
from tests.support.files_checkout import FilesCheckout


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("sudo systemctl start postgresql.service", "postgresql"),
        ("sudo service redis-server start", "redis"),
        ("sudo /etc/init.d/mysql start", "mysql"),
        ("service rabbitmq-server start", "rabbitmq"),
    ],
)
def test_a_server_of_the_machine_that_is_started_is_a_service(text: str, kind: str) -> None:
    (service,) = installed_server(CommandEvidence(tuple(shlex.split(text)), source="ci.yml:3"))
    assert (service.kind, service.source, service.required) == (kind, "ci.yml:3", False)


@pytest.mark.parametrize(
    "text", ["systemctl stop mysql", "service mysql stop", "systemctl start docker", "mysql", "sh x"]
)
def test_other_commands_start_none(text: str) -> None:
    assert installed_server(CommandEvidence(tuple(text.split()))) == ()


POSTGRESQL, MYSQL, MARIADB = Service("postgresql"), Service("mysql"), Service("mariadb")


@pytest.mark.parametrize(
    ("script", "service", "variables"),
    [
        ("psql -c 'create database app;' -U postgres", POSTGRESQL, {"POSTGRES_DB": "app"}),
        ("sudo -u postgres createdb -O me app", POSTGRESQL, {"POSTGRES_DB": "app"}),
        (
            "PGPASSWORD=x psql -h localhost -c 'CREATE DATABASE \"app\"'\ncreatedb two",
            POSTGRESQL,
            {"POSTGRES_DB": "app"},
        ),
        ("mysql -uroot -proot -e 'CREATE DATABASE IF NOT EXISTS `app`;'", MYSQL, {"MYSQL_DATABASE": "app"}),
        ("mysqladmin -u root create app", MARIADB, {"MARIADB_DATABASE": "app"}),
        ("mysql -e 'SELECT 1'\npsql -c 'create user x'\ncreatedb $NAME", POSTGRESQL, {}),
        ("createdb app", MYSQL, {}),
        ("createdb app", Service("postgresql", variables={"POSTGRES_DB": "own"}), {"POSTGRES_DB": "own"}),
        (
            "mysql -e 'create schema a'",
            Service("mariadb", variables={"MYSQL_DATABASE": "own"}),
            {"MYSQL_DATABASE": "own"},
        ),
    ],
)
def test_a_database_that_steps_make_is_there(script: str, service: Service, variables: dict[str, str]) -> None:
    (found,) = with_databases([service], commands_of(script, "", "ci.yml", 1))
    assert found.variables == variables


def test_a_job_has_both() -> None:
    steps = "sudo service mysql start\n          mysql -e 'create database app' -uroot -proot\n          pytest"
    text = f"jobs:\n  test:\n    steps:\n      - run: |\n          {steps}\n"
    checkout = FilesCheckout({".github/workflows/ci.yml": text, "a.py": "", "test_a.py": "import a\n"})
    (service,) = detect(checkout.tree, checkout.read).services
    assert service.kind == "mysql"
    assert service.variables == {"MYSQL_ROOT_PASSWORD": "root", "MYSQL_DATABASE": "app"}


def test_so_are_the_services_of_travis() -> None:
    text = (
        "language: python\nservices: [mysql, docker, redis-server]\n"
        "before_script: mysql -e 'create database app'\nscript: pytest\n"
    )
    checkout = FilesCheckout({".travis.yml": text, "a.py": "", "test_a.py": "import a\n"})
    mysql, redis = detect(checkout.tree, checkout.read).services
    assert (mysql.kind, mysql.variables, mysql.source) == ("mysql", {"MYSQL_DATABASE": "app"}, ".travis.yml:2")
    assert redis.kind == "redis"


def test_it_is_read_where_every_file_is_executable_as_some_systems_commit_them() -> None:
    checkout = FilesCheckout({".travis.yml": "services: [redis-server]\nscript: pytest\n", "test_a.py": "import a\n"})
    tree = {path: TreeEntry(FileMode.EXECUTABLE, entry.blob_id) for path, entry in checkout.tree.items()}
    assert [service.kind for service in detect(tree, checkout.read).services] == ["redis"]


def test_travis_starts_servers_as_any_ci_does_and_tests_by_a_variable_of_its_jobs() -> None:
    text = (
        "matrix:\n  include:\n    - env: TOX_ENV=py36\n    - env: TOX_ENV=py37\n"
        "before_install: docker run -d -p 6379:6379 redis:6\nscript: tox -e $TOX_ENV\n"
    )
    checkout = FilesCheckout({".travis.yml": text, "a.py": "", "test_a.py": "import a\n"})
    (redis,) = detect(checkout.tree, checkout.read).services
    assert (redis.kind, redis.version) == ("redis", "6")
    assert [command.argv for command in read_workflows(checkout.tree, checkout.read)[0].tests] == [
        ("tox", "-e", "py36")
    ]
