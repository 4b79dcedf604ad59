"""Runs inside a box with nothing but the standard library (Python 3.8 or later): reads a question, writes an answer."""

from __future__ import annotations

import codecs
import json
import os
import re
import sys
from typing import Any

try:
    from re import _parser as parser  # type: ignore[attr-defined]
except ImportError:  # before Python 3.11
    import sre_parse as parser

MAX_FILE_BYTES = 10_000_000
UTF_16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
ELLIPSIS = "\u2026"


def answer(question: dict[str, Any]) -> dict[str, Any]:
    try:
        pattern = re.compile(question["pattern"])
    except (re.error, OverflowError, RecursionError) as error:
        return {"problem": str(error)}
    return {"matches": find(pattern, question)}


def find(pattern: re.Pattern[str], question: dict[str, Any]) -> list[tuple[str, int, str]]:
    matches = []
    wanted = [[text.encode() for text in texts] for texts in needed_by(pattern)]
    for path in question["paths"]:
        for number, line in enumerate(lines_of(os.path.join(question["root"], path), wanted), 1):
            match = pattern.search(line)
            if match:
                matches.append((path, number, around(match, question["max_characters"])))
                if len(matches) == question["max_matches"]:
                    return matches
    return matches


def around(match: re.Match[str], most: int) -> str:
    """`most` characters of the line with the beginning of what matches, and an ellipsis where it goes on."""
    line, last = match.string, len(match.string) - most
    first = max(0, min(match.start() - most // 4, last))
    begin = ELLIPSIS if first else ""
    end = ELLIPSIS if first < last else ""
    return begin + line[first + len(begin) : first + most - len(end)] + end


def needed_by(pattern: re.Pattern[str]) -> list[tuple[str, ...]]:
    """Texts that stand in each line that matches: of each tuple at least one. A file without them is left out before
    it is cut into lines, which costs five times as much as reading it."""
    if pattern.flags & re.IGNORECASE:
        return []
    found = needed(parser.parse(pattern.pattern))
    return [texts for texts in found if all(text.isascii() and text.isprintable() for text in texts)]


def needed(parsed: Any) -> list[tuple[str, ...]]:
    found: list[tuple[str, ...]] = []
    run = ""
    for operator, argument in (*parsed, (None, None)):
        if str(operator) == "LITERAL":
            run += chr(argument)
            continue
        found += [(run,)] if run else []
        found += needed_inside(str(operator), argument)
        run = ""
    return found


def needed_inside(operator: str, argument: Any) -> list[tuple[str, ...]]:
    if operator == "SUBPATTERN":
        return [] if argument[1] & re.IGNORECASE else needed(argument[-1])
    if operator in ("MAX_REPEAT", "MIN_REPEAT"):
        return needed(argument[2]) if argument[0] else []
    if operator == "BRANCH":
        branches = [needed(branch) for branch in argument[1]]
        return [tuple(text for branch in branches for text in branch[0])] if all(branches) else []
    return []


def lines_of(path: str, wanted: list[list[bytes]]) -> list[str]:
    """Lines of a text file without their ends and its byte order mark; none for what is no regular file, is binary,
    cannot be read, or lacks what is `wanted`."""
    try:
        flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK
        with open(os.open(os.fsencode(path), flags), "rb") as file:
            content = file.read(MAX_FILE_BYTES)
    except OSError:
        return []
    if content[:2] in UTF_16:
        return cut(content.decode("utf-16", "replace"))
    if not content or not all(any(text in content for text in texts) for texts in wanted) or b"\0" in content[:8000]:
        return []
    return cut(as_text(content))


def as_text(content: bytes) -> str:
    """Where it is not UTF-8, in the encoding in which `read_file` shows it. Its last character may be cut."""
    for encoding in ("utf-8-sig", "cp1252"):
        try:
            return codecs.getincrementaldecoder(encoding)().decode(content)
        except UnicodeDecodeError:
            continue
    return content.decode("latin-1")


def cut(text: str) -> list[str]:
    return text.replace("\r\n", "\n").split("\n")


json.dump(answer(json.load(sys.stdin)), sys.stdout)
