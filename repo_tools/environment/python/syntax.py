"""Python as it is written, read and never executed."""

import ast
import gc
import warnings
from collections.abc import Iterator
from contextlib import contextmanager


def parsed(source: str | bytes) -> ast.Module | None:
    """None where this Python cannot read it. What it would warn of (``"\\d"``) is nobody's business here."""
    try:
        with warnings.catch_warnings(), _no_collection():
            warnings.simplefilter("ignore")
            return ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):  # the last of deep nesting
        return None


@contextmanager
def _no_collection() -> Iterator[None]:
    """A tree is made of many objects and no garbage: to look for some meanwhile is a third of the time."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


def written(node: ast.AST) -> str:
    """As its source says it, but for blanks and quotes; empty where it is nested deeper than anybody writes."""
    try:
        return ast.unparse(node)
    except RecursionError:
        return ""
