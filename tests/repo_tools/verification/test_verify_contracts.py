"""What a test demands may stand beside it in its file: changes of that to real repositories, in real boxes."""

import json

import pytest

from repo_tools.verification.contract import Verdict
from tests.support.engine import shared_bubblewrap
from tests.support.laboratory import Laboratory, laboratory
from tests.support.long import first_of
from tests.support.shop import CART, FILES

pytestmark = [pytest.mark.bubblewrap, pytest.mark.registry, pytest.mark.timeout(900)]

LOUD = """\
import unittest
import pytest
from shop import cart

LOUD = {"a": "A"}


@pytest.fixture
def loud():
    return "B"


def check(text, loud):
    assert cart.shout(text) == loud


def test_by_a_constant():
    check("a", LOUD["a"])


def test_by_a_fixture(loud):
    check("b", loud)


@pytest.mark.parametrize(("text", "loud"), LOUD.items())
def test_by_a_table(text, loud):
    check(text, loud)


class Set(unittest.TestCase):
    def setUp(self):
        self.loud = "C"

    def test_by_set_up(self):
        check("c", self.loud)


class Shared:
    def test_by_inheritance(self):
        check("d", self.loud)


class TestInherited(Shared):
    loud = "D"
"""
LOUDER = {"shop/cart.py": CART.replace("text.upper()", "text.upper() + '!'")}


@pytest.fixture(scope="module")
def loud(shop: Laboratory, tmp_path_factory: pytest.TempPathFactory) -> Laboratory:
    return shop.alike(tmp_path_factory.mktemp("loud"), {**FILES, "tests/test_cart.py": LOUD})


def test_a_contract_may_stand_beside_its_tests(loud: Laboratory) -> None:
    text = LOUD
    for kind in "ABCD":
        text = text.replace(f'"{kind}"', f'"{kind}!"')
    verification = loud.verify({**LOUDER, "tests/test_cart.py": text})
    assert (verification.verdict, verification.reasons) == (Verdict.CONTRACT_CHANGED, ())
    tests = ("Set::test_by_set_up", "TestInherited::test_by_inheritance", "test_by_a_constant")
    more = ("test_by_a_fixture", "test_by_a_table[a-A]")
    assert verification.contract_tests == tuple(f"tests/test_cart.py::{name}" for name in (*tests, *more))
    forgotten = loud.verify({**LOUDER, "tests/test_cart.py": text.replace('"C!"', '"C"')})
    assert forgotten.verdict is Verdict.NOT_PROVED
    assert forgotten.reasons[0].endswith("not with your change: tests/test_cart.py::Set::test_by_set_up.")


SHARED = """\
from shop import cart


class Shared:
    def test_shouts(self):
        assert cart.shout(self.text) == self.text.upper()
"""
LOADS = "from tests.sums import Shared\n\n\nclass TestLoads(Shared):\n    text = 'a'\n"


@pytest.mark.long(short="test_a_contract_may_stand_beside_its_tests")
def test_a_contract_may_stand_in_a_file_of_tests_that_others_load(
    shop: Laboratory, tmp_path_factory: pytest.TempPathFactory
) -> None:
    files = {**FILES, "tests/__init__.py": "", "tests/test_cart.py": LOADS, "tests/sums.py": SHARED}
    shared = shop.alike(tmp_path_factory.mktemp("shared"), files)
    own = "from shop import cart\n\n\ndef test_own():\n    assert cart.shout('b') == 'B!'\n"
    text = SHARED.replace("upper()", "upper() + '!'")
    verification = shared.verify({**LOUDER, "tests/sums.py": text, "tests/test_own.py": own})
    assert (verification.verdict, verification.reasons) == (Verdict.CONTRACT_CHANGED, ())
    assert verification.contract_tests == ("tests/test_cart.py::TestLoads::test_shouts",)


CHECK = "    assert cart.shout(text) == loud\n"
NO_CONTRACTS = {
    "what no test uses": ("LOUD = {", "OTHER = 1\nLOUD = {"),
    "a weaker helper": (CHECK, "    assert cart.shout(text)\n"),
    "the product patched": ("\n\nLOUD = {", "\n\ncart.shout = str.upper\nLOUD = {"),
    "a weaker helper that needs a new name": (CHECK, "    assert cart.unused()\n"),
    "a weaker helper, and an import of a new name": (
        CHECK,
        "    assert cart.shout(text)\n\n\nfrom shop.cart import unused\n",
    ),
    "a new test that patches the product": (
        "\n\ndef test_by_a_constant",
        "\n\ndef test_first():\n    cart.shout = str.upper\n    assert cart.unused() == 1\n\n\ndef test_by_a_constant",
    ),
}


@pytest.mark.parametrize("edit", first_of(NO_CONTRACTS))
def test_no_contract_is_changed_by_an_edit_beside_tests_that_demand_the_same(loud: Laboratory, edit: str) -> None:
    old, new = NO_CONTRACTS[edit]
    broken = f"{CART}\n\ndef unused():\n    return 1\n".replace("text.upper()", "text.lower()")
    proof = "from shop.cart import mean\n\n\ndef test_mean():\n    assert mean([]) == 0\n"
    broken = broken.replace("/ len(prices)", "/ len(prices) if prices else 0")
    assert old in LOUD
    tests = {"tests/test_cart.py": LOUD.replace(old, new, 1), "tests/test_mean.py": proof}
    verification = loud.verify({"shop/cart.py": broken, **tests})
    assert verification.turned_green
    assert verification.verdict is Verdict.NOT_PROVED
    assert verification.reasons[0].startswith("These 5 tests pass on the base commit and not with your change")


MANIFEST = {"name": "shop", "version": "1.0.0", "scripts": {"test": "node --test test/*.test.js"}}
SHOUT = "exports.shout = (text) => text.toUpperCase();\n"
IN_JAVASCRIPT = """\
const { test, describe, it, beforeEach } = require('node:test');
const assert = require('node:assert');
const { shout } = require('../lib/cart');

const LOUD = 'A';
let loud;
const check = (text, loud) => assert.equal(shout(text), loud);

beforeEach(() => {
  loud = 'B';
});
describe('shouting', () => {
  it('is told by a constant', () => check('a', LOUD));
  it('is told by what is set up', () => {
    check('b', loud);
  });
});
for (const [text, loud] of [
  ['c', 'C'],
]) {
  test(`is told by a table: ${text}`, () => check(text, loud));
}
"""


@pytest.mark.long(short="test_a_contract_may_stand_beside_its_tests")
def test_a_contract_may_stand_beside_its_tests_in_javascript_too(tmp_path_factory: pytest.TempPathFactory) -> None:
    files = {"package.json": json.dumps(MANIFEST), "lib/cart.js": SHOUT, "test/cart.test.js": IN_JAVASCRIPT}
    shop = laboratory(shared_bubblewrap(tmp_path_factory), tmp_path_factory.mktemp("loud"), files)
    other = {"lib/cart.js": SHOUT.replace("text.toUpperCase()", "`${text.toUpperCase()}!`")}
    louder = IN_JAVASCRIPT.replace("'A'", "'A!'").replace("'B'", "'B!'").replace("'C'", "'C!'")
    verification = shop.verify({**other, "test/cart.test.js": louder})
    assert (verification.verdict, verification.reasons) == (Verdict.CONTRACT_CHANGED, ())
    names = ("is told by a table: c", "shouting > is told by a constant", "shouting > is told by what is set up")
    assert verification.contract_tests == tuple(f"test/cart.test.js::{name}" for name in names)
    forgotten = shop.verify({**other, "test/cart.test.js": louder.replace("'B!'", "'B'")})
    assert forgotten.verdict is Verdict.NOT_PROVED
    needless = shop.verify(
        {**other, "test/cart.test.js": IN_JAVASCRIPT.replace("const LOUD", "const MORE = 1;\nconst LOUD")}
    )
    assert needless.verdict is Verdict.NOT_PROVED
