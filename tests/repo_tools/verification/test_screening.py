from collections.abc import Mapping

import pytest

from repo_tools.changes import ChangeSet, FileChange, FileMode, Tree
from repo_tools.verification.screening import screen
from repo_tools.verification.sides import TestLayout, split

CODE = "def f(a):\n    # adds\n    return a + 1\n"


def screened(base: Mapping[str, str], new: Mapping[str, str | FileChange | None]) -> tuple[str, ...]:
    before = {path: FileChange(FileMode.REGULAR, text.encode()) for path, text in base.items()}
    tree: Tree = {path: file.entry for path, file in before.items()}
    after = {p: FileChange(FileMode.REGULAR, t.encode()) if isinstance(t, str) else t for p, t in new.items()}
    change = ChangeSet("0" * 40, after)

    def read(path: str) -> bytes:
        return before[path].content

    return screen(change, split(change, tree, read, TestLayout()), tree, read)


def test_an_empty_change_is_named() -> None:
    assert screened({"a.py": CODE}, {}) == ("The change is empty.",)


@pytest.mark.parametrize(
    "new",
    [
        {"a.py": CODE},
        {"a.py": CODE.replace("    #", "    # it")},
        {"a.py": CODE.replace("a + 1", "(a+1)") + "\n\n"},
        {"a.py": CODE.replace("\n", "\r\n")},
        {"__pycache__/a.cpython-311.pyc": "x", "a.py.orig": "x"},
        {"tests/test_a.py": "def test_a(): pass"},
        {"conftest.py": "x"},
        {"missing.py": None},
    ],
    ids=["same", "comment", "white space", "line ends", "generated", "tests only", "configuration only", "nothing"],
)
def test_a_change_that_makes_no_difference_to_the_product_is_named(new: Mapping[str, str | None]) -> None:
    """V16."""
    (reason,) = screened({"a.py": CODE}, new)
    assert "nothing to prove" in reason


@pytest.mark.parametrize(
    "new",
    [
        {"a.py": CODE.replace("+", "-")},
        {"a.py": CODE.replace("return a", "if a:\n        return a")},
        {"a.py": "not python ("},
        {"a.py": FileChange(FileMode.EXECUTABLE, CODE.encode())},
        {"a.py": None},
        {"data.txt": "x"},
        {"text.txt": "a  b"},
        {"a.py": CODE.replace("# adds", '"""Adds."""')},
    ],
    ids=["code", "nested", "broken", "mode", "deleted", "new file", "spaces in data", "docstring"],
)
def test_a_change_that_could_make_a_difference_passes(new: Mapping[str, str | FileChange | None]) -> None:
    assert screened({"a.py": CODE, "text.txt": "a b"}, new) == ()


@pytest.mark.parametrize(
    "line",
    [
        "import pytest",
        "import _pytest.runner as r",
        "from _pytest import reports",
        "from unittest import TestCase",
        "import os; os.environ.get('PYTEST_CURRENT_TEST')",
        "import sys; 'pytest' in sys.modules",
        "__import__('_pytest.runner')",
        "import tests.helpers",
        "from conftest import anything",
    ],
)
def test_product_code_that_comes_to_know_the_test_runner_is_refused(line: str) -> None:
    (reason,) = screened({"a.py": CODE}, {"a.py": f"{line}\n{CODE}X = 1\n"})
    assert "a.py is product code and now mentions the tests or their runner" in reason


def test_code_that_knew_the_test_runner_before_may_go_on_and_tests_may_import_it() -> None:
    plugin = "import pytest\n"
    assert screened({"plugin.py": plugin}, {"plugin.py": plugin + CODE, "test_x.py": plugin}) == ()


def test_prose_that_mentions_the_runner_is_no_tampering() -> None:
    assert screened({"a.py": CODE}, {"a.py": f'"""Run it with pytest."""\n{CODE}'}) == ()


@pytest.mark.parametrize("body", ["return True", '"""Equal."""\n        return True'])
def test_objects_that_equal_everything_are_refused(body: str) -> None:
    (reason,) = screened({"a.py": CODE}, {"a.py": f"{CODE}class A:\n    def __eq__(self, other):\n        {body}\n"})
    assert "true of anything" in reason


def test_an_ordinary_comparison_is_not() -> None:
    code = "class A:\n    def __eq__(self, other):\n        if other is None: return False\n        return True\n"
    assert screened({"a.py": CODE}, {"a.py": CODE + code}) == ()


@pytest.mark.parametrize("path", ["decimal.py", "src/json/__init__.py", "unittest/mock.py"])
def test_a_new_module_may_not_hide_one_of_pythons_own(path: str) -> None:
    (reason,) = screened({"a.py": CODE}, {path: CODE})
    assert reason.startswith(f"{path} would hide the module")


def test_a_module_that_has_such_a_name_already_or_in_a_package_is_fine() -> None:
    assert screened({"types/a.py": CODE}, {"types/b.py": CODE, "pkg/json.py": CODE}) == ()
