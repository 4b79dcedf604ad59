"""Rules about names of refs. Pure."""

import re

from repo_tools.errors import RepoError

_COMMIT_ID = re.compile(r"[0-9a-f]{40}")
_FORBIDDEN = re.compile(r"[\x00-\x20\x7f~^:?*\[\\]|\.\.|@\{|//|/\.|\.lock(?:/|$)")
_MAX_NAME_BYTES = 200


def is_commit_id(text: str) -> bool:
    return _COMMIT_ID.fullmatch(text) is not None


def check_branch_name(name: str) -> str:
    """`name` itself where it is a plain branch name (git-check-ref-format(1), and narrower); RepoError otherwise."""
    if not _is_well_formed(name):
        raise RepoError(f"{name[:80]!r} is not a branch name that can be used.")
    if name.startswith("refs/") or name == "HEAD" or is_commit_id(name):
        raise RepoError(f"{name[:80]!r} would be mistaken for something else than a branch.")
    return name


def full_ref(branch_or_ref: str) -> str:
    """``main`` or ``refs/heads/main`` -> ``refs/heads/main``. RepoError for what is neither."""
    if not branch_or_ref.startswith("refs/"):
        return f"refs/heads/{check_branch_name(branch_or_ref)}"
    if not _is_well_formed(branch_or_ref):
        raise RepoError(f"{branch_or_ref[:80]!r} is not the name of a ref.")
    return branch_or_ref


def _is_well_formed(name: str) -> bool:
    return (
        bool(name)
        and len(name.encode("utf-8", "surrogatepass")) <= _MAX_NAME_BYTES
        and not name.startswith(("-", "/", "."))
        and not name.endswith(("/", "."))
        and name != "@"
        and _FORBIDDEN.search(name) is None
        and not any("\ud800" <= c <= "\udfff" for c in name)
    )
