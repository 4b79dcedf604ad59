"""A repository to prove fixes in, with two bugs.

`total` leaves out the first price, which a test of the base commit shows; `mean` fails on nothing, which none does.
"""

CART = """\
def total(prices):
    return sum(prices[1:])


def mean(prices):
    return sum(prices) / len(prices)


def shout(text):
    return text.upper()
"""

TESTS = """\
import pytest
from shop.cart import mean, shout, total
from tests.helpers import same


def test_nothing_costs_nothing():
    assert same(total([]), 0)


def test_every_price_counts():
    assert same(total([1, 2, 3]), 6)


@pytest.mark.parametrize("text", ["a", "b"])
def test_shouting_is_upper_case(text):
    assert shout(text) == text.upper()
"""

HELPERS = "def same(one, other):\n    return one == other\n"

PYPROJECT = """\
[build-system]
requires = ["setuptools"]
build-backend = "setuptools.build_meta"

[project]
name = "shop"
version = "1.0"

[tool.setuptools]
packages = ["shop"]

[tool.pytest.ini_options]
testpaths = ["tests"]
"""

FILES: dict[str, str | bytes] = {
    "pyproject.toml": PYPROJECT,
    "shop/__init__.py": "",
    "shop/cart.py": CART,
    "tests/__init__.py": "",
    "tests/helpers.py": HELPERS,
    "tests/test_cart.py": TESTS,
}

CART_WITH_TOTAL = CART.replace("prices[1:]", "prices")
CART_WITH_MEAN = CART.replace("/ len(prices)", "/ len(prices) if prices else 0")
BUG = "tests/test_cart.py::test_every_price_counts"
