from collections.abc import Mapping

import pytest

from repo_tools.changes import FileMode, TreeEntry
from repo_tools.verification.shadows import installed_ones, new_modules, rootdirs, taken_names

ENTRY = TreeEntry(FileMode.REGULAR, "0" * 40)


def found(
    base: Mapping[str, str], *new: str, passing: tuple[str, ...] = ("tests/test_a.py",), place: str = ""
) -> frozenset[str]:
    tree = dict.fromkeys(base, ENTRY)
    return installed_ones(new_modules(new, tree, (place,)), passing, tree, lambda path: base[path].encode())


def test_a_module_that_passing_tests_load_from_elsewhere_would_be_hidden() -> None:
    base = {"tests/test_a.py": "import os\nfrom numpy.testing import assert_allclose\n", "shop/__init__.py": ""}
    assert found(base, "numpy/__init__.py") == {"numpy"}
    assert found(base, "src/numpy/testing.py") == {"numpy"}
    assert found(base, "numpy.py", "shop/numpy.py", "shop/new.py") == {"numpy"}
    assert found(base, "shop/numpy/__init__.py", "newer.py") == frozenset()


def test_a_project_below_the_root_imports_from_its_own_folder() -> None:
    base = {"backend/tests/test_a.py": "import numpy", "numpy/setup.md": ""}
    assert found(base, "backend/numpy.py", passing=tuple(base), place="backend") == {"numpy"}
    assert found(base, "numpy/__init__.py", passing=tuple(base), place="backend") == {"numpy"}
    assert found(base, "backend/shop/numpy.py", passing=tuple(base), place="backend") == frozenset()


def test_a_folder_that_holds_no_python_is_no_module() -> None:
    base = {"tests/test_a.py": "import docker", "docker/Dockerfile": ""}
    assert found(base, "docker/__init__.py") == {"docker"}
    assert found({**base, "docker/entry.py": ""}, "docker/__init__.py") == frozenset()


def test_what_a_conftest_above_loads_counts_and_what_another_folders_does_not() -> None:
    base = {"conftest.py": "import assertpy", "other/conftest.py": "import sure", "tests/test_a.py": ""}
    assert found(base, "assertpy.py", "sure.py") == {"assertpy"}


def test_a_module_that_the_base_has_or_that_no_passing_test_needs_is_no_other() -> None:
    base = {"tests/test_a.py": "def test_a():\n    import later\ntry: import maybe\nexcept ImportError: pass\n"}
    assert found(base, "later.py", "maybe.py") == frozenset()
    assert found({"tests/test_a.py": "import wanted"}, "wanted.py", passing=()) == frozenset()
    assert found({"tests/test_a.py": "import shop.new", "shop/a.py": ""}, "shop/new.py") == frozenset()
    assert found({"tests/test_a.py": "import ("}, "shop.py") == frozenset()


def test_pytest_imports_from_the_nearest_folder_above_a_test_that_is_no_package() -> None:
    base = dict.fromkeys(("lib/test_a.py", "pkg/__init__.py", "pkg/in/__init__.py", "pkg/in/test_b.py"), ENTRY)
    assert rootdirs(("lib/test_a.py",), base) == {"lib"}
    assert rootdirs(("pkg/in/test_b.py",), base) == {"."}
    assert rootdirs(("test_c.py",), {**base, "__init__.py": ENTRY}) == {""}
    own = {"lib/test_a.py": "from decimal import Decimal", "lib/till.py": ""}
    assert found(own, "lib/decimal.py", passing=tuple(own), place="lib") == {"decimal"}


SHOP_TEST = "src/test/java/shop/TillTest.java"


@pytest.mark.parametrize(
    ("new", "name"),
    [
        ("src/main/java/org/assertj/core/api/Assertions.java", "org.assertj.core.api"),
        ("app/src/main/kotlin/org/assertj/core/api/Own.kt", "org.assertj.core.api"),
        ("lib/webmock/rspec.rb", "webmock/rspec"),
        ("src/main/java/shop/Assertions.java", ""),
        ("src/main/java/org/assertj/Other.java", ""),
        ("src/main/java/org/assertj/core/api/more/Other.java", ""),
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
