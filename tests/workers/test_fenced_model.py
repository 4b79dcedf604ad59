"""A question is asked by the holder of the run alone."""

import pytest

from agent.model import Reply, Request
from agent.scripted import ScriptedModel, reply, text
from tests.support.cases import journal_of
from tests.support.issues import a_claim, fall_silent
from workers.fenced_model import FencedModel
from workers.store import LeaseLostError, RunStore

REQUEST = Request("", (), (), 1_000, 60.0)


def test_a_holder_asks_and_holds_the_run_for_another_lease(sqlite_store: RunStore) -> None:
    claim = a_claim(sqlite_store, lease_seconds=-1)
    fenced = FencedModel(ScriptedModel([reply(text("Yes."))]), journal_of(sqlite_store, claim).hold)
    assert fenced.query(REQUEST).text == "Yes."
    assert sqlite_store.claim(claim.run.id, "worker-2", 60) is None


def test_who_lost_the_run_does_not_ask_again(sqlite_store: RunStore) -> None:
    """The provider was away, and meanwhile another worker took the run over."""
    claim = a_claim(sqlite_store)

    def answer(request: Request) -> Reply:
        fall_silent(sqlite_store, claim)
        a_claim(sqlite_store, claim.run.id)
        request.before_retry()
        raise AssertionError("it was asked again")

    model = ScriptedModel([answer])
    with pytest.raises(LeaseLostError):
        FencedModel(model, journal_of(sqlite_store, claim).hold).query(REQUEST)


def test_who_lost_the_run_does_not_ask(sqlite_store: RunStore) -> None:
    claim = a_claim(sqlite_store)
    fall_silent(sqlite_store, claim)
    a_claim(sqlite_store, claim.run.id)
    model = ScriptedModel([reply(text("Never."))])
    with pytest.raises(LeaseLostError):
        FencedModel(model, journal_of(sqlite_store, claim).hold).query(REQUEST)
    assert model.requests == []
