"""In which encoding a file is text: what is shown and edited goes back as it came."""

import codecs
import re
from collections.abc import Iterator

UTF_8 = "utf-8"
_MARKED = {codecs.BOM_UTF16_LE: ("utf-16-le",), codecs.BOM_UTF16_BE: ("utf-16-be",)}
_OTHERS = ("cp1252", "latin-1")
"""A byte is a character in these: whatever the encoding is in fact, what is not edited stays as it is."""
_NO_TEXT = re.compile(rb"[\x00-\x08\x0e-\x1a\x1c-\x1f]")


def as_text(content: bytes, is_cut: bool = False) -> tuple[str, str]:
    """With the encoding: UTF-8, UTF-16 with a mark, or else one that takes these bytes. Both empty where they are no
    text. A cut may go through the middle of a character."""
    for encoding in _possible(content):
        try:
            text = codecs.getincrementaldecoder(encoding)().decode(content, final=not is_cut)
        except UnicodeDecodeError:
            continue
        return ("", "") if "\0" in text else (text, encoding)
    return "", ""


def _possible(content: bytes) -> Iterator[str]:
    yield UTF_8
    yield from _MARKED.get(content[:2]) or (() if _NO_TEXT.search(content) else _OTHERS)
