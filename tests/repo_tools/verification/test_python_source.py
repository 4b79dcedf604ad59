import pytest

from repo_tools.verification.python_source import function_shapes, parse, same_code


@pytest.mark.parametrize(
    "source", [b"def (", b"\xff\xfe", b"x\0", b"(" * 100_000, b"-" * 100_000 + b"1", b"x" * (3 << 20)]
)
def test_what_cannot_be_parsed_is_nothing_and_never_the_same(source: bytes) -> None:
    assert parse(source) is None
    assert not same_code(source, source)
    assert function_shapes(source) == {}


def test_nesting_beyond_what_can_be_compared_is_never_the_same() -> None:
    deep = b"x = " + b"+".join([b"1"] * 5000)
    assert not same_code(deep, deep)


def test_functions_are_named_as_tests_are_and_decorators_belong_to_them() -> None:
    before = b"def test_a(): pass\nclass TestB:\n    class TestC:\n        async def test_d(self): pass\n"
    after = before.replace(b"        async", b"        @skip\n        async")
    one, other = function_shapes(before), function_shapes(after)
    assert one.keys() == other.keys() == {"test_a", "TestB::TestC::test_d"}
    assert one["test_a"] == other["test_a"]
    assert one["TestB::TestC::test_d"] != other["TestB::TestC::test_d"]
