"""An issue in a file, for the commands that work on this machine alone."""

from pathlib import Path
from typing import NamedTuple

MAX_ISSUE_BYTES = 1_000_000


class LocalIssue(NamedTuple):
    title: str
    body: str


def read_issue(path: Path) -> LocalIssue:
    """Markdown, its first line the title (a leading ``#`` is taken off). ValueError says what is wrong with it."""
    content = path.read_bytes()
    if len(content) > MAX_ISSUE_BYTES:
        raise ValueError(f"is larger than {MAX_ISSUE_BYTES:,} bytes")
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ValueError(f"is not UTF-8 text (byte {error.start})") from error
    title, _, body = text.lstrip().partition("\n")
    title = title.lstrip("#").strip()
    if not title:
        raise ValueError("has no title: its first line is the title")
    return LocalIssue(title, body.strip())
