"""uvu, started by a program of our own that sees its tests (https://github.com/lukeed/uvu)."""

import json
import re
from itertools import pairwise
from posixpath import join, normpath, relpath

from repo_tools.environment.runners.contract import RunOrder
from repo_tools.environment.runners.javascript_command import ScriptCommand, parted, start_of
from repo_tools.environment.runners.javascript_launch import reporter_path
from repo_tools.environment.runners.javascript_runner import JavaScriptRunner
from repo_tools.environment.runners.javascript_selectors import Wanted, pattern_of

_WITH_VALUE = frozenset(("-i", "--ignore", "-r", "--require", "-C", "--cwd"))
_NOT_OURS = frozenset(("-b", "--bail"))
_FILE = re.compile(r".*\.[mc]?[jt]sx?")


class UvuRunner(JavaScriptRunner):
    name = "uvu"

    def starts(self, script: ScriptCommand) -> bool:
        return bool(start_of(script.words, self.name))

    def started(self, script: ScriptCommand, wanted: Wanted) -> RunOrder:
        start = start_of(script.words, self.name)
        options, operands = parted(script.words[len(start) :], _NOT_OURS, _WITH_VALUE)
        folder = normpath(join(_start(options), *operands[:1], "."))
        if paths := [relpath(path, folder) for path in wanted.places]:
            operands = (*(operands[:1] or (".",)), f"^(?:{'|'.join(map(_pattern, paths))})$")
        ours = json.dumps({"folder": folder, "names": [*map(pattern_of, wanted.names)]})
        words = (*(start[:-1] or ("node",)), reporter_path(self.name), ours, *options, *operands)
        return self.reporting(script, words, wanted)


def _start(options: tuple[str, ...]) -> str:
    """The folder that it goes to, in either spelling of the option; empty where it goes to none."""
    parts = [(option.partition("="), after) for option, after in pairwise((*options, ""))]
    return next((value or after for (name, _, value), after in parts if name in ("-C", "--cwd")), "")


def _pattern(path: str) -> str:
    """For uvu's own choice of files: one, or all of a folder."""
    return re.escape(path) if _FILE.fullmatch(path) else rf"{re.escape(path)}/.*\.[mc]?[jt]sx?"
