"""What a shell makes of ``a || b``, ``a; b`` and ``a & b``, as groups that stand in a chain of ``&&``. Pure.

``a; b`` is ``{ a || true ; }`` and ``b``: b comes whatever becomes of a. ``a & b`` is ``{ a & }`` and ``b``: a server,
most of the time, that b's tests talk to.
"""

import re
from dataclasses import replace

from repo_tools.environment.shell.syntax import AndOr, Body, Group, Pipeline, Plain, Simple, Unreadable, Word
from repo_tools.environment.shell.text import of_body, of_list, of_pipeline, only_pipeline
from repo_tools.environment.shell.walk import commands_of, is_condition

_ENDS_BADLY = re.compile(r"(?:exit(?: [1-9$].*)?|false)", re.DOTALL)
_WITH_BAD_END = re.compile(r"\bexit [1-9$]")
_ENDS_WELL = re.compile(r"(?:true|:|exit 0|(?:echo|printf|sleep)(?: .*)?)", re.DOTALL)
_THAT_ENDS_WELL = re.compile(
    r"(?:\|\||;)\s{0,9}(?:true|:|exit 0|(?:echo|printf) [^;|&(){}]{0,200})(?=\s{0,9}(?:[;)}]|\Z))"
)
_OF_THE_SHELL = frozenset(
    ("", "cd", "export", "set", "unset", "source", ".", "alias", "shopt", "ulimit", "umask", "trap", "eval")
)
_STOPS_AT_ONCE = re.compile(r"set -\w{0,9}e")
_MOST_ALTERNATIVES = 20
"""Each is a group around those before it."""
_TRUE = Pipeline("true", 0, (Simple("true", 0, words=(Word("true", (Plain("true", "true"),)),)),))


def grouped(body: Body) -> list[Pipeline]:
    """The commands of one chain."""
    texts = [of_pipeline(pipeline) for each in body for _, pipeline in each.items]
    waits = "wait" in texts
    stops = any(text.startswith(("cd ", "(cd ")) for text in texts)
    parts: list[Pipeline] = []
    for index, each in enumerate(body):
        chain = _chain(each)
        stops |= any(_STOPS_AT_ONCE.match(of_pipeline(pipeline)) for pipeline in chain)
        of_shell = _changes_shell(each)
        if each.is_beside and not (waits or of_shell):
            parts.append(_braced(replace(in_turn(chain), end="&")))
        elif not each.is_beside and index < len(body) - 1 and not (stops or of_shell or _stops(each)):
            parts.append(_group(chain, _TRUE))
        else:
            parts += chain
    return parts


def _chain(each: AndOr) -> list[Pipeline]:
    if sum(operator == "||" for operator, _ in each.items) > _MOST_ALTERNATIVES:
        text = of_list(each)
        return [Pipeline(text, 0, (Unreadable(text, 0, "it is nested too deeply"),))]
    chain: list[Pipeline] = []
    start = 0
    for operator, pipeline in each.items:
        if operator != "||":
            start = len(chain) if asks(pipeline) else start
            chain.append(pipeline)
        elif not ends_badly(of_pipeline(pipeline)):
            chain[start:] = [_group(chain[start:], pipeline)]
            start = 0
    return chain


def _group(chain: list[Pipeline], otherwise: Pipeline) -> Pipeline:
    """As `chain` is where that goes well in any case."""
    if len(chain) == 1 and of_pipeline(otherwise) == "true" and of_pipeline(chain[0]).endswith(" || true ; }"):
        return chain[0]
    each = in_turn(chain)
    return _braced(replace(each, items=(*each.items, ("||", otherwise))))


def _braced(each: AndOr) -> Pipeline:
    return Pipeline("", 0, (Group("", 0, (each,)),))


def in_turn(chain: list[Pipeline]) -> AndOr:
    """``a && b``"""
    return AndOr("", 0, tuple(("&&" if index else "", pipeline) for index, pipeline in enumerate(chain)))


def asks(pipeline: Pipeline) -> bool:
    """Whether it is a condition, of what follows it."""
    return is_condition(pipeline.alone)


def _changes_shell(each: AndOr) -> bool:
    """Whether what comes after it is carried out otherwise, whatever is asked before."""
    simple = (command for command in commands_of((each,)) if isinstance(command, Simple))
    return not asks(each.items[0][1]) and any(each.program in _OF_THE_SHELL for each in simple)


def _stops(each: AndOr) -> bool:
    """``a || exit 1``: nothing comes after it where a goes wrong. A shell of its own ends alone."""
    operator, pipeline = each.items[-1]
    text = of_pipeline(pipeline)
    return operator == "||" and text.startswith("exit") and ends_badly(text)


def ends_badly(text: str) -> bool:
    """``exit 1``, ``(cat log ; exit 1)``: what comes before has to go well all the same."""
    return bool(_ENDS_BADLY.fullmatch(text) or (text.startswith("(") and _WITH_BAD_END.search(text)))


def ends_well(pipeline: Pipeline) -> bool:
    """Whether it tests nothing, and tells no more than that."""
    return bool(_ENDS_WELL.fullmatch(of_pipeline(pipeline)))


def strict(part: str) -> str:
    """``{ a || true ; }`` as a: of tests it counts whether they go well."""
    body = in_braces(only_pipeline(part))
    (*items, (operator, last)) = body[-1].items if body else (("", None),)
    if last and operator == "||" and ends_well(last):
        return of_body((*body[:-1], replace(body[-1], items=tuple(items))))
    return _THAT_ENDS_WELL.sub("", part)


def in_braces(part: Pipeline | None) -> Body:
    """What ``{ a || b ; }`` carries out; nothing where it is something else."""
    command = part.alone if part else None
    return command.body if isinstance(command, Group) and not command.redirections else ()


def is_beside(group: Body) -> bool:
    """Whether it is started, and what follows does not wait for it."""
    return bool(group) and group[-1].is_beside


def is_choice(group: Body) -> bool:
    """Whether a condition decides what of it is carried out."""
    return bool(group) and asks(group[0].items[0][1])


def alternatives(each: AndOr) -> list[AndOr]:
    """The chains of a list, of which mostly one is carried out, without conditions and what tests nothing."""
    chains: list[list[Pipeline]] = [[]]
    for operator, pipeline in each.items:
        chains += [[]] if operator == "||" else []
        chains[-1] += [] if asks(pipeline) else [pipeline]
    return [in_turn(chain) for chain in chains if not all(map(ends_well, chain))]
