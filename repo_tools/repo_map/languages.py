"""Which grammar reads which file. Each language's query is compiled once a process, and only where it is needed."""

import os
from functools import cache
from importlib import import_module
from importlib.machinery import PathFinder
from importlib.util import module_from_spec
from types import ModuleType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tree_sitter import Parser, QueryCursor

_SUFFIXES = {
    "python": "py pyi",
    "javascript": "js jsx mjs cjs",
    "typescript": "ts mts cts",
    "tsx": "tsx",
    "component": "vue svelte",  # TypeScript in markup
    "go": "go",
    "rust": "rs",
    "java": "java",
    "ruby": "rb rake gemspec",
    "c": "c",
    "cpp": "cc cpp cxx h hh hpp hxx inl ipp",  # this grammar reads C's headers too
    "php": "php",
    "c_sharp": "cs",
}
_LANGUAGE_OF = {suffix: language for language, suffixes in _SUFFIXES.items() for suffix in suffixes.split()}

# package, the function that gives the grammar, the files with our query
_GRAMMARS = {
    "typescript": ("tree_sitter_typescript", "language_typescript", "typescript"),
    "tsx": ("tree_sitter_typescript", "language_tsx", "typescript tsx"),
    "flow": ("tree_sitter_typescript", "language_tsx", "typescript tsx flow"),
    "component": ("tree_sitter_typescript", "language_typescript", "typescript component"),
    "php": ("tree_sitter_php", "language_php", "php"),
}

_DEEPEST = {"python": 9}
"""Levels of the syntax tree below which no definition is looked for: in Python a function in a function in a method
stands above, and half of the query's time goes into expressions below."""


def language_of(path: str) -> str:
    """The language of `path` by its suffix; empty where no grammar is at hand."""
    return _LANGUAGE_OF.get(path[path.rfind(".") + 1 :].lower(), "")


@cache
def grammar(language: str) -> "tuple[Parser, QueryCursor]":
    """Parser and compiled query of one language. The query names each definition's kind and, as ``@name``, its name."""
    tree_sitter = import_module("tree_sitter")  # a map of known files needs none of it
    package, function, queries = _GRAMMARS.get(language, (f"tree_sitter_{language}", "language", language))
    built = tree_sitter.Language(getattr(_binding(package), function)())
    source = "".join(map(_query, queries.split()))
    cursor = tree_sitter.QueryCursor(tree_sitter.Query(built, source))
    if language in _DEEPEST:
        cursor.set_max_start_depth(_DEEPEST[language])
    return tree_sitter.Parser(built), cursor


def _binding(package: str) -> ModuleType:
    """A grammar by its compiled module alone: what the package around it imports takes longer than a batch of files."""
    around = PathFinder.find_spec(package)
    spec = PathFinder.find_spec(f"{package}._binding", around.submodule_search_locations if around else None)
    if spec is None or spec.loader is None:
        return import_module(package)  # made otherwise
    binding = module_from_spec(spec)
    spec.loader.exec_module(binding)
    return binding


def _query(name: str) -> str:
    with open(os.path.join(os.path.dirname(__file__), "queries", f"{name}.scm"), encoding="utf-8") as file:
        return file.read()
