"""What tox and nox are told to install for tests, and to set beside them.

https://tox.wiki/en/stable/config.html, https://nox.thea.codes/en/stable/config.html. Files are read, never executed.
"""

import ast
import re
import shlex
from collections.abc import Iterable, Iterator, Mapping
from configparser import RawConfigParser
from dataclasses import dataclass, field
from itertools import pairwise
from posixpath import basename
from typing import Any

from repo_tools.changes import Tree
from repo_tools.environment.ci.installs import WITH_VALUE
from repo_tools.environment.ci.workflows import likeliest_job
from repo_tools.environment.contract import ReadFile
from repo_tools.environment.python.pytest_settings import entries, read_ini, read_toml, table
from repo_tools.environment.python.sync import EVERY, named_by_sync
from repo_tools.environment.python.syntax import parsed
from repo_tools.environment.python.tox_factors import conditioned, limited_versions, own_factors
from repo_tools.environment.texts import read_text

_OPTION_FILE = re.compile(r"(-r|--requirement|-c|--constraint)[ =]?\s*(.+)")
_FOLDER = re.compile(
    r"(?P<option>(?:-e|--editable)[ =]?)?[ ]*(?P<root>\{(?:toxinidir|tox_root)\}(?:/|\{/\})?|\./?)?"
    r"(?P<folder>\w[\w./-]*)?(?P<extras>\[[\w., -]+\])?"
)
"""The project itself, or a folder of the repository, with extras; without an option or the root it is an index's."""
_TEST_SESSION = re.compile(r"tests?|pytest|unit(?:_?tests?)?|testing|py(?:thon)?\d*", re.IGNORECASE)
_TEST_SECTION = re.compile(
    r"testenv(?::(?:tests?|pytest|unit(?:[_-]?tests?)?|testing|py3?|py\{[^{}]*\b3[^{}]*\}|\{py3[^{}]*\}))?",
    re.IGNORECASE,
)
_OF_A_PYTHON = re.compile(r"testenv:py3(\d{1,2})", re.IGNORECASE)
_PIP = re.compile(r"(?:\S*python\d?\s+-m\s+)?(?:uv\s+)?pip\s+install\s+(.+)")
_VARIABLE = re.compile(r"([A-Za-z_]\w*)\s*=\s*(.*)")
_POSITIONAL = re.compile(r"\{(?:pos)?args(?::([^{}]*))?\}")
_MOST_SETTINGS, _MOST_OTHERS, _LONGEST = 200, 20, 20_000
"""Of a section, of other settings in one, and the characters of each."""
_OTHERS = re.compile(r"\{\[([\w:.-]+)\](\w+)\}")
_PASSED_ON = re.compile(r"PATH|HOME|PIP_.*|UV_.*|TOX_.*|VIRTUALENV_.*|COVERAGE_.*|PYTHONWARNINGS|CI|TERM|LD_.*")


@dataclass(frozen=True)
class Told:
    """By one place: requirements, files of requirements and of constraints, extras and groups of the project itself,
    variables."""

    source: str
    requirements: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    constraints: tuple[str, ...] = ()
    extras: tuple[str, ...] = ()
    groups: tuple[str, ...] = ()
    variables: Mapping[str, str] = field(default_factory=dict)


def read_tools(tree: Tree, read: ReadFile) -> tuple[Told, ...]:
    """Every place that says something."""
    found = [*_tox(tree, read), *_nox(tree, read)]
    return tuple(told for told in found if told != Told(told.source))


def tox_commands(tree: Tree, read: ReadFile) -> tuple[str, ...]:
    """The lines of ``commands`` of tox's own environment for tests, `as_started`."""
    ini = read_ini(read_text(read, "tox.ini")) if "tox.ini" in tree else read_ini("")
    return tuple(map(as_started, _commands(_section(ini, "testenv").get("commands") or "", _factors(ini, tree, read))))


def as_started(line: str) -> str:
    """A line of commands, where whoever starts it says nothing more: ``{posargs:tests}`` and hatch's ``{args}``."""
    return _POSITIONAL.sub(lambda found: found[1] or "", line)


def _factors(ini: RawConfigParser, tree: Tree, read: ReadFile) -> frozenset[str]:
    said = [_section(ini, name) for name in ("tox", "tox:tox")]
    listed = "\n".join(each.get("envlist") or each.get("env_list") or "" for each in said)
    return own_factors(listed, _started_by_ci(tree, read))


def _started_by_ci(tree: Tree, read: ReadFile) -> Iterator[str]:
    """The environments that the likeliest of its jobs starts."""
    job = likeliest_job("python", tree, read)
    yield from job.steering.get("TOXENV", "").split(",") if job else ()
    for program in (command.program for command in (job.tests if job else ())):
        if basename(program[0]) == "tox":
            yield from (name for option, value in pairwise(program) if option == "-e" for name in value.split(","))


def _section(ini: RawConfigParser, name: str) -> dict[str, str]:
    """Its settings, with those of other sections that they stand for: ``{[base]deps}``."""

    def other(found: re.Match[str]) -> str:
        return (ini.get(found[1], found[2], fallback="") or "")[:_LONGEST]

    settings = ini.items(name)[:_MOST_SETTINGS] if ini.has_section(name) else ()
    return {key: _OTHERS.sub(other, value or "", _MOST_OTHERS)[:_LONGEST] for key, value in settings}


def _tox(tree: Tree, read: ReadFile) -> Iterator[Told]:
    pyproject = read_toml(read_text(read, "pyproject.toml")) if "pyproject.toml" in tree else {}
    own = table(pyproject, "tool", "tox")
    legacy = own.get("legacy_tox_ini")
    texts = [("tox.ini", read_text(read, "tox.ini"))] if "tox.ini" in tree else []
    texts += [("pyproject.toml [tool.tox]", legacy)] if isinstance(legacy, str) else []
    shared = read_text(read, "setup.cfg") if "setup.cfg" in tree else ""
    texts += [("setup.cfg", shared)] if "[tox:tox]" in shared else []
    for source, text in texts:
        ini = read_ini(text)
        factors = _factors(ini, tree, read)
        for section, said in _for_tests(ini, factors):
            yield _from_ini(f"{source} [{section}]", said, factors)
            yield _typed(f"{source} [{section}] commands", said, factors)
    for source, document in (
        ("tox.toml", read_toml(read_text(read, "tox.toml")) if "tox.toml" in tree else {}),
        ("pyproject.toml [tool.tox]", own),
    ):
        yield _from_table(f"{source} env_run_base", table(document, "env_run_base"))
        for name in filter(_TEST_SESSION.fullmatch, table(document, "env")):
            yield _from_table(f"{source} env.{name}", table(document, "env", name))


def _for_tests(ini: RawConfigParser, factors: frozenset[str]) -> Iterator[tuple[str, dict[str, str]]]:
    """(section, its settings), with that of the newest Python, be it one of `factors`, which has what the general one
    says where it says nothing itself: https://tox.wiki/en/stable/config.html#tox-environment"""
    named = (*(f"testenv:{factor}" for factor in factors), *ini.sections())
    pythons = {int(found[1]): name for name in named if (found := _OF_A_PYTHON.fullmatch(name))}
    newest = pythons.get(max(pythons, default=0), "")
    own = _section(ini, newest)
    for section in ini.sections():
        if section == newest:
            yield section, own
        elif _TEST_SECTION.fullmatch(section):
            said = _section(ini, section)
            if section == "testenv" and "deps" in own:
                said.pop("deps", None)
            yield section, said


def _from_ini(source: str, section: Mapping[str, str | None], factors: frozenset[str]) -> Told:
    deps = section.get("deps") or ""
    lines = [*_for_this(deps, factors), *limited_versions(_lines(deps))]
    names, groups = (
        [name for line in _for_this(section.get(key) or "", factors) for name in re.split(r"[\s,]+", line)]
        for key in ("extras", "dependency_groups")
    )
    settings = section.get("setenv") or section.get("set_env") or ""
    pairs = ((m[1], m[2]) for line in _for_this(settings, factors) if (m := _VARIABLE.fullmatch(line)))
    return _told(source, lines, names, groups, dict(pairs))


def _typed(source: str, section: Mapping[str, str | None], factors: frozenset[str]) -> Told:
    """What its commands install before the tests begin."""
    words: list[str] = []
    for line in _commands(f"{section.get('commands_pre') or ''}\n{section.get('commands') or ''}", factors):
        if re.search(r"\b(?:pytest|unittest)\b", line):
            break
        if typed := _PIP.fullmatch(line):
            words += _split(typed[1])
        else:
            words += _synced(_split(line))
    return _from_words(source, words)


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
    return _told(source, deps, entries(base, "extras"), entries(base, "dependency_groups"), variables)


def _told(
    source: str, lines: Iterable[str], extras: Iterable[Any], groups: Iterable[Any], variables: Mapping[str, str]
) -> Told:
    requirements: list[str] = []
    files: dict[str, list[str]] = {"r": [], "c": []}
    extras = list(extras)
    for line in lines:
        option = _OPTION_FILE.fullmatch(line)
        place = _FOLDER.fullmatch(line)
        if place and (place["option"] or place["root"]):
            named = (place["extras"] or "").strip("[]")
            if place["folder"]:
                requirements.append(_in_place(place["folder"].rstrip("/"), named))
            else:
                extras += map(str.strip, named.split(","))
        elif option is None:
            requirements.append(line)
        else:
            path = re.sub(r"^\{(?:toxinidir|tox_root)\}/", "", option[2].strip().replace("{/}", "/")).removeprefix("./")
            files[option[1].lstrip("-")[0]] += [path] if re.fullmatch(r"[\w./-]+", path) and ".." not in path else []
    plain = {k: v for k, v in variables.items() if "{" not in v and not _PASSED_ON.fullmatch(k)}
    return Told(
        source,
        tuple(requirements),
        tuple(files["r"]),
        tuple(files["c"]),
        _names_among(extras),
        _names_among(groups),
        plain,
    )


def _in_place(folder: str, extras: str) -> str:
    return f"{basename(folder)}{f'[{extras}]' if extras else ''} @ ./{folder}"


def _names_among(values: Iterable[Any]) -> tuple[str, ...]:
    return tuple(v for v in values if isinstance(v, str) and (v == EVERY or re.fullmatch(r"[\w.-]+", v)))


def _for_this(text: str, factors: frozenset[str]) -> list[str]:
    """The lines that hold for an environment of these factors."""
    return [line for each in _lines(text) if (line := conditioned(each, factors))]


def _nox(tree: Tree, read: ReadFile) -> Iterator[Told]:
    module = parsed(read("noxfile.py")) if "noxfile.py" in tree else None
    if module is None:
        return
    lists = {
        name: _strings(node.value) for node in module.body if isinstance(node, ast.Assign) for name in _names(node)
    }
    functions = {node.name: node for node in module.body if isinstance(node, ast.FunctionDef)}
    for node in functions.values():
        if _TEST_SESSION.fullmatch(_session(node)):
            words = [word for call in _calls(node, functions) for word in _installed(call, lists)]
            yield _from_words(f"noxfile.py {node.name}", words)


def _names(node: ast.Assign) -> Iterator[str]:
    return (target.id for target in node.targets if isinstance(target, ast.Name))


def _session(function: ast.FunctionDef) -> str:
    """Its name: the function's, if ``@nox.session(name=...)`` says no other."""
    decorators = (each for each in function.decorator_list if isinstance(each, ast.Call))
    named = (k.value for call in decorators for k in call.keywords if k.arg == "name")
    return next((n.value for n in named if isinstance(n, ast.Constant) and isinstance(n.value, str)), function.name)


def _calls(function: ast.FunctionDef, functions: Mapping[str, ast.FunctionDef]) -> Iterator[ast.Call]:
    """Its own, and those of the module's functions that it calls."""
    for call in (node for node in ast.walk(function) if isinstance(node, ast.Call)):
        yield call
        if isinstance(call.func, ast.Name) and call.func.id in functions:
            yield from (node for node in ast.walk(functions[call.func.id]) if isinstance(node, ast.Call))


def _installed(call: ast.Call, lists: Mapping[str, list[str]]) -> list[str]:
    """What ``session.install(...)`` installs, or ``session.run("pip", "install", ...)``, or ``("uv", "sync", ...)`` and
    its kin; `lists` are the module's."""
    words: list[str] = []
    for argument in call.args:
        starred = isinstance(argument, ast.Starred) and isinstance(argument.value, ast.Name) and argument.value.id
        words += lists.get(starred, []) if starred else _strings(argument)
    called = call.func.attr if isinstance(call.func, ast.Attribute) else ""
    if called.startswith("run") and "pip" in words[:3]:
        after = words[words.index("pip") + 1 :]
        return after[1:] if after[:1] == ["install"] else []
    if called.startswith("run"):
        return _synced(words)
    return words if called == "install" else []


def _synced(words: list[str]) -> list[str]:
    """The extras and groups that ``uv sync`` and its kin are told, as `_from_words` takes them."""
    extras, groups = named_by_sync(words)
    return [*(w for name in extras for w in ("--extra", name)), *(w for name in groups for w in ("--group", name))]


def _strings(node: ast.expr) -> list[str]:
    """Of a literal: a string, or a list or tuple of some."""
    parts = node.elts if isinstance(node, (ast.List, ast.Tuple)) else [node]
    return [part.value for part in parts if isinstance(part, ast.Constant) and isinstance(part.value, str)]


def _from_words(source: str, words: list[str]) -> Told:
    lines: list[str] = []
    extras: list[str] = []
    groups: list[str] = []
    waiting = iter(words)
    for word in waiting:
        if word in ("-e", "--editable"):
            lines.append(f"-e {next(waiting, '')}")
        elif word in ("-r", "--requirement", "-c", "--constraint"):
            lines.append(f"{word} {next(waiting, '')}")
        elif word in ("--group", "--extra"):
            (groups if word == "--group" else extras).append(next(waiting, ""))
        elif word in WITH_VALUE:
            next(waiting, "")
        elif not word.startswith("-") or _FOLDER.fullmatch(word):
            lines.append(word)
    return _told(source, lines, extras, groups, {})


def _lines(text: str) -> list[str]:
    return [line for raw in text.splitlines() if (line := raw.split(" #")[0].strip()) and line[0] != "#"]
