"""A new box that holds one commit, changed or not, and an environment."""

import tempfile
from contextlib import ExitStack, suppress

from repo_tools.changes import ChangeSet
from repo_tools.checkout import Checkout
from repo_tools.environment.contract import PreparedEnvironment
from repo_tools.errors import RepoError
from repo_tools.sandbox.contract import WORKSPACE, BoxSpec, Limits, Sandbox, SandboxEngine

_COMMIT_SECONDS = 120.0
_DEFAULT_LIMITS = Limits()

# Some suites ask git about their own tree. Without compression a commit takes half the time (0.3 s for 2,000 files).
_COMMIT = """
command -v git >/dev/null || exit 0
export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_NOSYSTEM=1
git -c init.defaultBranch=main init -q
git -c core.autocrlf=false -c core.looseCompression=0 add --all --force
git -c user.name=base -c user.email=base@localhost -c gc.auto=0 commit -q --no-verify --allow-empty -m base
"""


def fresh_box(
    engine: SandboxEngine,
    checkout: Checkout,
    prepared: PreparedEnvironment | None,
    *,
    overlay: ChangeSet | None = None,
    limits: Limits = _DEFAULT_LIMITS,
) -> Sandbox:
    """A box whose workspace is the checkout's tree plus `overlay`, committed to a git repository of its own (one
    commit, no remotes) where the box has git. The caller closes it. SandboxError where no box
    can be had, RepoError where the tree does not fit in."""
    with ExitStack() as undo:
        box = engine.start(BoxSpec(limits=limits, layer=prepared.layer if prepared else None))
        undo.callback(box.close)
        _upload(box, checkout)
        if overlay is not None:
            apply_change(box, overlay)
        _commit(box)
        undo.pop_all()
    return box


def apply_change(box: Sandbox, change: ChangeSet) -> None:
    """Bring `change` into a workspace that is as its base. Deletions first: a folder may take a file's place."""
    for path in change:
        if change.files[path] is None:
            box.delete(f"{WORKSPACE}/{path}")
    for path, state in sorted(change.files.items()):
        if state is not None:
            box.write(f"{WORKSPACE}/{path}", state.content, state.mode)


def _commit(box: Sandbox) -> None:
    """Where git cannot (odd attributes, a full disk), the box has no repository rather than half of one."""
    if box.exec(["sh", "-c", _COMMIT], timeout_seconds=_COMMIT_SECONDS).exit_code != 0:
        with suppress(FileNotFoundError):
            box.delete(f"{WORKSPACE}/.git")


def _upload(box: Sandbox, checkout: Checkout) -> None:
    """RepoError where the box's disk does not take the tree."""
    with tempfile.TemporaryFile() as tar:
        checkout.write_tar(tar)
        tar.seek(0)
        try:
            box.upload(tar, WORKSPACE)
        except OSError as error:
            raise RepoError(f"The repository's files cannot be put into the sandbox: {error.strerror}.") from error
