"""Tests that a repository's own commands leave out by their markers are left out of its suite."""

import pytest

from tests.repo_tools.environment.python.test_detector import detected
from tests.support.ci_jobs import workflow

SUITE = {"tests/test_a.py": "def test_a(): pass\n", "pytest.ini": "[pytest]\n"}
CI = ".github/workflows/ci.yml"


def tox(*lines: str) -> str:
    return "[tox]\nenvlist = py311\n[testenv]\ncommands =\n" + "".join(f"    {line}\n" for line in lines)


def hatch(**scripts: str) -> dict[str, str]:
    lines = "".join(f'{name} = "{script}"\n' for name, script in scripts.items())
    return {"hatch.toml": f"[envs.default.scripts]\n{lines}"}


def nox(*arguments: str) -> dict[str, str]:
    calls = "".join(f"    session.run({each})\n" for each in arguments)
    return {"noxfile.py": f"import nox\n\n@nox.session\ndef tests(session):\n{calls}"}


@pytest.mark.parametrize(
    ("files", "expression", "source"),
    [
        ({CI: workflow("pytest -m 'not network' tests")}, "not network", f"{CI}:5"),
        ({CI: workflow("python -m pytest $X -m 'not network and not (slow)'")}, "not network and not slow", f"{CI}:5"),
        (
            {CI: workflow("pytest -m 'not a and not b'", "pytest --pdb -m 'not b and not c'")},
            "not b",
            f"{CI}:5",
        ),
        ({CI: workflow("pytest -m 'not a and not b'", "pytest -m 'a and not b'")}, "not b", f"{CI}:5"),
        ({CI: workflow("pytest -m 'not a and not b'", "pytest -m a")}, "not b", f"{CI}:5"),
        ({CI: workflow("make test"), "Makefile": "test:\n\tpytest -m 'not a'\n"}, "not a", "Makefile:2"),
        ({CI: workflow("tox"), "tox.ini": tox("pytest -m 'not a' {posargs}")}, "not a", "tox.ini [testenv] commands"),
        (
            {CI: workflow("PYTEST_ADDOPTS=\"--cov -m 'not a'\" pytest", "pytest -m 'not a and not b'")},
            "not a",
            f"{CI}:5",
        ),
        ({CI: f"env: {{PYTEST_ADDOPTS: -m 'not a'}}\n{workflow('pytest')}"}, "not a", f"{CI}:6"),
        (
            {".travis.yml": 'env: {global: ["PYTEST_ADDOPTS=\'-m \\"not a\\"\'"]}\nscript: [pytest]\n'},
            "not a",
            ".travis.yml:2",
        ),
        (
            {CI: workflow("tox -e py311-core"), "tox.ini": tox("slow: pytest -m a", "core: pytest -m 'not a'")},
            "not a",
            "tox.ini [testenv] commands",
        ),
        (
            {
                CI: f"env: {{TOXENV: py38-core}}\n{workflow('tox')}",
                "tox.ini": tox("core: pytest -m 'not a'", "x: pytest"),
            },
            "not a",
            "tox.ini [testenv] commands",
        ),
        (
            {"tox.ini": tox("{envpython} test/run.py -m 'not a'"), "test/run.py": "import pytest\npytest.main()"},
            "not a",
            "tox.ini [testenv] commands",
        ),
        ({"tox.ini": tox("coverage run -m pytest -m 'not a'")}, "not a", "tox.ini [testenv] commands"),
        (hatch(test="pytest -m 'not a' {args:tests}", whole="pytest -m a"), "not a", "hatch's scripts"),
        (nox("'pytest', '-m', 'not a', *session.posargs"), "not a", "noxfile.py"),
        (nox("'python', '-m', 'pytest', '-m', 'not a'", "'pytest', '-m', 'a'"), "not a", "noxfile.py"),
    ],
)
def test_what_all_commands_of_the_test_job_or_of_a_tool_leave_out_is_left_out(
    files: dict[str, str], expression: str, source: str
) -> None:
    found = detected({**SUITE, **files})
    assert found.tests[0].argv == ("pytest", "-m", expression)
    assert f"{source}: pytest -m '{expression}'" in found.evidence


def test_what_they_leave_out_by_its_name_is_too() -> None:
    found = detected({**SUITE, CI: workflow("pytest -v -k 'not test_api' -m 'not slow' --cov=a")})
    assert found.tests[0].argv == ("pytest", "-m", "not slow", "-k", "not test_api")
    assert f"{CI}:5: pytest -m 'not slow' -k 'not test_api'" in found.evidence


@pytest.mark.parametrize(
    "files",
    [
        {CI: workflow("pytest -m 'not slow'", "pytest -m slow")},
        {CI: workflow("pytest -m 'not slow'", "pytest")},
        {CI: workflow("pytest -m 'not slow or fast'")},
        {CI: workflow("pytest -m 'not (slow and fast)'")},
        {CI: workflow("pytest -m 'not (slow or fast)'")},
        {CI: workflow("pytest -m $WHICH")},
        {CI: workflow("pytest"), "tox.ini": tox("pytest -m 'not slow'")},
        {CI: workflow("pytest -k 'not slow'", "pytest -k slow")},
        {CI: workflow("pytest -k 'not slow'", "pytest")},
        {CI: workflow("pytest -k 'not [slow]'")},
        {CI: f"env: {{PYTEST_ADDOPTS: -m 'not slow'}}\n{workflow('pytest -m fast')}"},
        {CI: f'env: {{PYTEST_ADDOPTS: "-m \'not slow"}}\n{workflow("pytest")}'},
        hatch(unit="pytest -m 'not slow'", test="pytest"),
        hatch(test="pytest -m 'slow'"),
        nox("'pytest', '-m', 'not slow'", "'pytest', *session.posargs"),
        nox("'pytest', '-m', which"),
        {CI: workflow("pytest"), **hatch(test="pytest -m 'not slow'")},
        {CI: workflow("tox -e core,py3-django42"), "tox.ini": tox("core: pytest -m 'not slow'")},
    ],
)
def test_nothing_is_left_out_that_one_of_them_runs_or_may_run(files: dict[str, str]) -> None:
    assert detected({**SUITE, **files}).tests[0].argv == ("pytest",)
