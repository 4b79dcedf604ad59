"""Files and folders that a maintainer's own commands for pytest leave out: they need a network or servers, or are what
tests read. Pure.

https://docs.pytest.org/en/stable/example/pythoncollection.html#ignore-paths-during-test-collection
"""

import re
import shlex
from collections.abc import Iterator, Sequence
from fnmatch import fnmatchcase
from itertools import pairwise
from posixpath import basename

from repo_tools.changes import Tree
from repo_tools.environment.contract import ReadFile
from repo_tools.environment.folders import is_below
from repo_tools.environment.python.test_programs import NOSE, started_programs

_IGNORE, _IGNORE_GLOB = "--ignore", "--ignore-glob"
_WITHIN = re.compile(r"(?!.*\.\.)[\w*?][\w./*?-]{0,200}")


def left_out(tree: Tree, read: ReadFile, test_files: Sequence[str]) -> tuple[tuple[str, ...], str]:
    """(options for pytest, what says so): what of `test_files` every command for pytest leaves out, of the likeliest
    job and of tox; nothing where none of them would be left."""
    commands = [(source, words) for source, words in started_programs(tree, read) if basename(words[0]) != NOSE]
    every = [dict.fromkeys(ignored(words)) for _, words in commands]
    common = [option for option in every[0] if all(option in other for other in every)] if every else []
    files = {option: {path for path in test_files if _leaves_out(option, path)} for option in common}
    options = tuple(option for option in common if files[option])
    if not options or set().union(*files.values()) == set(test_files):
        return (), ""
    return options, f"{commands[0][0]}: pytest {shlex.join(options)}"


def ignored(words: Sequence[str]) -> Iterator[str]:
    """``--ignore=benchmarks`` of a command, and of places within the repository, however it is written."""
    for before, word in pairwise(("", *words)):
        option, _, value = word.partition("=") if "=" in word else (before, "", word)
        place = value.removeprefix("./").rstrip("/")
        if option in (_IGNORE, _IGNORE_GLOB) and _WITHIN.fullmatch(place):
            yield f"{option}={place}"


def _leaves_out(option: str, path: str) -> bool:
    name, _, place = option.partition("=")
    return fnmatchcase(path, place) if name == _IGNORE_GLOB else is_below(path, place)
