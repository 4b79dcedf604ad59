"""C++ without macros that its grammar takes for something else, so that what stands around them is read."""

import re

_AROUND_A_TYPE = re.compile(rb"(\n[A-Z]\w*\()([^()\n;,\"]+)\)(?=[ \t]*[\w:]+[ \t]*\()")
_BEFORE_A_NAME = tuple(
    re.compile(rb"(%b[ \t]+)([A-Z][A-Z0-9_]*)(?=[ \t]+[\w:]+(?:[ \t]+final)?\s*[:{])" % keyword)
    for keyword in (b"class", b"struct")
)
"""One by one: what begins with a fixed text is found ten times as fast as what begins with either of two."""


def without_macros(content: bytes) -> bytes:
    """``API(int *) f()`` as ``int * f()``, ``class API Shop {`` as ``class Shop {``. Nothing moves."""
    content = _AROUND_A_TYPE.sub(lambda found: b"\n".ljust(len(found[1])) + found[2] + b" ", content)
    for pattern in _BEFORE_A_NAME:
        content = pattern.sub(lambda found: found[1] + b" " * len(found[2]), content)
    return content
