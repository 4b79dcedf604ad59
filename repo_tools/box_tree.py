"""A commit's files in a box, and a git repository of one commit around them."""

import tempfile
from contextlib import suppress

from repo_tools.checkout import Checkout
from repo_tools.errors import RepoError
from repo_tools.sandbox.contract import SYSTEM_PROGRAMS, WORKSPACE, Sandbox

_COMMIT_SECONDS = 120.0

# Some suites ask git about their own tree. Without compression a commit takes half the time (0.3 s for 2,000 files).
_AS_BASE = """
export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_NOSYSTEM=1
export GIT_AUTHOR_NAME=base GIT_AUTHOR_EMAIL=base@localhost GIT_COMMITTER_NAME=base GIT_COMMITTER_EMAIL=base@localhost
"""
_COMMIT = f"""
command -v git >/dev/null || exit 0
{_AS_BASE}
git -c init.defaultBranch=main init -q
git -c core.autocrlf=false -c core.looseCompression=0 add --all --force
git -c gc.auto=0 commit -q --no-verify --allow-empty -m base
test -z "$1" || git tag -a -m "$1" "$1"
"""
_RENAME = f"""
{_AS_BASE}
git tag -a -m "$2" "$2" "$1^{{commit}}"
git tag -d "$1"
"""


def upload_tree(box: Sandbox, checkout: Checkout) -> None:
    """RepoError where the box's disk does not take the tree."""
    with tempfile.TemporaryFile() as tar:
        checkout.write_tar(tar)
        tar.seek(0)
        try:
            box.upload(tar, WORKSPACE)
        except OSError as error:
            raise RepoError(f"The repository's files cannot be put into the sandbox: {error.strerror}.") from error


def commit_tree(box: Sandbox, tag: str = "") -> None:
    """Where git cannot (odd attributes, a full disk), the box has no repository rather than half of one."""
    argv = ["sh", "-ec", _COMMIT, "sh", tag]
    if box.exec(argv, timeout_seconds=_COMMIT_SECONDS, environment=SYSTEM_PROGRAMS).exit_code != 0:
        with suppress(FileNotFoundError):
            box.delete(f"{WORKSPACE}/.git")


def rename_tag(box: Sandbox, tag: str, name: str) -> bool:
    """Whether the box's commit had `tag`; it is called `name` now."""
    words = ("sh", "-ec", _RENAME, "sh", tag, name)
    done = box.exec(words, timeout_seconds=_COMMIT_SECONDS, cwd=WORKSPACE, environment=SYSTEM_PROGRAMS)
    return done.exit_code == 0
