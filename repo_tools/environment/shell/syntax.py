"""The tree of a shell script. Pure values.

After https://pubs.opengroup.org/onlinepubs/9799919799/utilities/V3_chap02.html, with what bash adds and repositories
use. Each node knows its `text`, as it is written, and the `line` that it begins in, from 0.
"""

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Plain:
    """`value`: without its quotes and escapes."""

    text: str
    value: str
    is_quoted: bool = False


@dataclass(frozen=True, slots=True)
class Variable:
    """``$NAME``, ``${NAME}``, ``${NAME:-default}``, ``$1``, ``$@``. `default` is None where none is given."""

    text: str
    name: str
    default: "Word | None" = None
    is_quoted: bool = False


@dataclass(frozen=True, slots=True)
class Substitution:
    """``$(…)`` and backticks, what they say."""

    text: str
    script: "Script"
    is_quoted: bool = False


@dataclass(frozen=True, slots=True)
class Other:
    """What takes a run to know: ``$((1 + 1))``, ``${NAME%.py}``, the file of ``<(…)``, ``${{ matrix.os }}``, a NUL in
    its place."""

    text: str
    is_quoted: bool = False


Part = Plain | Variable | Substitution | Other


@dataclass(frozen=True, slots=True)
class Word:
    text: str
    parts: tuple[Part, ...] = ()

    @property
    def value(self) -> str | None:
        """What it is; None where that takes a run to know. Patterns stand as they are."""
        return self.with_values(lambda _: None)

    def with_values(self, known: Callable[[Part], str | None]) -> str | None:
        """As `value`, where `known` tells what stands for a part that is not plain."""
        values = [part.value if isinstance(part, Plain) else known(part) for part in self.parts]
        return None if None in values else "".join(filter(None, values))


@dataclass(frozen=True, slots=True)
class Assignment:
    """``NAME=value``; `value` is None for a list (``NAME=(a b)``)."""

    text: str
    name: str
    value: Word | None
    adds: bool = False


@dataclass(frozen=True, slots=True)
class Redirection:
    """`descriptor` is empty where none is written. `target`: a file, a descriptor or, behind ``<<<``, what is read; of
    a here-document the word that ends it, and `document` what stands before that, if it ends."""

    text: str
    operator: str
    target: Word
    descriptor: str = ""
    document: str | None = None


@dataclass(frozen=True, slots=True)
class Simple:
    """A program and its words. ``[[ … ]]`` is one, with the operators inside among its words."""

    text: str
    line: int
    assignments: tuple[Assignment, ...] = ()
    words: tuple[Word, ...] = ()
    redirections: tuple[Redirection, ...] = ()

    @property
    def program(self) -> str:
        """As it is written; empty where it only sets variables."""
        return self.words[0].text if self.words else ""


@dataclass(frozen=True, slots=True)
class Subshell:
    """``( … )``: what it changes ends with it."""

    text: str
    line: int
    body: "Body"
    redirections: tuple[Redirection, ...] = ()


@dataclass(frozen=True, slots=True)
class Group:
    """``{ …; }``"""

    text: str
    line: int
    body: "Body"
    redirections: tuple[Redirection, ...] = ()


@dataclass(frozen=True, slots=True)
class If:
    """`branches`: (condition, what is done then), of ``if`` and each ``elif``."""

    text: str
    line: int
    branches: tuple[tuple["Body", "Body"], ...]
    otherwise: "Body" = ()
    redirections: tuple[Redirection, ...] = ()


@dataclass(frozen=True, slots=True)
class Loop:
    """`keyword`: ``for``, ``select``, ``while`` or ``until``. A ``for`` has a `name` and `words`, None where it goes
    over the arguments, or neither (``for ((…))``); the last two have a `condition`."""

    text: str
    line: int
    keyword: str
    body: "Body"
    name: str = ""
    words: tuple[Word, ...] | None = None
    condition: "Body" = ()
    redirections: tuple[Redirection, ...] = ()


@dataclass(frozen=True, slots=True)
class Case:
    """`branches`: (patterns, what is done then)."""

    text: str
    line: int
    word: Word
    branches: tuple[tuple[tuple[Word, ...], "Body"], ...]
    redirections: tuple[Redirection, ...] = ()


@dataclass(frozen=True, slots=True)
class Function:
    text: str
    line: int
    name: str
    body: "Body"


@dataclass(frozen=True, slots=True)
class Unreadable:
    """What is no shell: the rest of a line or, where a block begins that does not end, of the script."""

    text: str
    line: int
    why: str


Command = Simple | Subshell | Group | If | Loop | Case | Function | Unreadable


@dataclass(frozen=True, slots=True)
class Pipeline:
    """``a | b``; most are of one command. `is_negated`: ``! a``."""

    text: str
    line: int
    commands: tuple[Command, ...]
    is_negated: bool = False

    @property
    def alone(self) -> Command | None:
        """What it is, where it is one command and no more."""
        return self.commands[0] if len(self.commands) == 1 and not self.is_negated else None


@dataclass(frozen=True, slots=True)
class AndOr:
    """``a && b || c``: each with the operator before it, empty before the first. `end`: what it ends with, ``;`` or
    ``&``, or empty at the end of a line."""

    text: str
    line: int
    items: tuple[tuple[str, Pipeline], ...]
    end: str = ""

    @property
    def is_beside(self) -> bool:
        """Whether what follows does not wait for it."""
        return self.end == "&"

    @property
    def alone(self) -> Command | None:
        """What it is, where it is one command and no more."""
        return self.items[0][1].alone if len(self.items) == 1 else None


Body = tuple[AndOr, ...]


@dataclass(frozen=True, slots=True)
class Script:
    """`problem`: why something in it could not be read, the first time; empty where all of it could."""

    text: str
    body: Body
    problem: str = ""
