"""What is left of one labelled issue, by the checks of `make chaos`."""

from collections import Counter
from collections.abc import Sequence

from app.standins.github import GitHubStandIn
from bench.chaos.checks import IssueFacts, RunFacts, damage
from bench.chaos.world import MARKER
from tests.support.github import REPOSITORY
from workers.journal import since_restart
from workers.store import RunStore


def damage_of(github: GitHubStandIn, store: RunStore, number: int, asked: Sequence[tuple[int, float]]) -> list[str]:
    """`number`: of the issue, the only one whose runs are in `store`. `asked`: (turn, when) of each model
    call of the conversation that counts."""
    pulls = github.pull_requests(REPOSITORY)
    kinds = Counter(
        kind for comment in github.comments(REPOSITORY, number) for kind in MARKER.findall(comment.body)[:1]
    )
    runs = [_facts(store, run.id) for run in store.list_runs()]
    return damage([IssueFacts(f"issue {number}", runs, len(pulls), [], kinds, asked)])


def _facts(store: RunStore, run_id: str) -> RunFacts:
    run = store.get(run_id)
    assert run is not None
    replies = [step for step in since_restart(store.steps(run_id)) if step.kind == "reply"]
    used = int(run.spend.get("tokens", {}).get("used", 0))
    journaled = sum(sum(step.data["usage"].values()) for step in replies)
    at = {n: step.at.timestamp() for n, step in enumerate(replies)}
    return RunFacts(run_id, run.outcome, run.attempts, at, used, journaled)
