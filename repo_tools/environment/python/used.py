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
from repo_tools.environment.python.syntax import is_fixture, last_name, parsed, written

OF_PYTEST = frozenset(
    ("filterwarnings", "parametrize", "skip", "skipif", "tryfirst", "trylast", "usefixtures", "xfail")
)
MOST_FILES = 400
MAX_BYTES = 300_000

_BLOCKS = ("body", "handlers", "orelse", "finalbody", "cases")
"""Where an import or a function can stand; expressions, which are ten times as many, hold none."""
_GUARDS = frozenset({"ImportError", "ModuleNotFoundError", "Exception", "AttributeError", "SyntaxError"})
_ELSEWHERE = re.compile("TYPE_CHECKING|version_info|PY2|PYPY|platform")
"""What a condition asks that may not hold where the suite runs."""
_MARKED = re.compile(rb"\bmark\b(?!\.(?:%s)\b)" % "|".join(sorted(OF_PYTEST)).encode())


@dataclass
class Used:
    """What test files use: dotted names that they import, fixtures they ask for, markers but those of `OF_PYTEST`; and
    fixtures that they define. Without the names in `skipped_for` they skip tests."""

    imports: set[str] = field(default_factory=set)
    skipped_for: set[str] = field(default_factory=set)
    fixtures: set[str] = field(default_factory=set)
    markers: set[str] = field(default_factory=set)
    defined: set[str] = field(default_factory=set)

    def add(self, other: "Used") -> None:
        for name in vars(self):
            getattr(self, name).update(getattr(other, name))


class Uses:
    """What the files of a Python repository use, each of them parsed once, whoever asks."""

    def __init__(self, tree: Tree, read: ReadFile) -> None:
        self._tree = tree
        self._read = read
        self._told: dict[str, tuple[Used, tuple[str, ...]]] = {}

    def by(self, test_files: Iterable[str]) -> Used:
        """Of those that can be parsed, and of the repository's own helpers for tests that they import; at most
        `MOST_FILES` of them."""
        used = Used()
        files = dict.fromkeys(test_files)
        packages = dict.fromkeys(
            own for path in files if (own := f"{posixpath.dirname(path)}/__init__.py") in self._tree
        )
        paths = [*(packages | files)][:MOST_FILES]
        known = set(paths)
        for path in paths:  # it grows
            if path not in self._told:
                self._told[path] = self._of(path)
            found, helpers = self._told[path]
            used.add(found)
            new = [helper for helper in helpers if helper not in known]
            paths += new[: MOST_FILES - len(paths)]
            known.update(new)
        return used

    def _of(self, path: str) -> tuple[Used, tuple[str, ...]]:
        """And the helpers that it imports itself."""
        used, content = Used(), self._read(path)
        helpers: dict[str, None] = {}
        marked = frozenset(i for i, line in enumerate(content.splitlines(), 1) if _MARKED.search(line))
        for node in _certain(_parsed(content)):
            _note(node, used, marked)
            helpers |= dict.fromkeys(_helpers(node, path, self._tree))
        return used, tuple(helpers)


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
        elif isinstance(current, ast.If) and (told := _ELSEWHERE.search(written(current.test))):
            waiting += current.orelse if told[0] == "TYPE_CHECKING" else ()
        else:
            waiting += (child for block in _BLOCKS for child in getattr(current, block, ()))


def _guards(handler: ast.ExceptHandler) -> bool:
    if any(isinstance(node, ast.Raise) for node in handler.body):
        return False  # it says so in other words: the file does need it
    if handler.type is None:
        return True
    names = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
    return any(isinstance(name, ast.Name) and name.id in _GUARDS for name in names)


def _note(node: ast.AST, used: Used, marked: frozenset[int]) -> None:
    """`marked`: the lines that may have a marker; a walk through every expression takes longer than all the rest."""
    expressions = _of_markers(node) if marked else ()
    for each in expressions:
        if not marked.isdisjoint(range(each.lineno, (each.end_lineno or each.lineno) + 1)):
            used.markers |= {*_markers(each)} - OF_PYTEST
    if isinstance(node, ast.Import):
        used.imports |= {alias.name for alias in node.names}
    elif isinstance(node, ast.ImportFrom) and not node.level and node.module:
        parts = [f"{node.module}.{alias.name}" for alias in node.names] if node.module in NAMESPACES else []
        used.imports |= {node.module, *parts}
    elif isinstance(node, (ast.Expr, ast.Assign)) and isinstance(node.value, ast.Call):
        used.skipped_for |= set(_skipped_for(node.value))
    elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
        if is_fixture(node):
            used.defined.add(node.name)
        if is_fixture(node) or node.name.startswith("test"):
            used.fixtures |= {a.arg for a in (*node.args.args, *node.args.kwonlyargs)} - _parametrized(node)


def _parametrized(node: ast.FunctionDef | ast.AsyncFunctionDef) -> set[str]:
    """Arguments that a decorator gives: what it says first, each single word, and names before ``=``."""
    found: set[str] = set()
    for call in node.decorator_list:
        if isinstance(call, ast.Call) and "parametrize" in last_name(call):
            told = [*call.args[:1], *(word for word in call.args[1:] if isinstance(word, ast.Constant))]
            told += (keyword.value for keyword in call.keywords if keyword.arg == "argnames")
            found |= {name for each in told for name in re.findall(r"\w+", written(each))}
            found |= {keyword.arg for keyword in call.keywords if keyword.arg}
    return found


def _skipped_for(call: ast.Call) -> Iterator[str]:
    """``x`` of ``pytest.importorskip("x")``."""
    if last_name(call) == "importorskip" and call.args and isinstance(call.args[0], ast.Constant):
        yield str(call.args[0].value)


def _of_markers(node: ast.AST) -> list[ast.expr]:
    """The expressions of a block in which markers are set; on a fixture they do nothing
    (https://docs.pytest.org/en/stable/deprecations.html#applying-a-mark-to-a-fixture-function)."""
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        return [] if is_fixture(node) else node.decorator_list
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
