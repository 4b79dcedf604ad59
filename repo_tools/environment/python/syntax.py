"""Python as it is written, read and never executed."""

import ast
import gc
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import decode_source

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
        return parsed_as_older(source if isinstance(source, str) else _decoded(source))


def _decoded(source: bytes) -> str:
    """As Python decodes it: a comment of one encoding may be code in another (``# coding: utf-7``)."""
    try:
        return decode_source(source)
    except LookupError as error:
        raise SyntaxError(f"no encoding of texts: {error}") from error


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


def string_in(node: ast.AST) -> str | None:
    """What a literal string says; None of anything else."""
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else None


def last_name(node: ast.expr) -> str:
    """``c`` of ``a.b.c`` and of ``a.b.c(...)``; empty of what has no name."""
    function = node.func if isinstance(node, ast.Call) else node
    return str(getattr(function, "attr", getattr(function, "id", "")))


def is_fixture(node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) -> bool:
    return any(last_name(each).endswith("fixture") for each in node.decorator_list)


def written(node: ast.AST) -> str:
    """As its source says it, but for blanks and quotes; empty where it is nested deeper than anybody writes."""
    try:
        return ast.unparse(node)
    except RecursionError:
        return ""
