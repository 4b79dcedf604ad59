"""Scripts that start a command with the variables of a file (``dotenv -e .env.test -- jest``), as if each were written
out. Pure.

dotenv-cli: https://github.com/entropitor/dotenv-cli; env-cmd: https://github.com/toddbluhm/env-cmd; dotenvx:
https://dotenvx.com/docs/cli/run
"""

import re
import shlex
from collections.abc import Iterable, Iterator
from itertools import chain
from posixpath import normpath

from repo_tools.changes import Tree
from repo_tools.environment.ci.compose_file import pairs_of, text_of_file
from repo_tools.environment.contract import ReadFile
from repo_tools.environment.javascript.package_json import Package

_STARTER = r"npx(?: -y| --yes| --no-install)?|yarn(?: run| exec)?|pnpm(?: run| exec)?|bunx|bun x|npm exec(?: --)?"
_WITH_FILE = r"(?:-[efv] |--(?:env-)?file[= ])[^\s;&|]{1,200}"
_FLAG = (
    r"-[oqx]|--(?:debug|expand-envs|fallback|no-expand|no-ops|no-override|overload|override|quiet|silent|strict"
    r"|use-shell|verbose)"
)
_CALL = re.compile(
    rf"(?<![\w./@:-])(?P<starter>(?:{_STARTER}) )?(?P<program>dotenv|env-cmd|dotenvx run)"
    rf"(?P<options>(?: (?:{_WITH_FILE}|(?:{_FLAG})(?![^ ]))){{0,9}})"
    r"(?P<file> (?:[\w.-]{1,40}/){0,9}[\w-]{0,40}\.env[\w.-]{0,20})?(?: --)? (?P<started>(?=[\w.$])\S)"
)
_AT_ITS_BEGIN = re.compile(
    r"""\s*(?:(?:cross-env(?:-shell)?|env|exec|time|nyc|c8|\w+=(?:"[^"]*"|'[^']*'|[^\s"']*)) +)*"""
)
_END = re.compile(r"[;&|(]")
_LONGEST_BEGIN = 1_000
_SET = re.compile(r"(?<!\S)([A-Za-z_]\w*)=")
_OPTION = re.compile(r" (?P<name>-[efv]|--(?:env-)?file)[= ](?P<value>\S+)")
_FILES = {"dotenv": ("-e",), "env-cmd": ("-f", "--file"), "dotenvx run": ("-f", "--env-file")}
_OVERRIDES = {"dotenv": ("-o", "--override"), "dotenvx run": ("-o", "--overload")}
_VARIABLES = {"dotenv": ("-v",), "env-cmd": (), "dotenvx run": ("-e",)}
_NAME = re.compile(r"[A-Za-z_]\w*")
_NO_LINES = re.compile(r".*\.(?:[cm]?js|json)")
_MOST_VARIABLES = 100


def with_variable_files(package: Package, tree: Tree, read: ReadFile) -> Package:
    """`package` with the variables in the place of what sets them; what is set by more than files of such lines stays
    as it is."""

    def written_out(call: re.Match[str]) -> str:
        program = call["program"]
        options = [(each["name"], each["value"].strip("'\"")) for each in _OPTION.finditer(call["options"])]
        files = [value for name, value in options if name in _FILES[program]] + (call["file"] or "").split()
        known = {*_FILES[program], *_VARIABLES[program]}
        begin = _begin_of(call)
        if begin is None or any(map(_NO_LINES.fullmatch, files)) or not known.issuperset(name for name, _ in options):
            return call[0]
        if (call["starter"] and program in package.scripts) or (not files and _may_name_a_file(call)):
            return call[0]
        texts = (text_of_file(normpath(package.start + path), tree, read) for path in files or [".env"])
        said = chain.from_iterable(map(pairs_of, texts))
        given = (value.partition("=")[::2] for name, value in options if name in _VARIABLES[program])
        kept = () if _overrides(call) else _SET.findall(begin)
        told = [f"{name}={shlex.quote(value)}" for name, value in _first(chain(given, said)) if name not in kept]
        return " ".join((*(["env", *told] if told else []), call["started"]))

    return package.with_scripts({name: _CALL.sub(written_out, text) for name, text in package.scripts.items()})


def _begin_of(call: re.Match[str]) -> str | None:
    """What stands before it in its command; None where it is told to another program, or written as one word of it."""
    before = call.string[: call.start()]
    begin = _END.split(before[-_LONGEST_BEGIN:])[-1]
    is_quoted = any(before.count(mark) % 2 for mark in ("'", '"', "`"))
    return begin if not is_quoted and _AT_ITS_BEGIN.fullmatch(begin) else None


def _may_name_a_file(call: re.Match[str]) -> bool:
    """Whether what seems to be started may be a file of variables, as up to release 8 of env-cmd the first word is."""
    word = call.string[call.start("started") :].partition(" ")[0]
    return call["program"] == "env-cmd" and "/" in word and "node_modules/" not in word


def _overrides(call: re.Match[str]) -> bool:
    """Whether what the file sets goes before what is set already."""
    told = call["options"].split()
    if call["program"] == "env-cmd":
        return "--no-override" not in told
    return not set(_OVERRIDES[call["program"]]).isdisjoint(told)


def _first(pairs: Iterable[tuple[str, str]]) -> Iterator[tuple[str, str]]:
    """What is set first stays."""
    found: dict[str, str] = {}
    for name, value in pairs:
        found.setdefault(name.removeprefix("export "), value)
    return ((name, found[name]) for name in [*filter(_NAME.fullmatch, found)][:_MOST_VARIABLES])
