"""What the files of a Python suite use: imports, fixtures, markers.

An import that the suite can do without (in a ``try``, behind ``TYPE_CHECKING``, after ``importorskip``) counts for
nothing. Files are parsed, never executed.
"""

import ast
import posixpath
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from repo_tools.changes import Tree
from repo_tools.environment.contract import ReadFile
from repo_tools.environment.folders import TESTS
from repo_tools.environment.python.distributions import NAMESPACES
from repo_tools.environment.python.own_modules import files_of
from repo_tools.environment.python.syntax import parsed, written

MOST_FILES = 400
MAX_BYTES = 300_000

_BLOCKS = ("body", "handlers", "orelse", "finalbody", "cases")
"""Where an import or a function can stand; expressions, which are ten times as many, hold none."""
_GUARDS = frozenset({"ImportError", "ModuleNotFoundError", "Exception", "AttributeError", "SyntaxError"})


@dataclass
class Used:
    """What test files use: dotted names that they import, fixtures they ask for, markers; and fixtures that they
    define. Without the names in `skipped_for` they skip tests."""

    imports: set[str] = field(default_factory=set)
    skipped_for: set[str] = field(default_factory=set)
    fixtures: set[str] = field(default_factory=set)
    markers: set[str] = field(default_factory=set)
    defined: set[str] = field(default_factory=set)


def used_by(tree: Tree, read: ReadFile, test_files: Iterable[str]) -> Used:
    """Of those that can be parsed, and of the repository's own helpers for tests that they import; at most
    `MOST_FILES` of them."""
    used = Used()
    files = dict.fromkeys(test_files)
    packages = dict.fromkeys(own for path in files if (own := f"{posixpath.dirname(path)}/__init__.py") in tree)
    paths = [*(packages | files)][:MOST_FILES]
    for path in paths:  # it grows
        content = read(path)
        marked = b"mark" in content
        for node in _certain(_parsed(content)):
            _note(node, used, marked=marked)
            paths += [own for own in _helpers(node, path, tree) if own not in paths][: MOST_FILES - len(paths)]
    return used


def _parsed(content: bytes) -> ast.Module:
    """Empty where it is too large, or cannot be parsed."""
    module = parsed(content) if len(content) <= MAX_BYTES else None
    return module or ast.Module([], [])


def _helpers(node: ast.AST, path: str, tree: Tree) -> Iterator[str]:
    """The files that an import in `path` stands for, as far as they lie in folders of tests."""
    if isinstance(node, ast.Import):
        above, names = 0, [alias.name for alias in node.names]
    elif isinstance(node, ast.ImportFrom):
        module = f"{node.module}." if node.module else ""
        above, names = node.level, [module.rstrip("."), *(f"{module}{alias.name}" for alias in node.names)]
    else:
        return
    yield from (own for own in files_of(names, above, path, tree) if not TESTS.isdisjoint(own.split("/")[:-1]))


def _certain(node: ast.AST) -> Iterator[ast.AST]:
    """Every block but those that an import error, or a type checker's eyes alone, would keep from mattering."""
    waiting = [node]
    while waiting:
        current = waiting.pop()
        yield current
        if isinstance(current, ast.Try) and any(_guards(handler) for handler in current.handlers):
            waiting += current.orelse + current.finalbody
        elif isinstance(current, ast.If) and "TYPE_CHECKING" in written(current.test):
            waiting += current.orelse
        elif isinstance(current, ast.If) and re.search("version_info|PY2|PYPY|platform", written(current.test)):
            continue
        else:
            waiting += (child for block in _BLOCKS for child in getattr(current, block, ()))


def _guards(handler: ast.ExceptHandler) -> bool:
    if any(isinstance(node, ast.Raise) for node in handler.body):
        return False  # it says so in other words: the file does need it
    if handler.type is None:
        return True
    names = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
    return any(isinstance(name, ast.Name) and name.id in _GUARDS for name in names)


def _note(node: ast.AST, used: Used, *, marked: bool) -> None:
    """`marked`: the file may have a marker; every expression is walked for one."""
    if marked:
        used.markers |= {marker for expression in _of_markers(node) for marker in _markers(expression)}
    if isinstance(node, ast.Import):
        used.imports |= {alias.name for alias in node.names}
    elif isinstance(node, ast.ImportFrom) and not node.level and node.module:
        parts = [f"{node.module}.{alias.name}" for alias in node.names] if node.module in NAMESPACES else []
        used.imports |= {node.module, *parts}
    elif isinstance(node, (ast.Expr, ast.Assign)) and isinstance(node.value, ast.Call):
        used.skipped_for |= set(_skipped_for(node.value))
    elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
        decorators = " ".join(written(decorator) for decorator in node.decorator_list)
        if "fixture" in decorators:
            used.defined.add(node.name)
        if "fixture" in decorators or node.name.startswith("test"):
            parametrized = set(re.findall(r"\w+", decorators)) if "parametrize" in decorators else set()
            used.fixtures |= {a.arg for a in (*node.args.args, *node.args.kwonlyargs)} - parametrized


def _skipped_for(call: ast.Call) -> Iterator[str]:
    """``x`` of ``pytest.importorskip("x")``."""
    if written(call.func).rpartition(".")[2] == "importorskip" and call.args and isinstance(call.args[0], ast.Constant):
        yield str(call.args[0].value)


def _of_markers(node: ast.AST) -> list[ast.expr]:
    """The expressions of a block in which markers are set; on a fixture they do nothing
    (https://docs.pytest.org/en/stable/deprecations.html#applying-a-mark-to-a-fixture-function)."""
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        return [] if any("fixture" in written(each) for each in node.decorator_list) else node.decorator_list
    if isinstance(node, (ast.Assign, ast.AnnAssign)):
        return [node.value] if node.value else []
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call) and isinstance(node.value.func, ast.Attribute):
        return node.value.args if node.value.func.attr in ("add_marker", "applymarker") else []
    return []


def _markers(expression: ast.expr) -> Iterator[str]:
    """``x`` of ``pytest.mark.x``."""
    for node in ast.walk(expression):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Attribute) and node.value.attr == "mark":
            yield node.attr
