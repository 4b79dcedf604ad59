"""What a ``setup.py`` is built with where no ``[build-system]`` says so: a build on its own has nothing but
setuptools."""

import ast

from repo_tools.changes import Tree
from repo_tools.environment.contract import ReadFile
from repo_tools.environment.python.syntax import parsed

_LIBRARIES = {
    "Cython": "cython", "cffi": "cffi", "numpy": "numpy", "pkgconfig": "pkgconfig", "pybind11": "pybind11",
    "setuptools_rust": "setuptools-rust", "setuptools_scm": "setuptools-scm", "skbuild": "scikit-build",
}  # fmt: skip
_DROPPED = {"Feature": "setuptools<46"}
"""Names that it has no more: https://setuptools.pypa.io/en/latest/history.html#v46-0-0"""
_MOST_MODULES = 20


def builders(tree: Tree, read: ReadFile) -> tuple[str, ...]:
    """What it, and what lies beside it for it, imports, also where it could do without: the sources that it would take
    instead of ``.pyx`` are made for a release, and lie in no repository."""
    setup = _nodes("setup.py", tree, read)
    beside = {f"{name}.py" for node in setup for name in _imported(node)} - {"setup.py"}
    nodes = [*setup, *(node for path in sorted(beside)[:_MOST_MODULES] for node in _nodes(path, tree, read))]
    needed = {_LIBRARIES[name] for node in nodes for name in _imported(node) if name in _LIBRARIES}
    return tuple(sorted(needed | {limit for node in nodes for limit in _limits(node)}))


def _nodes(path: str, tree: Tree, read: ReadFile) -> list[ast.AST]:
    module = parsed(read(path)) if path in tree else None
    return list(ast.walk(module)) if module else []


def _imported(node: ast.AST) -> list[str]:
    """The top names."""
    if isinstance(node, ast.Import):
        return [alias.name.partition(".")[0] for alias in node.names]
    return [node.module.partition(".")[0]] if isinstance(node, ast.ImportFrom) and node.module else []


def _limits(node: ast.AST) -> list[str]:
    names = node.names if isinstance(node, ast.ImportFrom) and node.module == "setuptools" else []
    return [_DROPPED[alias.name] for alias in names if alias.name in _DROPPED]
