"""Which tests of a Python file a change edits: by their functions' syntax. Pure.

A test is its function, with the heads of the classes around it. All else that its file holds (constants, helpers,
fixtures, set-up) stands beside the tests, and belongs to each of them.
"""

import ast
from typing import NamedTuple

from repo_tools.environment.python.syntax import is_fixture
from repo_tools.verification.python_source import parse, shape

_Function = ast.FunctionDef | ast.AsyncFunctionDef


class PythonTests:
    """The tests of one file before and after an edit. `known`: their names, as ids have them."""

    def __init__(self, before: bytes, after: bytes, known: frozenset[str] = frozenset()) -> None:
        called = frozenset(map(_function, known))
        old, new = _Parts.of(before, called), _Parts.of(after, called)
        self._is_other_beside = old.beside != new.beside
        self._names = old.tests.keys()
        self._functions = frozenset(map(_function, self._names))
        self._edited = {name for name, text in old.tests.items() if new.tests.get(name) != text}
        self._edited_functions = frozenset(map(_function, self._edited))

    @property
    def holds_any(self) -> bool:
        """Whether there were tests in it before."""
        return bool(self._names)

    def writes(self, name: str) -> bool:
        """Whether a test that is called so, by its last name, was written in the file before."""
        return _function(name) in self._functions

    def is_edited(self, name: str) -> bool:
        """Whether the edit changes the test of this name, as ids have it: where it is inherited, one of this file's
        that is called so."""
        plain = _plain(name)
        return plain in self._edited if plain in self._names else _function(name) in self._edited_functions

    def is_edited_beside(self, name: str) -> bool:
        """Whether the edit changes what stands beside the test of this name."""
        return self._is_other_beside


class _Parts(NamedTuple):
    """``Class::name`` -> the syntax of each test; and the rest."""

    tests: dict[str, str]
    beside: list[str]

    @classmethod
    def of(cls, source: bytes, called: frozenset[str]) -> "_Parts":
        module = parse(source)
        parts = cls({}, [])
        if module is not None:
            parts.add(module.body, "", "", called)
        return parts

    def add(self, body: list[ast.stmt], prefix: str, heads: str, called: frozenset[str]) -> None:
        for node in body:
            if isinstance(node, ast.ClassDef) and _holds_tests(node, called):
                self.add(node.body, f"{prefix}{node.name}::", heads + _head(node), called)
            elif isinstance(node, _Function) and _is_test(node, called):
                self.tests[f"{prefix}{node.name}"] = heads + shape(node)
            elif not _is_said(node):
                self.beside.append(prefix + shape(node))


def _holds_tests(node: ast.ClassDef, called: frozenset[str]) -> bool:
    return any(isinstance(inner, _Function) and _is_test(inner, called) for inner in ast.walk(node))


def _is_test(node: _Function, called: frozenset[str]) -> bool:
    """A fixture may be called like a test."""
    return node.name in called or (node.name.startswith("test") and not is_fixture(node))


def _head(node: ast.ClassDef) -> str:
    return " ".join(map(shape, (*node.decorator_list, *node.bases, *node.keywords)))


def _is_said(node: ast.stmt) -> bool:
    """Whether it is a docstring, or stands in for nothing."""
    return isinstance(node, ast.Pass) or (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant))


def _plain(name: str) -> str:
    return name.partition("[")[0]


def _function(name: str) -> str:
    return _plain(name).rpartition("::")[2]
