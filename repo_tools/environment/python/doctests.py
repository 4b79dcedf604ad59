"""Examples in the sources that a maintainer's own command has tested beside the suite. Pure.

https://docs.pytest.org/en/stable/how-to/doctest.html, https://nose.readthedocs.io/en/latest/plugins/doctests.html
"""

import re
import shlex
from collections.abc import Iterable, Iterator, Sequence, Set
from itertools import islice, pairwise
from posixpath import basename, dirname

from repo_tools.changes import Tree
from repo_tools.environment.ci.workflows import likeliest_python_job
from repo_tools.environment.contract import ReadFile
from repo_tools.environment.folders import is_below
from repo_tools.environment.python.left_out import ignored
from repo_tools.environment.python.pytest_settings import PytestSettings, conftests, is_collected
from repo_tools.environment.python.test_programs import (
    NOSE,
    NOSE_SETTINGS,
    WITH_VALUE,
    nose_settings,
    started_programs,
)

_OPTION = re.compile(r"--doctest-(?:modules|glob=.+|continue-on-failure|ignore-import-errors)")
_EXAMPLES = "--doctest-modules"
_ARGUMENTS = ("{posargs}", "{posargs:}", "[]", "{args}", "{args:}")
"""Of whoever calls. Any other ``{name}`` stands for a place that is not known here."""
_INSTALLED = re.compile(r"\{env_?site_?packages_?dir\}/")
"""Where tox has put the project: https://tox.wiki/en/stable/config.html#env_site_packages_dir"""
_GLOB = re.compile(r"--doctest-glob[= ](\S+)")
_EXAMPLE = re.compile(rb"^[ \t]*>>> ", re.MULTILINE)
_OF_NOSE = "--with-doctest"
_FLAGS_OF_NOSE = "--doctest-options"
_EXTENSION_OF_NOSE = "--doctest-extension"
_KNOWN_FLAGS = frozenset((
    "DONT_ACCEPT_TRUE_FOR_1", "DONT_ACCEPT_BLANKLINE", "NORMALIZE_WHITESPACE", "ELLIPSIS",
    "IGNORE_EXCEPTION_DETAIL", "COMPARISON_FLAGS",
))  # fmt: skip
"""Those of doctest that pytest takes: with others (``REPORT_NDIFF``) it runs no example.
https://docs.pytest.org/en/stable/how-to/doctest.html#using-doctest-options"""
_YES = ("1", "true", "yes", "on")
_MOST_OUTSIDE = 50
_MOST_BESIDE = 10
_MOST_FILES = 400


def doctests(
    tree: Tree, read: ReadFile, settings: PytestSettings | None, test_files: tuple[str, ...]
) -> tuple[tuple[str, ...], str]:
    """(options for pytest, what says so): those of the first command that asks for examples. Beside the tests only what
    lies where it looks is imported for them: any other script may do whatever it likes then. So it is where the
    settings ask for examples, and every command names the places that it looks through."""
    for source, words in _commands(tree, read):
        options = _options(words)
        places = [*_places(words, tree)] if options else []
        collected = settings.test_paths if settings else ()
        if places and (not collected or places == [""] or all(_is_in_one(place, collected) for place in places)):
            outside = _outside(tree, places, test_files)
            if len(outside) <= _MOST_OUTSIDE:
                return (*options, *(f"--ignore={top}" for top in outside)), f"{source}: pytest {shlex.join(options)}"
    asked_for = settings is not None and _EXAMPLES in settings.own_options and not settings.test_paths
    return _of_settings(tree, read, test_files) if asked_for else ((), "")


def files_with_examples(tree: Tree, read: ReadFile, settings: PytestSettings | None) -> tuple[str, ...]:
    """What holds examples of a kind that the settings, or a maintainer's own command, have tested: all the tests that
    a project without test files has."""
    options, _ = doctests(tree, read, settings, ())
    job = likeliest_python_job(tree, read)
    by_settings = settings and (any(started_programs(tree, read)) or not (job and job.tests))  # else of another suite
    asked = [*(settings.own_options if settings and by_settings else ()), *options]
    globs = (glob for glob in _GLOB.findall(" ".join(asked)) if glob.strip("./"))  # the others are no patterns
    patterns = [*globs, *(("*.py",) if _EXAMPLES in asked else ())]
    outside = [option.removeprefix("--ignore=") for option in options]
    places = settings.test_paths if settings and "." not in settings.test_paths else ()
    paths = sorted(path for path, entry in tree.items() if entry.mode.is_file and is_collected(path, patterns))
    inside = (path for path in paths if not _is_in_one(path, outside) and (not places or _is_in_one(path, places)))
    return tuple(path for path in islice(inside, _MOST_FILES) if _EXAMPLE.search(read(path)))


def _of_settings(tree: Tree, read: ReadFile, test_files: tuple[str, ...]) -> tuple[tuple[str, ...], str]:
    told = [(source, [*_places(words, tree)]) for source, words in started_programs(tree, read)]
    every = list(dict.fromkeys(place for _, places in told for place in places))
    outside = _outside(tree, every, test_files) if told and all(places for _, places in told) else []
    if not 0 < len(outside) <= _MOST_OUTSIDE:
        return (), ""
    return tuple(f"--ignore={top}" for top in outside), f"{told[0][0]}: examples in {' '.join(every)}"


def _commands(tree: Tree, read: ReadFile) -> Iterator[tuple[str, Sequence[str]]]:
    """(where it stands, its words from the program on) of each."""
    yield from started_programs(tree, read)
    settings = nose_settings(tree, read)
    if (settings.get("with-doctest") or "").strip().lower() in _YES:
        named = (("doctest-options", _FLAGS_OF_NOSE), ("doctest-extension", _EXTENSION_OF_NOSE))
        yield NOSE_SETTINGS, (NOSE, _OF_NOSE, *(f"{option}={settings.get(key) or ''}" for key, option in named))


def _options(words: Sequence[str]) -> tuple[str, ...]:
    if basename(words[0]) == NOSE:
        return ("--doctest-modules", *_flags_of_nose(words)) if _OF_NOSE in words else ()
    found = [*filter(_OPTION.fullmatch, words)]
    return tuple(dict.fromkeys((*found, *ignored(words)))) if found else ()


def _flags_of_nose(words: Sequence[str]) -> Iterator[str]:
    """How examples are compared (``+ELLIPSIS,+NORMALIZE_WHITESPACE``), and which texts have some, as pytest is told."""
    yield from (f"--doctest-glob=*.{end.lstrip('.')}" for end in _given(_EXTENSION_OF_NOSE, words) if end)
    given = " ".join(_given(_FLAGS_OF_NOSE, words))
    if flags := [flag for flag in re.findall(r"\+([A-Z_]+)", given) if flag in _KNOWN_FLAGS]:
        yield f"--override-ini=doctest_optionflags={' '.join(flags)}"


def _given(option: str, words: Sequence[str]) -> Iterator[str]:
    """Its values, in a word of their own or behind its name."""
    for before, word in pairwise(("", *words)):
        name, _, value = word.partition("=")
        if option in (before, name):
            yield value if name == option else word


def _places(words: Sequence[str], tree: Tree) -> Iterator[str]:
    """The files and folders of the repository that it names; of one that names none, what it looks through: nose
    packages alone, and pytest everything (empty)."""
    given = (word for option, word in pairwise(words) if option not in WITH_VALUE)
    named = [word for word in given if not word.startswith("-") and word not in _ARGUMENTS]
    paths = [_INSTALLED.sub("", word).removeprefix("./").rstrip("/") for word in named]
    if "." in paths or not named:
        is_nose = basename(words[0]) == NOSE
        yield from (_tops(tree, "/__init__.py") if is_nose else ("",))
    else:
        yield from (path for path in paths if any(is_below(file, path) for file in tree))


def _outside(tree: Tree, places: Iterable[str], test_files: Iterable[str]) -> list[str]:
    """Files and folders of the root that hold modules, and neither tests nor one of `places`: setup.py, too, which a
    pytest of before 2018 imports like any other. And what lies beside tests and is none, where that is a few files."""
    looked_at, tests = tuple(places), {*test_files, *conftests(tree)}
    kept = {path.partition("/")[0] for path in (*looked_at, *tests)}
    if "" in kept:
        return []
    beside = [path for path in _beside(tests, tree) if not _is_in_one(path, looked_at)]
    tops = [top for top in _tops(tree, ".py") if top not in kept]
    return [*tops, *(beside if len(beside) <= _MOST_BESIDE else ())]


def _beside(tests: Set[str], tree: Tree) -> Iterator[str]:
    """Modules below the root that lie in a folder of `tests`, and are none."""
    folders = {dirname(path) for path in tests} - {""}
    for path in sorted(tree):
        is_module = path.endswith(".py") and basename(path) != "__init__.py"
        if is_module and dirname(path) in folders and path not in tests:
            yield path


def _tops(tree: Tree, end: str) -> list[str]:
    """What of the root is, or holds, a file with this end."""
    return sorted({path.partition("/")[0] for path in tree if path.endswith(end)})


def _is_in_one(path: str, places: Iterable[str]) -> bool:
    return any(is_below(path, place) for place in places)
