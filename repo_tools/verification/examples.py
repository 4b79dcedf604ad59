"""Examples in documentation that a suite runs. They stand in the product, so that a change words them itself. Pure.

https://docs.python.org/3/library/doctest.html, https://doc.rust-lang.org/rustdoc/write-documentation/documentation-tests.html
"""

import re
from collections import Counter

_PYTHON = re.compile(
    rb"^[ \t]*>>>.*(?:\n[ \t]*\.\.\.(?: .*)?)*(?:\n(?![ \t]*(?:>>>|\"\"\"|'''))[ \t]*\S.*)*", re.MULTILINE
)
"""What is typed, and what is to come of it: up to the next, an empty line or the string's end."""
_RUST = re.compile(rb"^[ \t]*//[/!] ?```.*\n(?:[ \t]*//[/!](?! ?```).*\n)*", re.MULTILINE)


def takes_examples_away(path: str, before: bytes, after: bytes) -> bool:
    """Whether one of the base's is no longer there as it was, but for white space."""
    pattern = _RUST if path.endswith(".rs") else _PYTHON
    return not _examples(pattern, before) <= _examples(pattern, after)


def _examples(pattern: re.Pattern[bytes], source: bytes) -> Counter[bytes]:
    return Counter(b" ".join(found[0].split()) for found in pattern.finditer(source))
