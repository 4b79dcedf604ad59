"""What tox is told to install for tests, to set beside them, and how it starts them.

https://tox.wiki/en/stable/config.html. Files are read, never executed.
"""

import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from configparser import RawConfigParser
from itertools import islice, pairwise
from typing import Any

from repo_tools.changes import Tree
from repo_tools.environment.ci.workflows import likeliest_python_job
from repo_tools.environment.commands import root_relative
from repo_tools.environment.contract import ReadFile
from repo_tools.environment.folders import is_below
from repo_tools.environment.python.conda import of_an_index
from repo_tools.environment.python.nox import read_nox
from repo_tools.environment.python.requirement import lines_of
from repo_tools.environment.python.told import TEST_SESSION, Told, synced_words, told_by, told_in_words
from repo_tools.environment.python.tox_factors import (
    as_started,
    conditioned,
    environments_of_tests,
    is_of_an_end,
    limited_versions,
    own_factors,
)
from repo_tools.environment.settings_text import entries, read_ini, read_toml, section, table
from repo_tools.environment.texts import read_text, text_at

_TEST_SECTION = re.compile(
    r"testenv(?::(?:tests?|pytest|unit(?:[_-]?tests?)?|testing|py3?|py\{[^{}]*\b3[^{}]*\}|\{py3[^{}]*\}))?",
    re.IGNORECASE,
)
_OF_A_PYTHON = re.compile(r"testenv:py3(\d{1,2})", re.IGNORECASE)
_FOR_A_PYTHON = re.compile(r"(?:py|python)(?!2)[\d.]*(?:-|$)")
_PIP = re.compile(r"(?:\S*python\d?\s+-m\s+)?(?:uv\s+)?pip\s+install\s+(.+)")
_VARIABLE = re.compile(r"([A-Za-z_]\w*)\s*=\s*(.*)")
_MOST_SETTINGS, _MOST_OTHERS, _LONGEST = 200, 20, 20_000
"""Of a section, of other settings in one, and the characters of each."""
_WITHIN = re.compile(r"\w[\w./-]*")
_OTHERS = re.compile(r"\{\[([\w:.-]+)\](\w+)\}")


def read_tools(tree: Tree, read: ReadFile) -> tuple[Told, ...]:
    """Every place that says something."""
    found = [*_tox(tree, read), *read_nox(tree, read)]
    return tuple(told for told in found if told != Told(told.source))


def tox_commands(tree: Tree, read: ReadFile) -> tuple[str, ...]:
    """The lines of ``commands`` of the newest Python's environment, `as_started`; where that has none of its own, of
    tox's general one, or else of the first that is called for tests."""
    return tuple(map(as_started, _suite(tree, read)[1]))


def tox_commands_in_place(tree: Tree, read: ReadFile) -> tuple[str, tuple[str, ...]]:
    """(the folder that they start in, root-relative, the same lines `as_started` there). A folder that is not there
    before tox runs is taken for the root."""
    written, lines = _suite(tree, read)
    place = root_relative(as_started(written))
    known = ".." not in written and _WITHIN.fullmatch(place) and any(is_below(path, place) for path in tree)
    here = place if known else ""
    return here, tuple(as_started(line, here) for line in lines)


def _suite(tree: Tree, read: ReadFile) -> tuple[str, list[str]]:
    """(the folder of the tests, lines of commands), as they are written."""
    ini = read_ini(text_at("tox.ini", tree, read))
    factors = _factors(ini, tree, read)
    general = _section(ini, "testenv")
    named = (said for _, said in _for_tests(ini, factors))
    every = (said for said in (_section(ini, _newest(ini, factors)), general, *named))
    own = next((said for said in every if (said.get("commands") or "").strip()), {})
    folder = next((said[key] for said in (own, general) for key in ("changedir", "change_dir") if said.get(key)), "")
    return next(iter(_for_this(folder, factors)), ""), _commands(own.get("commands", ""), factors)


def _factors(ini: RawConfigParser, tree: Tree, read: ReadFile) -> frozenset[str]:
    return own_factors(_listed(ini), _started_by_ci(tree, read))


def _listed(ini: RawConfigParser) -> str:
    said = [_section(ini, name) for name in ("tox", "tox:tox")]
    return "\n".join(each.get("envlist") or each.get("env_list") or "" for each in said)


def _started_by_ci(tree: Tree, read: ReadFile) -> Iterator[str]:
    """The environments that the likeliest of its jobs starts."""
    job = likeliest_python_job(tree, read)
    yield from job.steering.get("TOXENV", "").split(",") if job else ()
    for command in job.tests if job else ():
        if command.name == "tox":
            named = (value for option, value in pairwise(command.program) if option == "-e")
            yield from (name for value in named for name in value.split(","))


def _section(ini: RawConfigParser, name: str) -> dict[str, str]:
    """Its settings, with those of other sections that they stand for: ``{[base]deps}``."""

    def other(found: re.Match[str]) -> str:
        return (ini.get(found[1], found[2], fallback="") or "")[:_LONGEST]

    settings = islice(section(ini, name).items(), _MOST_SETTINGS)
    return {key: _OTHERS.sub(other, value or "", _MOST_OTHERS)[:_LONGEST] for key, value in settings}


def _tox(tree: Tree, read: ReadFile) -> Iterator[Told]:
    own = table(read_toml(text_at("pyproject.toml", tree, read)), "tool", "tox")
    for source, text in _ini_files(own, tree, read):
        ini = read_ini(text)
        factors = _factors(ini, tree, read)
        started = [name for name in _started_by_ci(tree, read) if _FOR_A_PYTHON.match(name.strip())]
        tested = environments_of_tests("\n".join(started) or _listed(ini))
        for name, said in _for_tests(ini, factors):
            yield _from_ini(f"{source} [{name}]", said, factors, tested)
            yield _typed(f"{source} [{name}] commands", said, factors)
    of_file = read_toml(text_at("tox.toml", tree, read))
    for source, document in (("tox.toml", of_file), ("pyproject.toml [tool.tox]", own)):
        yield _from_table(f"{source} env_run_base", table(document, "env_run_base"))
        for name in filter(TEST_SESSION.fullmatch, table(document, "env")):
            yield _from_table(f"{source} env.{name}", table(document, "env", name))


def _ini_files(own: Mapping[str, Any], tree: Tree, read: ReadFile) -> Iterator[tuple[str, str]]:
    """(where it stands, text); `own` is tox's table of ``pyproject.toml``."""
    if "tox.ini" in tree:
        yield "tox.ini", read_text(read, "tox.ini")
    legacy = own.get("legacy_tox_ini")
    if isinstance(legacy, str):
        yield "pyproject.toml [tool.tox]", legacy
    shared = text_at("setup.cfg", tree, read)
    if "[tox:tox]" in shared:
        yield "setup.cfg", shared


def _for_tests(ini: RawConfigParser, factors: frozenset[str]) -> Iterator[tuple[str, dict[str, str]]]:
    """(section, its settings), with that of the newest Python, be it one of `factors`, which has what the general one
    says where it says nothing itself: https://tox.wiki/en/stable/config.html#tox-environment"""
    newest = _newest(ini, factors)
    own = _section(ini, newest)
    for name in ini.sections():
        if name == newest:
            yield name, own
        elif _TEST_SECTION.fullmatch(name):
            said = _section(ini, name)
            if name == "testenv" and "deps" in own:
                said.pop("deps", None)
            yield name, said


def _newest(ini: RawConfigParser, factors: frozenset[str]) -> str:
    """The section of the newest Python, which need not be there; empty where no Python is named."""
    named = (*(f"testenv:{factor}" for factor in factors), *ini.sections())
    pythons = {int(found[1]): name for name in named if (found := _OF_A_PYTHON.fullmatch(name))}
    return pythons.get(max(pythons, default=0), "")


def _from_ini(
    source: str, said: Mapping[str, str], factors: frozenset[str], tested: tuple[frozenset[str], ...]
) -> Told:
    deps = said.get("deps", "")
    listed = [line for line in lines_of(deps) if not conditioned(line, factors)]
    last = _files_of_the_last(lines_of(deps), factors, tested)
    by_conda = filter(None, map(of_an_index, _for_this(said.get("conda_deps", ""), factors)))  # by tox-conda
    lines = [*_for_this(deps, factors), *limited_versions(listed, tested), *last, *by_conda]
    extras, groups = (_names(said.get(key, ""), factors) for key in ("extras", "dependency_groups"))
    settings = said.get("setenv") or said.get("set_env") or ""
    pairs = ((m[1], m[2]) for line in _for_this(settings, factors) if (m := _VARIABLE.fullmatch(line)))
    return told_by(source, lines, extras, groups, dict(pairs))


def _files_of_the_last(
    lines: Sequence[str], factors: frozenset[str], tested: tuple[frozenset[str], ...]
) -> Iterator[str]:
    """The lists that each version of a package has of its own (``django19: -rrequirements/django19.txt``): those of the
    environment that tox lists last, mostly of the newest, but for what nobody released, or the oldest; none beside one
    that these `factors` chose already."""
    own = [line for line in lines if conditioned(line, factors).startswith("-r")]
    last = next((each for each in reversed(tested) if not is_of_an_end(each)), None)
    if last is None or any(not conditioned(line, each) for line in own for each in tested):
        return
    for line in lines:
        if line not in own and (held := conditioned(line, last)).startswith("-r"):
            yield held


def _names(text: str, factors: frozenset[str]) -> list[str]:
    return [name for line in _for_this(text, factors) for name in re.split(r"[\s,]+", line)]


def _typed(source: str, said: Mapping[str, str], factors: frozenset[str]) -> Told:
    """What its commands install before the tests begin."""
    words: list[str] = []
    for line in _commands(f"{said.get('commands_pre', '')}\n{said.get('commands', '')}", factors):
        if re.search(r"\b(?:pytest|unittest)\b", line):
            break
        if typed := _PIP.fullmatch(line):
            words += _split(typed[1])
        else:
            words += synced_words(_split(line))
    return told_in_words(source, words)


def _commands(text: str, factors: frozenset[str]) -> list[str]:
    """One a line, as they are written. Each line that a backslash carries on has a condition of its own."""
    found = []
    for first, *more in (re.split(r"\s*\\\n\s*", command) for command in re.split(r"(?<!\\)\n", text)):
        if begun := _for_this(first, factors):
            found.append(" ".join((*begun, *(line for each in more for line in _for_this(each, factors)))))
    return found


def _split(line: str) -> list[str]:
    """What names a place of tox's own (``{envdir}``) is left out, but for the root; nothing where quotes do not
    match."""
    try:
        words = [re.sub(r"^\{(?:toxinidir|tox_root)\}", ".", word) for word in shlex.split(line)]
        return [word for word in words if "{" not in word]
    except ValueError:
        return []


def _from_table(source: str, base: Mapping[str, Any]) -> Told:
    deps = [line for line in entries(base, "deps") if isinstance(line, str)]
    variables = {k: v for k, v in table(base, "set_env").items() if isinstance(v, str)}
    return told_by(source, deps, entries(base, "extras"), entries(base, "dependency_groups"), variables)


def _for_this(text: str, factors: frozenset[str]) -> list[str]:
    """The lines that hold for an environment of these factors."""
    return [line for each in lines_of(text) if (line := conditioned(each, factors))]
