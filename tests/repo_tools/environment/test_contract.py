"""What a person reads of a plan."""

import pytest

from repo_tools.environment.contract import AND_RUN, TestCommand


@pytest.mark.parametrize(
    ("command", "shown"),
    [
        (TestCommand("pytest", ("pytest", "-k", "a or b")), "pytest -k 'a or b'"),
        (TestCommand("pytest", ("pytest",), "a b", (("MODE", "x y"),)), "cd 'a b' && MODE='x y' pytest"),
        (
            TestCommand("mocha", ("sh", "-c", f"npm run lib{AND_RUN}", "sh", "mocha", "*.js")),
            "npm run lib && mocha '*.js'",
        ),
        (TestCommand("exit_code", ("sh", "-c", "make a | tee b")), "make a | tee b"),
        (TestCommand("tap", ("sh", "-c", 'tape "$@"', "sh", "a b.js")), "sh -c 'tape \"$@\"' sh 'a b.js'"),
        (TestCommand("jest", ("sh", "-c", "…"), typed="npm run build && jest"), "npm run build && jest"),
    ],
)
def test_a_command_is_shown_as_a_person_would_type_it(command: TestCommand, shown: str) -> None:
    assert str(command) == shown


def test_selectors_stand_last_and_quoted() -> None:
    assert TestCommand("pytest", ("pytest",)).shown(("t.py::test[a b]",)) == "pytest 't.py::test[a b]'"
