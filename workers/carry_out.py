"""One claimed run to its end, whichever host it works for."""

from dataclasses import replace

from workers.case import Case
from workers.heartbeat import Heartbeat
from workers.host import Host, request_of
from workers.journal import Journal
from workers.outcomes import Outcome
from workers.pipeline import run_pipeline
from workers.store import Claim, RunStore
from workers.workshop import Workshop


def carry_out(
    store: RunStore,
    claim: Claim,
    host: Host,
    workshop: Workshop,
    lease_seconds: float,
    *,
    last_attempt: bool,
    may_wait: bool = False,
    make_case: type[Case] = Case,
) -> Outcome:
    """Run the pipeline under a heartbeat and write its outcome. LeaseLostError once the run is another worker's;
    TransientErrors as `run_pipeline` lets them through: the run is not finished then. `make_case`: the class whose
    steps are taken, where the run is no fix."""
    with Heartbeat(store, claim, lease_seconds) as heartbeat:
        journal = Journal(store, claim, heartbeat)
        request = replace(request_of(claim.run), intents=journal.intents)
        case = make_case(request, host, workshop, journal)
        outcome = run_pipeline(case, last_attempt=last_attempt, may_wait=may_wait)
        store.finish(claim, outcome, journal.spend)
    return outcome
