"""What a ``setup.py`` says, read and never executed."""

import ast
from collections.abc import Mapping
from typing import Any


def setup_arguments(text: str) -> dict[str, Any]:
    """The literal keyword arguments of ``setup(...)``; names are looked up among the module's literal assignments."""
    try:
        module = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError):
        return {}
    names = {
        target.id: node.value
        for node in module.body
        if isinstance(node, ast.Assign)
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    for node in module.body:
        _add_entry(node, names)
    calls = (node for node in ast.walk(module) if isinstance(node, ast.Call) and _called(node) == "setup")
    return {k.arg: _literal(k.value, names) for call in calls for k in call.keywords if k.arg}


def _add_entry(node: ast.stmt, names: dict[str, ast.expr]) -> None:
    """``extras["test"] = [...]``, as if it stood in the dictionary."""
    target = node.targets[0] if isinstance(node, ast.Assign) else None
    if isinstance(node, ast.Assign) and isinstance(target, ast.Subscript) and isinstance(target.value, ast.Name):
        known = names.get(target.value.id)
        if isinstance(known, ast.Dict):
            names[target.value.id] = ast.Dict([*known.keys, target.slice], [*known.values, node.value])


def _called(call: ast.Call) -> str:
    return call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")


def _literal(node: ast.expr, names: Mapping[str, ast.expr], depth: int = 8) -> Any:
    """The value of a literal, with the parts that are none left out of lists and dicts."""
    if depth == 0:
        return None
    if isinstance(node, ast.Name):
        return _literal(names[node.id], names, depth - 1) if node.id in names else None
    if isinstance(node, ast.Dict):
        pairs = ((key, value) for key, value in zip(node.keys, node.values, strict=True) if key)
        return {
            _literal(k, names, depth - 1): _literal(v, names, depth - 1)
            for k, v in pairs
            if isinstance(k, ast.Constant)
        }
    if isinstance(node, ast.Call) and _called(node) == "dict":
        return {k.arg: _literal(k.value, names, depth - 1) for k in node.keywords if k.arg}
    if isinstance(node, (ast.List, ast.Tuple)):
        return [_literal(item, names, depth - 1) for item in node.elts]
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        left, right = _literal(node.left, names, depth - 1), _literal(node.right, names, depth - 1)
        if isinstance(left, str) or isinstance(right, str):
            return left + right if isinstance(left, str) and isinstance(right, str) else None
        return [*left, *right] if isinstance(left, list) and isinstance(right, list) else left or right
    if isinstance(node, ast.JoinedStr):
        parts = [_literal(p.value if isinstance(p, ast.FormattedValue) else p, names, depth - 1) for p in node.values]
        return "".join(parts) if all(isinstance(part, str) for part in parts) else None
    return node.value if isinstance(node, ast.Constant) else None
