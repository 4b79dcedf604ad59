"""What a step of code and a query come to, and who runs them."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol

from repo_tools.changes import ChangeSet

LOST = "interpreter restarted, variables lost"
SQLITE_VARIABLES = {"SQLITE_TMPDIR": "/tmp"}  # noqa: S108 - inside of the box
"""Where SQLite sorts what does not fit into memory: by itself in /var/tmp, which is small in a box
(https://www.sqlite.org/tempfiles.html, section 5)."""
READING_SECONDS = 300.0
"""What files that became new or other may take to be read into tables."""


@dataclass(frozen=True)
class Step:
    """How one step of code ended. `output` is what it printed, the value of its last expression and its traceback, cut
    in the middle. `ended` says why the interpreter itself ended with this step, empty where it lives on. `missing`
    (path -> why): files of the work that the copy did not take."""

    output: str
    timed_out: bool = False
    restarted: bool = False  # what earlier steps had made was gone when this one began
    ended: str = ""
    missing: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Altered:
    """Paths of the copy, sorted: those that code `made` or altered, and those of the work that it `removed`."""

    made: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()


class Interpreter(Protocol):
    """Python that keeps its state from step to step, beside a copy of the work tree."""

    def run(self, code: str, change: ChangeSet, *, timeout_seconds: float) -> Step:
        """Run `code` where the copy holds base + `change`, but for what earlier steps made in it. Code that fails, or
        ends the interpreter, is a `Step`; SandboxError where no box can be had."""
        ...

    def altered(self) -> Altered:
        """In what the copy differs now from the work that was brought there last."""
        ...

    def read(self, path: str, *, max_bytes: int) -> bytes:
        """A file of the copy. OSError."""
        ...

    def leave(self, path: str) -> None:
        """What code made at `path` stays in the copy, although the work has no such file any more."""
        ...

    def close(self) -> None: ...


@dataclass(frozen=True)
class QueryResult:
    """Rows of a query as text, one line each, after a line of names."""

    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    more: bool = False  # there are rows beyond the bound
    doubts: tuple[str, ...] = ()  # whether the data was read as it was meant: said with the first rows of it


class Tables(Protocol):
    """Data that SQL can be asked of."""

    def query(
        self, query: str, *, max_rows: int, timeout_seconds: float, reading_seconds: float = READING_SECONDS
    ) -> QueryResult:
        """The first `max_rows` rows of one reading query, which may take `timeout_seconds` once the files are read in.
        QueryRefusedError."""
        ...


class QueryRefusedError(Exception):
    """The query cannot be answered; the text says why, and which tables there are."""
