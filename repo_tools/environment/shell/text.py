"""Trees as text in one line, with single blanks. Pure."""

from repo_tools.environment.shell.parse import parse
from repo_tools.environment.shell.syntax import (
    AndOr,
    Body,
    Command,
    Function,
    Group,
    If,
    Loop,
    Pipeline,
    Simple,
    Subshell,
    Unreadable,
)


def of_body(body: Body) -> str:
    last = len(body) - 1
    ends = (" &" if each.is_beside else " ;" if index < last else "" for index, each in enumerate(body))
    return " ".join(f"{of_list(each)}{end}" for each, end in zip(body, ends, strict=True))


def of_list(each: AndOr) -> str:
    return " ".join(f"{operator} {of_pipeline(pipeline)}".lstrip() for operator, pipeline in each.items)


def of_pipeline(pipeline: Pipeline) -> str:
    return "! " * pipeline.is_negated + " | ".join(map(of_command, pipeline.commands))


def of_command(command: Command) -> str:
    if isinstance(command, Function | Unreadable):
        return command.text
    told = _told(command)
    has_lines = any(each.document is not None for each in command.redirections)
    return command.text if has_lines or not told else " ".join((*told, *(each.text for each in command.redirections)))


def _told(command: Command) -> tuple[str, ...]:
    """Without redirections; empty where it stays as it is written."""
    match command:
        case Simple(program="[["):
            return ()
        case Simple(assignments=assignments, words=words):
            return (*(each.text for each in assignments), *(word.text for word in words))
        case Subshell(body=body):
            inside = of_body(body)
            return (f"( {inside})" if inside.startswith("(") else f"({inside})",)  # `((` begins a sum
        case Group(body=body):
            return ("{", _closed(body), "}")
        case If(branches=branches, otherwise=otherwise):
            told = (f"if {_closed(condition)} then {_closed(body)}" for condition, body in branches)
            return (" el".join(told), *(("else", _closed(otherwise)) if otherwise else ()), "fi")
        case Loop(condition=condition, body=body) if condition:
            return (command.keyword, _closed(condition), "do", _closed(body), "done")
        case Loop(words=words, body=body) if words is not None:
            return (command.keyword, command.name, "in", *(word.text for word in words), "; do", _closed(body), "done")
    return ()


def _closed(body: Body) -> str:
    return of_body(body) + ("" if body and body[-1].is_beside else " ;")


def only_pipeline(text: str) -> Pipeline | None:
    """What is all of `text`; None where it has an end (``a &``), or is more or less."""
    script = parse(text)
    items = script.body[0].items if len(script.body) == 1 and not (script.problem or script.body[0].end) else ()
    return items[0][1] if len(items) == 1 else None


def only_command(text: str) -> Command | None:
    """As `only_pipeline`, of one command."""
    pipeline = only_pipeline(text)
    return pipeline.alone if pipeline else None
