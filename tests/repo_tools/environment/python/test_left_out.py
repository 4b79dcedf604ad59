"""Files and folders that a repository's own commands leave out are left out of its suite."""

import pytest

from tests.repo_tools.environment.python.test_detector import detected
from tests.repo_tools.environment.python.test_marked_out import CI, SUITE, tox
from tests.support.ci_jobs import workflow

SERVERS = {**SUITE, "tests/servers/test_all.py": "def test_all(): pass\n"}


@pytest.mark.parametrize(
    ("files", "options", "source"),
    [
        ({"tox.ini": tox("pytest --ignore tests/servers {posargs}")}, ["tests/servers"], "tox.ini [testenv] commands"),
        ({"tox.ini": tox("pytest --ignore=./tests/servers/ tests")}, ["tests/servers"], "tox.ini [testenv] commands"),
        ({CI: workflow("pytest --ignore=tests/servers", "pytest -x")}, [], ""),
        (
            {CI: workflow("pytest --ignore=tests/servers --ignore=tests/a", "pytest --ignore tests/servers")},
            ["tests/servers"],
            f"{CI}:5",
        ),
        ({CI: workflow("pytest --ignore=tests/servers"), "tox.ini": tox("pytest")}, [], ""),
        ({"tox.ini": tox("pytest --ignore={toxinidir}/tests/servers", "pytest --ignore=../x --ignore=/x")}, [], ""),
        (
            {"tox.ini": tox("pytest --ignore=tests/servers", "nosetests")},
            ["tests/servers"],
            "tox.ini [testenv] commands",
        ),
        ({"tox.ini": tox("pytest --ignore=tests")}, [], ""),
        ({"tox.ini": tox("pytest --ignore=tests/other")}, [], ""),
    ],
)
def test_what_all_commands_for_pytest_leave_out_is_left_out_unless_nothing_would_be_left(
    files: dict[str, str], options: list[str], source: str
) -> None:
    found = detected({**SERVERS, **files})
    assert found.tests[0].argv == ("pytest", *(f"--ignore={path}" for path in options))
    assert options == [] or any(said.startswith(f"{source}: pytest --ignore=") for said in found.evidence)


def test_patterns_count_too() -> None:
    found = detected({**SERVERS, "tox.ini": tox("pytest --ignore-glob '*/servers/*'")})
    assert found.tests[0].argv == ("pytest", "--ignore-glob=*/servers/*")
    everything = detected({**SERVERS, "tox.ini": tox("pytest --ignore-glob '*tests*'")})
    assert everything.tests[0].argv == ("pytest",)
