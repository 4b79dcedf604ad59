"""Comparisons that are true of anything, seen in Python's syntax alone: a test that compares by one proves nothing."""

import ast
import builtins
from collections.abc import Callable, Iterator

from repo_tools.verification.python_source import folded

ALWAYS_NOTED = frozenset({"__bool__", "__contains__", "__len__"})
"""Those that many a sound class answers so."""
_COMPARISONS = ALWAYS_NOTED | {
    *("__eq__", "__ne__", "__lt__", "__le__", "__gt__", "__ge__", "__instancecheck__", "__subclasscheck__")
}
_VALUES = frozenset({"str", "bytes", "int", "float", "list", "tuple", "dict", "set", "frozenset"})


def agreeing(node: ast.AST, says_yes: Callable[[ast.AST], bool]) -> Iterator[tuple[str, int]]:
    """(name, line) of each comparison that `node` makes, whose code `says_yes` to anything."""
    for name, code in _members(node):
        if name in _COMPARISONS and says_yes(code):
            yield name, getattr(node, "lineno", 0)


def is_blind(node: ast.AST) -> bool:
    """Whether it is an equality that looks at something, but not at the object whose it is."""
    if not (isinstance(node, ast.FunctionDef) and node.name in ("__eq__", "__ne__") and node.args.args):
        return False
    names = {part.id for statement in node.body for part in ast.walk(statement) if isinstance(part, ast.Name)}
    return bool(names - vars(builtins).keys()) and names.isdisjoint((node.args.args[0].arg, "super"))


def of_values(node: ast.AST) -> Iterator[tuple[str, str, int]]:
    """(name, built-in class, line) of each equality that a class makes anew which is a value already."""
    if isinstance(node, ast.ClassDef):
        kinds = [base.id for base in node.bases if isinstance(base, ast.Name) and base.id in _VALUES]
        made = ((name, part.lineno) for part in node.body for name, _ in _members(part))
        yield from ((name, kinds[0], line) for name, line in made if kinds and name in ("__eq__", "__ne__"))


def is_always_true(node: ast.AST) -> bool:
    """A function that does nothing but return what depends on nothing and is not false."""
    if isinstance(node, ast.Lambda):
        return _is_constant_truth(node.body)
    if not isinstance(node, ast.FunctionDef):
        return False
    documented = len(node.body) > 1 and ast.get_docstring(node, clean=False) is not None
    first = node.body[1 if documented else 0]
    return isinstance(first, ast.Return) and first.value is not None and _is_constant_truth(first.value)


def _members(node: ast.AST) -> Iterator[tuple[str | None, ast.AST]]:
    """(name, code) of what may be a class's: it is defined, assigned, put into a dict of members or set by name."""
    match node:
        case ast.FunctionDef():
            yield node.name, node
        case ast.Assign():
            yield from ((_last_name(target), node.value) for target in node.targets)
        case ast.AnnAssign(value=ast.expr() as value):
            yield _last_name(node.target), value
        case ast.Dict():
            yield from ((folded(key), value) for key, value in zip(node.keys, node.values, strict=True) if key)
        case ast.Call(args=[_, name, value]) if _last_name(node.func) == "setattr":
            yield folded(name), value


def _is_constant_truth(node: ast.expr) -> bool:
    if isinstance(node, ast.Constant):
        return bool(node.value)
    if isinstance(node, ast.BoolOp) and isinstance(node.op, ast.Or):
        return any(map(_is_constant_truth, node.values))
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        return isinstance(node.operand, ast.Constant) and not node.operand.value
    if isinstance(node, (ast.List, ast.Tuple, ast.Dict)) and not (
        node.keys if isinstance(node, ast.Dict) else node.elts
    ):
        return False
    return not any(isinstance(part, (ast.Name, ast.Call, ast.Yield, ast.Await)) for part in ast.walk(node))


def _last_name(target: ast.expr) -> str | None:
    return target.attr if isinstance(target, ast.Attribute) else getattr(target, "id", None)
