"""Markdown as GitHub shows it, safely: no HTML of the text's own but folded sections and code."""

import html
import re

from markdown_it import MarkdownIt
from markdown_it.rules_block import StateBlock
from markdown_it.rules_inline import StateInline

SUMMARY = re.compile(r"^(<details>)?<summary>(.*)</summary>$")
COMMENT = re.compile(r"^<!--.*-->$")
CODE_TAG = re.compile(r"</?code>")
ALLOWED_INLINE = re.compile(r"&lt;(/?code)&gt;")


def render_markdown(text: str) -> str:
    """HTML in which every tag was written here: raw HTML is shown as text, except ``<details>`` and
    ``<summary>`` on lines of their own, and ``<code>``; comments are hidden."""
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


def _code_tag(state: StateInline, silent: bool) -> bool:
    found = CODE_TAG.match(state.src, state.pos)
    if found is None:
        return False
    if not silent:
        state.push("html_inline", "", 0).content = found[0]
    state.pos = found.end()
    return True


def _parser() -> MarkdownIt:
    parser = MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"])
    parser.block.ruler.before("paragraph", "folds", _folds, {"alt": ["paragraph", "list", "blockquote"]})
    parser.inline.ruler.before("html_inline", "code_tag", _code_tag)
    return parser


_PARSER = _parser()
