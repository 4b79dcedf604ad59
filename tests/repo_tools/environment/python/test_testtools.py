"""Suites that testtools' own program runs, as tox starts it."""

import pytest

from tests.repo_tools.environment.python.test_detector import detected

SUITE = {"setup.py": "setup(name='shop')", "shop/tests/__init__.py": "", "shop/tests/test_a.py": "import unittest\n"}


@pytest.mark.parametrize(
    "command", ["python -m testtools.run shop.test_suite", "python -W once -m testtools.run shop.test_suite {posargs}"]
)
def test_unittest_loads_the_suite_that_it_names_because_scenarios_are_multiplied_there(command: str) -> None:
    environment = detected({**SUITE, "tox.ini": f"[testenv]\ncommands =\n    {command}\n"})
    assert environment.tests[0].argv == ("python", "-m", "unittest", "shop.test_suite")
    assert environment.tests[0].runner == "unittest"


def test_discovery_is_asked_for_in_the_same_words() -> None:
    environment = detected({**SUITE, "tox.ini": "[testenv]\ncommands = python -m testtools.run discover -t . shop\n"})
    assert environment.tests[0].argv == ("python", "-m", "unittest", "discover", "-t", ".", "shop")


def test_what_it_alone_knows_is_not_asked_of_unittest() -> None:
    environment = detected({**SUITE, "tox.ini": "[testenv]\ncommands = python -m testtools.run --load-list failing\n"})
    assert environment.tests[0].argv[:1] == ("pytest",)
