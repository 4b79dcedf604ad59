"""What a command of a CI is for: what installs, what tests, what is neither."""

import pytest

from repo_tools.environment.ci.commands import CommandEvidence
from repo_tools.environment.ci.script_commands import commands_of


def only(line: str) -> CommandEvidence:
    (command,) = commands_of(line, "", "ci.yml", 1)
    return command


@pytest.mark.parametrize(
    "line",
    [
        "pytest tests",
        "python -m pytest",
        "coverage run --source=a -m pytest",
        "coverage run -m unittest discover",
        "poetry run pytest",
        "$HOME/.poetry/bin/poetry run pytest",
        "coverage run quicktest.py",
        "uv run --extra test pytest -q",
        "tox -e py",
        "nox -s tests",
        "hatch test",
        "pipx run nox",
        "uvx --with tox-uv tox run -e py",
        "uvx --from nox nox -s tests",
        "uv tool run --with tox-uv tox",
        "hatch run +py=3.12 test:cov",
        "npm test",
        "npm run test:unit -- --ci",
        "npm run ci",
        "pnpm --silent run ci",
        "yarn test",
        "npx mocha",
        "node --test",
        "go test ./...",
        "cargo test --all",
        "cargo nextest run",
        "cargo +stable hack test",
        "cargo llvm-cov --workspace",
        "cargo xtask test",
        "go run gotest.tools/gotestsum@latest ./...",
        "mvn -B verify",
        "mvn -B package --file pom.xml",
        "./gradlew build -x check",
        "./gradlew :core:test :core:jvmTest",
        "./gradlew build test",
        "rake",
        "bundle exec rspec",
        "bundle exec rake test",
        "make test",
        "make -j2 check",
        "make unit-test",
        "ctest",
        "python setup.py test",
        "python manage.py test",
        "django-admin test --settings=shop.settings",
        "python -m django test",
        "python ./runtests.py",
        "python run-all-tests.py -v",
        "python tests/alltests.py",
        "python test_suite.py",
        "coverage run tests/run.py",
        "python -m coverage run --branch utest/run.py -v",
        "tests/runner.sh",
        "python -m shop.tests",
        "python3 -Wd -m tests --slow",
        "./run_tests.sh",
        "scripts/test",
        "bash ci/test.sh",
        "sudo xvfb-run -a python3.11 -m pytest",
        "python -m twisted.trial shop.tests",
        "travis_wait pytest",
        "travis_wait 30 python -m pytest",
        "timeout 600 pytest",
        "A=1 pytest",
        "sudo -E env A=1 pytest",
        "npx c8 mocha",
        "npx nyc --reporter lcov npm test",
        "cross-env A=1 jest",
        "npm exec -- mocha",
        "dotenv -e .env -- vitest",
        "conda run --no-capture-output -n test python -m pytest",
        "mamba run --name test pytest",
        "pyenv exec pytest",
        "./ci/wait-for-it.sh db:5432 -t 30 -- python manage.py test",
        "wait_for db:5432 -- pytest",
        "dbus-run-session -- pytest",
        "unbuffer pytest",
        "gosu app pytest",
        "runuser -u app -- pytest",
        "mpirun -np 2 python -m pytest",
        "mise exec -- pytest",
        "nix develop .#ci --command pytest",
        "ddtrace-run pytest",
        "yarn jest --ci",
        "pnpm nyc mocha",
        "npx umi-test --coverage",
        "node_modules/.bin/qunit-cli test/test.js",
        "yarn dlx ava",
        "istanbul cover node_modules/.bin/_mocha -- -R spec",
        "node --expose-gc node_modules/jest/bin/jest.js",
        "npx grunt test",
        "npx turbo run test",
        "make check-unit",
        "npm run check:test:types",
        "inv check-format test",
        "make check-all",
        "yarn workspaces foreach --jobs 2 --from a --exclude b -pt run test:unit",
    ],
)
def test_what_runs_tests_is_known(line: str) -> None:
    assert only(line).is_test
    assert not only(line).is_install


@pytest.mark.parametrize(
    "line",
    [
        "pip install .[test]",
        "python -m pip install pytest",
        "pip3 install -U tox",
        "uv pip install -e .",
        "uv sync",
        "poetry install",
        "pdm sync",
        "npm ci",
        "npm install",
        "yarn",
        "yarn install",
        "pnpm i",
        "bundle install",
        "sudo apt-get -y install make",
        "go mod download",
        "cargo fetch",
        "python setup.py develop",
        "make deps",
    ],
)
def test_what_installs_is_known(line: str) -> None:
    assert only(line).is_install
    assert not only(line).is_test


@pytest.mark.parametrize(
    "line",
    [
        "ruff check .",
        "npm set verify-store-integrity false",
        "yarn config set test.name x",
        "mypy tests",
        "uv run --extra test mypy tests",
        "cargo check --workspace --tests",
        "cargo build --bin test-server",
        "cargo semver-checks check-release",
        "go vet ./test",
        "mvn -B package -DskipTests",
        "mvn artifact:check-buildplan",
        "./gradlew build -x test",
        "hatch run lint:all",
        "npm run lint",
        "make lint",
        "inv check-lint check-format check-type",
        "just release-check-package",
        "npm run lint:check",
        "coverage run setup.py build",
        "coverage run manage.py check",
        "yarn type-check",
        "poe check_docs",
        "npx eslint test",
        "npx nyc report",
        "npx c8 npm run lint",
        "yarn nyc",
        "go vet ./...",
        "cargo clippy",
        "python -m build",
        "test -f a",
        "pre-commit run --all-files",
        "pytest --collect-only",
        "docker compose up -d",
        "sphinx-build docs",
    ],
)
def test_what_is_neither_is_neither(line: str) -> None:
    assert not only(line).is_test
    assert not only(line).is_install


@pytest.mark.parametrize(
    ("line", "builds"),
    [
        ("make", True),
        ("make -j2 all", True),
        ("make -j 2 format-lib", False),
        ("make code-lint", False),
        ("make docs", False),
        ("make WITH=no-docs", True),
        ("make all-no-docs", True),
        ("make lint MODE=fast", False),
    ],
)
def test_a_make_that_only_looks_at_the_sources_builds_nothing(line: str, *, builds: bool) -> None:
    assert only(line).is_build is builds


@pytest.mark.parametrize(
    "line",
    ["tox -e docs", "tox run -e py311-lint,typing", "tox -e qa", "nox -s lint build", "nox -s mypy", "tox -e ty"],
)
def test_an_environment_for_other_work_than_tests_tests_nothing(line: str) -> None:
    assert not only(line).is_test


@pytest.mark.parametrize("line", ["tox -e lint,py311", "tox", "tox -e", "nox -s tests", "tox -e py311-docutils"])
def test_one_environment_for_tests_among_others_is_enough(line: str) -> None:
    assert only(line).is_test


def test_the_packages_of_the_system_are_named() -> None:
    assert only("sudo apt-get install -yq --no-install-recommends libpq-dev g++").system_packages == (
        "libpq-dev",
        "g++",
    )
    assert only("pip install libpq").system_packages == ()


def test_what_hatch_starts_in_an_environment_is_known_by_its_program() -> None:
    assert only("hatch run test:python -m pip install redis==8").is_install
    assert not only("hatch run test:python -m ensurepip").is_test
    assert only("hatch run test:python -m pytest").is_test
    assert only("hatch run test:cov").is_test


def test_a_program_that_an_interpreter_is_given_by_its_path_is_known() -> None:
    (command,) = commands_of("python -Wd bin/coverage run manage.py test", "", "ci.yml", 1)
    assert command.program == ("manage.py", "test")


def test_a_program_behind_wrappers_is_seen_with_what_they_set() -> None:
    command = only("A=1 npx cross-env B=2 C=3 nyc --reporter text mocha -b test")
    assert command.program == ("mocha", "-b", "test")
    assert command.variables == (("A", "1"), ("B", "2"), ("C", "3"))
    assert command.argv[:2] == ("npx", "cross-env")


@pytest.mark.parametrize("line", ["wait-for-it.sh db:5432", "mise exec pytest", "nix develop", "gosu", "conda run"])
def test_a_wrapper_that_starts_nothing_known_tests_nothing(line: str) -> None:
    assert not only(line).is_test


def test_what_an_environment_of_conda_installs_is_installed() -> None:
    command = only("conda run -n test pip install -r dev.txt")
    assert (command.is_install, command.program) == (True, ("pip", "install", "-r", "dev.txt"))


def test_a_script_that_a_manager_runs_stays_one() -> None:
    assert only("npx c8 yarn run cover").program == ("yarn", "run", "cover")
    assert only("yarn cover").program == ("yarn", "cover")
    assert only("pnpm build").built_script == "build"
