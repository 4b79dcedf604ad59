"""Long proofs: what `make test` leaves to `make proofs`, and the short form that it runs in its place."""

from collections.abc import Iterable
from typing import Any, NamedTuple

import pytest


class Named(NamedTuple):
    """A test as `path::function`, and the same of its short form where it is a long one."""

    name: str
    short: str | None


def first_of(values: Iterable[object], *, always: int = 1) -> list[Any]:
    """For `parametrize`: the first `always` of them are the short form of the others."""
    return [
        value if place < always else pytest.param(*_arguments(value), marks=pytest.mark.long)
        for place, value in enumerate(values)
    ]


def named(item: pytest.Item) -> Named:
    path, _, function = item.nodeid.partition("[")[0].partition("::")
    mark = item.get_closest_marker("long")
    if mark is None:
        return Named(f"{path}::{function}", None)
    short = mark.kwargs.get("short", function)
    return Named(f"{path}::{function}", short if "::" in short else f"{path}::{short}")


def without_short_form(tests: Iterable[Named]) -> list[str]:
    """The long ones whose short form is none that is always run."""
    tests = list(tests)
    always = {test.name for test in tests if test.short is None}
    return sorted({test.name for test in tests if test.short is not None and test.short not in always})


def _arguments(value: object) -> tuple[object, ...]:
    return value if isinstance(value, tuple) else (value,)
