"""How what the App wrote is found again: a hidden marker, and the App itself as the author."""

import re

SAFE = re.compile(r"[A-Za-z0-9_.-]+")


def marker(run_id: str, kind: str) -> str:
    """An HTML comment that GitHub does not show. ValueError for anything that could end the comment early."""
    if not SAFE.fullmatch(run_id) or not SAFE.fullmatch(kind) or "--" in run_id + kind:
        raise ValueError("a marker is made of a run id and a kind, both plain words")
    return f"<!-- agent-fix:run={run_id}:{kind} -->"
