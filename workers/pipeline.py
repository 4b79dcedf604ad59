"""One run from its request to its outcome. `run_pipeline` is the table of contents of the product."""

import logging

from agent.errors import ModelError
from repo_tools.errors import RepoError, SandboxError, TransientError
from workers.case import Case
from workers.configuration.contract import ConfigurationError
from workers.host import RunCancelledError, RunRefusedError
from workers.outcomes import Outcome
from workers.waiting import waiting_words

log = logging.getLogger(__name__)


def run_pipeline(case: Case, *, last_attempt: bool, may_wait: bool) -> Outcome:
    """Take the run to its one outcome, whatever goes wrong. Two kinds of errors propagate: LeaseLostError, and
    TransientErrors, so that the run is tried again. On the last attempt only those TransientErrors do that cost no
    attempt (`waiting_words`), and only if the run `may_wait` once more."""
    try:
        case.admit()
        checkout = case.read_repository()
        case.configure(checkout)
        prepared = case.prepare(checkout)
        suite = case.measure_baseline(checkout, prepared)
        attempt = case.attempt(checkout, suite)
        return case.publish(attempt)
    except RunRefusedError as refusal:
        return case.turn_down(refusal)
    except ConfigurationError as wrong:
        return case.refuse(wrong)
    except RunCancelledError as cancelled:
        return case.cancel(cancelled)
    except (RepoError, SandboxError, ModelError) as error:
        if isinstance(error, TransientError) and (not last_attempt or (may_wait and waiting_words(error))):
            case.keep_spend(error)
            raise
        log.warning("run %s: %s: %s", case.run.run_id, type(error).__name__, error)
        return case.escalate(*case.ending_of_error(error), case.attempt_so_far(error))
