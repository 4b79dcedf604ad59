from collections.abc import Iterable
from typing import Any

import pytest

from repo_tools.changes import FileMode, TreeEntry
from repo_tools.sandbox.contract import ExecResult
from repo_tools.verification.shadows import installed_ones, new_modules, rootdirs, taken_names
from tests.support.folder_box import FolderBox

ENTRY = TreeEntry(FileMode.REGULAR, "0" * 40)


def found(base: Iterable[str], *new: str, place: str = "") -> set[str]:
    return set(new_modules(new, dict.fromkeys(base, ENTRY), (place,)))


def test_a_new_module_is_one_at_an_import_root_whose_name_the_base_has_not() -> None:
    base = ("tests/test_a.py", "shop/__init__.py")
    assert found(base, "numpy/__init__.py", "shop/new.py") == {"numpy"}
    assert found((*base, "src/till.py"), "src/numpy/testing.py") == {"numpy"}
    assert found(base, "numpy.py", "shop/numpy.py", "numpy.txt") == {"numpy"}
    assert found(base, "shop/numpy/__init__.py", "tests/more.py") == set()


def test_a_project_below_the_root_imports_from_its_own_folder() -> None:
    base = ("backend/tests/test_a.py", "numpy/setup.md")
    assert found(base, "backend/numpy.py", place="backend") == {"numpy"}
    assert found(base, "numpy/__init__.py", place="backend") == {"numpy"}
    assert found(base, "backend/shop/numpy.py", place="backend") == {"shop"}


def test_a_folder_that_holds_no_python_is_no_module() -> None:
    base = ("tests/test_a.py", "docker/Dockerfile")
    assert found(base, "docker/__init__.py") == {"docker"}
    assert found((*base, "docker/entry.py"), "docker/__init__.py") == set()


class Saying(FolderBox):
    def __init__(self, said: bytes) -> None:
        super().__init__()
        self._said = said

    def exec(self, *_: Any, **__: Any) -> ExecResult:
        return ExecResult(0, self._said, 0.1)


@pytest.mark.parametrize(
    ("said", "names"),
    [
        (b'["numpy", "pandas"]\n', {"numpy", "pandas"}),
        (b"[]\n", set()),
        (b'site.py:1: DeprecationWarning: [old]\n["numpy"]\n', {"numpy"}),
        (b'["numpy"]\nbye\n', {"numpy"}),
        (b"sh: 1: exec: python: not found\n", set()),
    ],
    ids=["some", "none", "after a warning", "before a last word", "no Python"],
)
def test_what_python_says_beside_its_answer_hides_no_module(said: bytes, names: set[str]) -> None:
    with Saying(said) as box:
        assert installed_ones(box, ("numpy", "pandas")) == names


def test_pytest_imports_from_the_nearest_folder_above_a_test_that_is_no_package() -> None:
    base = dict.fromkeys(("lib/test_a.py", "pkg/__init__.py", "pkg/in/__init__.py", "pkg/in/test_b.py"), ENTRY)
    assert rootdirs(("lib/test_a.py",), base) == {"lib"}
    assert rootdirs(("pkg/in/test_b.py",), base) == {"."}
    assert rootdirs(("test_c.py",), {**base, "__init__.py": ENTRY}) == {""}
    assert found(("lib/test_a.py", "lib/till.py"), "lib/decimal.py", place="lib") == {"decimal"}


SHOP_TEST = "src/test/java/shop/TillTest.java"


@pytest.mark.parametrize(
    ("new", "name"),
    [
        ("src/main/java/org/assertj/core/api/Assertions.java", "org.assertj.core.api"),
        ("app/src/main/kotlin/org/assertj/core/api/Own.kt", "org.assertj.core.api"),
        ("lib/webmock/rspec.rb", "webmock/rspec"),
        ("src/main/java/shop/Assertions.java", ""),
        ("src/main/java/org/assertj/core/internal/Objects.java", "org.assertj.core.internal"),
        ("src/main/java/shop/more/Other.java", ""),
        ("src/main/java/org/other/Other.java", ""),
        ("lib/till/webmock.rb", ""),
        ("lib/till.rb", ""),
    ],
)
def test_what_tests_load_from_elsewhere_is_not_to_be_replaced(new: str, name: str) -> None:
    base = {
        SHOP_TEST: "package shop;\nimport static org.assertj.core.api.Assertions.assertThat;\nimport shop.Till;\n",
        "src/main/java/shop/Till.java": "package shop;",
        "spec/till_spec.rb": "require 'till'\n",
        "spec/spec_helper.rb": "  require('webmock/rspec')\n",
        "lib/till/version.rb": "",
    }
    base |= {"lib/till.rb": ""} if new != "lib/till.rb" else {"spec/till_spec.rb": "require_relative '../lib/till'"}
    tree = dict.fromkeys(base, ENTRY)
    found = taken_names((new,), (SHOP_TEST, "spec/till_spec.rb"), tree, lambda path: base[path].encode())
    assert found == ({name: new} if name else {})


@pytest.mark.timeout(20)
def test_a_helper_of_blank_lines_is_soon_read() -> None:
    tree = dict.fromkeys(("spec/spec_helper.rb", "lib/till.rb"), ENTRY)
    assert taken_names(("lib/more.rb",), (), tree, lambda _: b"\n" * 100_000) == {}
