"""In which encoding a file is text: what is shown and edited goes back as it came."""

import codecs
import re

UTF_8 = "utf-8"
_MARKED = {codecs.BOM_UTF16_LE: ("utf-16-le",), codecs.BOM_UTF16_BE: ("utf-16-be",)}
_OTHERS = ("cp1252", "latin-1")
"""A byte is a character in these: whatever the encoding is in fact, what is not edited stays as it is."""
_NO_TEXT = re.compile(rb"[\x00-\x08\x0e-\x1a\x1c-\x1f]")


def encoding_of(content: bytes) -> str:
    """UTF-8, UTF-16 with a mark, or else one that takes these bytes. Empty where they are no text."""
    if _reads(UTF_8, content):
        return "" if b"\0" in content else UTF_8
    others = _MARKED.get(content[:2]) or (() if _NO_TEXT.search(content) else _OTHERS)
    return next((encoding for encoding in others if _reads(encoding, content)), "")


def _reads(encoding: str, content: bytes) -> bool:
    try:
        content.decode(encoding)
    except UnicodeDecodeError:
        return False
    return True
