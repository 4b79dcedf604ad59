"""Places that pytest is told to look in: folders of tests, and packages."""

import pytest

from tests.repo_tools.environment.python.test_detector import detected

TREE = ("src/shop/till.py", "src/shop/tax.py", "src/shop/__init__.py", "src/shop/tests/test_till.py", "docs/index.rst")


@pytest.mark.parametrize(
    ("place", "more", "is_of_tests"),
    [
        ("tests", ("tests/helpers.py", "tests/more.py", "tests/test_till.py"), True),
        ("checks", ("checks/test_till.py", "checks/common.py"), True),
        ("src", (), False),
        ("src/shop", (), False),
        ("src/shop/tests", (), True),
        ("src/shop/till.py", (), False),
        ("checks", ("checks/test_till.py", "checks/common.py", "checks/fakes.py", "checks/prices.py"), True),
        ("shop", ("shop/__init__.py", "shop/till.py", "shop/tax.py", "shop/test_till.py"), False),
        ("docs", (), True),
    ],
)
def test_a_place_that_holds_the_product_is_none_of_tests(place: str, more: tuple[str, ...], is_of_tests: bool) -> None:
    assert _places(place, *TREE, *more) == ((place,) if is_of_tests else ())


def test_a_package_without_a_mark_is_one_where_no_other_is() -> None:
    assert _places("shop", "shop/till.py", "shop/tax.py", "tests/__init__.py", "tests/test_a.py", "__init__.py") == ()


def _places(place: str, *paths: str) -> tuple[str, ...]:
    files = {**dict.fromkeys(paths, ""), "pytest.ini": f"[pytest]\ntestpaths = {place}\n"}
    return detected(files).test_paths
