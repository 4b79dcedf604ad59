"""Python as it is written, read and never executed."""

import ast
import gc
import warnings
from collections.abc import Iterator
from contextlib import contextmanager

from repo_tools.environment.python.newer_syntax import parsed_as_older


def parsed(source: str | bytes) -> ast.Module | None:
    """None where this Python cannot read it. What it would warn of (``"\\d"``) is nobody's business here."""
    try:
        with warnings.catch_warnings(), _no_collection():
            warnings.simplefilter("ignore")
            return _parsed(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):  # the last of deep nesting
        return None


def _parsed(source: str | bytes) -> ast.Module:
    try:
        return ast.parse(source)
    except SyntaxError:
        return parsed_as_older(source if isinstance(source, str) else source.decode())


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
