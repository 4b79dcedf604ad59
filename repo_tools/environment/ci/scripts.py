"""What stands in the shell scripts, and in the goals of Makefiles, that a CI's commands start. Nothing is run."""

import re
from collections.abc import Iterator
from dataclasses import replace

from repo_tools.changes import FileMode, Tree
from repo_tools.environment.ci.commands import CommandEvidence, commands_of
from repo_tools.environment.ci.jobs import Expand
from repo_tools.environment.commands import root_relative
from repo_tools.environment.contract import ReadFile

MAX_BYTES = 50_000
MOST_DEEP = 2
"""Scripts that call scripts."""

_SHELLS = ("sh", "bash", "dash", "zsh")
_SHEBANG = re.compile(rb"#!.*\b(?:ba|da|z)?sh\b")


def expanding(tree: Tree, read: ReadFile, deep: int = MOST_DEEP) -> Expand:
    """For the scripts of `tree`. A command that tests stays what it is, with the variables that its script sets for
    the first tests in it, and behind what that installs."""

    def expand(command: CommandEvidence) -> tuple[CommandEvidence, ...]:
        own = tuple(_inside(command, tree, read)) if deep else ()
        inner = [each for found in own for each in expanding(tree, read, deep - 1)(found)]
        installs = [each for each in inner if each.is_install]
        tests = [each for each in inner if each.is_test]
        if not command.is_test:
            return (*installs, *tests) or (command,)
        told = dict(tests[0].variables) if tests else {}
        return (*installs, replace(command, variables=tuple((told | dict(command.variables)).items())))

    return expand


def _inside(command: CommandEvidence, tree: Tree, read: ReadFile) -> Iterator[CommandEvidence]:
    words = [word for word in command.program if not word.startswith("-")]
    if words and words[0] == "make":
        yield from _recipes(words[1:], command, tree, read)
        return
    by_shell = bool(words) and words[0].rpartition("/")[2] in _SHELLS
    started = next(iter(words[by_shell:]), "")
    path = root_relative(started, command.directory)
    content = _content(path, tree, read) if by_shell or "/" in started else b""
    if path.endswith(".sh") or _SHEBANG.match(content):
        yield from commands_of(content.decode("utf-8", "replace"), command.directory, path, 1)


def _recipes(goals: list[str], command: CommandEvidence, tree: Tree, read: ReadFile) -> Iterator[CommandEvidence]:
    path = root_relative("Makefile", command.directory)
    text = _content(path, tree, read).decode("utf-8", "replace")
    for goal in goals:
        if found := re.search(rf"(?m)^{re.escape(goal)}[ \t]*:(?![=:]).*\n((?:\t.*(?:\n|$))*)", text):
            script = re.sub(r"(?m)^\t[@+-]*", "", found[1])
            yield from commands_of(script, command.directory, path, text[: found.start(1)].count("\n") + 1)


def _content(path: str, tree: Tree, read: ReadFile) -> bytes:
    """Empty where it is no file, or too large to be one that somebody wrote."""
    if path not in tree or tree[path].mode not in (FileMode.REGULAR, FileMode.EXECUTABLE):
        return b""
    content = read(path)
    return content if len(content) <= MAX_BYTES else b""
