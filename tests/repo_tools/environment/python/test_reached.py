"""What an extra for users has, and the project's own modules ask for as soon as tests import them."""

import time
from collections.abc import Mapping

import pytest

from repo_tools.environment.python.extras import of_extras
from repo_tools.environment.python.imports import undeclared
from repo_tools.environment.python.reached import MAX_BYTES, MOST_FILES, needed_at_once
from tests.support.files_checkout import FilesCheckout

EXTRAS = {"moon-calendar": "Moon_Calendar>=2", "pyyaml": "PyYAML", "shop": "shop[all]"}
SHOP = {
    "shop/__init__.py": "",
    "shop/days/__init__.py": "",
    "shop/days/moon.py": "from shop.days.parser import (  # why\n    parse,\n)",
    "shop/days/parser.py": "import moon_calendar",
}


def found(test: str, files: Mapping[str, str] | None = None) -> tuple[str, ...]:
    checkout = FilesCheckout({**SHOP, **(files or {}), "tests/test_a.py": test})
    return undeclared(checkout.tree, checkout.read, ["tests/test_a.py"], frozenset(), EXTRAS)


@pytest.mark.parametrize(
    "test",
    [
        "from shop.days.moon import Moon",
        "from shop.days import moon",
        "import shop.days.moon as moon, os",
        "try:\n    from shop.days.moon import Moon\nexcept ImportError:\n    raise",
        "def test_a():\n    import shop.days.moon",
    ],
)
def test_what_modules_import_that_a_test_imports_is_wanted(test: str) -> None:
    assert found(test) == ("Moon_Calendar>=2",)


@pytest.mark.parametrize(
    "test",
    ["import shop", "import shop.days", "import pytest\npytest.importorskip('moon_calendar')\nimport shop.days.moon"],
)
def test_what_no_test_reaches_or_one_skips_for_is_not(test: str) -> None:
    assert found(test) == ()


@pytest.mark.parametrize(
    "text",
    [
        "try:\n    import moon_calendar\nexcept ImportError:\n    pass",
        "try:\n    from shop.days import moon\nexcept ImportError:\n    pass",
        "def later():\n    import moon_calendar",
        "import shop.all",
    ],
)
def test_what_the_product_may_do_without_is_not_wanted(text: str) -> None:
    assert found("import shop.optional", {"shop/optional.py": text}) == ()


def test_a_package_around_a_module_is_run_too_and_a_requirement_may_have_another_name_than_its_import() -> None:
    files = {"shop/days/__init__.py": "from .. import settings", "shop/settings.py": "import yaml"}
    assert found("import shop.days.sun", {**files, "shop/days/sun.py": ""}) == ("PyYAML",)


def test_a_long_chain_of_imports_ends() -> None:
    chain = {f"a{number}.py": f"import a{number + 1}, b{number}" for number in range(2 * MOST_FILES)}
    checkout = FilesCheckout({**chain, "test_a.py": "import a0"})
    needed = needed_at_once(checkout.tree, checkout.read, ["test_a.py"])
    assert "b300" in needed
    assert f"b{MOST_FILES}" not in needed


def test_what_an_extra_lists_on_a_condition_is_asked_for_on_it() -> None:
    extras = (
        """{':os_name == "nt"': ['cffi>=1', 'x[y]; python_version < "4"'], 'a': ['b'], 'c:none': ['z'], 1: ['d']}"""
    )
    checkout = FilesCheckout({"setup.py": f"setup(name='shop', extras_require={extras})"})
    assert of_extras(checkout.tree, checkout.read) == {
        "cffi": 'cffi>=1; os_name == "nt"',
        "x": 'x[y]; python_version < "4" and os_name == "nt"',
        "b": "b",
        "d": "d",
    }


def test_many_tests_leave_room_for_what_they_import() -> None:
    tests = {f"tests/test_{number:04}.py": "import shop.days.moon" for number in range(MOST_FILES)}
    checkout = FilesCheckout({**SHOP, **tests})
    assert "moon_calendar" in needed_at_once(checkout.tree, checkout.read, tests)


@pytest.mark.parametrize(
    "text",
    [
        "from " + "." * 300_000,
        "import " + "a." * 150_000 + "a",
        "from a import (\n" * 20_000,
        "from " + "a." * 75_000 + "a import " + "a," * 75_000 + "a",
        "import " + "a," * 150_000 + "a",
        "import a" + " " * 300_000,
    ],
    ids=["dots", "parts", "open", "module", "names", "blanks"],
)
def test_what_nobody_writes_is_read_in_time(text: str) -> None:
    started = time.process_time()
    assert found("import shop.odd", {"shop/odd.py": f"import shop.days.moon\n{text}\n"}) == ("Moon_Calendar>=2",)
    assert time.process_time() - started < 5.0


def test_an_import_in_brackets_may_have_comments_with_brackets() -> None:
    assert found("from shop.days import (  # the moon (and the sun)\n    parser,  # both (\n    moon,\n)")


def test_of_a_large_file_the_beginning_counts() -> None:
    text = "import shop.days.moon\n" + "#" * MAX_BYTES + "\nimport yaml"
    assert found("import shop.large", {"shop/large.py": text}) == ("Moon_Calendar>=2",)
