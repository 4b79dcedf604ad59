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

_WITH_FILE = r"(?:-[efv] |--(?:env-)?file[= ])[^\s;&|]{1,200}"
_CALL = re.compile(
    r"(?<![\w./@:-])(?P<program>dotenv|env-cmd|dotenvx run)"
    rf"(?P<options>(?: (?:{_WITH_FILE}|-[oqx]|--(?!file|env-|rc-)[a-z][a-z-]{{1,20}})){{0,9}})"
    r"(?P<file> \.[\w./-]{0,100}env[\w.-]{0,20})?(?: --)? (?=[\w.$])"
)
_OPTION = re.compile(r" (?P<name>-[efv]|--(?:env-)?file)[= ](?P<value>\S+)")
_FILES = {"dotenv": ("-e",), "env-cmd": ("-f", "--file"), "dotenvx run": ("-f", "--env-file")}
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
        if any(map(_NO_LINES.fullmatch, files)) or not known.issuperset(name for name, _ in options):
            return call[0]
        texts = (text_of_file(normpath(package.start + path), tree, read) for path in files or [".env"])
        said = chain.from_iterable(map(pairs_of, texts))
        given = (value.partition("=")[::2] for name, value in options if name in _VARIABLES[program])
        return "".join(f"{name}={shlex.quote(value)} " for name, value in _first(chain(given, said)))

    return package.with_scripts({name: _CALL.sub(written_out, text) for name, text in package.scripts.items()})


def _first(pairs: Iterable[tuple[str, str]]) -> Iterator[tuple[str, str]]:
    """What is set first stays."""
    found: dict[str, str] = {}
    for name, value in pairs:
        found.setdefault(name.removeprefix("export "), value)
    return ((name, found[name]) for name in [*filter(_NAME.fullmatch, found)][:_MOST_VARIABLES])
