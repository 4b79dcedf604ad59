"""What is left of one labelled issue, by the checks of `make chaos`."""

from collections import Counter
from collections.abc import Sequence, Set

from app.standins.github import GitHubStandIn
from bench.chaos.checks import GAVE_UP, Ending, IssueFacts, RunFacts, damage
from bench.chaos.world import MARKER, run_facts
from tests.support.github import REPOSITORY
from tests.support.issues import run_of
from workers.journal import since_restart
from workers.store import RunStore


def damage_of(
    github: GitHubStandIn,
    store: RunStore,
    number: int,
    asked: Sequence[tuple[int, float]],
    endings: Set[Ending] = frozenset({GAVE_UP}),
) -> list[str]:
    """`number`: of the issue, the only one whose runs are in `store`. `asked`: (turn, when) of each model
    call of the conversation that counts. `endings`: those that it may come to."""
    pulls = github.pull_requests(REPOSITORY)
    kinds = Counter(
        kind for comment in github.comments(REPOSITORY, number) for kind in MARKER.findall(comment.body)[:1]
    )
    runs = [_facts(store, run.id) for run in store.list_runs()]
    return damage([IssueFacts(f"issue {number}", endings, runs, len(pulls), [], kinds, asked)])


def _facts(store: RunStore, run_id: str) -> RunFacts:
    run = run_of(store, run_id)
    return run_facts(run, since_restart(store.steps(run_id)), run.attempts)
