"""Whether a change would publish a secret."""

import re

from agent.redaction import redact
from repo_tools.changes import ChangeSet

FILE = re.compile(rb"^diff --git ", re.MULTILINE)
TARGET = re.compile(r"^\+\+\+ (?:b/)?(.*)$", re.MULTILINE)


def secret_in_change(patch: bytes, change: ChangeSet) -> str | None:
    """The path, without secrets, of the first file to which `change`, whose patch this is, adds what looks like one;
    what was there before counts for nothing."""
    return _in_lines(patch) or _in_binary(change)


def _in_lines(patch: bytes) -> str | None:
    """A file that is new is asked for its name too."""
    for part in FILE.split(patch)[1:]:
        text = part.decode("utf-8", "replace")
        head, _, body = text.partition("\n@@")
        added = "\n".join(line[1:] for line in body.split("\n") if line.startswith("+"))
        named = head if "\nnew file mode " in head else ""
        if redact(added) != added or redact(named) != named:
            target = TARGET.search(head)
            return redact(target[1]) if target else "a file"
    return None


def _in_binary(change: ChangeSet) -> str | None:
    """Of what holds a NUL a patch shows no lines."""
    for path in change:
        new = change.files[path]
        if new is not None and b"\0" in new.content:
            text = new.content.decode("utf-8", "replace")
            if redact(text) != text:
                return redact(path)
    return None
