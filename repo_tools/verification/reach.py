"""Where Python code reaches into the interpreter that it shares with its tests, seen in its syntax alone.

Tests in the same interpreter cannot prove code that rewrites the interpreter. Only names that have next to no other use
in a fix are looked for, and only what a change adds counts.
"""

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field

from repo_tools.verification.python_source import folded, names_tests, parse

_ALL = frozenset({"*"})
_WATCHED = {
    "atexit": _ALL,
    "sys": frozenset(
        {
            *("argv", "modules", "meta_path", "path_hooks", "path_importer_cache", "settrace", "setprofile"),
            *("monitoring", "addaudithook", "_getframe", "_current_frames", "__dict__"),
        }
    ),
    "os": frozenset({"_exit"}),
    "gc": frozenset({"get_objects", "get_referrers", "get_referents"}),
    "inspect": frozenset({"stack", "currentframe", "getouterframes"}),
    "threading": frozenset({"settrace", "setprofile"}),
}
_COMPARISONS = frozenset(
    {
        *("__eq__", "__ne__", "__lt__", "__le__", "__gt__", "__ge__", "__contains__", "__bool__"),
        *("__instancecheck__", "__subclasscheck__"),
    }
)


@dataclass(frozen=True)
class Reach:
    """One use: `what` for a person (``sys.modules``), `line` counted from 1."""

    what: str
    line: int


def reaches(source: bytes) -> tuple[Reach, ...] | None:
    """Every use in the file, in the order of its lines; None where it cannot be told, because it is no Python that can
    be parsed here or is nested too deeply."""
    module = parse(source)
    if module is None:
        return None
    try:
        names, inner = _Names.of(module), _inner(module)
        found = {reach for node in ast.walk(module) if node not in inner for reach in _reaches(node, names)}
    except RecursionError:
        return None
    return tuple(sorted(found, key=lambda reach: (reach.line, reach.what)))


def _inner(module: ast.Module) -> frozenset[ast.AST]:
    """The sums that are parts of another sum: the outermost says what they come to."""
    sums = (node for node in ast.walk(module) if isinstance(node, ast.BinOp))
    return frozenset(part for node in sums for part in (node.left, node.right) if isinstance(part, ast.BinOp))


@dataclass
class _Names:
    """What local names stand for: modules, members of watched modules, and functions that always say yes."""

    modules: dict[str, str] = field(default_factory=dict)
    yes: set[str] = field(default_factory=set)

    @classmethod
    def of(cls, module: ast.Module) -> "_Names":
        names = cls()
        for node in ast.walk(module):
            if isinstance(node, ast.Import):
                names.modules |= {a.asname: a.name for a in node.names if a.asname}
                names.modules |= {name: name for a in node.names if not a.asname and (name := a.name.partition(".")[0])}
            elif isinstance(node, ast.FunctionDef) and _always_true(node):
                names.yes.add(node.name)
        for node in ast.walk(module):
            if isinstance(node, ast.Assign):
                names.assigned([target.id for target in node.targets if isinstance(target, ast.Name)], node.value)
        return names

    def assigned(self, targets: list[str], value: ast.expr) -> None:
        if self.says_yes(value):
            self.yes |= set(targets)
        module = self.module(value)
        if module:
            self.modules |= dict.fromkeys(targets, module)

    def module(self, node: ast.expr) -> str | None:
        """The module that an expression is: an imported name, one module's name for another (``os.sys``), or an import
        by a constant name."""
        if isinstance(node, ast.Name):
            return self.modules.get(node.id) or ("builtins" if node.id == "__builtins__" else None)
        if isinstance(node, ast.Attribute):
            return node.attr if node.attr in (*_WATCHED, "builtins") else None
        if isinstance(node, ast.Call) and _called(node) in ("__import__", "import_module") and node.args:
            return folded(node.args[0])
        return None

    def says_yes(self, node: ast.expr) -> bool:
        return _always_true(node) or (isinstance(node, ast.Name) and node.id in self.yes)


def _reaches(node: ast.AST, names: _Names) -> Iterator[Reach]:
    if isinstance(node, (ast.Import, ast.ImportFrom)):
        yield from (Reach(what, node.lineno) for what in _imported(node))
    elif isinstance(node, ast.Attribute):
        module = names.module(node.value)
        if module and _is_watched(module, node.attr):
            yield Reach(f"{module}.{node.attr}", node.lineno)
        if module == "builtins" and not isinstance(node.ctx, ast.Load):
            yield Reach(f"builtins.{node.attr} = …", node.lineno)
    elif isinstance(node, ast.Call):
        yield from (Reach(what, node.lineno) for what in _called_for(node, names))
    elif isinstance(node, ast.Subscript) and not isinstance(node.ctx, ast.Load):
        if names.module(node.value) == "builtins":
            yield Reach("builtins[…] = …", node.lineno)
    elif isinstance(node, (ast.BinOp, ast.JoinedStr)):
        text = folded(node)
        if text and names_tests(text):
            yield Reach(f"the name `{text}`, put together from pieces", node.lineno)
    yield from (Reach(f"a `{name}` that is always true", line) for name, line in _agreeing(node, names))


def _imported(node: ast.Import | ast.ImportFrom) -> Iterator[str]:
    if isinstance(node, ast.Import):
        yield from (a.name for a in node.names if _WATCHED.get(a.name) is _ALL)
    elif node.level == 0 and node.module:
        yield from (f"{node.module}.{a.name}" for a in node.names if _is_watched(node.module, a.name))


def _called_for(node: ast.Call, names: _Names) -> Iterator[str]:
    """Imports and attributes by name: ``__import__("atexit")``, ``getattr(sys, "modules")``, ``vars(sys)``."""
    module, called = names.module(node), _called(node)
    if module and (_WATCHED.get(module) is _ALL or names_tests(module)):
        yield f"an import of `{module}`"
    on = names.module(node.args[0]) if node.args else None
    if called == "vars" and on in (*_WATCHED, "builtins"):
        yield f"vars({on})"
    if called in ("getattr", "setattr", "delattr") and len(node.args) > 1 and on:
        attribute = folded(node.args[1])
        if on == "builtins" and called != "getattr":
            yield f"{called}(builtins, …)"
        elif on in _WATCHED and (attribute is None or _is_watched(on, attribute)):
            yield f"{called}({on}, {attribute or '…'})"


def _agreeing(node: ast.AST, names: _Names) -> Iterator[tuple[str, int]]:
    """Comparisons that are defined, assigned or put into a dict of members, and are true of anything."""
    if isinstance(node, ast.FunctionDef) and node.name in _COMPARISONS and _always_true(node):
        yield node.name, node.lineno
    elif isinstance(node, (ast.Assign, ast.AnnAssign)) and node.value and names.says_yes(node.value):
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        yield from ((name, node.lineno) for target in targets if (name := _last_name(target)) in _COMPARISONS)
    elif isinstance(node, ast.Dict):
        pairs = [(folded(key), value) for key, value in zip(node.keys, node.values, strict=True) if key]
        yield from ((key, node.lineno) for key, value in pairs if key in _COMPARISONS and names.says_yes(value))
    elif isinstance(node, ast.Call) and _called(node) == "setattr" and len(node.args) == 3:
        name = folded(node.args[1])
        if name in _COMPARISONS and names.says_yes(node.args[2]):
            yield name, node.lineno


def _always_true(node: ast.AST) -> bool:
    """A function that does nothing but return what depends on nothing and is not false."""
    if isinstance(node, ast.Lambda):
        return _is_constant_truth(node.body)
    if not isinstance(node, ast.FunctionDef):
        return False
    documented = len(node.body) > 1 and ast.get_docstring(node, clean=False) is not None
    first = node.body[1 if documented else 0]
    return isinstance(first, ast.Return) and first.value is not None and _is_constant_truth(first.value)


def _is_constant_truth(node: ast.expr) -> bool:
    if isinstance(node, ast.Constant):
        return bool(node.value)
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        return isinstance(node.operand, ast.Constant) and not node.operand.value
    return not any(isinstance(part, (ast.Name, ast.Call, ast.Yield, ast.Await)) for part in ast.walk(node))


def _is_watched(module: str, name: str) -> bool:
    members = _WATCHED.get(module, frozenset())
    return members is _ALL or name in members


def _called(call: ast.Call) -> str:
    return call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")


def _last_name(target: ast.expr) -> str | None:
    return target.attr if isinstance(target, ast.Attribute) else getattr(target, "id", None)
