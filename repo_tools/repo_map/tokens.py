"""How many tokens a text takes at most, for every tokenizer of a kind: a bound, not an estimate.

The tokenizers of current models are not public. Assumed is what byte-pair encodings over bytes have in common (Sennrich
et al. 2016, "Neural Machine Translation of Rare Words with Subword Units"): every byte is a token, and what stays apart
at the end are pieces of which no two neighbours could have been joined. Two neighbouring single bytes are therefore
never a pair that has a token of its own. Which pairs of small letters have one is assumed from four public vocabularies
of 50,000 to 200,000 tokens (o200k, cl100k, p50k and Claude 2): all but the `_RARE` ones, and a space with any of them.
`bound_tokens` is the most pieces that a text can be cut into under these two rules. Digits, capitals, punctuation, line
breaks and the bytes of other scripts count one token each.
"""

import re
from unicodedata import normalize

_RARE_GROUPS = """
bkqvwxz cgjqwx dgvwz ejo fhjkqvz gfjkqvwx hbcfgjkqvx jbdfghkmnqrtvwxyz kcdfpqvxz lghjkmqwxz mfhjqvwz nfhjkqx oq
pfjkqvwz qbcdefghjkmnoprvwxyz rjkpqvz sjxz tbjq uqw vbfhjknqwxz wcfgjqvz xghjklmnoqruvwz ybcfhjqvw zcdfgjkmpqrstvw
"""
_RARE = frozenset(group[0] + second for group in _RARE_GROUPS.split() for second in group[1:])
"""Pairs of small letters (``bk``, ``bq``, …) that at least one of the four has no token for."""

_LETTERS = "abcdefghijklmnopqrstuvwxyz"
_JOINED = {first: frozenset(s for s in _LETTERS if first + s not in _RARE) for first in f" {_LETTERS}"}
"""By the first byte of a pair that has a token, the second ones."""
_NOTHING: frozenset[str] = frozenset()
_SHORT_FORM = re.compile(r"'[a-z]{1,2}")
"""Tokenizers cut behind ``'s`` or ``'re``, whatever follows."""


def bound_tokens(text: str) -> int:
    """No tokenizer of this kind takes more. Of texts that end in a line break the bounds may be added up."""
    most = _most_pieces(text)
    return most if text.isascii() else max(most, _most_pieces(normalize("NFKC", text)))  # which some do first


def _most_pieces(text: str) -> int:
    """Byte by byte: the most pieces up to there, and the most of which the last is longer than a byte."""
    most, most_longer, most_before, joined = 0, 0, -1, _NOTHING
    for byte in _SHORT_FORM.sub(_apart, text).encode("utf-8", "replace").decode("latin-1"):
        alone = 1 + (most_longer if byte in joined else most)
        most_longer = 1 + most_before
        most_before, most = most, alone if alone > most_longer else most_longer  # as max, which takes twice as long
        joined = _JOINED.get(byte, _NOTHING)
    return most


def _apart(short_form: re.Match[str]) -> str:
    return "'" + "0" * (len(short_form[0]) - 1)
