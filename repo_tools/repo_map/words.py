"""Words of code and prose, and the terms that they are found by. All on bytes: broken encodings have words too."""

import re
from array import array
from zlib import crc32

WORD = re.compile(rb"[A-Za-z_\x80-\xff][A-Za-z0-9_\x80-\xff]{1,60}")
_PART = re.compile(rb"[A-Z]+(?![a-z])|[A-Z]?[a-z\x80-\xff]+|[0-9]+")

_REMEMBERED = 1 << 16
"""Words whose terms a process remembers: more than most repositories have, about 15 MB."""


class _Terms(dict[bytes, tuple[int, ...]]):
    def __missing__(self, word: bytes) -> tuple[int, ...]:
        if len(self) >= _REMEMBERED:
            self.clear()
        found = self[word] = _terms(word)
        return found


terms = _Terms()
"""Word -> its terms, as 32-bit numbers: the word itself, then its parts (``HTTPServer``: ``http``, ``server``).
Case and a plural's last letter do not count."""


class _PackedTerms(dict[bytes, bytes]):
    def __missing__(self, word: bytes) -> bytes:
        if len(self) >= _REMEMBERED:
            self.clear()
        found = self[word] = array("I", _terms(word)).tobytes()
        return found


packed_terms = _PackedTerms()
"""The same terms, as they are stored: four bytes each."""


def exact(name: bytes) -> int:
    """The number of one identifier, as it is written."""
    return crc32(name)


def _terms(word: bytes) -> tuple[int, ...]:
    if word.islower() and word.isalpha():
        return (crc32(_singular(word)),)
    whole = crc32(_singular(word.lower()))
    parts = _PART.findall(word)
    if parts == [word]:
        return (whole,)
    return (whole, *[crc32(_singular(part.lower())) for part in parts if len(part) > 1])


def _singular(word: bytes) -> bytes:
    return word[:-1] if word[-1:] == b"s" and len(word) > 3 and word[-2:] != b"ss" else word
