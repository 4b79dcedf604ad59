"""Commands as people write them become argument lists, or a shell's business."""

import pytest

from repo_tools.environment.commands import (
    as_argv,
    command_problem,
    commands_of,
    hidden_end,
    is_shell,
    moved,
    named_files,
    root_relative,
    with_variables,
)


@pytest.mark.parametrize(
    ("text", "argv"),
    [
        ("pytest -x", ("pytest", "-x")),
        ("pytest -k 'a or b'", ("pytest", "-k", "a or b")),
        ('pytest -m "not slow"', ("pytest", "-m", "not slow")),
        ("pip install -e .[test]", ("pip", "install", "-e", ".[test]")),
        (r"echo a\ b\;c", ("echo", "a b;c")),
        ("pytest -x \\\n  tests", ("pytest", "-x", "tests")),
        ('pytest "a\\"b"', ("pytest", 'a"b')),
        ("pytest 'tests/test_*.py'", ("pytest", "tests/test_*.py")),
    ],
)
def test_plain_words_are_run_without_a_shell(text: str, argv: tuple[str, ...]) -> None:
    assert as_argv(text) == argv
    assert not is_shell(argv)


@pytest.mark.parametrize(
    "text",
    ["a && b", "a | b", "a; b", "a > b", "a &", "a $HOME", 'a "$HOME"', "a `b`", 'a "`b`"', "(a)", "a *.py", "a ~/b"],
)
@pytest.mark.parametrize("around", ["{}", "X=1 {}", "{}\nb", "{} # c", "{} 'open"])
def test_what_only_a_shell_understands_is_given_to_one(text: str, around: str) -> None:
    whole = around.format(text)
    assert as_argv(whole) == ("sh", "-c", whole)
    assert is_shell(as_argv(whole))


@pytest.mark.parametrize(
    "text",
    [
        "cd a\nb", "a\nb | c", "a\nb 'c\nd'", "a\nexport B=1\nc", "a # b\nc", "if a\nthen b; fi", "! a\nb",
        "if a\nthen\nb\nfi", "trap 'a' EXIT\nb", "until a\ndo\nb\ndone", "exec a\nb", "command -v a\nb",
    ],
)  # fmt: skip
def test_a_script_that_needs_a_shell_stays_whole(text: str) -> None:
    assert commands_of(text) == (text,)


def test_a_script_of_plain_commands_is_taken_apart() -> None:
    assert commands_of("a b\n\n  c \\\n d\nE=1 f\n") == ("a b", "c  d", "E=1 f")


@pytest.mark.parametrize(
    ("text", "program"),
    [
        ("a | tee log", "tee"), ("a 2>&1|tee -a log", "tee"), ("a |& tail", "tail"), ("b; a | cat", "cat"),
        ("a || tee log", ""), ("a | tee log; exit 1", ""), ("a | tee log && b", ""), ("a '| tee'", ""),
        ("bash -o pipefail -c 'a | tee log'", ""), ("a | ./teeth", ""), ("yes | a", ""), ("a # | tee", ""),
        ("a || true", "true"), ("cd b\na -c || :\n", ":"), ("a && b \\\n || true # c", "true"), ("a || true-er", ""),
        ("a\nrm b || true", ""), ("a || true; b", ""), ("a || true && b", ""), ("a '|| true'", ""), ("a || exit 1", ""),
        ("a\ncat log | tail -5", ""), ("a && cat log | sed s/a/b/", ""), ("a || cat log | tail", "tail"),
        ("a\ncat b | c | tee log", "tee"), ("cd a\nb | tee log", "tee"),
    ],
)  # fmt: skip
def test_what_hides_how_a_command_ends_is_known(text: str, program: str) -> None:
    assert hidden_end(text) == program


@pytest.mark.parametrize("text", ["X=1 a", "a\nb", "a # b", "a 'b", "a\\", r'a "\$b"', 'a "b\\\nc"'])
def test_so_is_what_a_shell_would_take_apart_otherwise(text: str) -> None:
    assert as_argv(text) == ("sh", "-c", text)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "no command"), ("a\0", "no command"), ("a 'b", "not closed"), ('a "b', "not closed"),
        ("a b\\", "not closed"), ("echo it's", "not closed"), ("a ${{ matrix.x }}", "GitHub's workflows"),
        ("export A=1", "does nothing"),
        ("source venv/bin/activate", "`source … && …`"), ("cd a", "does nothing"),
    ],
)  # fmt: skip
def test_what_no_shell_could_run_is_told(text: str, words: str) -> None:
    assert words in command_problem(text)


@pytest.mark.parametrize(
    "text",
    [
        "pytest", "a 'b'", 'a "it\'s"', r"a \'", "a # it's", "a\n# it's\nb 'c'", "cat <<E\nit's\nE",
        "echo $(echo \"it's\")", "echo ${A:-'}", "cd a && b", "export A=1; b", "set -e\na", "a 'b\nc'", "a$'\\''",
        "a;# it's\nb", "(# it's\na)",
    ],
)  # fmt: skip
def test_what_a_shell_can_run_is_taken(text: str) -> None:
    assert not command_problem(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("cd web && npm test", ("npm test", "web")),
        ("cd ./web/ && cd app && npm test -- --ci", ("npm test -- --ci", "web/app")),
        ("cd .. && ls", ("cd .. && ls", "")),
        ("cd /tmp && ls", ("cd /tmp && ls", "")),
        ("npm test", ("npm test", "")),
    ],
)
def test_a_change_of_directory_in_front_moves_the_command(text: str, expected: tuple[str, str]) -> None:
    assert moved(text) == expected


@pytest.mark.parametrize(("path", "expected"), [(".", ""), ("./a/", "a"), ("a//b/./c", "a/b/c"), ("", "")])
def test_a_path_is_written_without_dots(path: str, expected: str) -> None:
    assert root_relative(path) == expected
    assert moved("x", root_relative(path)) == ("x", expected)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("CI=1 pytest -q", ({"CI": "1"}, "pytest -q")),
        ("A='x y' B=\"z\" C= python -m pytest", ({"A": "x y", "B": "z", "C": ""}, "python -m pytest")),
        ("env PYTHONPATH=src:. pytest", ({"PYTHONPATH": "src:."}, "pytest")),
        ("export CI=1 B=2 && pytest -q", ({"CI": "1", "B": "2"}, "pytest -q")),
        ("export CI=1; export B='2 3'; C=4 pytest", ({"CI": "1", "B": "2 3", "C": "4"}, "pytest")),
        ("pytest --a=b", ({}, "pytest --a=b")),
    ],
)
def test_plain_variables_in_front_are_told_apart(text: str, expected: tuple[dict[str, str], str]) -> None:
    assert with_variables(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        *("A=$B pytest", "A=1 pytest && b", "A=1", "PATH=bin pytest", "A=1;pytest", "A=`b` pytest", "A=1 B=$C c"),
        *("export A && pytest", "export A=$B && pytest", "export A=1", "export A=1 pytest", "export A=1 && b; c"),
    ],
)
def test_variables_that_a_shell_has_to_read_are_left_to_it(text: str) -> None:
    assert with_variables(text) == ({}, text)


@pytest.mark.parametrize(
    ("argv", "found"),
    [
        (("pip", "install", "-r", "deps/ci.txt"), ["deps/ci.txt"]),
        (("pip", "install", "--requirement=deps/ci.txt"), ["deps/ci.txt"]),
        (("pip", "install", "-rdeps/ci.txt"), ["deps/ci.txt"]),
        (("pip", "install", "-r=deps/ci.txt"), ["deps/ci.txt"]),
        (("sh", "-c", "pip install -rdeps/ci.txt && ./make.sh # go"), ["deps/ci.txt", "x/make.sh"]),
        (("sh", "-c", 'exec "$@"', "sh", "../make.sh"), ["make.sh"]),
        (("sh", "-c", "echo 'open; ./make.sh"), ["x/make.sh"]),
        (("pip", "-", "--=", "deps"), []),
    ],
)
def test_the_files_that_a_command_names_are_known_however_it_names_them(
    argv: tuple[str, ...], found: list[str]
) -> None:
    tree = {"deps/ci.txt", "x/make.sh", "make.sh"}
    assert [path for path in named_files(argv, "x", tree) if path != "make.sh" or ".." in argv[-1]] == found


def test_however_often_it_moves() -> None:
    assert moved("cd a && " * 3_000 + "pytest")[0] == "pytest"
