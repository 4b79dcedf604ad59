"""A new box that holds one commit, changed or not, and an environment."""

from contextlib import ExitStack

from repo_tools.box_tree import commit_tree, upload_tree
from repo_tools.changes import ChangeSet
from repo_tools.checkout import Checkout
from repo_tools.environment.contract import PreparedEnvironment
from repo_tools.sandbox.contract import DEFAULT_LIMITS, WORKSPACE, BoxSpec, Limits, Sandbox, SandboxEngine


def fresh_box(
    engine: SandboxEngine,
    checkout: Checkout,
    prepared: PreparedEnvironment | None,
    *,
    overlay: ChangeSet | None = None,
    limits: Limits = DEFAULT_LIMITS,
) -> Sandbox:
    """A box whose workspace is the checkout's tree plus `overlay`, committed to a git repository of its own (one
    commit, no remotes) where the box has git, and whose services are fresh too. The caller closes it. SandboxError
    where no box can be had (`ServiceError` where a service cannot), RepoError where the tree does not fit in."""
    with ExitStack() as undo:
        box = engine.start(_spec(prepared, limits))
        undo.callback(box.close)
        upload_tree(box, checkout)
        if overlay is not None:
            apply_change(box, overlay)
        commit_tree(box)
        undo.pop_all()
    return box


def _spec(prepared: PreparedEnvironment | None, limits: Limits) -> BoxSpec:
    if prepared is None:
        return BoxSpec(limits=limits)
    return BoxSpec(limits=limits, layer=prepared.layer, services=prepared.environment.services)


def apply_change(box: Sandbox, change: ChangeSet) -> None:
    """Bring `change` into a workspace that is as its base. Deletions first: a folder may take a file's place."""
    for path in change:
        if change.files[path] is None:
            box.delete(f"{WORKSPACE}/{path}")
    for path, state in sorted(change.files.items()):
        if state is not None:
            box.write(f"{WORKSPACE}/{path}", state.content, state.mode)
