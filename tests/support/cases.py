"""Runs of a store without anything around them: their journals, their cases, and what an executor makes of them."""

from typing import Any

from tests.support.evidence import make_run
from tests.support.hosts import FailingHost, empty_workshop
from tests.support.issues import a_run, run_of
from workers.case import Case
from workers.execute import Executor
from workers.heartbeat import Heartbeat
from workers.journal import Journal
from workers.store import Claim, Run, RunStore


def journal_of(store: RunStore, claim: Claim) -> Journal:
    """Of a holder whose heart does not beat by itself."""
    return Journal(store, claim, Heartbeat(store, claim, 60))


def a_case(
    store: RunStore, claim: Claim, host: FailingHost | None = None, *, kind: type[Case] = Case, **words: Any
) -> Case:
    """`words` are those of its request."""
    nobody = FailingHost(AssertionError("nobody asks to be admitted here"))
    return kind(make_run(run_id=claim.run.id, **words), host or nobody, empty_workshop(), journal_of(store, claim))


def executed(store: RunStore, host: FailingHost, run_id: str | None = None, times: int = 1) -> Run:
    """The row of a run, of a new one where none is named, after so many messages for it."""
    run_id = run_id or a_run(store)
    for _ in range(times):
        Executor(store, empty_workshop(), host, lease_seconds=60)(run_id)
    return run_of(store, run_id)
