import pytest

from repo_tools.verification.python_source import parse, same_code


@pytest.mark.parametrize(
    "source", [b"def (", b"\xff\xfe", b"x\0", b"(" * 100_000, b"-" * 100_000 + b"1", b"x" * (3 << 20)]
)
def test_what_cannot_be_parsed_is_nothing_and_never_the_same(source: bytes) -> None:
    assert parse(source) is None
    assert not same_code(source, source)


def test_nesting_beyond_what_can_be_compared_is_never_the_same() -> None:
    deep = b"x = " + b"+".join([b"1"] * 5000)
    assert not same_code(deep, deep)
