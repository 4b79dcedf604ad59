"""Python as it is written, read and never executed."""

import ast
import warnings


def parsed(source: str | bytes) -> ast.Module | None:
    """None where this Python cannot read it. What it would warn of (``"\\d"``) is nobody's business here."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):  # the last of deep nesting
        return None


def written(node: ast.AST) -> str:
    """As its source says it, but for blanks and quotes; empty where it is nested deeper than anybody writes."""
    try:
        return ast.unparse(node)
    except RecursionError:
        return ""
