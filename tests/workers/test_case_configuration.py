"""A configuration that cannot be used, on a real store: refused before anything is spent, handed over after."""

from dataclasses import dataclass

import pytest

from agent.budget import BudgetLimits
from repo_tools.checkout import Checkout
from tests.support.cases import a_case
from tests.support.files_checkout import FilesCheckout
from tests.support.hosts import FailingHost
from tests.support.issues import a_claim, run_of
from tests.support.journals import SPEND
from workers.configuration.contract import PATH
from workers.host import RunRefusedError, RunRequest
from workers.outcomes import Outcome, OutcomeKind, Reason
from workers.pipeline import run_pipeline
from workers.store import Claim, RunStore


@dataclass
class AdmittingHost(FailingHost):
    """Admits every run to a repository whose configuration is `text`; keeps the refusals."""

    text: str = ""
    refused: tuple[RunRefusedError, ...] = ()

    def admit(self, run: RunRequest) -> None: ...

    def checkout(self, run: RunRequest) -> Checkout:
        return FilesCheckout({PATH: self.text})

    def publish_refusal(self, run: RunRequest, refusal: RunRefusedError) -> Outcome:
        self.refused = (*self.refused, refusal)
        return super().publish_refusal(run, refusal)


def run(store: RunStore, claim: Claim, host: AdmittingHost) -> Outcome:
    return run_pipeline(a_case(store, claim, host), last_attempt=False, may_wait=False)


def make_host(text: str) -> AdmittingHost:
    return AdmittingHost(AssertionError("nobody asks"), text=text)


def test_a_misspelt_key_is_refused_with_every_problem_and_nothing_is_spent(sqlite_store: RunStore) -> None:
    claim, host = a_claim(sqlite_store), make_host("bugdets: {}\nmodel: 5\n")
    outcome = run(sqlite_store, claim, host)
    assert (outcome.kind, outcome.reason) == (OutcomeKind.REFUSED, Reason.CONFIGURATION)
    assert "line 1: unknown key `bugdets`; did you mean `budgets`?; line 2: " in outcome.detail
    (refusal,) = host.refused
    assert len(refusal.points) == 2
    row = run_of(sqlite_store, claim.run.id)
    assert (row.spend, row.model) == ({}, None)


def test_what_an_earlier_attempt_spent_is_told_in_an_escalation(sqlite_store: RunStore) -> None:
    """The operator's limits may have changed between two attempts; a refusal would say that nothing was spent."""
    first = a_claim(sqlite_store)
    sqlite_store.set_progress(first, spend=SPEND)
    sqlite_store.release(first)
    host = make_host("model: withdrawn\n")
    outcome = run(sqlite_store, a_claim(sqlite_store, first.run.id), host)
    assert (outcome.kind, outcome.reason) == (OutcomeKind.ESCALATION, Reason.CONFIGURATION)
    assert host.published[0].spend["turns"]["used"] == SPEND["turns"]["used"]


def test_terminal_codes_in_a_key_reach_nobody(sqlite_store: RunStore) -> None:
    outcome = run(sqlite_store, a_claim(sqlite_store), make_host('"\\e[31mred": 1\n'))
    assert "\x1b" not in outcome.detail
    assert "unknown key" in outcome.detail


@pytest.mark.parametrize(("text", "turns"), [("budgets: {turns: 3}\n", 3), ("", BudgetLimits().turns)])
def test_tighter_limits_hold_for_the_run(sqlite_store: RunStore, text: str, turns: int) -> None:
    claim, host = a_claim(sqlite_store), make_host(text)
    case = a_case(sqlite_store, claim, host)
    case.configure(host.checkout(case.run))
    assert case.budget.limits.turns == case.workshop.budget.turns == turns
    row = run_of(sqlite_store, claim.run.id)
    assert (row.base_commit, row.model) == (FilesCheckout.commit, case.workshop.model.name)
