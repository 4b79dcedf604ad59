"""What a maintainer sees of an issue's Markdown, and nothing that hides from their eyes."""

import re
import unicodedata
from collections.abc import Sequence

from markdown_it import MarkdownIt
from markdown_it.token import Token

LIMIT_BYTES = 32_768
_PARSER = MarkdownIt("commonmark", {"maxNesting": 20}).enable(["table", "strikethrough"])
_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
_UNSHOWN = re.compile(
    r"<(script|style|template|title|textarea|noscript)\b.*?(?:</\1[^<>]*>|\Z)", re.DOTALL | re.IGNORECASE
)
_TAG = re.compile(r"<[A-Za-z/!?][^<>]*>")
_NAME = re.compile(r"[^\W\d]\w*(?:\.[^\W\d]\w*)*")
_MANY_BLANK_LINES = re.compile(r"\n{3,}")
_FILLERS = frozenset("\u115f\u1160\u17b4\u17b5\u3164\uffa0\u2800")
"""Letters and symbols without a shape."""


def visible_text(markdown: str) -> str:
    """Issue Markdown as plain Markdown of what GitHub shows: no HTML comments, image texts, link titles, reference
    definitions, invisible or direction-changing characters. Folded details stand open; code stays as written.

    What is longer than `LIMIT_BYTES` (UTF-8) is cut at the end, with a note.
    """
    source, left_out = _cut(_without_invisible(markdown))
    shown = _without_invisible(_blocks(_PARSER.parse(source)))
    text = _MANY_BLANK_LINES.sub("\n\n", shown).strip()
    return text + (f"\n\n[{left_out} more bytes of this text were left out]" if left_out else "")


def visible_title(title: str) -> str:
    """A title is no Markdown: one line, without what cannot be seen, at most 1,000 characters."""
    return " ".join(_without_invisible(title).split())[:1_000]


def names_in(text: str) -> frozenset[str]:
    """Every word of `text` that can be a name in code: dotted ones whole and in their parts."""
    dotted = _NAME.findall(text)
    return frozenset(dotted) | {part for name in dotted for part in name.split(".")}


def _cut(text: str) -> tuple[str, int]:
    encoded = text.encode("utf-8", "replace")
    return encoded[:LIMIT_BYTES].decode("utf-8", "ignore"), max(0, len(encoded) - LIMIT_BYTES)


def _without_invisible(text: str) -> str:
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    return text if text.isascii() and text.isprintable() else "".join(filter(_is_visible, text))


def _is_visible(character: str) -> bool:
    """Not controls, formats (zero width, bidi, soft hyphen, tags), surrogates, private use, variation selectors."""
    if character in "\n\t":
        return True
    if character in _FILLERS or "\ufe00" <= character <= "\ufe0f" or "\U000e0100" <= character <= "\U000e01ef":
        return False
    return unicodedata.category(character) not in ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp")


class _Page:
    """Lines as they are shown; `prefixes` stand before each for the lists and quotes it is in."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self._prefixes: list[str] = []
        self._marker = ""
        self._row: list[str] | None = None

    def add(self, token: Token) -> None:
        if token.type in _INDENTS:
            self._prefixes.append(_INDENTS[token.type])
        elif token.type in _OUTDENTS:
            self._prefixes.pop()
            self.lines.append("")
        elif token.type == "list_item_open":
            self._marker = f"{token.info}{token.markup} " if token.info else "- "
        elif token.type == "heading_open":
            self._marker = "#" * int(token.tag[1:]) + " "
        elif token.type == "tr_open":
            self._row = []
        elif token.type == "tr_close":
            row, self._row = self._row or [], None
            self._write(" | ".join(row))
        else:
            self._write_content(token)

    def _write_content(self, token: Token) -> None:
        if token.type == "inline" and self._row is not None:
            self._row.append(_inline(token.children or []))
        elif token.type == "inline":
            self._write(_inline(token.children or []))
        elif token.type in ("fence", "code_block"):
            language = token.info.split(" ")[0] if token.info else ""
            self._write(f"```{language}\n{token.content.removesuffix(chr(10))}\n```\n")
        elif token.type == "html_block" and (shown := _html(token.content)):
            self._write(f"{shown}\n")
        elif token.type in ("paragraph_close", "heading_close", "table_close", "hr") and not token.hidden:
            self.lines.append("")

    def _write(self, text: str) -> None:
        indent = "".join(self._prefixes)
        for line in text.split("\n"):
            before = indent[: len(indent) - 2] if self._marker and indent else indent
            self.lines.append(f"{before}{self._marker}{line}".rstrip())
            self._marker = ""


_INDENTS = {"bullet_list_open": "  ", "ordered_list_open": "  ", "blockquote_open": "> "}
_OUTDENTS = ("bullet_list_close", "ordered_list_close", "blockquote_close")


def _blocks(tokens: Sequence[Token]) -> str:
    page = _Page()
    for token in tokens:
        page.add(token)
    return "\n".join(page.lines)


def _inline(tokens: Sequence[Token]) -> str:
    parts: list[str] = []
    targets: list[str] = []
    for token in tokens:
        if token.type == "link_open":
            targets.append(str(token.attrGet("href") or ""))
        elif token.type == "link_close":
            parts.append(f" ({targets.pop()})")
        else:
            parts.append(_span(token))
    return "".join(parts)


def _span(token: Token) -> str:
    if token.type == "code_inline":
        return f"`{token.content}`"
    if token.type == "image":
        return "[image]"
    if token.type in ("softbreak", "hardbreak"):
        return "\n"
    if token.type.startswith(("em_", "strong_", "s_")):
        return token.markup  # a name like ``__init__`` is an emphasis too
    return token.content if token.type == "text" else ""  # what is left is a tag or a comment


def _html(source: str) -> str:
    shown = _TAG.sub("", _UNSHOWN.sub("", _COMMENT.sub("", source)))
    return shown.strip("\n")
