"""The commands of a shell's script, and what each of them finds."""

import random

import pytest

from repo_tools.environment.ci.script_commands import MAX_LINE_CHARACTERS, MOST_PARTS, commands_of
from repo_tools.environment.ci.values import MAX_CHARACTERS


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
    (found,) = commands_of(line, "", "ci.yml", 1)
    assert (list(found.argv), found.in_part) == (argv, True)
    assert found.is_test is {"docker", "ci/cover.sh"}.isdisjoint(argv)


@pytest.mark.parametrize(
    "line", ["./configure --with=$X", "./autogen.sh $X", "make $X", "make -f $X CC=$Y", "X=$X make"]
)
def test_what_builds_or_starts_nobody_knows_what_is_known_whole_or_not_at_all(line: str) -> None:
    assert list(commands_of(line, "", "ci.yml", 1)) == []


@pytest.mark.parametrize("line", ["make all CC=$X A='b'", 'make all CC="${X}" A=b', "make CFLAGS=`cflags` all A=b"])
def test_what_a_build_is_told_of_its_machine_is_none_of_its_own(line: str) -> None:
    (found,) = commands_of(line, "", "ci.yml", 1)
    assert (found.argv, found.in_part, found.is_build) == (("make", "all", "A=b"), False, True)


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


def test_of_a_script_of_very_many_commands_the_first_are_read() -> None:
    assert len(list(commands_of(("a;" * 399 + "a\n") * 5, "", "ci.yml", 1))) == MOST_PARTS


@pytest.mark.parametrize(
    ("line", "argv"),
    [
        ("pip install git+https://example.org/a#egg=a", ("pip", "install", "git+https://example.org/a#egg=a")),
        ("pytest '#1' -x # it's | all", ("pytest", "#1", "-x")),
        ('pytest -k "a #b" #c', ("pytest", "-k", "a #b")),
    ],
)
def test_a_comment_begins_with_a_word(line: str, argv: tuple[str, ...]) -> None:
    assert [command.argv for command in commands_of(line, "", "ci.yml", 1)] == [argv]


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


@pytest.mark.parametrize("forgets", ["unset A", "unset -v B A", "false && unset A", 'read -r -p "?" B A < file'])
def test_a_variable_that_is_taken_away_or_asked_for_is_not_known_any_more(forgets: str) -> None:
    *_, before, after = commands_of(f"export A=1\ntox\n{forgets}\nmake test $A", "", "ci.yml", 1)
    assert (before.variables, after.variables, after.argv) == ((("A", "1"),), (), ("make", "test", "?"))


@pytest.mark.parametrize("front", ['sudo -E env "PATH=$PATH" A=1', 'sudo "PATH=${PATH}" A=1', 'env A=1 PATH="$PATH"'])
def test_a_variable_that_is_told_to_be_what_it_is_hides_no_tests(front: str) -> None:
    (command,) = commands_of(f"{front} pytest -q", "", "ci.yml", 1)
    assert (command.program, command.is_test, command.in_part) == (("pytest", "-q"), True, False)
    assert command.variables == (("A", "1"),)


def test_what_a_container_is_told_of_a_variable_is_not_left_out() -> None:
    (command,) = commands_of("sudo docker run -e A=$A app", "", "ci.yml", 1)
    assert command.program == ("docker", "run", "-e", "A=?", "app")
