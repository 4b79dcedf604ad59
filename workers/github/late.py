"""What a worker sent that had lost its run, and what came after the end: GitHub shows one ending, the recorded one.

A draft pull request that is another ending is closed, with a comment, and its branch deleted. One that a person pushed
to is left as it is.
"""

from contextlib import suppress

from workers.github.branch import branch_effect, own_pulls
from workers.github.client import PullRequest, RepositoryClient
from workers.github.comments import RunComments
from workers.github.errors import REFUSED
from workers.github.told import COMMENTS
from workers.host import RunRequest
from workers.outcomes import Outcome, OutcomeKind
from workers.publish.short_comments import render_late


def remove_late(client: RepositoryClient, run: RunRequest, ended: Outcome, author: str, comments: RunComments) -> None:
    """Leave what belongs to the ending of the run, once. Another ending stays where people were not told of the
    recorded one: else they would see nothing. Harmless when repeated."""
    shown = ended.url is not None or ended.kind is OutcomeKind.CANCELLED  # of that there may be nothing to say
    other_endings = [word for kind, word in COMMENTS.items() if shown and kind is not ended.kind]
    comments.remove_twins(run.issue_number, other_endings)
    for pull in list(own_pulls(client, run, author)):
        comments.remove_twins(pull.number)
        if shown and not _is_recorded(pull, ended) and _is_untouched(client, run, pull):
            _retire(client, run, pull, comments, render_late(run, ended))


def _is_recorded(pull: PullRequest, ended: Outcome) -> bool:
    """By its number: the repository's name may have changed since."""
    return ended.pull_request_url is not None and ended.pull_request_url.rpartition("/")[2] == str(pull.number)


def _is_untouched(client: RepositoryClient, run: RunRequest, pull: PullRequest) -> bool:
    """Its branch is the one commit that was written down before it was made, on the run's base."""
    tree = (run.intents.intended(branch_effect(pull.branch)) or {}).get("tree")
    commit = client.git.commit(pull.head)
    return (commit.parents, commit.tree) == ((run.base_commit,), tree)


def _retire(client: RepositoryClient, run: RunRequest, pull: PullRequest, comments: RunComments, words: str) -> None:
    """Nothing where somebody else closed or merged it, or opened it again."""
    closing, deleting = f"close pull request {pull.number}", f"delete {branch_effect(pull.branch)}"
    if pull.is_open and run.intents.intended(closing) is not None and run.intents.intended(deleting) is not None:
        return  # it was closed before its branch's turn came
    if pull.is_open:
        with suppress(*REFUSED):  # closed without a word, if need be
            comments.publish(pull.number, {"late": words})
        run.intents.intend(closing)
        client.close_pull_request(pull.number)
    ref = f"heads/{pull.branch}"
    if run.intents.intended(closing) is not None and client.git.ref(ref) == pull.head:
        run.intents.intend(deleting)
        client.git.delete_ref(ref)
