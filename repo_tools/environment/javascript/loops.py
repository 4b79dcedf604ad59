"""What stands under conditions and in loops of a script's shell. Pure."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace

from repo_tools.environment.javascript.chains import carried_out_by, lists_in, opened
from repo_tools.environment.javascript.groups import asks, ends_badly
from repo_tools.environment.javascript.words import quoted_words
from repo_tools.environment.runners.javascript_command import EACH_FILE
from repo_tools.environment.shell.syntax import (
    AndOr,
    Body,
    Case,
    Command,
    If,
    Loop,
    Pipeline,
    Script,
    Simple,
    Substitution,
    Variable,
    Word,
)
from repo_tools.environment.shell.text import of_pipeline
from repo_tools.environment.shell.walk import commands_of

_Files = Mapping[str, str]
"""Variables of loops -> the files that they stand for, as a shell has them."""
_USE = re.compile(r"(?P<quote>[\"']?)\$(?P<brace>\{)?(?P<name>\w{1,40})(?(brace)\})(?P=quote)(?!\S)")
_STARTS_NODE = re.compile(r"(?:\w+=\S* )*node\b")
_STARTS_MOCHA = re.compile(r"(?:^|(?<!run)\s|/)_?mocha\s")
_GOES_ON = re.compile(r"(?:continue|break|exit|return)(?: [\w$?]{1,9})?")


def without_loops(script: Script) -> Script:
    """``for f in test/*.js; do node $f; done`` as ``node test/*.js``, for a runner that takes file by file; what is
    only said of each file is not said."""
    if not any(isinstance(command, Loop) for command in commands_of(script.body)):
        return script
    return replace(script, body=tuple(replace(each, items=tuple(_without_loops(each))) for each in script.body))


def _without_loops(each: AndOr) -> Iterator[tuple[str, Pipeline]]:
    for operator, pipeline in each.items:
        plain = (_of_node(command) if isinstance(command, Loop) else command for command in pipeline.commands)
        yield operator, replace(pipeline, commands=tuple(plain))


def branches_of(script: Script) -> list[str]:
    """The commands of a script in which blocks of the shell stand, without these: ``if a; then b; else c; fi`` has b
    and c, and ``for f in test/*.js; do jest $f; done`` has ``jest test/*.js``, as one run; mocha is started for each
    file. What a loop asks of a file (``[ -f $f ] || continue``) is asked of one at a time, and so of none before all
    are run, those too that it leaves out. Empty where there are none."""
    body = lists_in(script)
    return list(_branches(body, {})) if any(map(_is_block, commands_of(body))) else []


def _branches(body: Body, files: _Files) -> Iterator[str]:
    for each in body:
        chain: list[str] = []
        is_asked = False
        for operator, pipeline in each.items:
            text = _with_files(of_pipeline(pipeline), files)
            if blocks := [command for command in pipeline.commands if _is_block(command)]:
                chain += [part for block in blocks for part in _inside(block, files)]
            elif operator == "||" and is_asked:
                chain[-1:] = [] if ends_badly(text) else [f"{{ {chain[-1]} || {text} ; }}"]
            elif not (files and (_GOES_ON.fullmatch(text) or _asks_of(pipeline, files))):
                chain.append(text)
            is_asked = bool(chain) and chain[-1] == text and asks(pipeline)
        yield from chain


def _is_block(command: Command) -> bool:
    return isinstance(command, If | Loop | Case)


def _inside(block: Command, files: _Files) -> Iterator[str]:
    if isinstance(block, Loop) and block.words:
        files = {**files, block.name: quoted_words(block.words)}
    for body in carried_out_by(block) if not isinstance(block, Case) else ():
        yield from _branches(opened(body), files)


def _asks_of(pipeline: Pipeline, files: _Files) -> bool:
    """Whether it is a condition on a loop's file."""
    words = pipeline.alone.words if asks(pipeline) and isinstance(pipeline.alone, Simple) else ()
    return any(part.name in files for word in words for part in word.parts if isinstance(part, Variable))


def _with_files(text: str, files: _Files) -> str:
    """With the files of loops in the place of their names; not for node, of which all but the first are arguments."""
    if _STARTS_NODE.match(text):
        return text
    filled = _USE.sub(lambda use: files.get(use["name"], use[0]), text)
    return f"{EACH_FILE} {filled}" if filled != text and _STARTS_MOCHA.search(text) else filled


def _of_node(loop: Loop) -> Command:
    """What it starts with its files, where it does no more."""
    items = [item for each in loop.body for item in each.items]
    kept = [pipeline for operator, pipeline in items if not (_says(pipeline) or _ends(operator, pipeline))]
    commands = [command for pipeline in kept for command in pipeline.commands]
    known = all(word.value is not None for word in loop.words or ())
    match commands:
        case [Simple(assignments=(), words=(program, *start, last), redirections=()) as one] if known and loop.words:
            is_each = program.text == "node" and _name_of(last) == loop.name
            return replace(one, words=(program, *start, *loop.words)) if is_each else loop
    return loop


def _says(pipeline: Pipeline) -> bool:
    match pipeline.alone:
        case Simple(words=words, redirections=()) as command:
            told = any(isinstance(part, Substitution) for word in words for part in word.parts)
            return command.program in ("echo", "printf") and not told
    return False


def _ends(operator: str, pipeline: Pipeline) -> bool:
    return operator == "||" and bool(_GOES_ON.fullmatch(of_pipeline(pipeline)))


def _name_of(word: Word) -> str:
    """Of the variable that it is; empty where it is another one."""
    parts = [part for part in word.parts if part.text]
    return parts[0].name if len(parts) == 1 and isinstance(parts[0], Variable) and not parts[0].default else ""
