"""The single commands of a script, in the order in which they stand. Pure."""

from collections.abc import Iterator

from repo_tools.environment.shell.syntax import (
    Body,
    Case,
    Command,
    Function,
    Group,
    If,
    Loop,
    Simple,
    Subshell,
)

_CONDITIONS = frozenset(("[", "[[", "test"))


def commands_of(body: Body) -> Iterator[Command]:
    """Those that stand in it itself, and not in one of these."""
    return (command for each in body for _, pipeline in each.items for command in pipeline.commands)


def programs_in(body: Body) -> Iterator[Simple]:
    """Those in blocks too; what stands in a substitution is a part of its word."""
    for command in commands_of(body):
        if isinstance(command, Simple):
            yield command
        for inner in _bodies_of(command):
            yield from programs_in(inner)


def is_condition(command: Command | None) -> bool:
    """Whether it only asks: ``[ -f a ]``, ``test -f a``."""
    return isinstance(command, Simple) and command.program in _CONDITIONS


def _bodies_of(command: Command) -> Iterator[Body]:
    """Of a block, in the order in which they stand."""
    match command:
        case Group(body=body) | Subshell(body=body) | Function(body=body):
            yield body
        case Loop(body=body, condition=condition):
            yield from (condition, body)
        case Case(branches=branches):
            yield from (body for _, body in branches)
        case If(branches=alternatives, otherwise=otherwise):
            yield from (body for both in alternatives for body in both)
            yield otherwise
