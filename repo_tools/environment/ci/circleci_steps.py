"""The steps of a job of CircleCI, and each of them as one of a workflow of GitHub that does the same. Pure."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from posixpath import join, normpath, relpath

from repo_tools.environment.ci.circleci_file import Arguments, defaults_of, given_to, holds, nodes_of, said
from repo_tools.environment.ci.merges import merged
from repo_tools.environment.ci.steps import MOST_STEPS
from repo_tools.environment.ci.told_jobs import step_of, that_hold_here
from repo_tools.environment.ci.values import text_of
from repo_tools.environment.folders import is_below
from repo_tools.sandbox.contract import WORKSPACE
from repo_tools.yaml_text import Node

_MOST_DEEP = 6
_MOST_UNFOLDED = 1_000
"""Of a whole file: each command may use others many times."""
_AT_HOME = re.compile(r"(?:\$HOME|\$\{HOME\}|/root|/home/\w{1,40})(?=/|$)")
_OTHER_FOLDER = "/elsewhere"
_OF_ORBS: Mapping[tuple[str, str], str] = {
    ("circleci/go", "test"): "go test ./...",
    ("circleci/ruby", "rspec-test"): "bundle exec rspec",
}
"""https://circleci.com/developer/orbs"""

_MOST_VARIABLES = 30
"""Of each step."""
_MOST_CHARACTERS = 300_000
"""Of all that its steps run: with commands and aliases, a file says more than it holds."""

Leaf = tuple[str, Node, Arguments]
"""A step that stands for no others: its name, what is told to it, and what is in force there."""


@dataclass
class Unfolding:
    """`commands` of the file, and `known` in all of it; `orbs`: what they are called there -> whose they are."""

    commands: Mapping[str, Node]
    orbs: Mapping[str, str]
    known: Arguments
    left: int = _MOST_UNFOLDED
    characters: int = _MOST_CHARACTERS

    def leaves(self, steps: Iterable[Node], arguments: Arguments, deep: int = _MOST_DEEP) -> Iterator[Leaf]:
        for step in islice(steps, MOST_STEPS):
            self.left -= 1
            if self.left < 0 or not deep:
                return
            if inner := nodes_of(step, arguments):
                yield from self.leaves(inner, arguments, deep - 1)
            else:
                name, told = next(iter(merged(step).mapping.items()), (text_of(step), step))
                yield from self._of_step(name, merged(told), arguments, deep - 1)

    def _of_step(self, name: str, told: Node, arguments: Arguments, deep: int) -> Iterator[Leaf]:
        steps = told.mapping.get("steps")
        if name in ("when", "unless"):
            if steps and holds(told.mapping.get("condition"), arguments) is (name == "when"):
                yield from self.leaves(nodes_of(steps, arguments), arguments, deep)
        elif name in self.commands:
            command = merged(self.commands[name])
            own = {**self.known, **defaults_of(command), **given_to(told.mapping, arguments)}
            steps = command.mapping.get("steps")
            yield from self.leaves(nodes_of(steps, own) if steps else (), own, deep)
        else:
            yield name, told, arguments

    def script_of(self, step: str) -> str:
        """What a step of a known orb runs; empty for all others."""
        orb, _, command = step.partition("/")
        return _OF_ORBS.get((self.orbs.get(orb, ""), command), "")


@dataclass(frozen=True)
class Place:
    """`root`: where the work tree is on that machine (``~/repo``), `here`: where steps start in it, root-relative."""

    root: str
    here: str = ""

    def folder(self, path: str) -> str:
        """`path` as the step of a workflow names it."""
        there = absolute(path, join(self.root, self.here))
        return relpath(there, self.root) if is_below(there, self.root) else _OTHER_FOLDER

    def written(self, script: str) -> str:
        """With the root as it is called here."""
        home = r"(?:~|\$HOME|\$\{HOME\}|/root|/home/\w{1,40})/"
        root = home + re.escape(self.root[2:]) if self.root.startswith("~/") else re.escape(self.root)
        return re.sub(rf"(?<![\w/.-]){root}(?![\w.-])", WORKSPACE, script) if len(self.root) > 1 else script


def absolute(path: str, directory: str) -> str:
    """Without dots, and with ``~`` for the home of whoever it is there."""
    path = _AT_HOME.sub("~", path)
    return normpath(path if path.startswith("~") else join(directory, path))


def place_of(leaves: Iterable[Leaf], directory: str) -> Place:
    """`directory`: in which the job starts; the work tree is there, unless a step puts it somewhere else."""
    start = absolute(directory, "~")
    put = {name: (told, arguments) for name, told, arguments in reversed(list(leaves))}
    told, arguments = put.get("checkout") or put.get("attach_workspace") or (None, {})
    key = "path" if "checkout" in put else "at"
    root = absolute(said(told.mapping.get(key), arguments) or ".", start) if told else start
    if "checkout" not in put and not is_below(start, root):
        root = start
    return Place(root, relpath(start, root) if is_below(start, root) and start != root else "")


def run_in(place: Place, leaf: Leaf, unfolding: Unfolding) -> Node | None:
    """`leaf` as a step of GitHub's; None where nothing is run that may be told of."""
    name, told, arguments = leaf
    script = unfolding.script_of(name)
    command = (told.mapping.get("command") or told) if name == "run" else told
    if name == "run" and said(told.mapping.get("when"), arguments) != "on_fail":
        script = said(command, arguments)
    unfolding.characters -= len(script)
    if not script or unfolding.characters < 0:
        return None
    folder = said(told.mapping.get("working_directory"), arguments)
    return step_of(
        place.written(script), command.line, place.folder(folder) if folder else "", variables_in(told, arguments)
    )


def variables_in(owner: Node | None, arguments: Arguments) -> dict[str, str]:
    """Its `environment`, as far as it holds on another machine too."""
    return that_hold_here(variables_at(owner, arguments))


def variables_at(owner: Node | None, arguments: Arguments) -> dict[str, str]:
    """Its `environment`, a mapping or a list of such, as far as it is known without a shell and a run."""
    node = merged(owner).mapping.get("environment") if owner else None
    found = islice(_pairs(node, arguments), _MOST_VARIABLES) if node else ()
    return {name: value for name, value in found if "$" not in value}


def _pairs(node: Node, arguments: Arguments) -> Iterator[tuple[str, str]]:
    for each in map(merged, (node, *node.items)):
        yield from ((name, said(value, arguments)) for name, value in each.mapping.items())
        name, equals, value = said(each, arguments).partition("=")
        if equals:
            yield name, value
