"""Whether a run may spend anything, and whether it is still wanted: the state of repository and issue, and who put the
label on."""

from workers.github.client import RepositoryClient
from workers.host import RunCancelledError, RunRefusedError, RunRequest
from workers.outcomes import Reason

ENOUGH = ("admin", "write")
"""GitHub's answer folds `maintain` into `write` and `triage` into `read`; custom roles
carry the one they are based on."""
RECEIPT = "reaction eyes"
"""The first effect of every run; with its intent stands by which name the repository was called then."""
RENAMED = "The repository was renamed. Take the label off and put it on again to have it tried under the new name."


def check_repository(client: RepositoryClient) -> None:
    """RunRefusedError where no pull request could come of it. A fork is an ordinary repository."""
    repository = client.repository
    problems = (
        (repository.archived, "The repository is archived."),
        (repository.disabled, "The repository is disabled."),
        (not repository.has_issues, "Issues are disabled in this repository."),
        (not repository.has_pull_requests, "Pull requests are disabled in this repository."),
    )
    for holds, sentence in problems:
        if holds:
            raise RunRefusedError(Reason.REPOSITORY, sentence)


def check_labeller(client: RepositoryClient, run: RunRequest, allowed_bots: frozenset[str]) -> None:
    """RunRefusedError unless the one who put the label on may write here now; a bot, unless the operator allows it."""
    if run.sender.lower() in allowed_bots:
        return
    if run.sender.endswith("[bot]"):
        raise RunRefusedError(
            Reason.PERMISSION, f"The label was put on by the bot `{run.sender}`, which is not allowed to start runs."
        )
    permission = client.permission(run.sender)
    if permission not in ENOUGH:
        raise RunRefusedError(
            Reason.PERMISSION,
            f"The label was put on by `{run.sender}`, whose permission here is `{permission}`. "
            "Only people with write access (write, maintain or admin) can start a run.",
        )


def check_wanted(client: RepositoryClient, run: RunRequest, label: str) -> None:
    """RunCancelledError where repository or issue are no longer as they were when the label was put on."""
    issue, name = client.issue(run.issue_number), client.repository.full_name
    received = run.intents.intended(RECEIPT) or {}
    problems = (
        (client.repository.archived, "The repository was archived."),
        (received.get("repository", name) != name, RENAMED),
        (not issue.is_here, "The issue was transferred."),
        (not issue.is_open, "The issue was closed."),
        (issue.is_locked, "The issue was locked."),
        (label.casefold() not in issue.labels, "The label was taken off."),
    )
    for holds, sentence in problems:
        if holds:
            raise RunCancelledError(sentence)
