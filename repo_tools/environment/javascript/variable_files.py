"""Scripts that start a command with the variables of a file (``dotenv -e .env.test -- jest``), as if each were written
out. Pure.

dotenv-cli: https://github.com/entropitor/dotenv-cli; env-cmd: https://github.com/toddbluhm/env-cmd; dotenvx:
https://dotenvx.com/docs/cli/run
"""

import re
import shlex
from itertools import chain
from posixpath import normpath

from repo_tools.changes import Tree
from repo_tools.environment.ci.compose_file import pairs_of, text_of_file
from repo_tools.environment.contract import ReadFile
from repo_tools.environment.javascript.package_json import Package

_CALL = re.compile(
    r"(?P<begin>(?:^|[;&|(])[ ]?(?:(?:cross-env|nyc|c8|npx|\w+=[^\s'\"]*) )*+)"
    r"(?P<program>dotenv|env-cmd(?![^;&|]* -e )|dotenvx run)"
    r"(?P<files>(?: (?:-[ef]|--(?:env-)?file)[= ][\w./-]{1,200})*+)(?: --)? (?=\w)(?![\w.-]*(?:/|\.env\b))"
)
"""At the begin of a command, as far as it says no more than which files: ``-e`` of env-cmd is a part of one, and until
its release 8 the first word is a file."""
_FILE = re.compile(r"[= ](?P<path>[\w./-]+)(?= |$)")
_SET = re.compile(r"(?<!\S)([A-Za-z_]\w*)=")
_NAME = re.compile(r"[A-Za-z_]\w*")
_NO_LINES = (".js", ".cjs", ".mjs", ".json")
_MOST_VARIABLES = 100


def with_variable_files(package: Package, tree: Tree, read: ReadFile) -> Package:
    """`package` with the variables in the place of what sets them; what is set by more than files of such lines stays
    as it is."""

    def written_out(call: re.Match[str]) -> str:
        files = _FILE.findall(call["files"]) or [".env"]
        is_quoted = any(call.string.count(mark, 0, call.start()) % 2 for mark in "'\"`")
        if is_quoted or any(path.endswith(_NO_LINES) for path in files):
            return call[0]
        texts = (text_of_file(normpath(package.start + path), tree, read) for path in files)
        said: dict[str, str] = {}
        for name, value in chain.from_iterable(map(pairs_of, texts)):  # what is set first stays
            said.setdefault(name, value)
        kept = [] if call["program"] == "env-cmd" else _SET.findall(call["begin"])
        known = [name for name in said if _NAME.fullmatch(name) and name not in kept]
        told = [f"{name}={shlex.quote(said[name])}" for name in known[:_MOST_VARIABLES]]
        return call["begin"] + "".join(f"{word} " for word in (["env", *told] if told else []))

    return package.with_scripts({name: _CALL.sub(written_out, text) for name, text in package.scripts.items()})
