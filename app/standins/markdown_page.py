"""Markdown as GitHub shows it, safely: no HTML of the text's own but folded sections."""

import html
import re

from markdown_it import MarkdownIt
from markdown_it.rules_block import StateBlock

SUMMARY = re.compile(r"^(<details>)?<summary>(.*)</summary>$")
COMMENT = re.compile(r"^<!--.*-->$")
ALLOWED_INLINE = re.compile(r"&lt;(/?code)&gt;")


def render_markdown(text: str) -> str:
    """HTML in which every tag was written here: raw HTML is shown as text, except ``<details>``, ``<summary>`` and
    ``<code>`` on lines of their own; comments are hidden."""
    return str(_PARSER.render(text))


def _folds(state: StateBlock, start: int, _end: int, silent: bool) -> bool:
    """Turn one line that opens, names or closes a folded section, or is a comment, into HTML of ours."""
    line = state.src[state.bMarks[start] + state.tShift[start] : state.eMarks[start]].strip()
    made = _fold_html(line)
    if made is None:
        return False
    if not silent:
        token = state.push("html_block", "", 0)
        token.content = made
        state.line = start + 1
    return True


def _fold_html(line: str) -> str | None:
    if COMMENT.match(line):
        return ""
    if line in ("<details>", "</details>"):
        return f"{line}\n"
    summary = SUMMARY.match(line)
    if summary is None:
        return None
    content = ALLOWED_INLINE.sub(r"<\1>", html.escape(html.unescape(summary[2]), quote=True))
    return f"{summary[1] or ''}<summary>{content}</summary>\n"


def _parser() -> MarkdownIt:
    parser = MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"])
    parser.block.ruler.before("paragraph", "folds", _folds, {"alt": ["paragraph", "list", "blockquote"]})
    return parser


_PARSER = _parser()
