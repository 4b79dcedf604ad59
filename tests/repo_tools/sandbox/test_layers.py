"""Which layers go, and what is written beside them."""

import pytest

from repo_tools.sandbox.contract import Making
from repo_tools.sandbox.layers import (
    MARK_SECONDS,
    KeptLayer,
    LayerLimits,
    check_key,
    doomed,
    is_outdated,
    read_making,
    write_making,
)

NOW = 1_000_000.0
LIMITS = LayerLimits(most_bytes=100, most_seconds=1000.0)


def layer(
    name: str, size_bytes: int = 40, *, age: float = 10.0, unused: float = 5.0, in_use: bool = False
) -> KeptLayer:
    return KeptLayer(name, size_bytes, NOW - age, NOW - unused, in_use)


def going(*kept: KeptLayer, wanted_bytes: int = 0) -> list[str]:
    return [layer.name for layer in doomed(kept, LIMITS, NOW, wanted_bytes)]


def test_nothing_goes_while_there_is_room() -> None:
    assert going(layer("a"), layer("b"), wanted_bytes=20) == []


def test_what_was_not_used_for_the_longest_time_goes_first_and_no_more_than_has_to() -> None:
    kept = (layer("lately", unused=1), layer("long ago", unused=900), layer("before", unused=500))
    assert going(*kept) == ["long ago"]
    assert going(*kept, wanted_bytes=60) == ["long ago", "before"]


def test_the_outdated_goes_even_where_there_is_room_and_makes_room_for_the_rest() -> None:
    kept = (layer("old", age=1001, unused=1), layer("a", unused=900), layer("b", unused=800))
    assert going(*kept) == ["old"]


def test_what_a_box_uses_stays_whatever_its_age_and_the_bound() -> None:
    kept = (layer("old", age=2000, unused=900, in_use=True), layer("large", 500, unused=800, in_use=True))
    assert going(*kept, layer("idle")) == ["idle"]


def test_a_layer_from_the_future_is_outdated() -> None:
    """A clock that was wrong and was put right must not keep a layer for years."""
    assert not is_outdated(NOW + MARK_SECONDS, LIMITS, NOW)
    assert is_outdated(NOW + MARK_SECONDS + 1, LIMITS, NOW)
    assert is_outdated(NOW - 1001, LIMITS, NOW)
    assert not is_outdated(NOW - 1000, LIMITS, NOW)


def test_a_making_is_read_as_it_was_written() -> None:
    making = Making(12.5, ("a.example", "b.example"), "log \N{SNOWMAN}\n", NOW)
    assert read_making(write_making(making, 77)) == (making, 77)


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"size_bytes": 1}', '{"size_bytes": "x", "refused_hosts": []}', "7"])
def test_what_is_no_record_of_a_making_is_told(text: str) -> None:
    with pytest.raises(ValueError):  # noqa: PT011 - the text is json's or int's own
        read_making(text)


@pytest.mark.parametrize("key", ["../../etc", "", "abc", "A" * 40, "ab" * 20 + "/x", ".making-abcdef01"])
def test_a_key_is_hex_digits_and_never_a_path(key: str) -> None:
    with pytest.raises(ValueError, match="hex"):
        check_key(key)
