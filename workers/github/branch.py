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


def own_pulls(client: RepositoryClient, run: RunRequest, author: str) -> Iterator[PullRequest]:
    """The pull requests of a run, from whichever of its branches."""
    for branch in branch_names(run):
        yield from _own_from(client, run, branch, author)


def own_pull_from(client: RepositoryClient, run: RunRequest, branch: str, author: str) -> PullRequest | None:
    """The run's own pull request from `branch`; another one from there counts for nothing."""
    return next(_own_from(client, run, branch, author), None)


def place_change(client: RepositoryClient, run: RunRequest, change: ChangeSet, message: str, author: str) -> Place:
    """Put `change` on a branch of its own, or find where it was put before.

    A branch found is ours if it carries our pull request, or one commit with our parent and tree. Any other is left
    alone, and the next name is tried: nothing is ever forced.
    """
    tree = None
    for branch in branch_names(run):
        pull = own_pull_from(client, run, branch, author)
        if pull:
            return Place(branch, pull)
        tree = tree or client.git.create_tree(change)
        run.intents.intend(branch_effect(branch), tree=tree)  # refused where another worker holds the run by now
        if client.git.place(f"heads/{branch}", tree, [change.base_commit], message):
            return Place(branch, None)
    raise names_taken(f"branch {branch}")


def branch_names(run: RunRequest) -> Iterator[str]:
    """Made of ids alone: no title, no model text ever becomes part of a ref."""
    return numbered(f"agent-fix/issue-{run.issue_number}-{run.run_id}")


def numbered(name: str) -> Iterator[str]:
    """`name`, and what to call it where that is somebody else's."""
    yield name
    yield from (f"{name}-{n}" for n in range(2, MAX_SUFFIX + 1))


def names_taken(what: str) -> ConflictError:
    return ConflictError(what, None, "every name for it is taken", "Delete these refs and label the issue again.")


def branch_effect(branch: str) -> str:
    """The name of the intent, with which the tree of the one commit is written down."""
    return f"branch {branch}"


def _own_from(client: RepositoryClient, run: RunRequest, branch: str, author: str) -> Iterator[PullRequest]:
    begin = marker(run.run_id, "draft")
    pulls = client.pull_requests_from(branch)
    return (pull for pull in pulls if pull.author == author and pull.body.startswith(begin))
