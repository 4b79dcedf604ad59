"""What a shell makes of ``a || b``, ``a; b`` and ``a & b``, as groups that stand in a chain of ``&&``. Pure.

``a; b`` is ``{ a || true ; }`` and ``b``: b comes whatever becomes of a. ``a & b`` is ``{ a & }`` and ``b``: a server,
most of the time, that b's tests talk to.
"""

import re
from dataclasses import dataclass

CONDITIONS = ("[ ", "[[ ", "test ")
_ENDS_BADLY = re.compile(r"(?:exit(?: [1-9$].*)?|false)", re.DOTALL)
_WITH_BAD_END = re.compile(r"\bexit [1-9$]")
_ENDS_WELL = re.compile(r"(?:true|:|exit 0|(?:echo|printf|sleep)(?: .*)?)", re.DOTALL)
_THAT_ENDS_WELL = re.compile(
    r"(?:\|\||;)\s{0,9}(?:true|:|exit 0|(?:echo|printf) [^;|&(){}]{0,200})(?=\s{0,9}(?:[;)}]|\Z))"
)
_OF_THE_SHELL = re.compile(
    r"(?:cd|export|set|unset|source|\.|alias|shopt|ulimit|umask|trap|eval) .*|\w+=\S*", re.DOTALL
)
_GOES = re.compile(r"\(?cd .*", re.DOTALL)
_STOPS_AT_ONCE = re.compile(r"set -\w{0,9}e")


@dataclass
class AndOr:
    """``a && b || c``: its commands, each with the operator before it, and what it ends with."""

    commands: list[tuple[str, str]]
    end: str = ""


def and_or_lists(commands: list[tuple[str, str]]) -> list[AndOr]:
    """Of (command, operator behind it)."""
    found: list[AndOr] = []
    before = ";"
    for text, operator in commands:
        if before not in ("&&", "||"):
            found.append(AndOr([]))
        found[-1].commands.append((before, text))
        found[-1].end = before = operator
    return found


def grouped(lists: list[AndOr], *, is_flat: bool) -> list[str]:
    """The commands of one chain. `is_flat`: words of the shell stand around them (``if a; then b; fi``), so that
    they are left as they are."""
    waits = any(text == "wait" for each in lists for _, text in each.commands)
    stops = is_flat or any(_GOES.fullmatch(text) for each in lists for _, text in each.commands)
    parts: list[str] = []
    for index, each in enumerate(lists):
        chain = _chain(each, is_flat=is_flat)
        stops |= any(map(_STOPS_AT_ONCE.match, chain))
        of_shell = not chain[0].startswith(CONDITIONS) and any(map(_OF_THE_SHELL.fullmatch, chain))
        if each.end == "&" and not (is_flat or waits or of_shell):
            parts.append(f"{{ {' && '.join(chain)} & }}")
        elif each.end == ";" and index < len(lists) - 1 and not (stops or of_shell or _stops(each)):
            parts.append(_group(chain, "true"))
        else:
            parts += chain
    return parts


def _chain(each: AndOr, *, is_flat: bool) -> list[str]:
    chain: list[str] = []
    for operator, text in each.commands:
        if operator != "||" or not chain:
            chain.append(text)
            continue
        asked = [index for index, command in enumerate(chain) if command.startswith(CONDITIONS)]
        if is_flat and asked[-1:] != [len(chain) - 1]:
            chain.append(text)
        elif not _ends_badly(text):
            start = asked[-1] if asked else 0
            chain[start:] = [_group(chain[start:], text)]
    return chain


def _stops(each: AndOr) -> bool:
    """``a || exit 1``: nothing comes after it where a goes wrong. A shell of its own ends alone."""
    operator, text = each.commands[-1]
    return operator == "||" and text.startswith("exit") and _ends_badly(text)


def _ends_badly(text: str) -> bool:
    """``exit 1``, ``(cat log ; exit 1)``: what comes before has to go well all the same."""
    return bool(_ENDS_BADLY.fullmatch(text) or (text.startswith("(") and _WITH_BAD_END.search(text)))


def _group(chain: list[str], otherwise: str) -> str:
    if len(chain) == 1 and otherwise == "true" and chain[0].endswith(" || true ; }"):
        return chain[0]
    return f"{{ {' && '.join(chain)} || {otherwise} ; }}"


def strict(part: str) -> str:
    """``{ a || true ; }`` as a: of tests it counts whether they go well."""
    inside, _, otherwise = in_braces(part).removesuffix(" ;").rpartition(" || ")
    return _THAT_ENDS_WELL.sub("", inside if inside and _ENDS_WELL.fullmatch(otherwise) else part)


def in_braces(part: str) -> str:
    """What ``{ a || b ; }`` carries out."""
    return part[2:-2].strip() if part.startswith("{ ") and part.endswith(" }") else ""


def is_beside(part: str) -> bool:
    """Whether it is started, and what follows does not wait for it."""
    inside = in_braces(part)
    return inside.endswith("&") and not inside.endswith("&&")


def is_choice(part: str) -> bool:
    """Whether a condition decides what of it is carried out."""
    return in_braces(part).startswith(CONDITIONS)


def alternatives(lists: list[AndOr]) -> list[str]:
    """The chains of one and-or list, of which mostly one is carried out, without conditions and what tests nothing;
    none of several lists."""
    chains: list[list[str]] = [[]]
    for operator, text in lists[0].commands if len(lists) == 1 else ():
        chains += [[]] if operator == "||" else []
        chains[-1] += [] if text.startswith(CONDITIONS) else [text]
    return [" && ".join(chain) for chain in chains if not all(map(_ENDS_WELL.fullmatch, chain))]
