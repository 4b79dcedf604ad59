"""Python source compared as syntax, never executed."""

import ast
import re
from collections.abc import Iterator
from itertools import count

from repo_tools.environment.python.syntax import parsed

_TEST_MODULES = frozenset({"pytest", "_pytest", "pluggy", "unittest", "tests", "conftest"})
_RUNNER_WORD = re.compile(r"(?:_?pytest|pluggy)(?:\.[\w.]+)?|PYTEST_\w+|AGENT_FIX_\w+|TEST_RUNNER|django\.test\.runner")
_TEST_MODULE = re.compile(r"(?:tests|conftest|test_\w+)(?:\.\w+)*")
_MAX_BYTES = 2 << 20
_HOOK = re.compile(r"pytest_\w+")
_DJANGOS_RUNNER = "TEST_RUNNER"
"""Settings are product, and name it: https://docs.djangoproject.com/en/stable/ref/settings/#test-runner"""
_DEEP = count()


def parse(source: bytes) -> ast.Module | None:
    """The module's syntax tree, or None where it is no Python or too large to compare."""
    return parsed(source) if len(source) <= _MAX_BYTES else None


def same_code(one: bytes, other: bytes) -> bool:
    """Whether two files differ in nothing but white space and comments."""
    first, second = parse(one), parse(other)
    return first is not None and second is not None and shape(first) == shape(second)


def mentions_of_tests(source: bytes) -> frozenset[str]:
    """Modules of the tests and their runner that the code imports, and the runner's names that stand as strings.

    Product code that knows whether it is being tested (``"pytest" in sys.modules``, ``PYTEST_CURRENT_TEST``) can answer
    tests and users differently.
    """
    module = parse(source)
    return frozenset() if module is None else frozenset(_mentions(module))


def hooks_of_tests(source: bytes) -> frozenset[str]:
    """What the code has pytest call of itself, where that loads it: hooks and fixtures that nobody asks for."""
    module = parse(source)
    return frozenset() if module is None else frozenset(_hooks(module))


def has_fixtures(source: bytes) -> bool:
    """Whether the code holds fixtures of pytest's, hooks, or a runner of Django's."""
    if b"django.test.runner" in source:
        return True
    return b"pytest" in source and (b"fixture" in source or bool(hooks_of_tests(source)))


def folded(node: ast.AST) -> str | None:
    """The text that an expression of constants is: ``"a" + "b"``, ``f"a{'b'}"``; None for anything else."""
    texts, left = list[str](), [node]
    while left:
        part = left.pop()
        if isinstance(part, ast.Constant) and isinstance(part.value, str):
            texts.append(part.value)
        elif isinstance(part, ast.BinOp) and isinstance(part.op, ast.Add):
            left += (part.right, part.left)
        elif isinstance(part, ast.JoinedStr):
            left += reversed(part.values)
        elif isinstance(part, ast.FormattedValue):
            left.append(part.value)
        else:
            return None
    return "".join(texts)


def names_tests(text: str) -> bool:
    """Whether `text` is the name of a module of the tests or their runner."""
    return names_runner(text) or bool(_TEST_MODULE.fullmatch(text))


def names_runner(text: str) -> bool:
    """Whether `text` is the runner's own name, that of one of its modules, or of a variable that it sets."""
    return bool(_RUNNER_WORD.fullmatch(text))


def shape(node: ast.AST) -> str:
    """Its syntax, without its place; of what is nested too deeply, never the same as another's."""
    try:
        return ast.dump(node)
    except RecursionError:
        return f"too deep {next(_DEEP)}"


def bound_names(source: bytes) -> frozenset[str]:
    """Every name that the code binds, in whatever scope: functions, classes, variables, attributes, imports."""
    module = parse(source)
    return frozenset() if module is None else frozenset(_bound(module))


def _bound(module: ast.Module) -> Iterator[str]:
    for node in ast.walk(module):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            yield node.name
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            yield node.attr
        elif isinstance(node, ast.alias):
            yield node.asname or node.name.partition(".")[0]


def _mentions(module: ast.Module) -> Iterator[str]:
    for node in ast.walk(module):
        if isinstance(node, ast.Import):
            yield from (a.name for a in node.names if _is_of_tests(a.name))
        elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
            yield from (n for n in (node.module,) if _is_of_tests(n))
        elif isinstance(node, ast.Name) and node.id == _DJANGOS_RUNNER:
            yield node.id
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and _RUNNER_WORD.fullmatch(node.value):
            yield node.value


def _is_of_tests(module: str) -> bool:
    return module.partition(".")[0] in _TEST_MODULES or module == "django.test.runner"


def _hooks(module: ast.Module) -> Iterator[str]:
    for node in ast.walk(module):
        if isinstance(node, ast.keyword) and node.arg == "autouse":
            yield "autouse"
    yield from (name for name in _bound(module) if _HOOK.fullmatch(name))
