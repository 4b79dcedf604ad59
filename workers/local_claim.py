"""Runs that no label asked for but a command on this machine, which holds them itself."""

import getpass
import os
import secrets

from repo_tools.errors import RepoError
from workers.store import Claim, IssueSnapshot, NewDelivery, RunStore


def write_local_run(store: RunStore, repository: str, title: str, body: str) -> str:
    """Its id. A random repository id below zero keeps it apart from all others and from GitHub's repositories."""
    issue = IssueSnapshot(
        installation_id=0,
        repository_id=-secrets.randbelow(2**53) - 1,
        repository=repository,
        issue_number=0,
        title=title,
        body=body,
        sender=_user(),
        labelled_at=None,
    )
    return store.create_run_once(NewDelivery(f"local-{secrets.token_hex(16)}", "local", None), issue).run_id


def claim_local_run(store: RunStore, run_id: str, lease_seconds: float) -> Claim:
    """RepoError where another process has it."""
    claim = store.claim(run_id, "command line", lease_seconds)
    if claim is None:
        raise RepoError(f"run {run_id} is another process's; one that died keeps it for {lease_seconds:g} s")
    return claim


def _user() -> str:
    """The number of one who has no name, as in a container that was started for some user."""
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return str(os.getuid())
