"""The branch of a run: one commit on the base, made at most once, never moved."""

from collections.abc import Iterator
from dataclasses import dataclass

from repo_tools.changes import ChangeSet
from workers.github.client import PullRequest, RepositoryClient
from workers.github.errors import ConflictError
from workers.github.markers import marker
from workers.host import RunRequest

MAX_SUFFIX = 5


@dataclass(frozen=True)
class Place:
    """Where a run's work stands: its branch, and the pull request from it if there is one already."""

    branch: str
    pull_request: PullRequest | None


def find_own(client: RepositoryClient, run: RunRequest, author: str) -> PullRequest | None:
    """The pull request of a run, from whichever of its branches."""
    pulls = (client.pull_request_from(branch) for branch in branch_names(run))
    return next((pull for pull in pulls if pull and is_own(pull, run, author)), None)


def place_change(client: RepositoryClient, run: RunRequest, change: ChangeSet, message: str, author: str) -> Place:
    """Put `change` on a branch of its own, or find where it was put before.

    A branch found is ours if it carries our pull request, or one commit with our parent and tree. Any other is left
    alone, and the next name is tried: nothing is ever forced.
    """
    tree = None
    for branch in branch_names(run):
        pull = client.pull_request_from(branch)
        if pull and is_own(pull, run, author):
            return Place(branch, pull)
        tree = tree or client.git.create_tree(change)
        run.intents.intend(f"branch {branch}")  # refused where another worker holds the run by now
        if _holds(client, branch, change.base_commit, tree, message):
            return Place(branch, None)
    raise ConflictError(
        f"branch {branch}", None, "every name for it is taken", "Delete the branches and label the issue again."
    )


def branch_names(run: RunRequest) -> Iterator[str]:
    """Made of ids alone: no title, no model text ever becomes part of a ref."""
    name = f"agent-fix/issue-{run.issue_number}-{run.run_id}"
    yield name
    yield from (f"{name}-{n}" for n in range(2, MAX_SUFFIX + 1))


def is_own(pull: PullRequest, run: RunRequest, author: str) -> bool:
    return pull.author == author and pull.body.startswith(marker(run.run_id, "draft"))


def _holds(client: RepositoryClient, branch: str, base: str, tree: str, message: str) -> bool:
    """The branch has our commit, made now or earlier."""
    git = client.git
    head = git.ref(f"heads/{branch}")
    if head is None:
        if git.create_ref(f"heads/{branch}", git.create_commit(message, tree, [base]).sha):
            return True
        head = git.ref(f"heads/{branch}")
    if head is None:
        return False
    commit = git.commit(head)
    return commit.parents == (base,) and commit.tree == tree
