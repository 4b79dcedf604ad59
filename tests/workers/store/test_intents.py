"""What a run is about to do on GitHub is kept in its journal, under the claim's epoch."""

import pytest

from tests.support.issues import a_claim, a_run
from workers.journal import intents_after_end, intents_of
from workers.outcomes import Outcome, OutcomeKind, Reason
from workers.store import LeaseLostError, RunStore


def test_intents_are_of_the_run_and_outlive_the_attempt(store: RunStore) -> None:
    run_id = a_run(store)
    held = a_claim(store, run_id, lease_seconds=-1)
    assert not intents_of(store, held).intend("draft", reason="proved", detail="It is red.")
    taken_over = a_claim(store, run_id)
    again = intents_of(store, taken_over)
    assert again.intended("draft") == {"effect": "draft", "reason": "proved", "detail": "It is red."}
    assert again.intend("draft", reason="other", detail="")
    assert not again.intend("comment escalation on 7")
    assert again.intended("comment refusal on 7") is None
    with pytest.raises(LeaseLostError):
        intents_of(store, held).intend("comment escalation on 7")


def test_what_is_done_behind_a_run_is_kept_too_once_it_has_ended(store: RunStore) -> None:
    run_id = a_run(store)
    held = a_claim(store, run_id)
    intents_of(store, held).intend("comment escalation on 7")
    behind = intents_after_end(store, run_id)
    with pytest.raises(ValueError, match="has not ended"):
        behind.intend("delete comment 1")
    store.finish(held, Outcome(OutcomeKind.ESCALATION, Reason.GAVE_UP, ""), {})
    assert behind.intended("comment escalation on 7") is not None
    behind.intend("delete comment 1")
    assert [step.number for step in store.steps(run_id)] == [1, 2]
    assert intents_after_end(store, run_id).intended("delete comment 1") is not None
