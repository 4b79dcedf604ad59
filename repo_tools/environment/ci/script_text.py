"""A shell script, cut into its lines and those into their parts. Pure.

Not by a grammar: what of a script counts here are its plain commands, and this takes a time in proportion to the
text on whatever a repository writes, in the worker's own process.
"""

import re
import shlex
from collections.abc import Iterator
from enum import Enum

MOST_LINES = 200
MAX_LINE_CHARACTERS = 1_000
SQL_CLIENTS = frozenset({"mysql", "mariadb", "psql"})
"""They do what stands in a file, or in a here-document, that they are given."""


class Bracket(Enum):
    """Where a shell in brackets begins and ends."""

    OPENS = "("
    CLOSES = ")"


_TOKEN = re.compile(r"""'[^']*'|"(?:[^"\\]|\\.)*"|&&|;|[()]|[^'"&;()]+|.""")
_HERE_DOCUMENT = re.compile(r"(?<!<)<<-?[ \t]{0,9}(['\"]?)([\w.-]+)\1")
_PROGRAM = re.compile(r"\s-[ce][ \t]{1,9}(['\"])$")
"""Of another language, in quotes that end where a line begins with the other one (``python -c "``)."""
_BRACE = re.compile(r"\{\s+|\}$")


def lines_of(script: str) -> Iterator[tuple[int, str]]:
    """(number from 0, line), with those that a backslash carries on put together; comments, here-documents (but for
    those of databases' clients, which stand among the words), programs in quotes and monsters left out."""
    kept, start, document_ends, quote = "", 0, "", ""
    reads, document = "", list[str]()
    for number, line in enumerate(script.split("\n")[:MOST_LINES]):
        if document_ends:
            if line.strip() != document_ends:
                document.append(line)
                continue
            if reads and sum(map(len, document)) <= MAX_LINE_CHARACTERS:
                yield start, f"{reads} {shlex.quote(chr(10).join(document))}"
            document_ends = ""
            continue
        if quote:
            quote = "" if line.lstrip().startswith(quote) else quote
            continue
        start = start if kept else number
        text = kept + line.strip()
        carries_on = text.endswith("\\")
        kept = text[:-1].rstrip() + " " if carries_on else ""
        if not carries_on and text and not text.startswith("#") and len(text) <= MAX_LINE_CHARACTERS:
            opened = _HERE_DOCUMENT.search(text)
            document_ends, document = opened[2] if opened else "", []
            is_for_client = opened and not text[opened.end() :].strip() and not SQL_CLIENTS.isdisjoint(text.split())
            reads = text[: opened.start()].rstrip() if opened and is_for_client else ""
            if not reads:
                yield start, text
            quote = begun[1] if (begun := _PROGRAM.search(text)) else ""


def parts_of(line: str, open_shells: int = 0) -> Iterator[str | Bracket]:
    """What stands between ``&&`` and ``;`` outside of quotes, and the brackets of shells, of which `open_shells` are
    open before. Braces that only hold commands together fall away."""
    part, nested = "", 0
    for piece in [*_TOKEN.findall(line), ";"]:
        begins = piece == "(" and not part.strip()
        ends = piece == ")" and not nested and open_shells > 0
        if not (begins or ends or (piece in ("&&", ";") and not nested)):
            nested += (piece == "(") - (piece == ")" and nested > 0)
            part += piece
            continue
        yield part[found.end() :] if (found := _BRACE.match(part := part.strip())) else part
        part = ""
        if begins or ends:
            open_shells += 1 if begins else -1
            yield Bracket(piece)
