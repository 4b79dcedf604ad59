"""Programs of a script that run beside its tests, most of them servers that these talk to. Pure."""

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass

from repo_tools.environment.javascript.chains import split_chain
from repo_tools.environment.javascript.found import Step
from repo_tools.environment.javascript.script_calls import called_scripts
from repo_tools.environment.javascript.script_commands import is_build
from repo_tools.environment.runners.javascript_command import split_operands

_OF_CONCURRENTLY = frozenset((
    "-m", "--max-processes", "-n", "--names", "--name-separator", "-s", "--success", "--hide", "-p", "--prefix",
    "-c", "--prefix-colors", "-l", "--prefix-length", "-t", "--timestamp-format", "--restart-tries",
    "--restart-after", "--default-input-target", "--kill-signal", "--kill-timeout", "--cwd",
))  # fmt: skip
"""Its options whose value follows."""
_OF_A_MANAGER = re.compile(r"^(?:npm|yarn|pnpm|bun):")
_TOGETHER = frozenset(("-p", "--parallel", "-pr", "-rp"))
_IN_TURN = frozenset(("-s", "--sequential", "--serial"))
"""https://github.com/mysticatea/npm-run-all/blob/master/docs/npm-run-all.md"""
_LASTS = re.compile(r"\b(?:watch|serve|server|dev|start|preview)\b|\s-w\b")


@dataclass(frozen=True)
class Beside:
    """`tests`: commands, some of which may be servers too. `before`: what is started before them. `ended`: those of
    `tests` that have come to their end before the others begin."""

    tests: list[str]
    before: tuple[str, ...] = ()
    ended: tuple[str, ...] = ()


def started_beside(words: tuple[str, ...], names: list[str], scripts: Collection[str]) -> Beside | None:
    """What a command starts at the same time; None where it does so with nothing. `names`: the scripts that it
    calls."""
    if each := started_together(words):
        return Beside([call for one in each for call in _calls(one, scripts)])
    if names and (words[0] == "run-p" or _TOGETHER.intersection(words[1:])):
        return Beside([f"npm run {name}" for name in names], ended=tuple(_in_turn(words, scripts)))
    return None


def started_together(words: tuple[str, ...]) -> list[str]:
    """The commands that ``concurrently`` starts (https://github.com/open-cli-tools/concurrently); ``npm:x`` is a
    script."""
    if words[0] not in ("concurrently", "conc"):
        return []
    operands = split_operands(words[1:], _OF_CONCURRENTLY)[1]
    return [_OF_A_MANAGER.sub("run-s ", word) for word in operands if " " in word or _OF_A_MANAGER.match(word)]


def _in_turn(words: tuple[str, ...], scripts: Collection[str]) -> Iterator[str]:
    """Calls of the scripts that npm-run-all waits for, before it starts some together."""
    waits = words[0] == "npm-run-all"
    for word in words[1:]:
        waits = (waits or word in _IN_TURN) and word not in _TOGETHER
        yield from (f"npm run {name}" for name, _ in called_scripts(f"run-s {word}", scripts) if waits)


def _calls(command: str, scripts: Collection[str]) -> list[str]:
    """``run-s a:*`` is one for each script, whether that program is installed or not; ``a && b`` has a shell of its
    own."""
    called = called_scripts(command, scripts) if command.startswith("run-s ") else []
    whole = f"({command})" if len(split_chain(command)) > 1 else command
    return [f"npm run {name}" for name, _ in called] or [whole]


def aside(command: str) -> str:
    """`command`, and nothing waits for its end."""
    return f"{{ {command} & }}"


def ends(step: Step) -> bool:
    """Whether something can wait for its end."""
    return all(map(is_build, step.commands)) and not _LASTS.search(" ".join((step.text, *step.called)))
