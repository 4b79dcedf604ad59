"""Servers that stand on the CI's machine already are services like others, with the databases that its steps make."""

import shlex

import pytest

from repo_tools.changes import FileMode, TreeEntry
from repo_tools.environment.ci.commands import CommandEvidence
from repo_tools.environment.ci.script_commands import commands_of
from repo_tools.environment.ci.servers import installed_server, installed_servers, made_databases, with_databases
from repo_tools.environment.ci.workflows import read_workflows
from repo_tools.environment.contract import NoTestsError, Service
from repo_tools.environment.detect import detect
from repo_tools.sandbox.service import MOST_DATABASES
from tests.support.files_checkout import FilesCheckout


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("sudo systemctl start postgresql.service", "postgresql"),
        ("sudo service redis-server start", "redis"),
        ("sudo /etc/init.d/mysql start", "mysql"),
        ("service rabbitmq-server start", "rabbitmq"),
        ("sudo service postgresql restart", "postgresql"),
        ("sudo /etc/init.d/mysql restart", "mysql"),
        ("sudo systemctl enable --now redis-server", "redis"),
        ("sudo systemctl restart postgresql@16-main.service", "postgresql"),
        ("sudo systemctl start postgresql-14", "postgresql"),
        ("sudo pg_ctlcluster 14 main start", "postgresql"),
        ("redis-server &", "redis"),
        ("/usr/bin/redis-server --daemonize yes", "redis"),
    ],
)
def test_a_server_of_the_machine_that_is_started_is_a_service(text: str, kind: str) -> None:
    (service,) = installed_server(CommandEvidence(tuple(shlex.split(text)), source="ci.yml:3"))
    assert (service.kind, service.source, service.required) == (kind, "ci.yml:3", False)


@pytest.mark.parametrize(
    "text",
    ["systemctl stop mysql", "service mysql stop", "systemctl start docker", "mysql", "sh x", "systemctl enable mysql",
     "systemctl", "service", "pg_ctlcluster 14 main", "redis-server --version", "redis-server ci/redis.conf &",
     "redis-server --port 7000 --cluster-enabled yes"],
)  # fmt: skip
def test_other_commands_start_none(text: str) -> None:
    assert installed_server(CommandEvidence(tuple(text.split()))) == ()


def test_several_that_are_started_at_once_are_services_each() -> None:
    words = ("sudo", "systemctl", "start", "mysql", "redis")
    assert [service.kind for service in installed_server(CommandEvidence(words))] == ["mysql", "redis"]


def test_a_server_that_is_told_its_port_and_password_has_them() -> None:
    words = ("redis-server", "--port", "6400", "--requirepass", "secret", "--daemonize", "yes")
    (service,) = installed_server(CommandEvidence(words))
    assert (service.port, service.variables) == (6400, {"REDIS_PASSWORD": "secret"})


@pytest.mark.parametrize(
    ("script", "kinds"),
    [
        ("sudo apt-get install -y redis-server", []),
        ("sudo service rabbitmq-server start\nsudo service rabbitmq-server restart", ["rabbitmq"]),
        ("sudo systemctl start redis-server\nsudo systemctl stop redis", []),
        ("redis-server --port 6400 &\nredis-server --port 6401 &\nsudo service redis stop", ["redis", "redis"]),
    ],
)
def test_what_is_up_before_the_tests_is_told_once(script: str, kinds: list[str]) -> None:
    found = installed_servers(commands_of(script, "", "ci.yml", 1))
    assert [service.kind for service in found] == kinds


def test_a_server_that_travis_s_steps_start_is_told_once_too() -> None:
    steps = "- sudo service mysql restart\n- sudo systemctl start postgresql\n"
    text = f"language: python\nservices: mysql\nbefore_script:\n{steps}script: pytest\n"
    checkout = FilesCheckout({".travis.yml": text, "a.py": "", "test_a.py": "import a\n"})
    assert [service.kind for service in detect(checkout.tree, checkout.read).services] == ["mysql", "postgresql"]


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
    assert database_of(script, service).variables == variables


SQL = """\
-- create database none;
create database test1 DEFAULT CHARACTER SET utf8mb4;
create user test2 identified by 'some'; CREATE DATABASE `test-2`;
"""


def database_of(script: str, service: Service) -> Service:
    made = [
        database for command in commands_of(script, "", "ci.yml", 1) for database in made_databases(command, read_text)
    ]
    (found,) = with_databases([service], made)
    return found


def read_text(path: str) -> str:
    return SQL if path == "ci/init.sql" else ""


@pytest.mark.parametrize(
    ("script", "service", "own", "more"),
    [
        ("createdb -U me one\ncreatedb two\ncreatedb one", POSTGRESQL, "one", ("two",)),
        ("psql -c 'CREATE DATABASE One; create database \"Two\"'", POSTGRESQL, "one", ("Two",)),
        ("createdb two", Service("postgresql", variables={"POSTGRES_USER": "me"}), None, ("two",)),
        ("createdb postgres\npsql -c 'create database template1'", POSTGRESQL, None, ()),
        ("createdb 'two words'\ncreatedb -- \"a'b\"", POSTGRESQL, None, ()),
        ("psql --file=ci/init.sql\npsql -f ci/none.sql", POSTGRESQL, "test1", ("test-2",)),
        ("psql < ci/init.sql\necho 'create database a' | psql", POSTGRESQL, None, ()),
        ("docker exec -i db mysql -e 'create database a; create database b'", MYSQL, "a", ("b",)),
        ("sudo docker compose exec -T db psql -U postgres -c 'create database a'", POSTGRESQL, "a", ()),
    ],
)
def test_so_are_all_others_that_they_make(
    script: str, service: Service, own: str | None, more: tuple[str, ...]
) -> None:
    found = database_of(script, service)
    named = [value for name, value in found.variables.items() if name.endswith(("_DB", "_DATABASE"))]
    assert (named, found.databases) == ([own] if own else [], more)


@pytest.mark.parametrize(
    ("script", "extensions"),
    [
        ("psql app -c 'CREATE EXTENSION hstore;'", ("hstore",)),
        ("createdb app\npsql -d app -c 'create extension if not exists \"uuid-ossp\"; create extension citext'",
         ("uuid-ossp", "citext")),
        ("mysql -e 'create extension hstore'", ()),
        ("psql -c '-- create extension hstore'", ()),
    ],
)  # fmt: skip
def test_the_databases_of_postgresql_have_the_extensions_that_steps_make(
    script: str, extensions: tuple[str, ...]
) -> None:
    assert database_of(script, POSTGRESQL).extensions == extensions
    assert database_of(script, MYSQL).extensions == ()


@pytest.mark.parametrize(
    ("script", "service", "users"),
    [
        ("psql -U postgres -c \"CREATE USER Shop WITH PASSWORD 'se cret;'\"", POSTGRESQL, ("shop:",)),
        ("psql -c \"create role shop login password 'a]b'; create user \\\"Two\\\"\"", POSTGRESQL,
         ("shop:a]b", "Two:")),
        ("sudo -u postgres createuser --createdb -D two", POSTGRESQL, ("two:",)),
        ("createuser $USER", POSTGRESQL, ()),
        ("mysql -uroot -e \"create user 'scott'@'%' identified by 'tiger'; grant all on *.* to scott\"", MYSQL,
         ("scott:tiger",)),
        ("mysql -e 'create user if not exists `me`@localhost;'", MARIADB, ("me:",)),
        ("mysql -e \"grant all privileges on app.* to 'bob'@'%' identified by 'pw'; grant all on *.* to 'eve'@'%'\"",
         MYSQL, ("bob:pw",)),
        ("mysql -e 'create user me'", POSTGRESQL, ()),
        ("psql -c '-- create user me'", POSTGRESQL, ()),
    ],
)  # fmt: skip
def test_a_server_has_the_users_that_steps_make(script: str, service: Service, users: tuple[str, ...]) -> None:
    assert database_of(script, service).users == users


def test_a_service_has_so_many_databases_and_no_more() -> None:
    (found,) = with_databases([POSTGRESQL], (("postgresql", f"d{number}") for number in range(100)))
    assert found.databases == tuple(f"d{number}" for number in range(1, 1 + MOST_DATABASES))
    (found,) = with_databases([POSTGRESQL], (("user of postgresql", f"u{number}:") for number in range(100)))
    assert len(found.users) == MOST_DATABASES


def test_a_job_has_both() -> None:
    made = "mysql -e 'create database app; create database two' -uroot -proot"
    steps = f"sudo service mysql start\n          {made}\n          pytest"
    text = f"jobs:\n  test:\n    steps:\n      - run: |\n          {steps}\n"
    checkout = FilesCheckout({".github/workflows/ci.yml": text, "a.py": "", "test_a.py": "import a\n"})
    environment = detect(checkout.tree, checkout.read)
    (service,) = environment.services
    assert service.kind == "mysql"
    assert service.databases == ("two",)
    assert any(told.endswith("service mysql, with the databases two besides") for told in environment.evidence)
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


def test_a_service_of_travis_that_is_of_no_kind_known_here_is_named() -> None:
    text = "language: python\nservices: [docker, mongodb, xvfb, redis]\nscript: pytest\n"
    checkout = FilesCheckout({".travis.yml": text, "a.py": "", "test_a.py": "import a\n"})
    told = [line for line in detect(checkout.tree, checkout.read).evidence if "runs without" in line]
    assert told == [".travis.yml:3: runs without its service mongodb, of no kind known here"]


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        ("addons: {postgresql: '9.4', chrome: stable}", ["postgresql"]),
        ("jobs: {include: [{env: A=1}, {addons: {mariadb: '10.3'}}]}\nservices: mysql", ["mariadb"]),
        ("before_script:\n- psql -c 'create database app' -U postgres\n- mysql -e 'create database app'",
         ["postgresql", "mysql"]),
        ("addons: {postgresql: '9.4'}\nservices: postgresql\nbefore_script: createdb app", ["postgresql"]),
        ("jobs: {include: [{env: [A=1, B=2], services: [postgresql]}, {env: A=2, services: mysql}]}", ["postgresql"]),
        ("addons: {apt: {packages: [postgresql]}}", []),
        ("addons: [postgresql]", []),
    ],
)  # fmt: skip
def test_a_server_of_travis_need_not_be_among_its_services(text: str, kinds: list[str]) -> None:
    files = {".travis.yml": f"language: python\n{text}\nscript: pytest\n", "a.py": "", "test_a.py": "import a\n"}
    checkout = FilesCheckout(files)
    assert [service.kind for service in detect(checkout.tree, checkout.read).services] == kinds


@pytest.mark.parametrize(("more", "user"), [("", "postgres"), ("env: {global: [PGUSER=app]}\n", "app")])
def test_who_names_no_user_of_postgresql_is_one_there_as_on_travis_s_machines(more: str, user: str) -> None:
    text = f"language: python\nservices: postgresql\n{more}script: pytest\n"
    checkout = FilesCheckout({".travis.yml": text, "a.py": "", "test_a.py": "import a\n"})
    found = detect(checkout.tree, checkout.read)
    assert {"PGUSER": user, "PGHOST": "localhost"}.items() <= found.test_variables.items()


@pytest.mark.parametrize(
    ("language", "files", "test"),
    [
        ("node_js", {"package.json": '{"scripts": {"test": "mocha"}}', "test/a.js": "it()"}, "npm test"),
        ("go", {"go.mod": "module a\n", "a_test.go": "package a\n"}, "go test ./..."),
        ("ruby", {"Gemfile": "gem 'rspec'\n", "spec/a_spec.rb": "describe 'a'\n"}, "rake"),
    ],
)
def test_so_are_those_of_a_file_of_travis_that_leaves_the_script_to_the_language(
    language: str, files: dict[str, str], test: str
) -> None:
    text = f"sudo: false\nlanguage: {language}\nservices: [redis-server]\n"
    checkout = FilesCheckout({".travis.yml": text, **files})
    (redis,) = detect(checkout.tree, checkout.read).services
    assert (redis.kind, redis.source) == ("redis", ".travis.yml:3")
    (job,) = read_workflows(checkout.tree, checkout.read)
    assert (job.source, [" ".join(command.argv) for command in job.tests]) == (".travis.yml:2", [test])


def test_what_travis_does_without_a_script_is_no_proof_of_tests() -> None:
    files = {".travis.yml": "language: node_js\n", "package.json": '{"scripts": {"test": "make lint"}}', "a.js": ""}
    checkout = FilesCheckout(files)
    with pytest.raises(NoTestsError):
        detect(checkout.tree, checkout.read)


def test_jobs_that_have_scripts_of_their_own_are_not_the_languages() -> None:
    text = "language: node_js\nservices: [redis-server]\njobs:\n  include:\n  - script: npm run lint\n"
    checkout = FilesCheckout({".travis.yml": text, "package.json": '{"scripts": {"test": "mocha"}}', "test/a.js": ""})
    assert read_workflows(checkout.tree, checkout.read) == ()


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


def test_a_job_of_travis_may_list_its_variables() -> None:
    text = "jobs: {include: [{env: [TOXENV=py36-postgres, A=1]}, {env: TOXENV=py36-mysql}]}\nscript: tox\n"
    checkout = FilesCheckout({".travis.yml": text, "a.py": "", "test_a.py": "import a\n"})
    assert read_workflows(checkout.tree, checkout.read)[0].steering["TOXENV"] == "py36-postgres"
