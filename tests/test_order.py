"""The list of files that come first."""

from tests.conftest import FIRST, TESTS


def test_every_file_that_is_to_come_first_is_there() -> None:
    assert [name for name in FIRST if not (TESTS / name).is_file()] == []
