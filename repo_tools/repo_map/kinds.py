"""What kind of file a path names: a source, a test, a document, data, somebody else's code, or something else."""

import re
from collections.abc import Iterable
from enum import StrEnum
from functools import lru_cache
from itertools import takewhile

from repo_tools.repo_map.languages import language_of


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


class Kind(StrEnum):
    SOURCE = "source"
    TEST = "test"
    DOCUMENT = "document"
    DATA = "data"
    VENDORED = "vendored"
    OTHER = "other"


_VENDORED = frozenset(
    {"vendor", "vendored", "_vendor", "third_party", "thirdparty", "node_modules", "extern", "site-packages", "dist"}
)
_TESTS = frozenset(
    {"test", "tests", "testing", "__tests__", "spec", "specs", "testdata", "test-data", "fixture", "fixtures", "e2e"}
    | {"__fixtures__", "__mocks__", "__snapshots__", "test_data", "testcases", "Fixtures", "TestData", "Specs"}
)
_TEST_FOLDER = re.compile(
    r"(?:^|[._-])[Tt]ests$|[a-z0-9]Tests?$|\.[Tt]ests?(?:\.|$)|^tests[._-]|(?:integration|functional|unit)[_-]test$|^(?:unit|auto)tests$"
)
"""Projects of tests beside those of sources: ``Shop.Tests``, ``UnitTests``, ``shop-tests``, ``tests-integration``."""

_PERHAPS_CODE = frozenset({"test", "testing", "spec", "specs", "fixture", "fixtures"})
"""Those that a package of sources may have as a part of its own, such as ``django/test``."""

_DOCUMENTS = frozenset(
    {"doc", "docs", "documentation", "changelog", "changelogs", "changes", "newsfragments"}
    | {"example", "examples", "release-notes"}
)
"""Names of folders; those of documents in any case."""

_EXAMPLES = frozenset(
    {"sample", "samples", "demo", "demos", "playground", "playgrounds"}
    | {"bench", "benches", "benchmark", "benchmarks", "fuzz", "fuzzing", "fuzzers"}
)
"""Folders beside those of sources; below these they are a part of them, such as ``src/catch2/benchmark``."""

_EXAMPLE_FOLDER = re.compile(r"[a-z0-9.](?:Samples?|Examples?|Demos?|Benchmarks?)$")
_SOURCES = frozenset({"src", "lib", "include", "source", "internal", "pkg"})

_TEST_ENDS = (
    *(f"{mark}{word}" for mark in "_.-" for word in ("test", "tests", "spec", "unittest", "unittests")),
    *(".test-d", "-test-d", "Test", "Tests"),
)
_INTEGRATION_TEST = re.compile(r"[a-z0-9]IT$")
_DOCUMENT_STARTS = (
    "authors", "changes", "changelog", "copying", "history",
    "license", "news", "readme", "thanks", "todo",
)  # fmt: skip
_DOCUMENT_SUFFIXES = _set("md rst txt adoc htm html tex ipynb")
_DATA = _set(
    "po pot mo csv tsv svg json jsonl lock map snap sum xml geojson yaml yml toml cfg ini out log stderr stdout"
)
_CODE = _set(
    "bash cl clj cljc cljs coffee cr d dart el elm erl ex exs f90 fs groovy hs jl kt kts lisp lua m mm ml mli nim pl pm"
    " ps1 pxd pyx r rkt scala scm sh sol sql sv svelte swift tcl v vala vb vhd vhdl vue zig"
)
"""Source code in languages without a grammar here."""

_VIEW = _set(
    "astro cshtml css ejs erb ftl haml handlebars hbs j2 jade jinja jinja2 jsp latte less liquid marko mustache njk"
    " phtml pug razor sass scss slim styl tmpl tpl twig vm"
)
"""Views and how they look: a part of the product as its code is."""
_COMPONENT_VIEWS = (".component.html", ".component.htm")
_VIEW_FOLDER = re.compile(r"(?:^|[_-])(?:app|assets|layouts?|partials?|static|templates?|themes?|views?)(?:$|[_-])")
_PERHAPS_VIEW = _set("html htm txt xml")
"""Below a folder of views they are some; elsewhere documents and data."""

_UNREAD = _set(
    "po pot mo csv tsv svg geojson jsonl lock map snap sum png jpg jpeg gif ico pdf zip gz bz2 xz woff woff2 ttf eot"
    " pyc so dll jar class mp3 mp4 webp"
)
_MINIFIED = (".min.js", ".min.css")


def code_folders(paths: Iterable[str]) -> frozenset[str]:
    """Folders that are named like those of tests but are a part of a Python package: packages in a package, in which no
    file is named like a test."""
    packages = {path.removesuffix("/__init__.py") for path in paths if path.endswith("/__init__.py")}
    found = {folder for folder in packages if _is_perhaps_code(folder, packages)}
    if not found:
        return frozenset()
    split = (path.rpartition("/") for path in paths)
    return frozenset(found - {folder for folder, _, name in split if folder in found and _is_test(name)})


def _is_perhaps_code(folder: str, packages: set[str]) -> bool:
    around, _, name = folder.rpartition("/")
    return name in _PERHAPS_CODE and around in packages


def kind_of(path: str, code: frozenset[str] = frozenset()) -> Kind:
    """`code`: the `code_folders` of its tree."""
    folder, _, name = path.rpartition("/")
    of_folder = _kind_of_folder(folder, code)
    if of_folder is Kind.VENDORED or of_folder is Kind.TEST:
        return of_folder
    if _is_test(name):
        return Kind.TEST
    suffix = _suffix(name)
    is_code = bool(language_of(path)) or suffix in _CODE or _is_view(path, suffix)
    if of_folder is Kind.DOCUMENT or _is_document(name.lower(), is_code):
        return Kind.DOCUMENT
    if is_code:
        return Kind.SOURCE
    return Kind.DATA if suffix in _DATA else Kind.OTHER


@lru_cache(maxsize=10_000)
def _kind_of_folder(folder: str, code: frozenset[str]) -> Kind | None:
    """What everything below it is, if its path says so."""
    names = folder.split("/")
    if not _VENDORED.isdisjoint(names):
        return Kind.VENDORED
    if _holds_tests(names, code):
        return Kind.TEST
    is_document = not _DOCUMENTS.isdisjoint(folder.lower().split("/")) or _holds_examples(names)
    return Kind.DOCUMENT if is_document else None


def _holds_tests(names: list[str], code: frozenset[str]) -> bool:
    """`names` of a folder and those around it. Nothing below Maven's ``src/main`` is a test."""
    for depth, name in enumerate(names):
        if name == "main" and names[depth - 1] == "src":
            return False
        if (name in _TESTS and "/".join(names[: depth + 1]) not in code) or _TEST_FOLDER.search(name):
            return True
    return False


def _holds_examples(names: list[str]) -> bool:
    beside = takewhile(lambda name: name not in _SOURCES, names)
    return not _EXAMPLES.isdisjoint(beside) or any(map(_EXAMPLE_FOLDER.search, names))


def _is_test(name: str) -> bool:
    stem, dot, suffix = name.rpartition(".")
    if dot and suffix.replace("_", "x").isalnum() and _is_stem_of_test(stem):
        return True
    return name == "conftest.py" or name in _TESTS


def _is_stem_of_test(stem: str) -> bool:
    return stem.startswith("test_") or stem.endswith(_TEST_ENDS) or bool(_INTEGRATION_TEST.search(stem))


def _is_document(name: str, is_code: bool) -> bool:
    """``CHANGES`` and ``HISTORY.rst`` are documents, ``changes.py`` and ``history.ts`` are not."""
    _, dot, suffix = name.rpartition(".")
    return not is_code and (bool(dot and suffix in _DOCUMENT_SUFFIXES) or name.startswith(_DOCUMENT_STARTS))


def _is_view(path: str, suffix: str) -> bool:
    if suffix in _VIEW or path.lower().endswith(_COMPONENT_VIEWS):
        return True
    return suffix in _PERHAPS_VIEW and any(map(_VIEW_FOLDER.search, path.split("/")[:-1]))


def _suffix(path: str) -> str:
    """In small letters; empty without one."""
    _, dot, suffix = path.rpartition(".")
    return suffix.lower() if dot else ""


def is_read(path: str) -> bool:
    """Whether a file's content says something that its path does not: translations, tables and images do not."""
    return _suffix(path) not in _UNREAD and not path.lower().endswith(_MINIFIED)
