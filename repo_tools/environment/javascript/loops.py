"""What stands under conditions and in loops of a script's shell. Pure."""

import re
from collections.abc import Iterator, Mapping

from repo_tools.environment.javascript.chains import carried_out_by, lists_in, opened
from repo_tools.environment.javascript.groups import asks, ends_badly
from repo_tools.environment.javascript.words import quoted_words
from repo_tools.environment.shell.syntax import (
    Body,
    Case,
    Command,
    If,
    Loop,
    Pipeline,
    Script,
    Simple,
    Variable,
)
from repo_tools.environment.shell.text import of_pipeline
from repo_tools.environment.shell.walk import commands_of

_Files = Mapping[str, str]
"""Variables of loops -> the files that they stand for, as a shell has them."""
_USE = re.compile(r"(?P<quote>[\"']?)\$(?P<brace>\{)?(?P<name>\w{1,40})(?(brace)\})(?P=quote)(?!\S)")
_STARTS_NODE = re.compile(r"(?:\w+=\S* )*node\b")
_GOES_ON = re.compile(r"(?:continue|break|exit|return)(?: [\w$?]{1,9})?")


def branches_of(script: Script) -> list[str]:
    """The commands of a script in which blocks of the shell stand, without these: ``if a; then b; else c; fi`` has b
    and c, and ``for f in test/*.js; do jest $f; done`` has ``jest test/*.js``, as one run. What a loop asks of a file
    (``[ -f $f ] || continue``) is asked of one at a time, and so of none before all are run, those too that it leaves
    out. Empty where there are none."""
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
    return _USE.sub(lambda use: files.get(use["name"], use[0]), text)
