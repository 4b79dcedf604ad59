"""Which runner a suite is written for, as a maintainer's own words have it."""

import pytest

from tests.repo_tools.environment.python.test_detector import detected
from tests.support.ci_jobs import ci_running

TOX = "[testenv]\ncommands = %s\n"
SETUP = "from setuptools import setup\nsetup(name='shop', %s)\n"
POETRY = """
[tool.poetry]
name = "shop"
version = "1"
[tool.poetry.dependencies]
python = "^3.7"
[tool.poetry.dev-dependencies]
nose = "*"
pytest = "^5"
"""
FILES = {"shop/__init__.py": "", "tests/test_a.py": "def test_a(): pass"}


@pytest.mark.parametrize(
    "said",
    [
        {"tox.ini": TOX % "nosetests tests"},
        {"tox.ini": TOX % "coverage run {envbindir}/nosetests"},
        {"Makefile": "test:\n\tnosetests -v\n", ".travis.yml": "language: python\nscript: make test\n"},
        {"setup.cfg": "[nosetests]\nverbosity = 2\n"},
        {"setup.py": SETUP % "test_suite='nose.collector'"},
        {"setup.py": SETUP % "tests_require=['nose>=1.0', 'mock']"},
        {"tests/test_b.py": "from nose.tools import raises\n"},
    ],
)
def test_a_suite_that_nose_runs_has_what_nose_does(said: dict[str, str]) -> None:
    environment = detected({**FILES, **said})
    assert (environment.tests[0].runner, environment.tests[0].argv[0]) == ("nose", "pytest")
    assert any("nose's fixtures and yielded tests" in line for line in environment.evidence)


@pytest.mark.parametrize(
    ("envlist", "runner"), [("py27, py33", "pytest"), ("py27, py34", "nose"), ("", "pytest"), ("py27", "pytest")]
)
def test_what_tox_starts_for_the_newest_python_comes_before_what_it_starts_for_all(envlist: str, runner: str) -> None:
    told = f"[tox]\nenvlist = {envlist}\n{TOX % 'nosetests'}[testenv:py33]\ncommands = pytest\n"
    assert detected({**FILES, "tox.ini": told}).tests[0].runner == runner


@pytest.mark.parametrize(
    "said",
    [
        {},
        {"tox.ini": TOX % "nosetests", "tests/conftest.py": ""},
        {"tox.ini": TOX % "nosetests", "pytest.ini": "[pytest]\n"},
        {"tox.ini": TOX % "nosetests\n  pytest"},
        {"setup.cfg": "[nosetests]\nverbosity = 2\n", "tests/test_b.py": "import pytest\n"},
        {"tests/test_b.py": "from nose.tools import raises\n", "tests/test_c.py": "import pytest\n"},
        {"tests/test_b.py": "import nosey\n"},
        {"setup.py": SETUP % "tests_require=['nose', 'pytest']"},
        {"requirements-dev.txt": "pytest\n", "tests/test_b.py": "from nose.tools import raises\n"},
        {"pyproject.toml": POETRY, "tests/test_b.py": "from nose.tools import raises\n"},
        {"setup.py": SETUP % "test_suite='tests'"},
    ],
)
def test_a_suite_that_pytest_runs_has_not(said: dict[str, str]) -> None:
    assert detected({**FILES, **said}).tests[0].runner == "pytest"


def test_a_file_that_imports_pytest_outside_of_what_nose_is_told_to_run_makes_the_suite_no_pytests() -> None:
    vendored = {"shop/packages/other/test_other.py": "import pytest\n"}
    told = {"Makefile": "test:\n\tnosetests -sv ./tests/\n", ".travis.yml": "language: python\nscript: make test\n"}
    assert detected({**FILES, **vendored, **told}).tests[0].runner == "nose"
    assert detected({**FILES, **vendored, **told, "tox.ini": TOX % "nosetests"}).tests[0].runner == "nose"
    within = {"tests/test_b.py": "import pytest\n"}
    assert detected({**FILES, **within, **told}).tests[0].runner == "pytest"
    assert detected({**FILES, **within, "tox.ini": TOX % "nosetests tests/test_a.py"}).tests[0].runner == "pytest"
    assert detected({**FILES, **vendored, "tox.ini": TOX % "nosetests -v"}).tests[0].runner == "pytest"


UNITTEST = {**FILES, "tests/test_a.py": "import unittest\nclass TestA(unittest.TestCase): pass\n"}


def test_a_suite_of_unittest_that_nobody_runs_by_pytest_has_no_handlers_of_its_records() -> None:
    assert detected({**UNITTEST, "tox.ini": TOX % "python setup.py test"}).tests[0].argv == (
        "pytest",
        "-p",
        "no:logging",
    )


@pytest.mark.parametrize(
    "said",
    [
        {"tox.ini": TOX % "pytest tests"},
        {"setup.py": SETUP % "tests_require=['pytest']"},
        {"conftest.py": ""},
        {"tests/test_b.py": "import pytest\n"},
        {"tests/test_b.py": "def test_b(caplog): pass\n"},
        {"tests/test_b.py": "from unittest import mock\ndef test_b(): pass\n"},
        ci_running("cd shop && python -m pytest ../tests"),
        FILES,
    ],
)
def test_a_suite_that_somebody_runs_by_pytest_has_them(said: dict[str, str]) -> None:
    assert "no:logging" not in detected({**UNITTEST, **said}).tests[0].argv
