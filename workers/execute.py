"""What a worker does with a run id: the task's edge."""

import logging
import socket

from repo_tools.errors import TransientError
from workers.carry_out import carry_out, request_of
from workers.github.errors import GitHubError
from workers.github.host import make_github_host
from workers.host import Evidence, Host
from workers.outcomes import Outcome, OutcomeKind, Reason
from workers.pipeline import Workshop
from workers.settings import WorkerSettings
from workers.store import MAX_ATTEMPTS, Claim, LeaseLostError, RunStore, attempts_exhausted, open_store
from workers.workshop import build_workshop

log = logging.getLogger(__name__)

RETRY_SECONDS = 30.0


class Executor:
    """Called with a run id from a message, which may be late, doubled or unknown: the store decides."""

    def __init__(self, store: RunStore, workshop: Workshop, host: Host, lease_seconds: float) -> None:
        self._store = store
        self._workshop = workshop
        self._host = host
        self._lease_seconds = lease_seconds

    def __call__(self, run_id: str) -> None:
        claim = self._store.claim(run_id, socket.gethostname(), self._lease_seconds)
        if claim is None:
            log.info("run %s: nothing to do (unknown, ended, or another worker's)", run_id)
            return
        try:
            self._carry_out(claim)
        except LeaseLostError as lost:
            log.warning("%s", lost)
        except TransientError as error:
            log.warning("run %s: will be tried again: %s", run_id, error)
            asked = error.retry_after_seconds
            self._store.release(claim, delay_seconds=RETRY_SECONDS if asked is None else asked)
        except GitHubError as error:  # the App's key, its clock or its token: the operator acts
            log.error("run %s: %s. %s", run_id, error, error.remedy)  # noqa: TRY400 - it is no bug of ours
            self._hand_over(claim, Reason.GITHUB, "GitHub refuses this App; the operator's log says why.")
        except SystemExit:  # this worker was told to stop: the run goes on with another one, at once
            self._store.release(claim, counted=False)
            raise
        except Exception:  # the task's edge: a bug ends this run, told to people, and not the worker
            log.exception("run %s: internal error", run_id)
            self._hand_over(claim, Reason.INTERNAL, "An internal error ended the run; the operator's log says more.")

    def _carry_out(self, claim: Claim) -> None:
        if claim.run.installation_id == 0:
            left = Outcome(OutcomeKind.CANCELLED, Reason.UNWANTED, "the command that owned this local run has ended")
            self._store.finish(claim, left, claim.run.spend)
        elif attempts_exhausted(claim.run):
            self._hand_over(claim, Reason.ATTEMPTS, "The run was started again and again and never came to an end.")
        else:
            outcome = carry_out(
                self._store,
                claim,
                self._host,
                self._workshop,
                self._lease_seconds,
                last_attempt=claim.run.attempts >= MAX_ATTEMPTS,
            )
            log.info("run %s: %s (%s)", claim.run.id, outcome.kind, outcome.reason)

    def _hand_over(self, claim: Claim, reason: Reason, detail: str) -> None:
        """End the run with an escalation that rests on nothing but the row, as it stands by now."""
        row = self._store.get(claim.run.id) or claim.run
        evidence = Evidence(
            run=request_of(claim.run),
            base_commit=row.base_commit,
            reason=reason,
            detail=detail,
            attempt=None,
            prepared=None,
            engine=self._workshop.engine_description,
            model=self._workshop.model.name,
            price_known=self._workshop.price_known,
            patch=b"",
            spend=row.spend,
        )
        try:
            outcome = self._host.publish_escalation(evidence)
        except Exception:  # the same edge: what cannot be said on GitHub stands in the store
            log.exception("run %s: the escalation could not be published", claim.run.id)
            outcome = Outcome(OutcomeKind.ESCALATION, reason, detail)
        self._store.finish(claim, outcome, row.spend)


def build_executor(settings: WorkerSettings) -> Executor:
    """What one process of the worker's pool works with. ConfigError."""
    store = open_store(settings.effective_database_url)
    return Executor(store, build_workshop(settings), make_github_host(settings), settings.lease_seconds)
