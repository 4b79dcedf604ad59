"""Which tests of a changed Python file are edited."""

import pytest

from repo_tools.verification.python_tests import PythonTests

SOURCE = '''"""The till."""
import pytest
from till import Till

PRICES = [(1, 2)]


@pytest.fixture
def test_till():
    return Till()


def check(till, total):
    assert till.total == total


def test_is_empty():
    check(Till(), 0)


@pytest.mark.parametrize("price, total", PRICES)
def test_adds(price, total):
    """Each."""
    check(Till(price), total)


class Shared:
    def test_takes(self):
        self.check(1)


class TestTill(Shared):
    """Of the shop."""

    def setUp(self):
        self.kind = "shop"

    async def test_waits(self):
        assert await Till().wait(2)

    class TestInner:
        def test_deep(self):
            assert Till()


class Helper:
    name = "a"
'''
KNOWN = (
    "test_is_empty",
    "test_adds[1-2]",
    "TestTill::test_takes",
    "TestTill::test_waits",
    "TestTill::TestInner::test_deep",
)
ALL = frozenset(KNOWN)


def told(old: str, new: str) -> tuple[set[str], set[str]]:
    """Of the tests, those that are edited, and those beside which something is."""
    assert old in SOURCE
    tests = PythonTests(SOURCE.encode(), SOURCE.replace(old, new, 1).encode(), ALL)
    return set(filter(tests.is_edited, KNOWN)), set(filter(tests.is_edited_beside, KNOWN))


@pytest.mark.parametrize(
    ("old", "new", "edited"),
    [
        ("check(Till(), 0)", "check(Till(), 1)", {"test_is_empty"}),
        ("total)\n\n\nclass", "total + 1)\n\n\nclass", {"test_adds[1-2]"}),
        ('"price, total"', '"price,total"', {"test_adds[1-2]"}),
        ("self.check(1)", "self.check(2)", {"TestTill::test_takes"}),
        ("wait(2)", "wait(3)", {"TestTill::test_waits"}),
        ("class TestTill(Shared)", "@slow\nclass TestTill(Shared)", set(KNOWN[3:])),
        ("        class TestInner"[4:], "    @slow\n    class TestInner", {"TestTill::TestInner::test_deep"}),
    ],
)
def test_a_test_is_its_function_and_the_heads_of_its_classes(old: str, new: str, edited: set[str]) -> None:
    assert told(old, new) == (edited, set())


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("PRICES = [(1, 2)]", "PRICES = [(1, 3)]"),
        ("till.total == total", "till.sum == total"),
        ("return Till()", "return Till(1)"),
        ('"shop"', '"stall"'),
        ('name = "a"', 'name = "b"'),
        ("import Till", "import Other as Till"),
        ("    def setUp", "    def tearDown(self): pass\n\n    def setUp"),
    ],
)
def test_what_stands_in_no_test_belongs_to_each(old: str, new: str) -> None:
    assert told(old, new) == (set(), set(KNOWN))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("def test_is_empty", "def test_new():\n    check(Till(1), 1)\n\n\ndef test_is_empty"),
        ("class Helper", "class TestMore:\n    def test_new(self):\n        check(Till(1), 1)\n\n\nclass Helper"),
        ("    async def test_waits", "    def test_new(self):\n        check(1)\n\n    async def test_waits"),
        ("Of the shop.", "Of all shops."),
        ("PRICES = [", "# All of them.\nPRICES = ["),
    ],
)
def test_new_tests_and_words_edit_none(old: str, new: str) -> None:
    assert told(old, new) == (set(), set())


def test_tests_that_are_called_in_another_way_are_known_by_their_ids() -> None:
    source = b"def adds(): assert 1\ndef takes(): assert 2\n"
    tests = PythonTests(source, source.replace(b"1", b"3"), frozenset({"adds", "takes"}))
    assert [tests.is_edited("adds"), tests.is_edited("takes"), tests.is_edited_beside("takes")] == [True, False, False]


def test_tests_that_are_made_at_run_time_stand_in_none() -> None:
    source = b"for name in NAMES:\n    globals()['test_' + name] = make(name, 1)\n"
    tests = PythonTests(source, source.replace(b"1", b"2"), frozenset({"test_a"}))
    assert (tests.is_edited("test_a"), tests.is_edited_beside("test_a")) == (False, True)


@pytest.mark.parametrize("source", [b"def (", b"\xff\xfe", b"x\0", b"(" * 100_000])
def test_what_cannot_be_parsed_holds_no_tests(source: bytes) -> None:
    tests = PythonTests(source, source)
    assert (tests.holds_any, tests.is_edited("a"), tests.is_edited_beside("a")) == (False, False, False)
