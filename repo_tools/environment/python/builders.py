"""What a ``setup.py`` is built with where no ``[build-system]`` says so: a build on its own has nothing but
setuptools."""

import ast

from repo_tools.environment.python.syntax import parsed

_LIBRARIES = {
    "Cython": "cython", "cffi": "cffi", "numpy": "numpy", "pkgconfig": "pkgconfig", "pybind11": "pybind11",
    "setuptools_rust": "setuptools-rust", "setuptools_scm": "setuptools-scm", "skbuild": "scikit-build",
}  # fmt: skip
_DROPPED = {"Feature": "setuptools<46"}
"""Names that it has no more: https://setuptools.pypa.io/en/latest/history.html#v46-0-0"""


def builders(text: str) -> tuple[str, ...]:
    """What it imports, also where it could do without: the sources that it would take instead of ``.pyx`` are made for
    a release, and lie in no repository."""
    module = parsed(text)
    named = [name for node in ast.walk(module) for name in _of_node(node)] if module else []
    return tuple(sorted(set(named)))


def _of_node(node: ast.AST) -> list[str]:
    if isinstance(node, ast.Import):
        names = [alias.name for alias in node.names]
    elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
        names = [node.module]
        if node.module == "setuptools":
            return [_DROPPED[alias.name] for alias in node.names if alias.name in _DROPPED]
    else:
        return []
    return [_LIBRARIES[top] for name in names if (top := name.partition(".")[0]) in _LIBRARIES]
