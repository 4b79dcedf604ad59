"""The single commands of a script, with what has to be so that they are carried out. Pure."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import Flag, auto

from repo_tools.environment.shell.syntax import (
    AndOr,
    Body,
    Case,
    Command,
    Function,
    Group,
    If,
    Loop,
    Simple,
    Subshell,
    Unreadable,
)

_CONDITIONS = frozenset(("[", "[[", "test"))


class When(Flag):
    """What a command's being carried out depends on; nothing of it (`ALWAYS`): it is carried out."""

    ALWAYS = 0
    AFTER_SUCCESS = auto()
    """Those before it in its list went well: ``a && b``."""
    AFTER_FAILURE = auto()
    """``a || b``"""
    ON_CONDITION = auto()
    """Of an ``if``, a ``case``, or what is asked in front of it (``[ -f a ] && b``)."""
    IN_LOOP = auto()
    IN_FUNCTION = auto()
    """Somebody calls it."""


@dataclass(frozen=True, slots=True)
class Placed:
    """`shells`: how many shells of their own it is in; `is_beside`: nothing waits for it; `is_asked`: an ``if`` or a
    ``while`` goes by how it ends; `is_fed`: it reads what another command says (``a | b``), and `feeds` one."""

    command: Simple | Unreadable
    when: When = When.ALWAYS
    shells: int = 0
    is_beside: bool = False
    is_asked: bool = False
    is_fed: bool = False
    feeds: bool = False


def commands_in(body: Body) -> Iterator[Placed]:
    """In the order in which they stand; those of a substitution are a part of its word."""
    return _of_body(body, Placed(Simple("", 0)))


def programs_in(body: Body) -> Iterator[Simple]:
    """As `commands_in`, without their places."""
    return (placed.command for placed in commands_in(body) if isinstance(placed.command, Simple))


def commands_of(body: Body) -> Iterator[Command]:
    """Those that stand in it itself, and not in one of these."""
    return (command for each in body for _, pipeline in each.items for command in pipeline.commands)


def is_condition(command: Command | None) -> bool:
    """Whether it only asks: ``[ -f a ]``, ``test -f a``."""
    return isinstance(command, Simple) and command.program in _CONDITIONS


def bodies_of(command: Command) -> Iterator[Body]:
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


def _of_body(body: Body, place: Placed) -> Iterator[Placed]:
    for each in body:
        yield from _of_list(each, place)


def _of_list(each: AndOr, place: Placed) -> Iterator[Placed]:
    when = place.when
    for operator, pipeline in each.items:
        when |= {"&&": When.AFTER_SUCCESS, "||": When.AFTER_FAILURE}.get(operator, When.ALWAYS)
        last = len(pipeline.commands) - 1
        for index, command in enumerate(pipeline.commands):
            here = replace(
                place,
                when=when,
                is_beside=place.is_beside or each.is_beside,
                is_fed=place.is_fed or index > 0,
                feeds=place.feeds or index < last,
            )
            yield from _of_command(command, here)
        if pipeline.is_negated or is_condition(pipeline.commands[-1]):
            when |= When.ON_CONDITION


def _of_command(command: Command, place: Placed) -> Iterator[Placed]:
    sometimes = place.when | When.ON_CONDITION
    match command:
        case Simple() | Unreadable():
            yield replace(place, command=command)
        case Group(body=body):
            yield from _of_body(body, place)
        case Subshell(body=body):
            yield from _of_body(body, replace(place, shells=place.shells + 1))
        case Function(body=body):
            yield from _of_body(body, replace(place, when=place.when | When.IN_FUNCTION))
        case Loop(body=body, condition=condition):
            yield from _of_body(condition, replace(place, is_asked=True))
            yield from _of_body(body, replace(place, when=place.when | When.IN_LOOP))
        case Case(branches=branches):
            for _, body in branches:
                yield from _of_body(body, replace(place, when=sometimes))
        case If(branches=alternatives, otherwise=otherwise):
            for index, (condition, body) in enumerate(alternatives):
                asked = replace(place, is_asked=True, when=sometimes if index else place.when)
                yield from _of_body(condition, asked)
                yield from _of_body(body, replace(place, when=sometimes))
            yield from _of_body(otherwise, replace(place, when=sometimes))
