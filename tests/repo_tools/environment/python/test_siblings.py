"""Packages of tests whose modules import each other by bare names."""

from collections.abc import Mapping

import pytest

from tests.repo_tools.environment.python.test_detector import detected

SUITE = {"test/__init__.py": "", "test/tools.py": "", "test/test_a.py": "from tools import warn\ndef test_a(): pass\n"}


def put_on_path(files: Mapping[str, str]) -> tuple[str, ...]:
    found = (command.argv[3:] for command in detected(files).setup if "zz_beside_tests" in " ".join(command.argv))
    return next(found, ())


def test_the_folder_of_a_package_of_tests_is_on_the_path_where_its_modules_import_each_other_by_bare_names() -> None:
    assert put_on_path(SUITE) == ("test",)
    assert put_on_path({**SUITE, "test/test_a.py": "import six\nimport tools as t\ndef test_a(): pass\n"}) == ("test",)


@pytest.mark.parametrize(
    "files",
    [
        {"test/test_a.py": "from .tools import warn\ndef test_a(): pass\n"},
        {"test/test_a.py": "from test.tools import warn\ndef test_a(): pass\n"},
        {"tools/__init__.py": ""},
        {"src/tools.py": ""},
        {
            "test/test_a.py": "",
            "shop/testclient.py": "import requests\n",
            "shop/requests.py": "",
            "shop/__init__.py": "",
        },
        {"test/test_a.py": "import json\ndef test_a(): pass\n", "test/json.py": ""},
    ],
)
def test_it_is_not_where_they_do_not_or_mean_another_module(files: Mapping[str, str]) -> None:
    assert put_on_path({**SUITE, **files}) == ()


def test_neither_is_a_folder_that_is_no_package_because_pytest_puts_it_there_itself() -> None:
    assert put_on_path({path: text for path, text in SUITE.items() if path != "test/__init__.py"}) == ()
