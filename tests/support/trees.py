"""Trees of files in memory, and what detection says of them."""

from collections.abc import Mapping

from repo_tools.changes import FileMode, Tree, TreeEntry, blob_id
from repo_tools.environment.contract import Environment, ReadFile
from repo_tools.environment.detect import detect

Files = Mapping[str, str | bytes]


def tree_of(files: Files) -> Tree:
    return {path: TreeEntry(FileMode.REGULAR, blob_id(_content(text))) for path, text in files.items()}


def reader_of(files: Files) -> ReadFile:
    return lambda path: _content(files[path])


def planned(files: Files, issue: str = "") -> Environment:
    """NoTestsError."""
    return detect(tree_of(files), reader_of(files), issue=issue)


def _content(text: str | bytes) -> bytes:
    return text.encode() if isinstance(text, str) else text
