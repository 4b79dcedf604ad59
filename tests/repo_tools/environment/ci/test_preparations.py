"""What a job does before its tests is done here too: files that it copies, tables that it makes in their database."""

import pytest

from repo_tools.environment.ci.commands import CommandEvidence
from repo_tools.environment.contract import Environment, SetupCommand
from repo_tools.environment.detect import detect
from repo_tools.environment.generated import copied_files
from tests.support.files_checkout import FilesCheckout

RUBY = {
    "Gemfile": "gem 'rspec'",
    "spec/a_spec.rb": "",
    "config/database.ci.yml": "a: 1",
    "config/a.yml": "",
    ".env.ci": "",
}


def planned(*steps: str, files: dict[str, str] = RUBY) -> Environment:
    lines = "\n".join(f"      - run: {step}" for step in steps)
    text = f"jobs:\n  test:\n    runs-on: ubuntu-latest\n    steps:\n{lines}\n"
    checkout = FilesCheckout({**files, ".github/workflows/ci.yml": text})
    return detect(checkout.tree, checkout.read)


def copies(environment: Environment) -> list[tuple[str, ...]]:
    return [command.argv[1:] for command in environment.setup if command.argv[0] == "cp"]


@pytest.mark.parametrize(
    ("step", "copied"),
    [
        ("cp config/database.ci.yml config/database.yml", ("config/database.ci.yml", "config/database.yml")),
        ("cp -f ./.env.ci $GITHUB_WORKSPACE/.env", (".env.ci", ".env")),
        ("cd config && cp database.ci.yml database.yml", ("config/database.ci.yml", "config/database.yml")),
        ("cp .env.ci config", (".env.ci", "config/.env.ci")),
        ("cp .env.ci config/", (".env.ci", "config/.env.ci")),
        ("cp config/database.ci.yml config/a.yml", None),  # a file of its own is not altered
        ("cp none.yml config/database.yml", None),
        ("cp .env.ci ~/.env", None),
        ("cp .env.ci /etc/passwd", None),
        ("cp .env.ci ../../.env/x/y", None),
        ("cp .env.ci build/.env", None),
        ("cp -r config other", None),
        ("cp config/*.yml .", None),
        ("cp .env.ci ${{ matrix.name }}.env", None),
        ("cp -f .env.ci ${{ secrets.OPTION }} .env", None),
    ],
)
def test_a_file_that_the_job_puts_where_none_is_is_put_there(step: str, copied: tuple[str, str] | None) -> None:
    environment = planned(step, "bundle exec rspec")
    assert copies(environment) == ([copied] if copied else [])
    assert any(f" as {copied[1]}" in told for told in environment.evidence) if copied else True
    assert copied_files(environment.setup) == ({copied[1]} if copied else set())


def test_travis_copies_too() -> None:
    ci = "language: ruby\nbefore_script: [cp .env.ci .env]\nscript: bundle exec rspec\n"
    checkout = FilesCheckout({**RUBY, ".travis.yml": ci})
    assert copies(detect(checkout.tree, checkout.read)) == [(".env.ci", ".env")]


@pytest.mark.parametrize(("ruby", "copied"), [("3.2", []), ("3.4", [(".env.ci", ".env")])])
def test_what_only_another_job_of_the_matrix_copies_is_not(ruby: str, copied: list[tuple[str, str]]) -> None:
    job = "    runs-on: ubuntu-latest\n    strategy: {matrix: {ruby: ['3.2', '3.4']}}\n    steps:\n"
    step = f"      - if: matrix.ruby == '{ruby}'\n        run: cp .env.ci .env\n"
    text = f"jobs:\n  test:\n{job}{step}      - run: bundle exec rspec\n"
    checkout = FilesCheckout({**RUBY, ".github/workflows/ci.yml": text})
    assert copies(detect(checkout.tree, checkout.read)) == copied


def test_what_is_copied_after_the_tests_is_not() -> None:
    assert copies(planned("bundle exec rspec", "cp .env.ci .env")) == []


def test_other_commands_of_set_up_copy_nothing() -> None:
    assert copied_files((SetupCommand(("cp", "-r", "a", "b")), SetupCommand(("true",)))) == frozenset()


@pytest.mark.parametrize(
    ("steps", "before"),
    [
        (["bin/rails db:schema:load db:migrate", "bundle exec rspec"], ["bin/rails db:schema:load db:migrate"]),
        (
            ["bundle exec rake db:create", "bundle exec rake db:migrate spec"],
            ["bundle exec rake db:create", "bundle exec rake db:migrate"],
        ),
        (["bin/rails db:test:prepare test"], ["bin/rails db:test:prepare"]),
        (
            ["RAILS_ENV=test bundle exec rails db:setup", "bundle exec rspec"],
            ["env RAILS_ENV=test bundle exec rails db:setup"],
        ),
        (["bin/rails db:drop db:create", "bundle exec rake"], ["bin/rails db:create"]),
        (["bundle exec rspec"], []),
        (["bin/rails assets:precompile", "bundle exec rspec"], []),
        (["cd x && rake db:migrate", "rspec"], []),
    ],
)
def test_tables_that_rails_tasks_make_are_made_before_each_run_of_the_tests(
    steps: list[str], before: list[str]
) -> None:
    environment = planned(*steps)
    assert [str(command) for command in environment.before_tests] == before
    assert environment.shown_command == " && ".join((*before, "bundle exec rspec"))
    assert [command.argv for command in environment.tests] == [("bundle", "exec", "rspec")]


def test_tables_that_are_made_are_told_in_the_evidence() -> None:
    told = planned("bin/rails db:setup", "bundle exec rspec").evidence
    assert ".github/workflows/ci.yml:2 (job test): bin/rails db:setup" in told


def test_tables_are_no_matter_of_another_language() -> None:
    files = {"a.py": "", "test_a.py": "import a\n"}
    assert planned("rake db:migrate", "pytest", files=files).before_tests == ()


PYTHON = {
    "a.py": "",
    "test_a.py": "import a\n",
    "scripts/start.sh": "set -e\npython wait.py\nalembic upgrade head\n",
    "Makefile": "test:\n\tMODE=test flask db upgrade\n\tpytest\n",
}


@pytest.mark.parametrize(
    ("steps", "before"),
    [
        (["uv run alembic -c a.ini upgrade head", "uv run pytest"], ["alembic -c a.ini upgrade head"]),
        (["A=1 python -m alembic upgrade head", "pytest"], ["env A=1 alembic upgrade head"]),
        (["A=$HOME/a alembic upgrade head", "pytest"], ["alembic upgrade head"]),
        (["poetry run flask --app a db upgrade", "pytest"], ["flask --app a db upgrade"]),
        (["aerich upgrade", "pytest"], ["aerich upgrade"]),
        (["bash scripts/start.sh", "pytest"], ["alembic upgrade head"]),
        (["make test"], ["env MODE=test flask db upgrade"]),
        (["alembic upgrade head", "alembic upgrade head", "pytest"], ["alembic upgrade head"]),
        (["pytest", "alembic upgrade head"], []),
        (["alembic upgrade head --sql > a.sql", "pytest"], []),
        (["alembic downgrade base", "flask db migrate", "pytest"], []),
        (["alembic upgrade ${{ secrets.REVISION }}", "pytest"], []),
        (["python manage.py migrate", "pytest"], []),
    ],
)
def test_tables_of_python_s_that_the_job_makes_are_made_before_each_run_of_the_tests(
    steps: list[str], before: list[str]
) -> None:
    environment = planned(*steps, files=PYTHON)
    assert [str(command) for command in environment.before_tests] == before
    assert environment.shown_command == " && ".join((*before, "pytest"))
    assert [command.argv for command in environment.tests] == [("pytest",)]


def test_tables_of_a_project_in_a_folder_are_made_there() -> None:
    files = {"backend/setup.py": "", "backend/a.py": "", "backend/test_a.py": "import a\n"}
    environment = planned("cd backend && alembic upgrade head && pytest", files=files)
    assert environment.shown_command == "cd backend && alembic upgrade head && pytest"
    assert [str(command) for command in environment.before_tests] == ["cd backend && alembic upgrade head"]


@pytest.mark.parametrize(
    ("argv", "tests"),
    [("bin/rails db:test:prepare", False), ("rake db:create", False), ("rake", True), ("bin/rails test", True)],
)
def test_making_a_database_for_tests_is_no_test(argv: str, tests: bool) -> None:
    assert CommandEvidence(tuple(argv.split())).is_test is tests
