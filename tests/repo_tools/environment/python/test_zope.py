"""Suites that zope.testrunner runs, as tox starts it."""

import pytest

from tests.repo_tools.environment.python.test_detector import detected

SUITE = {"setup.py": "setup(name='shop')", "src/shop/tests/test_a.py": "import unittest\n"}


@pytest.mark.parametrize(
    "command",
    [
        "zope-testrunner --test-path=src -vc",
        "zope-testrunner --test-path={toxinidir}/src {posargs:-vc}",
        "coverage run {envbindir}/zope-testrunner --test-path=src -vc []",
        "python -bb -m zope.testrunner --test-path=src -vc",
        "coverage run -p -m zope.testrunner --test-path=src -vc",
        "zope-testrunner -j4 --test-path=src -vc",
    ],
)
def test_its_own_loader_is_used_because_pytest_knows_no_layers_and_no_suites_that_modules_make(command: str) -> None:
    environment = detected({**SUITE, "tox.ini": f"[testenv]\ncommands =\n    {command}\n"})
    assert environment.tests[0].argv == ("python", "-m", "zope.testrunner", "--test-path=src", "-vc")
