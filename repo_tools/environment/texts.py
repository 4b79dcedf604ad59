"""The text of a repository's files, as the programs that they are meant for read it."""

import codecs

from repo_tools.changes import Tree
from repo_tools.environment.contract import ReadFile

_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
"""UTF-32's first: its mark in little-endian begins with UTF-16's."""


def read_text(read: ReadFile, path: str) -> str:
    """Of a file that is there."""
    return as_text(read(path))


def text_at(path: str, tree: Tree, read: ReadFile) -> str:
    """Empty where there is no such file."""
    return read_text(read, path) if path in tree else ""


def as_text(content: bytes) -> str:
    """In the encoding that its byte order mark tells, without that mark; UTF-8 where there is none. What is no text in
    it is replaced. What PowerShell's ``>`` writes is UTF-16 (``pip freeze > requirements.txt``), and pip, uv and npm
    read it: https://pip.pypa.io/en/stable/reference/requirements-file-format/#encoding"""
    encoding = next((encoding for mark, encoding in _MARKS if content.startswith(mark)), "utf-8")
    return content.decode(encoding, "replace")
