"""Lists of GitHub's of which one odd item spoils no other."""

import logging
from collections.abc import Callable, Iterable, Iterator
from typing import Any, TypeVar

T = TypeVar("T")
_NAMES = ("id", "guid", "number", "full_name", "event")

log = logging.getLogger(__name__)


def readable(what: str, values: Iterable[Any], read: Callable[[Any], T]) -> Iterator[T]:
    """What `read` makes of each; one that is not as GitHub's documentation has it is logged and left out."""
    for value in values:
        try:
            item = read(value)
        except (AttributeError, KeyError, TypeError, ValueError) as error:
            log.warning("%s is left out, it cannot be read (%r): %s", what, error, _named(value))
            continue
        yield item


def _named(value: Any) -> str:
    """Never what people wrote."""
    known = {name: value[name] for name in _NAMES if name in value} if isinstance(value, dict) else {}
    return str(known or type(value).__name__)[:200]
