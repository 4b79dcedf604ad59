"""Python's search for garbage, kept away from what is there to stay."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def without_collections() -> Iterator[None]:
    """What is made inside stays to the end: to look through it for garbage, again and again, is a quarter of a start.
    It is never looked through later either, so that a pool's processes go on sharing it with their parent."""
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        gc.enable()
