"""How what the App wrote is found again: a hidden marker, and the App itself as the author."""

import re

_MARKER = re.compile(r"<!-- agent-fix:run=([A-Za-z0-9_.-]+):([A-Za-z0-9_.-]+) -->")
SAFE = re.compile(r"[A-Za-z0-9_.-]+")


def marker(run_id: str, kind: str) -> str:
    """An HTML comment that GitHub does not show. ValueError for anything that could end the comment early."""
    if not SAFE.fullmatch(run_id) or not SAFE.fullmatch(kind) or "--" in run_id + kind:
        raise ValueError("a marker is made of a run id and a kind, both plain words")
    return f"<!-- agent-fix:run={run_id}:{kind} -->"


def kind_in(body: str, run_id: str) -> str | None:
    """The kind of the marker that `body` begins with, if it is of this run."""
    found = _MARKER.match(body)
    return found[2] if found and found[1] == run_id else None
