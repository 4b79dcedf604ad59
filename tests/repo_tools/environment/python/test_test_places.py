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
        ("shop", ("shop/till.py", "shop/tax.py", "shop/test_till.py"), False),
        ("docs", (), True),
    ],
)
def test_a_place_that_holds_the_product_is_none_of_tests(place: str, more: tuple[str, ...], is_of_tests: bool) -> None:
    files = {**dict.fromkeys((*TREE, *more), ""), "pytest.ini": f"[pytest]\ntestpaths = {place}\n"}
    assert detected(files).test_paths == ((place,) if is_of_tests else ())
