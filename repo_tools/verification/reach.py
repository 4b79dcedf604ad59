"""Where Python code reaches into the interpreter that it shares with its tests, seen in its syntax alone.

Tests in the same interpreter cannot prove code that rewrites the interpreter. What has next to no other use in a fix is
told from what is only worth a look (`Reach.weak`). A tripwire, not a wall: syntax does not show all that code can do.
"""

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field

from repo_tools.verification.agreeing import ALWAYS_NOTED, agreeing, is_always_true, is_blind, of_values
from repo_tools.verification.python_source import folded, names_runner, names_tests, parse

_ALL = frozenset({"*"})
_REFUSED = {
    "sys": frozenset(
        {
            *("modules", "meta_path", "path_hooks", "path_importer_cache", "settrace", "setprofile", "monitoring"),
            *("addaudithook", "_getframe", "_current_frames", "orig_argv", "pycache_prefix", "__dict__"),
        }
    ),
    "os": frozenset({"_exit"}),
    "gc": frozenset({"get_objects", "get_referrers", "get_referents"}),
    "inspect": frozenset({"stack", "getouterframes"}),
    "threading": frozenset({"settrace", "setprofile"}),
    "ctypes": frozenset({"pythonapi"}),
    "runpy": frozenset({"run_path", "run_module"}),
    "pkgutil": frozenset({"resolve_name"}),
    "pydoc": frozenset({"locate", "safeimport"}),
    "builtins": frozenset({"exec", "eval", "compile", "__import__"}),
}
_NOTED = {
    "__main__": _ALL,
    "atexit": _ALL,
    "ctypes": frozenset({"memmove", "memset"}),
    "faulthandler": frozenset({"dump_traceback"}),
    "sys": frozenset({"argv"}),
    "inspect": frozenset({"currentframe"}),
    "traceback": frozenset({"extract_stack", "format_stack", "walk_stack"}),
    **dict.fromkeys(("pickle", "marshal"), frozenset({"load", "loads"})),
}
_MODULES = _REFUSED.keys() | _NOTED.keys()
_EXECUTORS = frozenset({"exec", "eval", "compile"})
_FRAMES = frozenset({"f_back", "tb_frame", "f_globals", "f_locals", "__globals__", "__subclasses__"})
_LOADERS = frozenset({"spec_from_file_location", "SourceFileLoader", "SourcelessFileLoader"})
"""Of importlib: they run a file of any name, which nobody has looked at."""
_IMPORTERS = ("__import__", "import_module")
_LOOKUPS = ("get", "pop", "setdefault", "getenv", *_IMPORTERS)


@dataclass(frozen=True)
class Reach:
    """One use: `what` for a person (``sys.modules``), `line` counted from 1, `weak` if it is only worth a look."""

    what: str
    line: int
    weak: bool = False


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
    """What local names stand for: modules, what is `brought` from them, and functions that always say yes; and what
    some nodes are used as: `keys` of a look-up, and `own`, the mapping in ``sys.modules[__name__]``."""

    modules: dict[str, str] = field(default_factory=dict)
    brought: dict[str, str] = field(default_factory=dict)
    yes: set[str] = field(default_factory=set)
    keys: set[ast.AST] = field(default_factory=set)
    own: set[ast.AST] = field(default_factory=set)

    @classmethod
    def of(cls, module: ast.Module) -> "_Names":
        names = cls()
        for node in ast.walk(module):
            if isinstance(node, ast.Import):
                names.modules |= {a.asname: a.name for a in node.names if a.asname}
                names.modules |= {name: name for a in node.names if not a.asname and (name := a.name.partition(".")[0])}
            elif isinstance(node, ast.ImportFrom):
                names.modules |= {a.asname or a.name: a.name for a in node.names if a.name in _MODULES}
                names.brought |= {a.asname or a.name: f"{node.module or ''}.{a.name}" for a in node.names}
            elif isinstance(node, ast.FunctionDef) and is_always_true(node):
                names.yes.add(node.name)
        for node in ast.walk(module):
            if isinstance(node, ast.Assign):
                names.assigned([target.id for target in node.targets if isinstance(target, ast.Name)], node.value)
            names.used(node)
        return names

    def used(self, node: ast.AST) -> None:
        if isinstance(node, ast.Subscript):
            self.keys.add(node.slice)
            if isinstance(node.slice, ast.Name) and node.slice.id == "__name__" and isinstance(node.ctx, ast.Load):
                self.own.add(node.value)
        elif isinstance(node, ast.Call) and node.args and _called(node) in _LOOKUPS:
            self.keys.add(node.args[0])
        elif isinstance(node, ast.Compare) and isinstance(node.ops[0], (ast.In, ast.NotIn)):
            self.keys.add(node.left)

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
            return node.attr if node.attr in _MODULES else None
        if isinstance(node, ast.Call) and _called(node) in _IMPORTERS and node.args:
            return folded(node.args[0])
        return None

    def elsewhere(self, node: ast.expr) -> str | None:
        """What an expression is of a module or of what is brought from one: ``numpy.testing``."""
        if isinstance(node, ast.Attribute):
            owner = self.elsewhere(node.value)
            return owner and f"{owner}.{node.attr}"
        return (self.modules.get(node.id) or self.brought.get(node.id)) if isinstance(node, ast.Name) else None

    def says_yes(self, node: ast.AST) -> bool:
        return is_always_true(node) or (isinstance(node, ast.Name) and node.id in self.yes)


def _reaches(node: ast.AST, names: _Names) -> Iterator[Reach]:
    match node:
        case ast.Import() | ast.ImportFrom():
            yield from _imported(node)
        case ast.Attribute():
            yield from _attribute(node, names)
        case ast.Name(ctx=ast.Load()) if node.id in _EXECUTORS:
            yield Reach(node.id, node.lineno)
        case ast.Call():
            yield from _called_for(node, names)
        case ast.Subscript(ctx=ast.Store() | ast.Del()) if names.module(node.value) == "builtins":
            yield Reach("builtins[…] = …", node.lineno)
        case ast.BinOp() | ast.JoinedStr():
            yield from _put_together(node, names)
    if isinstance(node, ast.FunctionDef) and is_blind(node) and not is_always_true(node):
        yield Reach(f"a `{node.name}` that does not look at its own object", node.lineno, weak=True)
    for name, kind, line in of_values(node):
        yield Reach(f"a `{name}` of a `{kind}`", line, weak=True)
    for name, line in agreeing(node, names.says_yes):
        yield Reach(f"a `{name}` that is always true", line, name in ALWAYS_NOTED)


def _put_together(node: ast.BinOp | ast.JoinedStr, names: _Names) -> Iterator[Reach]:
    text = folded(node)
    if text and names_tests(text):
        weak = node not in names.keys and not names_runner(text)
        yield Reach(f"the name `{text}`, put together from pieces", node.lineno, weak)


def _imported(node: ast.Import | ast.ImportFrom) -> Iterator[Reach]:
    if isinstance(node, ast.Import):
        yield from (Reach(a.name, node.lineno, weak=True) for a in node.names if _NOTED.get(a.name) is _ALL)
    elif node.level == 0 and node.module:
        for name in (a.name for a in node.names):
            if name in _LOADERS:
                yield Reach(name, node.lineno)
            yield from _member(node.module, name, f"{node.module}.{name}", node.lineno)


def _attribute(node: ast.Attribute, names: _Names) -> Iterator[Reach]:
    module = names.module(node.value)
    if node.attr in _FRAMES or node.attr in _LOADERS:
        yield Reach(node.attr, node.lineno)
    elif module == "sys" and node.attr == "modules" and node in names.own:
        yield Reach("sys.modules[__name__]", node.lineno, weak=True)
    elif module == "builtins" and not isinstance(node.ctx, ast.Load):
        yield Reach(f"builtins.{node.attr} = …", node.lineno)
    elif module and isinstance(node.ctx, ast.Store) and isinstance(node.value, ast.Name):
        weak = node.attr not in _REFUSED.get(module, ())
        yield Reach(f"{module}.{node.attr} = …", node.lineno, weak)
    elif node.attr == "from_address" and (owner := names.elsewhere(node.value)) and owner.startswith("ctypes."):
        yield Reach(f"{owner}.from_address", node.lineno, weak=True)
    elif module:
        yield from _member(module, node.attr, f"{module}.{node.attr}", node.lineno)
    elif isinstance(node.ctx, ast.Store) and (owner := names.elsewhere(node.value)):
        yield Reach(f"{owner}.{node.attr} = …", node.lineno, weak=True)


def _member(module: str, name: str, what: str, line: int) -> Iterator[Reach]:
    if name in _REFUSED.get(module, ()):
        yield Reach(what, line)
    elif name in (noted := _NOTED.get(module, frozenset())) or noted is _ALL:
        yield Reach(what, line, weak=True)


def _called_for(node: ast.Call, names: _Names) -> Iterator[Reach]:
    """Imports and attributes by name: ``__import__("atexit")``, ``getattr(sys, "modules")``, ``vars(sys)``."""
    called = _called(node)
    if called in _IMPORTERS and node.args:
        yield from _imported_by_name(node.args[0], node.lineno)
    elif called == "vars" and node.args and (on := names.module(node.args[0])) in _MODULES:
        yield Reach(f"vars({on})", node.lineno)
    elif called in ("getattr", "setattr", "delattr") and len(node.args) > 1:
        yield from _attribute_by_name(node, names)


def _imported_by_name(name: ast.expr, line: int) -> Iterator[Reach]:
    module = folded(name)
    if module is None:
        yield Reach("an import of what only running it tells", line)
    elif names_tests(module) or _NOTED.get(module) is _ALL:
        yield Reach(f"an import of `{module}`", line, weak=not names_tests(module))


def _attribute_by_name(node: ast.Call, names: _Names) -> Iterator[Reach]:
    called, line, on, attribute = _called(node), node.lineno, names.module(node.args[0]), folded(node.args[1])
    what = f"{called}({on or '…'}, {attribute or '…'})"
    if attribute in _FRAMES:
        yield Reach(what, line)
    elif on == "builtins" and called != "getattr":
        yield Reach(f"{called}(builtins, …)", line)
    elif on in _MODULES and attribute is None:
        yield Reach(what, line, weak=on not in ("sys", "builtins"))
    elif found := tuple(_member(on or "", attribute or "", what, line)):
        yield from found
    elif called == "setattr" and (owner := names.elsewhere(node.args[0])):
        yield Reach(f"setattr({owner}, {attribute or '…'})", line, weak=True)


def _called(call: ast.Call) -> str:
    return call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
