"""Text of a repository's own choosing, so that it stays in its place and says nothing to a terminal."""

import re

_ESCAPES = {"\a": "\\a", "\b": "\\b", "\t": "\\t", "\n": "\\n", "\v": "\\v", "\f": "\\f", "\r": "\\r"}
_QUOTED = {'"': '\\"', "\\": "\\\\"}
_NO_UTF8 = "[\ud800-\udfff]"
_UNSEEN = "[\0-\x08\x0e-\x1b\x7f-\x84\x86-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]"
"""Control characters that are no white space, marks of writing direction and the byte order mark."""


def plain_path(path: str) -> str:
    """In quotes where it has characters that do not show, which are written as git does (git-config(1),
    core.quotePath)."""
    return path if path.isprintable() else _in_quotes(path)


def carried_path(path: str) -> str:
    """For a program: as it is, or, where it is no UTF-8, or begins with a quote itself, in quotes as git writes it."""
    return _in_quotes(path) if path.startswith('"') or re.search(_NO_UTF8, path) else path


def plain_text(text: str) -> str:
    """Without what does not show; white space stays."""
    return text if text.isascii() and text.isprintable() else re.sub(_UNSEEN, "", text)


def _in_quotes(path: str) -> str:
    return f'"{"".join(map(_plain, path))}"'


def _plain(character: str) -> str:
    if character in _ESCAPES:
        return _ESCAPES[character]
    if character.isprintable():
        return _QUOTED.get(character, character)
    return "".join(f"\\{byte:03o}" for byte in character.encode("utf-8", "surrogateescape"))
