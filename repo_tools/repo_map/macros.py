"""Code without macros, and a few other words, that its grammar takes for something else, so that what stands in and
around them is read."""

import re
from collections.abc import Callable

_AROUND_A_TYPE = rb"(\n[A-Z]\w*\()([^()\n;,\"]+)\)(?=[ \t]*[\w:]+[ \t]*\()"
_BEFORE_A_NAME = tuple(
    rb"(%b[ \t]+)([A-Z][A-Z0-9_]*)(?=[ \t]+[\w:]+(?:[ \t]+final)?\s*[:{])" % keyword
    for keyword in (b"class", b"struct")
)
"""One by one: what begins with a fixed text is found ten times as fast as what begins with either of two."""

_BEFORE_ITEMS = (
    rb"(?m)^(?<!\\\n)(?<!\\\r\n)[ \t]*+[A-Z][A-Z0-9_]{2,}+"
    rb"(?=(?:\s++|//[^\n]*+|[A-Z][A-Z0-9_]{2,}+(?=\s)){1,20}+(?:template|namespace|class|struct|enum|inline|constexpr)\b)"
)
"""``A_EXPORT template``, and ``A_BEGIN_NAMESPACE`` on a line of its own; not what a macro ends with."""

_AROUND_ITEMS = (
    rb"(?m)^([ \t]*+)((?!quote|parse_quote)[a-z_][\w:]*+![ \t]*)\{"
    rb"(?=(?:\s++|//[^\n]*+\n|#!?\[[^\n]*+\n)*+"
    rb"(?:pub|fn|struct|enum|union|impl|mod|use|trait|type|const|static|unsafe|async|extern|macro_rules)\b)"
)
"""Of Rust: ``cfg_net! {``, ``pin_project! {`` before items. What a macro quotes is no item of this file."""

_HOLDS_ITEMS = b"extern"
"""What may stand before items in brackets, wherever an item may."""

_ATTRIBUTE = (
    rb"\b(?:class|for|in|default|new|if|else|do|try|this|var|case|with|import|export|extends|super|typeof|void)"
    rb"(?==[\"'{])"
)
"""Of JSX, where it is a reserved word."""

_CALL_SIGNATURE = rb"\n[ \t]*[ \t](?=<(?:[A-Z]\w*[ ,>]|const |\r?\n))"
_ENDS_A_MEMBER = rb"(?:[\w)\]}'\"`]|(?<!=)>)\Z"
_COMMENTS = (b"//", b"/*", b"*")
_LOOKED_BACK, _LINES_BACK = 1_000, 30
"""Bytes, and line breaks, in which the line is looked for that a member of a type stands on, before another one."""


def without_macros(language: str, content: bytes) -> bytes:
    """Nothing moves. C++: ``API(int *) f()`` as ``int * f()``, ``class API Shop {`` as ``class Shop {``. Rust:
    ``cfg_net! { struct Shop; }`` as ``extern   { struct Shop; }``. JSX: ``<p class="a">`` as ``<p CLASS="a">``.
    TypeScript: a ``;`` between members of a type that only a line break parts, before one that begins with ``<``."""
    return _WITHOUT[language](content) if language in _WITHOUT else content


def _of_cpp(content: bytes) -> bytes:
    content = re.sub(_AROUND_A_TYPE, lambda found: b"\n".ljust(len(found[1])) + found[2] + b" ", content)
    content = re.sub(_BEFORE_ITEMS, lambda found: b" " * len(found[0]), content)
    for pattern in _BEFORE_A_NAME:
        content = re.sub(pattern, lambda found: found[1] + b" " * len(found[2]), content)
    return content


def _of_rust(content: bytes) -> bytes:
    return re.sub(_AROUND_ITEMS, _as_items, content)


def _as_items(found: re.Match[bytes]) -> bytes:
    name = found[2]
    return found[1] + (_HOLDS_ITEMS if len(name) >= len(_HOLDS_ITEMS) else b"").ljust(len(name)) + b"{"


def _of_javascript(content: bytes) -> bytes:
    has_markup = b"</" in content or b"/>" in content
    return re.sub(_ATTRIBUTE, lambda found: found[0].upper(), content) if has_markup else content


def _of_typescript(content: bytes) -> bytes:
    return re.sub(_CALL_SIGNATURE, _as_member, content)


def _as_member(found: re.Match[bytes]) -> bytes:
    before = found.string[max(found.start() - _LOOKED_BACK, 0) : found.start()].rsplit(b"\n", _LINES_BACK)
    lines = (line for line in map(bytes.strip, reversed(before)) if line and not line.startswith(_COMMENTS))
    return found[0][:-1] + b";" if re.search(_ENDS_A_MEMBER, next(lines, b"")) else found[0]


_WITHOUT: dict[str, Callable[[bytes], bytes]] = {
    "cpp": _of_cpp,
    "rust": _of_rust,
    "javascript": _of_javascript,
    "typescript": _of_typescript,
}
