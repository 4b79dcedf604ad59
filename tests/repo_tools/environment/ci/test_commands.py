"""The lines of a workflow's scripts: what installs, what tests, what is neither."""

import random

import pytest

from repo_tools.environment.ci.commands import MAX_LINE_CHARACTERS, MOST_PARTS, CommandEvidence, commands_of
from repo_tools.environment.ci.values import MAX_CHARACTERS


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
    "line",
    [
        "pip install $X",
        "ls | tee log",
        "$X pytest",
        "echo pytest $X",
        "if x; then pytest; fi",
        "pytest 'x",
        "# pytest",
        "A=$(pytest --version)",
        "export A=1",
        "for x in a; do pytest; done",
    ],
)
def test_what_only_a_shell_understands_is_left_out(line: str) -> None:
    assert list(commands_of(line, "", "ci.yml", 1)) == []


@pytest.mark.parametrize(
    ("line", "argv"),
    [
        ("pytest | tee log", ["pytest"]),
        ("pytest -v 2>&1 > log", ["pytest", "-v"]),
        ("pytest -k 'a|b' $X -x", ["pytest", "-k", "?", "?", "-x"]),
        ("pytest `x`", ["pytest", "?"]),
        ('TOXENV=$(tox -l | grep "^py$X") python -m tox', ["python", "-m", "tox"]),
        ("uv run tox run -e \0-x", ["uv", "run", "tox", "run", "-e", "?-x"]),
        ("docker run -d -p 5432:5432 $IMAGE", ["docker", "run", "-d", "-p", "5432:5432", "?"]),
        ("uv run bash ci/cover.sh $OPTIONS", ["uv", "run", "bash", "ci/cover.sh", "?"]),
        ("ci/cover.sh \0", ["ci/cover.sh", "?"]),
    ],
)
def test_a_command_that_tests_or_starts_a_server_or_a_script_counts_for_what_is_known_of_it(
    line: str, argv: list[str]
) -> None:
    found = only(line)
    assert (list(found.argv), found.in_part) == (argv, True)
    assert found.is_test is {"docker", "ci/cover.sh"}.isdisjoint(argv)


@pytest.mark.parametrize(
    "line", ["./configure --with=$X", "./autogen.sh $X", "make $X", "make -f $X CC=$Y", "X=$X make"]
)
def test_what_builds_or_starts_nobody_knows_what_is_known_whole_or_not_at_all(line: str) -> None:
    assert list(commands_of(line, "", "ci.yml", 1)) == []


@pytest.mark.parametrize("line", ["make all CC=$X A='b'", 'make all CC="${X}" A=b', "make CFLAGS=`cflags` all A=b"])
def test_what_a_build_is_told_of_its_machine_is_none_of_its_own(line: str) -> None:
    found = only(line)
    assert (found.argv, found.in_part, found.is_build) == (("make", "all", "A=b"), False, True)


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


def test_nobody_knows_which_folder_a_pattern_stands_for() -> None:
    assert list(commands_of("cd dist/shop-*/\npip install .[all]\nbash run_tests.sh", "", "ci.yml", 1)) == []


def test_of_a_command_that_is_known_in_part_known_variables_hold() -> None:
    (command,) = commands_of("export A=1\nB=2 C=$X pytest $Y", "", "ci.yml", 1)
    assert command.variables == (("A", "1"), ("B", "2"))


def test_variables_that_double_one_another_come_to_an_end() -> None:
    doubled = "export A=aaaaaaaaaa\n" + "export A=$A$A\n" * 12
    (command,) = commands_of(f"{doubled}pytest", "", "ci.yml", 1)
    (known,) = command.variables
    assert known[0] == "A"
    assert len(known[1]) <= MAX_CHARACTERS
    assert set(known[1]) == {"a"}


def test_variables_of_the_step_are_known_to_its_lines() -> None:
    (command,) = commands_of("PYTHONPATH=$DEST pytest $ARGS $DEST", "", "ci.yml", 1, {"DEST": "a", "ARGS": "-x -q"})
    assert command.argv == ("pytest", "-x", "-q", "a")
    assert command.variables == (("PYTHONPATH", "a"),)
    assert not command.in_part


@pytest.mark.parametrize(
    "line",
    ["tox -e docs", "tox run -e py311-lint,typing", "tox -e qa", "nox -s lint build", "nox -s mypy", "tox -e ty"],
)
def test_an_environment_for_other_work_than_tests_tests_nothing(line: str) -> None:
    assert not only(line).is_test


@pytest.mark.parametrize("line", ["tox -e lint,py311", "tox", "tox -e", "nox -s tests", "tox -e py311-docutils"])
def test_one_environment_for_tests_among_others_is_enough(line: str) -> None:
    assert only(line).is_test


def test_a_script_is_taken_apart_with_its_lines() -> None:
    script = "set -e\ncd web && npm ci; npm test\n\npytest \\\n  -x \\\n  -q  # fast\nA=1 B='x y' tox"
    found = [(c.argv, c.directory, c.variables, c.source) for c in commands_of(script, "", "ci.yml", 10)]
    assert found == [
        (("npm", "ci"), "web", (), "ci.yml:11"),
        (("npm", "test"), "web", (), "ci.yml:11"),
        (("pytest", "-x", "-q"), "web", (), "ci.yml:13"),
        (("tox",), "web", (("A", "1"), ("B", "x y")), "ci.yml:16"),
    ]


@pytest.mark.parametrize(
    ("script", "found"),
    [
        ("(cd web && npm test)\npytest", [("web", "npm test"), ("", "pytest")]),
        ("( cd web; npm test ); pytest", [("web", "npm test"), ("", "pytest")]),
        ("(\n  cd web\n  npm test\n)\npytest", [("web", "npm test"), ("", "pytest")]),
        (
            "cd web && (cd app && (cd e2e; tox) && npm test)\njest",
            [("web/app/e2e", "tox"), ("web/app", "npm test"), ("web", "jest")],
        ),
        ("(export A=1; npm test)\npytest", [("", "npm test"), ("", "pytest")]),
        ("{ cd web; npm test; }\npytest", [("web", "npm test"), ("web", "pytest")]),
        ("run() {\n  cd web\n  npm test\n}\npytest", [("web", "npm test"), ("", "pytest")]),
        ("pushd web\nnpm test\npopd\npytest", [("web", "npm test"), ("", "pytest")]),
        ("cd web\nnpm test\ncd -\npytest", [("web", "npm test"), ("", "pytest")]),
        ("popd\npytest", [("", "pytest")]),
        ("cd web || exit 1\nnpm test", [("web", "npm test")]),
        ('cd "web" && npm test\ncd $GITHUB_WORKSPACE/app && jest', [("web", "npm test"), ("app", "jest")]),
        ("cd /tmp && pytest && cd x && make\ncd $GITHUB_WORKSPACE\ntox", [("", "tox")]),
        ("cd\npytest\ncd ~/x && make", []),
        ("cd $SOMEWHERE && pytest", [("", "pytest")]),
        ("npm test -- (a b)\npytest", [("", "npm test -- (a b)"), ("", "pytest")]),
        ("npm test)\npytest", [("", "npm test)"), ("", "pytest")]),
        ("PATHS=(\n  a\n)\n)\npytest; ) ; tox", [("", "pytest"), ("", "tox")]),
    ],
)
def test_each_command_is_taken_where_its_shell_stands(script: str, found: list[tuple[str, str]]) -> None:
    commands = commands_of(script, "", "ci.yml", 1)
    assert [(command.directory, " ".join(command.argv)) for command in commands] == found


def test_no_mixture_of_marks_breaks_the_reading() -> None:
    marks = ["(", ")", "{ ", "}", "&&", ";", " ", "cd a", "popd", "pytest", "'", '"', "$(", "\n", "||", "A=(", "\\"]
    chance = random.Random(5)
    for _ in range(3_000):
        script = "".join(chance.choices(marks, k=10))
        for command in commands_of(script, "", "ci.yml", 1):
            assert command.argv, script


def test_what_a_shell_in_brackets_sets_is_not_known_behind_them() -> None:
    first, second = commands_of("(export A=1; npm test)\npytest", "", "ci.yml", 1)
    assert (first.variables, second.variables) == ((("A", "1"),), ())


def test_the_packages_of_the_system_are_named() -> None:
    assert only("sudo apt-get install -yq --no-install-recommends libpq-dev g++").system_packages == (
        "libpq-dev",
        "g++",
    )
    assert only("pip install libpq").system_packages == ()


@pytest.mark.parametrize(
    "line", ["'" * 999, "a & " * 249, '"' + "a" * 990, "cd a && " * 120, "a=b " * 240, "(" * 999, ")" * 999]
)
def test_hostile_lines_come_to_an_end(line: str) -> None:
    found = list(commands_of("\n".join([line] * 200), "", "ci.yml", 1))
    assert all(len(command.directory) <= 2 * MAX_LINE_CHARACTERS for command in found)


def test_what_is_exported_only_sometimes_is_not_set() -> None:
    script = '[ "1.32" = "1.32" ] && export OLD=1\ntest -n "$X" && export MORE=1\nexport A=1\ncargo test\n'
    (command,) = (command for command in commands_of(script, "", "ci.yml", 1) if command.is_test)
    assert dict(command.variables) == {"A": "1"}


def test_what_hatch_starts_in_an_environment_is_known_by_its_program() -> None:
    assert only("hatch run test:python -m pip install redis==8").is_install
    assert not only("hatch run test:python -m ensurepip").is_test
    assert only("hatch run test:python -m pytest").is_test
    assert only("hatch run test:cov").is_test


def test_a_here_document_is_no_commands() -> None:
    script = "cat > conftest.py <<'END'\npytest bad\nEND\npytest good\ncat <<< pytest\npytest better\n"
    assert [command.argv for command in commands_of(script, "", "ci.yml", 1) if command.is_test] == [
        ("pytest", "good"),
        ("pytest", "better"),
    ]


@pytest.mark.parametrize("quote", ["'", '"'])
def test_a_program_in_quotes_over_several_lines_is_no_commands(quote: str) -> None:
    script = f"python -c {quote}\nfor each in all:\n  tox\n{quote} > out\npytest a\n"
    assert [command.argv for command in commands_of(script, "", "ci.yml", 1)] == [("pytest", "a")]


def test_an_expansion_ends_with_its_bracket() -> None:
    found = commands_of("ARGS=fast\nmake test ${ARGS:-x}\nmake test ${ARGS}ly\nmake test $ARGS\n", "", "ci.yml", 1)
    assert [command.argv for command in found if not command.in_part] == [
        ("make", "test", "fast"),
        ("make", "test", "fastly"),
        ("make", "test", "fast"),
    ]


@pytest.mark.parametrize(
    ("line", "argv"),
    [
        ("pytest ${WHAT:-tests} ${MORE:-}", "pytest tests"),
        ('pytest "${@:-tests}"', "pytest tests"),
        ('pytest tests "$@"', "pytest tests"),
        ("pytest tests ${PYTHONPATH-unit}", "pytest tests"),
        ("coverage run $(which pytest) tests", "coverage run pytest tests"),
        ("coverage run `command -v nosetests` tests", "coverage run nosetests tests"),
    ],
)
def test_what_a_shell_finds_where_nothing_is_set_is_known(line: str, argv: str) -> None:
    (command,) = commands_of(line, "", "ci.yml", 1)
    assert (command.argv, command.in_part) == (tuple(argv.split()), False)


def test_a_program_that_an_interpreter_is_given_by_its_path_is_known() -> None:
    (command,) = commands_of("python -Wd bin/coverage run manage.py test", "", "ci.yml", 1)
    assert command.program == ("manage.py", "test")


def test_of_a_script_of_very_many_commands_the_first_are_read() -> None:
    assert len(list(commands_of(("a;" * 399 + "a\n") * 5, "", "ci.yml", 1))) == MOST_PARTS


def test_a_program_behind_wrappers_is_seen_with_what_they_set() -> None:
    command = only("A=1 npx cross-env B=2 C=3 nyc --reporter text mocha -b test")
    assert command.program == ("mocha", "-b", "test")
    assert command.variables == (("A", "1"), ("B", "2"), ("C", "3"))
    assert command.argv[:2] == ("npx", "cross-env")


@pytest.mark.parametrize("line", ["wait-for-it.sh db:5432", "mise exec pytest", "nix develop", "gosu", "conda run"])
def test_a_wrapper_that_starts_nothing_known_tests_nothing(line: str) -> None:
    assert not only(line).is_test


@pytest.mark.parametrize(
    ("line", "argv"),
    [
        ("pip install git+https://example.org/a#egg=a", ("pip", "install", "git+https://example.org/a#egg=a")),
        ("pytest '#1' -x # it's | all", ("pytest", "#1", "-x")),
        ('pytest -k "a #b" #c', ("pytest", "-k", "a #b")),
    ],
)
def test_a_comment_begins_with_a_word(line: str, argv: tuple[str, ...]) -> None:
    assert only(line).argv == argv


def test_what_an_environment_of_conda_installs_is_installed() -> None:
    command = only("conda run -n test pip install -r dev.txt")
    assert (command.is_install, command.program) == (True, ("pip", "install", "-r", "dev.txt"))


def test_a_script_that_a_manager_runs_stays_one() -> None:
    assert only("npx c8 yarn run cover").program == ("yarn", "run", "cover")
    assert only("yarn cover").program == ("yarn", "cover")
    assert only("pnpm build").built_script == "build"


@pytest.mark.parametrize(
    "script",
    [
        "if [ -f reqs.txt ]; then pip install -r reqs.txt; fi",
        "if [[ -e reqs.txt ]] ; then pip install -r reqs.txt; else pip install other; fi",
        "if test -f reqs.txt; then echo a && pip install -r reqs.txt; cd b; fi",
        "if [ -f reqs.txt ]; then\n  cd a\n  export A=1\n  pip install -r reqs.txt\nelse\n  pip install b\nfi\npytest",
        "if [ -f reqs.txt ]\nthen\n  pip install -r reqs.txt\n  npm ci\n  pytest\nfi",
        "if [ $A ]; then\n  pip install b\n  if [ -f c ]; then\n    pip install c\n  fi\nfi\nif [ -f reqs.txt ]; then"
        " pip install -r reqs.txt; fi",
    ],
)
def test_what_pip_installs_where_a_list_is_there_is_installed_and_nothing_else_of_a_condition_is_known(
    script: str,
) -> None:
    found = [*commands_of(script, "", "ci.yml", 1)]
    assert [command.argv for command in found if command.is_install] == [("pip", "install", "-r", "reqs.txt")]
    assert [(command.argv, command.directory) for command in found if command.is_test] in ([], [(("pytest",), "")])
    assert all(not command.variables for command in found)


@pytest.mark.parametrize(
    "script",
    ["if [ -n a ]; then pip install a; fi", "for a in b; do pip install a; done", "if [ -f a ]; then\nfi", "if"],
)
def test_of_other_conditions_nothing_is_known(script: str) -> None:
    assert [*commands_of(script, "", "ci.yml", 1)] == []


@pytest.mark.parametrize(
    ("script", "found"),
    [
        ("npm ci &&\n  npm test", ["npm ci", "npm test"]),
        ("npm start & npm test", ["npm start", "npm test"]),
        ("pytest -k 'a or\nb' && tox", ["pytest -k a or\nb", "tox"]),
        ("pip install a\\<2 'b>1' # c\ntox", ["pip install a<2 b>1", "tox"]),
        ("args=(\n  -x\n)\npytest", ["pytest"]),
        ("run() {\n  pytest\n}\ntox", ["pytest", "tox"]),
        ("make; if [ $A ]; then pip install b; fi; tox", ["make", "tox"]),
        ("while a; do\n  tox\ndone < b; case $C in\n  d) tox ;;\nesac\nmake", ["make"]),
        ("if a; then\n  echo it's\nfi\ntox", ["tox"]),
        ("pytest '${{ matrix.a }}' && make", ["pytest ?", "make"]),
        ("! pytest bad\npytest good", ["pytest good"]),
        ("cat <<A && tox\nmake\nA\nmake a", ["tox", "make a"]),
        ("Write-Host 'a'; if ($B) { tox }\nmake", ["Write-Host a"]),
    ],
)
def test_a_script_is_read_as_a_shell_reads_it(script: str, found: list[str]) -> None:
    assert [" ".join(command.argv) for command in commands_of(script, "", "ci.yml", 1)] == found


def test_where_a_shell_goes_is_known_though_it_says_so_elsewhere() -> None:
    (command,) = commands_of("pushd web > /dev/null\nnpm test\n", "", "ci.yml", 1)
    assert command.directory == "web"


def test_what_nothing_waits_for_is_told() -> None:
    found = {command.name: command.is_beside for command in commands_of("(a && b) & c\nd &", "", "ci.yml", 1)}
    assert found == {"a": True, "b": True, "c": False, "d": True}
    server, test = commands_of("cd server && export A=1 && npm start &\nnpm test", "", "ci.yml", 1)
    assert [(each.directory, each.variables) for each in (server, test)] == [("server", (("A", "1"),)), ("", ())]


def test_a_variable_that_a_run_sets_is_not_known_any_more() -> None:
    script = "A=1\nmake test $A\nA=$(a)\nmake test $A\nA+=b\nmake test $A\nB=1\nB+=2\nmake test $B"
    found = [command.argv[-1] for command in commands_of(script, "", "ci.yml", 1) if command.is_test]
    assert found == ["1", "?", "?", "12"]


def test_what_is_exported_has_the_value_that_it_is_given_later() -> None:
    found = commands_of("export A=1 B=2 C=3\nA=4\nB=$(b)\npytest", "", "ci.yml", 1)
    assert [command.variables for command in found] == [(("C", "3"), ("A", "4"))]
