"""A store in which many runs have ended, and what one more run makes it do."""

import random
from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any

from sqlalchemy import insert, text

from tests.support.issues import a_delivery, an_issue
from workers.outcomes import Outcome, OutcomeKind, Reason, RunStatus
from workers.store import Claim, Limits, RunStore
from workers.store.database import make_engine, writing
from workers.store.run_ids import new_run_id
from workers.store.schema import deliveries, runs, steps

REPOSITORIES = 200
STEPS = 5  # of each run that has ended; the journal is only ever read by a run's own id
AT_ONCE = 5_000
WORDS = {"text": "x" * 400}
LIMITS = Limits(repository=4, installation=20)


def fill(url: str, ended: int) -> None:
    """`ended` runs of many repositories, with their deliveries and steps."""
    engine, chance = make_engine(url), random.Random(1)
    numbers = iter(range(ended))
    while chunk := list(islice(numbers, AT_ONCE)):
        rows = [_run(chance, number) for number in chunk]
        with writing(engine) as connection:
            connection.execute(insert(runs), rows)
            connection.execute(insert(deliveries), [_delivery(row) for row in rows])
            connection.execute(insert(steps), [step for row in rows for step in _steps(row["id"])])
    with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        connection.execute(text("ANALYZE"))
    engine.dispose()


def one_run(store: RunStore, journaled: int) -> None:
    """All that a run asks of the store, from its delivery to its outcome, and what is asked beside it meanwhile."""
    delivery, issue = a_delivery(), an_issue(repository_id=1)
    created = store.create_run_once(delivery, issue)
    store.create_run_once(delivery, issue)
    claim = store.claim_next("worker", 60, LIMITS, rung=created.run_id)
    if claim is None:
        raise RuntimeError("there is nothing to claim")
    store.settle_labelling(claim, issue.issue_number)
    for _ in range(journaled):
        store.append_step(claim, "tool_result", WORDS)
        store.set_progress(claim, stage="agent", spend={"turns": {"used": 1, "limit": 40}})
    _meanwhile(store, claim)
    store.finish(claim, Outcome(OutcomeKind.ESCALATION, Reason.GAVE_UP, "No."), {})


def _meanwhile(store: RunStore, claim: Claim) -> None:
    """Heartbeat, reconciler, patrol and page."""
    store.renew(claim, 60)
    store.why_unwanted(claim.run.id)
    store.end_hopeless()
    store.queue_depth()
    store.due_for_ring(10)
    store.next_waiting(LIMITS)
    store.is_under_way(1, claim.run.issue_number)
    store.processed(["unknown"])
    store.list_runs(limit=50)


def _run(chance: random.Random, number: int) -> dict[str, Any]:
    at = 1_700_000_000.0 + number
    return {
        **{
            "id": new_run_id(),
            "status": RunStatus.ENDED.value,
            "installation_id": 7,
            "issue_number": 10_000_000 + number,
        },
        **{"repository_id": chance.randrange(REPOSITORIES), "repository": "octo/widgets", "title": "It breaks"},
        **{"body": "Badly.", "sender": "maintainer", "labelled_at": at, "created_at": at, "due_at": at},
        **{"started_at": at, "ended_at": at, "attempts": 1, "epoch": 1, "step_count": STEPS, "stage": "publish"},
        **{"spend": "{}", "outcome": OutcomeKind.ESCALATION.value, "reason": Reason.GAVE_UP.value, "detail": "No."},
        "labelling": number,
    }


def _delivery(run: Mapping[str, Any]) -> dict[str, Any]:
    return {"id": f"d-{run['id']}", "event": "issues", "action": "labeled", "run_id": run["id"], "received_at": 0.0}


def _steps(run_id: str) -> Iterator[dict[str, Any]]:
    for number in range(1, STEPS + 1):
        yield {"run_id": run_id, "number": number, "kind": "stage", "data": '{"name":"agent"}', "at": 0.0}
