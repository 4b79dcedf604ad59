"""Whether a change would publish a secret."""

import re

from agent.redaction import redact

FILE = re.compile(rb"^diff --git ", re.MULTILINE)
TARGET = re.compile(r"^\+\+\+ (?:b/)?(.*)$", re.MULTILINE)


def secret_in_change(patch: bytes) -> str | None:
    """The path of the first file to which `patch` adds what looks like a secret; what was there before counts for
    nothing."""
    for part in FILE.split(patch)[1:]:
        text = part.decode("utf-8", "replace")
        head, _, body = text.partition("\n@@")
        added = "\n".join(line[1:] for line in body.split("\n") if line.startswith("+"))
        if redact(added) != added:
            target = TARGET.search(head)
            return target[1] if target else "a file"
    return None
