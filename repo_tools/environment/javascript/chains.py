"""The commands of a script's one line. Pure."""

from collections.abc import Iterator
from dataclasses import replace

from repo_tools.environment.javascript.groups import alternatives, asks, ends_badly, ends_well, grouped, in_braces
from repo_tools.environment.javascript.pipes import that_count
from repo_tools.environment.shell.parse import parse
from repo_tools.environment.shell.syntax import (
    AndOr,
    Body,
    Case,
    Command,
    Group,
    If,
    Loop,
    Pipeline,
    Script,
    Subshell,
    Unreadable,
)
from repo_tools.environment.shell.text import of_body, of_pipeline, only_pipeline
from repo_tools.environment.shell.walk import programs_in

_Item = tuple[str, Pipeline]


def split_chain(text: str) -> list[str]:
    """The texts of `parts_of`."""
    return list(map(of_pipeline, parts_of(parse(text))))


def parts_of(script: Script) -> list[Pipeline]:
    """The commands of ``a && b``, each without what only shows its results (``| tap-spec``). In braces is what of it is
    not always carried out, or may fail (``{ a || b ; }``), or runs beside what follows (``{ a & }``); what a shell of
    its own does elsewhere is one too (``(cd a && b)``), and a block (``if a; then b; fi``). What is no shell: all of it
    as one."""
    return [_unreadable(script)] if script.problem else grouped(lists_in(script))


def as_part(text: str) -> Pipeline:
    """A single command, or what is no shell."""
    return only_pipeline(text) or _unreadable(parse(text))


def _unreadable(script: Script) -> Pipeline:
    return Pipeline(script.text, 0, (Unreadable(script.text, 0, script.problem),))


def every_command(text: str) -> list[str]:
    """Those of `split_chain`, and those in braces and blocks each by itself, without what is only asked or
    said, or ends a script that went wrong."""
    script = parse(text)
    return [text] if script.problem else list(_each(lists_in(script)))


def carried_out_in(part: Pipeline) -> list[Script]:
    """The chains of a group, or of a shell of its own, of which mostly one is carried out."""
    if inside := in_shell(part):
        return [_script(inside)]
    lists = opened(in_braces(part))
    return [_script((each,)) for each in alternatives(lists[0])] if len(lists) == 1 else [_script(lists)]


def _script(body: Body) -> Script:
    return Script(of_body(body), body)


def in_shell(part: Pipeline | None) -> Body:
    """What ``(a && b)`` carries out; nothing where it is something else."""
    command = part.alone if part else None
    return command.body if isinstance(command, Subshell) and not command.redirections else ()


def lists_in(script: Script) -> Body:
    """As `opened`; nothing where something in it is no shell."""
    return () if script.problem else opened(script.body)


def opened(body: Body) -> Body:
    """Without what only shows results, and as if there were no shell of its own; but where that goes elsewhere
    meanwhile, or is more than a chain among others."""
    lists = tuple(replace(each, items=tuple(_items(each))) for each in body)
    inside = _of_shell(lists[0].alone) if len(lists) == 1 and not lists[0].is_beside else ()
    return opened(inside) if inside else lists


def _items(each: AndOr) -> Iterator[_Item]:
    for operator, pipeline in each.items:
        counted = replace(pipeline, commands=that_count(pipeline.commands))
        chain = [] if operator == "||" else _chain_in(_of_shell(counted.alone))
        yield from ((inner or operator, one) for inner, one in chain or [("", counted)])


def _of_shell(command: Command | None) -> Body:
    """What a shell of its own carries out here; nothing where it is something else, or goes elsewhere."""
    match command:
        case Subshell(body=body, redirections=()) if all(each.program != "cd" for each in programs_in(body)):
            return body
    return ()


def _chain_in(body: Body) -> list[_Item]:
    items = list(_items(body[0])) if len(body) == 1 and not body[0].end else []
    return items if all(operator != "||" for operator, _ in items) else []


def _each(body: Body) -> Iterator[str]:
    for each in body:
        for operator, pipeline in each.items:
            inside = carried_out_by(pipeline.alone)
            for one in inside:
                yield from _each(opened(one))
            text = "" if inside or asks(pipeline) or ends_well(pipeline) else of_pipeline(pipeline)
            if text and not (operator == "||" and ends_badly(text)):
                yield text


def carried_out_by(command: Command | None) -> tuple[Body, ...]:
    """What a group or a block carries out, without what it asks."""
    match command:
        case Group(body=body) | Loop(body=body):
            return (body,)
        case Case(branches=branches):
            return tuple(body for _, body in branches)
        case If(branches=branches, otherwise=otherwise):
            return (*(body for _, body in branches), otherwise)
    return ()
