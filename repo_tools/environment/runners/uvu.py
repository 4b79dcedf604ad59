"""uvu, started by a program of our own that sees its tests (https://github.com/lukeed/uvu)."""

import json
import re
from itertools import pairwise
from posixpath import join, normpath, relpath

from repo_tools.environment.contract import TestCommand
from repo_tools.environment.runners.contract import RunOrder
from repo_tools.environment.runners.javascript_command import split_operands, start_of, taken_apart, without_options
from repo_tools.environment.runners.javascript_launch import reporter_path
from repo_tools.environment.runners.javascript_runner import JavaScriptRunner
from repo_tools.environment.runners.javascript_selectors import pattern_of, wanted_of

_WITH_VALUE = frozenset(("-i", "--ignore", "-r", "--require", "-C", "--cwd"))
_NOT_OURS = frozenset(("-b", "--bail"))
_FILE = re.compile(r".*\.[mc]?[jt]sx?")


class UvuRunner(JavaScriptRunner):
    name = "uvu"

    def recognises(self, argv: tuple[str, ...]) -> bool:
        return bool(start_of(taken_apart(argv).words, self.name))

    def order(self, command: TestCommand, selectors: tuple[str, ...]) -> RunOrder:
        script = taken_apart(command.argv)
        wanted = wanted_of(selectors, command.directory)
        start = start_of(script.words, self.name)
        own = without_options(script.words[len(start) :], _NOT_OURS, _WITH_VALUE)
        options, operands = split_operands(own, _WITH_VALUE)
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
