"""Outputs made fit for a request: not too long, and text that can be sent."""

import re

from repo_tools.repo_map.plainly import plain_path

_NOT_UTF8 = re.compile("[\udc80-\udcff]")


def shorten(text: str, limit: int) -> str:
    """`text`, or its head and tail with a note of what was cut from the middle. `limit` is in characters; the note
    comes on top of it."""
    if len(text) <= limit:
        return text
    head, tail = text[: limit // 2], text[len(text) - (limit - limit // 2) :]
    cut = text[len(head) : len(text) - len(tail)]
    return f"{head}\n[… {len(cut)} characters, {cut.count(chr(10))} line ends cut here …]\n{tail}"


def sendable(text: str) -> str:
    """`text` with what no request or database takes written out: NUL, and bytes outside UTF-8, which stand in paths as
    surrogates."""
    return text.replace("\0", "\\x00").encode("utf-8", "backslashreplace").decode("utf-8")


def shown_path(path: str) -> str:
    """On one line: quoted as git does where it has characters that do not show. Bytes outside UTF-8 alone stay, for
    `sendable`."""
    return path if _NOT_UTF8.sub("", path).isprintable() else plain_path(path)
