"""Suites that zope.testrunner runs, as tox or ``setup.py test`` starts it, and others that functions make."""

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


ALL = "import zope.testrunner.find\ndef alltests(): return suites\nsetup(name='shop', test_suite='__main__.alltests')\n"


@pytest.mark.parametrize(("place", "path"), [("src/", "src"), ("", ".")])
def test_it_finds_the_tests_where_setup_py_asks_it_to(place: str, path: str) -> None:
    files = {f"{place}shop/tests/test_a.py": "def test_suite(): pass\n", "src/_shop.c": ""}
    environment = detected({"setup.py": ALL, **files})
    assert environment.tests[0].argv == ("python", "-m", "zope.testrunner", f"--test-path={path}")
    assert "setup.py test_suite: __main__.alltests" in environment.evidence


BY_FUNCTION = "setup(name='shop', test_suite='shop.tests.test_all.test_suite')"
PACKAGE = {"src/shop/tests/__init__.py": ""}
MADE = "class TestCart(TestCase): ...\ndef test_suite():\n    return DocFileSuite('README.txt')\n"


def test_a_function_that_makes_tests_of_documents_is_called_because_pytest_knows_nothing_of_it() -> None:
    environment = detected({"setup.py": BY_FUNCTION, **PACKAGE, "src/shop/tests/test_all.py": MADE})
    assert environment.tests[0].argv == ("python", "-m", "unittest", "shop.tests.test_all.test_suite")


@pytest.mark.parametrize(
    "files",
    [
        {"setup.py": ALL.replace("zope.testrunner", "unittest"), "src/shop/tests/test_a.py": MADE},
        {"setup.py": BY_FUNCTION, "src/shop/tests/test_all.py": MADE.replace("DocFileSuite", "makeSuite")},
        {"setup.py": BY_FUNCTION, "src/shop/tests/test_all.py": MADE.replace("def test_suite", "def all_of")},
        {"setup.py": BY_FUNCTION, "src/shop/tests/test_all.py": MADE, "tox.ini": "[testenv]\ncommands = pytest\n"},
    ],
)
def test_pytest_runs_what_has_nothing_but_classes_or_speaks_for_it(files: dict[str, str]) -> None:
    assert detected({**PACKAGE, **files}).tests[0].argv[0] == "pytest"
