"""Sources in C that a ``setup.py`` names and Cython has to make first, by a command of its own (``make cython``): they
are made for a release, and lie in no repository."""

import ast
from collections.abc import Iterable, Iterator

from repo_tools.changes import Tree
from repo_tools.environment.contract import ReadFile, SetupCommand
from repo_tools.environment.python.install import VENV, install
from repo_tools.environment.python.syntax import parsed, string_in

_OPTIONS = {".c": (), ".cpp": ("--cplus",)}


def made_by_cython(tree: Tree, read: ReadFile) -> tuple[str, ...]:
    """The files in C or C++ that are not in `tree`, while what they are made of is."""
    module = parsed(read("setup.py")) if "setup.py" in tree else None
    named = filter(None, map(string_in, ast.walk(module))) if module else ()
    sources = {each for each in named if each.endswith(tuple(_OPTIONS))}
    return tuple(sorted(each for each in sources if each not in tree and _of(each) in tree))


def cythonize(made: Iterable[str], requirement: str) -> Iterator[SetupCommand]:
    """By what satisfies `requirement`; none where there is nothing to make."""
    known = tuple(made)
    if known:
        yield install(requirement, required=False)
    for suffix, options in _OPTIONS.items():
        if sources := tuple(_of(each) for each in known if each.endswith(suffix)):
            yield SetupCommand((f"{VENV}/bin/cython", *options, *sources), required=False)


def _of(made: str) -> str:
    return f"{made.rpartition('.')[0]}.pyx"
