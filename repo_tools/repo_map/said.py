"""What is said of a definition: the first line of its docstring, or of the comment above it."""

import re
from collections.abc import Iterator

MOST_BYTES = 480
MOST_LINES = 40
"""So far above a definition its comment may begin."""

_QUOTES = frozenset({b'"', b"'", b"r", b"R", b"u", b"U"})
_DOCSTRING = re.compile(rb'\s*[rRuU]?(?:"""|\'\'\')\s*([^\n]*?)\s*(?:"""|\'\'\'|\n|$)')
_LINE_COMMENTS: dict[str, bytes | tuple[bytes, ...]] = {"ruby": b"#", "php": (b"//", b"#")}
_ATTRIBUTES: dict[str, bytes | tuple[bytes, ...]] = {
    "rust": b"#[",
    "php": b"#[",
    "cpp": (b"template", b"[["),
    "javascript": b"@",
    "typescript": b"@",
    "tsx": b"@",
}
"""Lines that may stand between a definition and its comment, where the grammar takes them for no part of it."""

_NESTED = rb"\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)"
_HAS_ITS_OWN = rb"(?:@[\w$.]+(?:%b)?[ \t]*)*[ \t][^@\s/]|.*[;{}][ \t]*(?://.*)?\Z" % _NESTED
"""An attribute whose line goes on with what it is of: neither belongs to the definition below."""

_MARKS = rb"(?:/\*[*!]*<?|\*+(?!/)|//[/!]*<?|#+)?[ \t]*((?:[^*]|\*(?!/))*)"
_DIRECTIVE = (
    rb"[a-z][\w-]*:[^\s:]|@\w|\{@|(?:nolint|NOLINT|noinspection)\b"
    rb"|(?:eslint|prettier|biome|istanbul|c8|v8|clang-format)[- ](?:ignore|disable|enable|env|off|on)\b"
)
_LEADING_TAG = rb"[@\\](?:brief|summary|description|desc)\b[ \t]*"
_REFERENCE = rb'<(?:see|seealso|paramref|typeparamref)[ \t]+\w+="([^"<>]*)"[ \t]*/>'
_TAG = rb"</?[A-Za-z][^<>]*>"
_LETTER = rb"[A-Za-z\x80-\xff]"


def docstring(content: bytes, body_start: int) -> bytes:
    """Python's: the first line of the text between three quotes at `body_start`; -1 where there is no body."""
    if body_start < 0 or content[body_start : body_start + 1] not in _QUOTES:
        return b""
    match = _DOCSTRING.match(content, body_start)
    return match[1] if match else b""


def comment_above(language: str, content: bytes, start: int) -> bytes:
    """The first line that says something, of the comment that ends on the line above `start` or above its attributes.
    What tools are told (`eslint-disable`, `go:embed`), rules of dashes and lines of tags alone say nothing."""
    said = b""
    for line, is_block in _comment_lines(language, content, start):
        said = _words(language, line) or said
        if is_block and said and line.startswith(b"/*"):
            break
    return said[:MOST_BYTES]


def _comment_lines(language: str, content: bytes, start: int) -> Iterator[tuple[bytes, bool]]:
    """From the last line to the first, each with whether it is one of a block."""
    comment, attributes = _LINE_COMMENTS.get(language, b"//"), _ATTRIBUTES.get(language, ())
    lines = _lines_above(content, start)
    for line in lines:
        if attributes and line.startswith(attributes):
            if re.match(_HAS_ITS_OWN, line):
                return
            continue
        if line.startswith(comment):
            yield line, False
        elif line.endswith(b"*/"):
            for part in _block(line, lines):
                yield part, True
        elif not (attributes and line[:1] in b")}" and line.endswith((b")", b")]")) and _skip(lines, attributes)):
            return


def _lines_above(content: bytes, start: int) -> Iterator[bytes]:
    end = content.rfind(b"\n", 0, start)
    for _ in range(MOST_LINES):
        if end < 0:
            return
        begin = content.rfind(b"\n", 0, end) + 1
        yield content[begin:end].strip() if end - begin < MOST_BYTES else b""
        end = begin - 1


def _block(last: bytes, lines: Iterator[bytes]) -> list[bytes]:
    """The comment that ends with `last`, in the order of `lines`; empty where no line begins with it."""
    block = [last]
    while not block[-1].startswith(b"/*"):
        line = next(lines, b"*/")
        if b"*/" in line or b"/*" in block[-1]:
            return []
        block.append(line)
    return block


def _skip(lines: Iterator[bytes], attributes: bytes | tuple[bytes, ...]) -> bool:
    """To where an attribute of several lines begins."""
    for line in lines:
        if line.startswith(attributes):
            return True
        if not line:
            return False
    return False


def _words(language: str, line: bytes) -> bytes:
    """What a line of a comment says; empty where that is nothing for a reader."""
    match = re.match(_MARKS, line)
    text = match[1].strip() if match else b""
    text = re.sub(_LEADING_TAG, b"", text, count=1) if text[:1] in b"@\\" else text
    if language == "c_sharp" and b"<" in text:
        text = re.sub(_TAG, b"", re.sub(_REFERENCE, rb"\1", text)).strip()
    return b"" if re.match(_DIRECTIVE, text) or not re.search(_LETTER, text) else text
