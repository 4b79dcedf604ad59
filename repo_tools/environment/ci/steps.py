"""One step of a workflow's job: its commands, and what it sets, installs and starts."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import islice

from repo_tools.environment.ci.actions import compose_of_action, script_of_action, server_of_action
from repo_tools.environment.ci.commands import CommandEvidence
from repo_tools.environment.ci.compose import is_composed
from repo_tools.environment.ci.composite import Placed
from repo_tools.environment.ci.conditions import is_done, is_of_other_jobs
from repo_tools.environment.ci.script_commands import commands_of
from repo_tools.environment.ci.servers import installed_server
from repo_tools.environment.ci.values import Scope, items_at, node_at, text_of, variables_of
from repo_tools.environment.commands import root_relative
from repo_tools.environment.contract import Service
from repo_tools.yaml_text import Node

Expand = Callable[[CommandEvidence], tuple[CommandEvidence, ...]]
"""What a command stands for: what the script runs that it starts, or itself."""

MOST_STEPS = 100
MOST_COMMANDS = 60

_VARIABLE = re.compile(r"\$(?:\{(\w+)\}|(\w+))")
_REPOSITORY = re.compile(r"[\w.-]{1,100}/[\w.-]{1,100}")
_IN_PYTHON = re.compile(r"python[\d.]*(?:\s|$)")
"""https://docs.github.com/en/actions/reference/workflows-and-actions/workflow-syntax#jobsjob_idstepsshell"""
_ACTIONS = {
    "setup-python": ("python", "python-version"), "setup-uv": ("python", "python-version"),
    "setup-pdm": ("python", "python-version"), "setup-node": ("node", "node-version"),
    "setup-go": ("go", "go-version"), "setup-ruby": ("ruby", "ruby-version"), "setup-java": ("java", "java-version"),
    "rust-toolchain": ("rust", "toolchain"), "toolchain": ("rust", "toolchain"),
}  # fmt: skip
"""Last part of an action's name -> the language that it installs, and the input that says which."""


@dataclass(frozen=True)
class Step:
    commands: tuple[CommandEvidence, ...]
    variables: Mapping[str, str]
    versions: Mapping[str, tuple[str, ...]]
    servers: tuple[Service | str, ...] = ()

    @property
    def tests(self) -> set[tuple[str, ...]]:
        return {command.argv for command in self.commands if command.is_test}


def steps_of(job: Node) -> Iterator[Node]:
    for step in filter(is_done, items_at(job, "steps")[:MOST_STEPS]):
        at_once = items_at(step, "parallel")
        yield from filter(is_done, at_once[:MOST_STEPS]) if at_once else (step,)


def is_of_another(step: Node) -> bool:
    """Whether it puts another repository in the place of this one: the tests are that one's."""
    named = inputs_of(step)
    other = bool(_REPOSITORY.fullmatch(named.get("repository", ""))) and not named.get("path")
    return other and text_of(step.mapping.get("uses")).startswith("actions/checkout")


def read_steps(placed: Iterable[Placed], scope: Scope, directory: str, expand: Expand) -> list[Step]:
    """With the first `MOST_COMMANDS` that they hold together."""
    found: list[Step] = []
    left = MOST_COMMANDS
    for path, step in placed:
        found.append(_step(path, step, scope, directory, expand, left))
        left -= len(found[-1].commands)
    return found


def _step(path: str, step: Node, scope: Scope, directory: str, expand: Expand, most: int) -> Step:
    scope = replace(scope, env={**scope.env, **variables_of(step, scope)})
    own = scope.resolve(text_of(step.mapping.get("working-directory")))
    place = below_root(own) if own else directory
    written = _commands(path, step, scope, place)
    found = (each for command in written for each in expand(_with_variables(command, scope.env)))
    of_others = is_of_other_jobs(step, scope)
    if of_others:
        found = (command for command in found if not _is_for_its_own_job(command))
    commands = tuple(islice(found, most))
    composed, servers = ((), ()) if of_others else _started_by_action(path, step, scope)
    return Step((*commands, *composed), scope.env, _installed_versions(step, scope), servers)


def _is_for_its_own_job(command: CommandEvidence) -> bool:
    """Whether tests of other jobs are not to find what it does, as they may what is only installed besides."""
    starts = is_composed(command) or installed_server(command)
    return bool(command.keeps_to_a_version or command.name == "cp" or starts)


def _with_variables(command: CommandEvidence, known: Mapping[str, str]) -> CommandEvidence:
    """One that starts containers with what its step sets: it says which files tell of them, and stands in these."""
    return (
        replace(command, variables=tuple({**known, **dict(command.variables)}.items()))
        if is_composed(command)
        else command
    )


def _started_by_action(
    path: str, step: Node, scope: Scope
) -> tuple[tuple[CommandEvidence, ...], tuple[Service | str, ...]]:
    node = step.mapping.get("uses")
    if node is None:
        return (), ()
    inputs = {name: _in_shell(scope.resolve(value) or "", scope.env) for name, value in inputs_of(step).items()}
    used = text_of(node), inputs, f"{path}:{node.line}"
    found = server_of_action(*used)
    return compose_of_action(*used), (found,) if found else ()


def _in_shell(text: str, known: Mapping[str, str]) -> str:
    """As an action's own script has it, which starts a server by what it is given: ``$POSTGRES_DB``."""
    return _VARIABLE.sub(lambda use: known.get(use[1] or use[2], use[0]), text)


def _commands(path: str, step: Node, scope: Scope, directory: str | None) -> Iterator[CommandEvidence]:
    node = step.mapping.get("run") or step.mapping.get("uses")
    text = text_of(step.mapping.get("run")) or script_of_action(text_of(node), inputs_of(step))
    if node is not None and directory is not None and not _IN_PYTHON.match(text_of(step.mapping.get("shell"))):
        script = "\n".join(map(scope.resolve_in_part, text.split("\n")))
        yield from commands_of(script, directory, path, node.line + ("\n" in text), scope.env)


def inputs_of(step: Node) -> dict[str, str]:
    given = step.mapping.get("with")
    return {name: text_of(value) for name, value in given.mapping.items()} if given else {}


def _installed_versions(step: Node, scope: Scope) -> dict[str, tuple[str, ...]]:
    action = text_of(step.mapping.get("uses")).partition("@")[0].rpartition("/")[2]
    language, key = _ACTIONS.get(action, ("", ""))
    node = node_at(step, "with", key)
    if node is None or not language:
        return {}
    texts = [text_of(item) for item in node.items] or text_of(node).split("\n")
    return {language: tuple(value for text in texts if text for value in scope.values(text))}


def below_root(path: str) -> str | None:
    return None if path.startswith("/") or ".." in path.split("/") else root_relative(path)
