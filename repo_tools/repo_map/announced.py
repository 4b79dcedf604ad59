"""Names that a file defines, by the lines that announce them: what a scan of a tree needs to know, without a parse.

Of 108,000 names that a parse finds in django, pylint, pytest, black, sphinx, sqlalchemy, attrs and celery three are
missing here; 200 more are found, most in texts that hold code.
"""

import re

_NAME = rb"[A-Za-z_\x80-\xff][A-Za-z0-9_\x80-\xff]*"
_DEFINED = rb"[ \t]*(?:async[ \t]+)?(?:def|class|type)[ \t]+(%b)[ \t]*[(:\[=]" % _NAME
_GIVEN = rb"=(?!=)|:[^\n:=]*=|:[ \t]*[\w.\"'(]+[ \t]*(?=[\r\n#,|\[]|\Z)"  # a value, a type with one, a type alone
_PATTERNS = {"python": rb"\n(?:%b|(%b)[ \t]*(?:%b))" % (_DEFINED, _NAME, _GIVEN)}
"""Of languages in which a definition begins a line, behind its keyword or with its name. They take linear time."""

_BRANCH = rb"\n(?:if|try)\b[^\n]*((?:\n(?:[ \t][^\n]*|\r?(?=\n)))+)"
_INDENT = rb"\n([ \t]+)[^ \t\r\n]"
"""An if or try at the top of a file with the lines that are indented below it; the indent of the first of these."""

_QUOTES = (b'"""', b"'''")
_PARTS = (
    rb'(?s)"""(?:[^\\]|\\.)*?(?:"""|\Z)|\'\'\'(?:[^\\]|\\.)*?(?:\'\'\'|\Z)'
    rb'|"(?:[^"\\\n]|\\.)*"?|\'(?:[^\'\\\n]|\\.)*\'?|#[^\n]*'
)
"""Texts and comments. Where a comment may hold quotes, only one after the other tells which is which."""

_QUOTED_QUOTES = (b'\'"""', b"\"'''")


def is_announced(language: str) -> bool:
    """Whether `announced` knows what a file defines; where it does not, only a parse tells."""
    return not language or language in _PATTERNS


def announced(language: str, content: bytes) -> set[bytes]:
    """The names; now and then one more or one less than a parse finds. Empty for a language without grammar."""
    if not language:
        return set()
    content = b"\n" + _without_texts(content)
    pattern = re.compile(_PATTERNS[language])
    found = pattern.findall(content)
    for branch in re.findall(_BRANCH, content):
        if indent := re.search(_INDENT, branch):
            found += pattern.findall(branch.replace(b"\n" + indent[1], b"\n"))
    return {function or constant for function, constant in found}


def _without_texts(content: bytes) -> bytes:
    """Without what stands between three quotes, where it is plain which of them open and which close a text."""
    if any(quoted in content for quoted in _QUOTED_QUOTES):
        return content
    for quotes in _QUOTES:
        parts = content.split(quotes)
        if any(b"#" in part[part.rfind(b"\n") + 1 :] for part in parts[:-1]):
            return re.sub(_PARTS, _unless_text, content)
        if len(parts) % 2:
            content = b"".join(parts[::2])
    return content


def _unless_text(part: re.Match[bytes]) -> bytes:
    return b"" if part[0].startswith(_QUOTES) else part[0]
