"""A worker in small, for whoever needs a hundred runs in a few seconds: `tests.support.real_worker` is the whole one.

Real are the store, `Journal`, `Agent` with its tools, and the publisher with its client, on GitHub's stand-in. Not
there are the executor, `carry_out`, the pipeline and `Case`: `Small.work` takes their steps from claim to end by
itself, without a thread that renews the lease, on files in memory; it shows no verification, and what it escalates
with is an imagined run's evidence. The delivery and the model are scripted.
"""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from agent.assignment import FIX
from agent.budget import Budget, BudgetLimits, Spent
from agent.errors import GaveUp
from agent.judge import Proof
from agent.loop import Agent
from agent.model import Reply, Request
from agent.scripted import reply, text, tool_use
from tests.support.damage import damage_of
from tests.support.evidence import make_attempt
from tests.support.github import Scene
from tests.support.issues import an_issue
from tests.support.memory_workspace import PRICE, PROVED, TASK, MemoryWorkspace
from workers.heartbeat import Heartbeat
from workers.host import RunRequest
from workers.journal import Journal, intents_of
from workers.outcomes import Outcome, Reason
from workers.store import Claim, NewDelivery, RunStore

DELIVERY = NewDelivery("one-and-the-same", "issues", "labeled")
ISSUE = an_issue(1)


@dataclass
class CountingModel:
    """Looks, then gives up. `before` is called with the turn before each answer: to be killed or paused there."""

    before: Callable[[int], None] = lambda _turn: None
    asked: list[tuple[int, float]] = field(default_factory=list)
    name: str = "scripted"

    def query(self, request: Request) -> Reply:
        turn = sum(message["role"] == "assistant" for message in request.messages)
        self.asked.append((turn, time.time()))
        self.before(turn)
        if turn == 0:
            return reply(text("Criterion and plan."), tool_use("read_file", path="calc.py"))
        return reply(tool_use("give_up", reason="I cannot."))


@dataclass
class Small:
    """One labelled issue and all that works on it."""

    scene: Scene
    store: RunStore
    model: CountingModel

    def label(self) -> str:
        return self.store.create_run_once(DELIVERY, ISSUE).run_id

    def claim(self, run_id: str) -> Claim:
        """With a lease that has run out: whoever comes next may take the run over."""
        claim = self.store.claim(run_id, "worker", -1)
        assert claim is not None
        return claim

    def work(self, run_id: str) -> None:
        """One attempt, to its end."""
        claim = self.claim(run_id)
        journal = Journal(self.store, claim, Heartbeat(self.store, claim, 60))
        journal.stage("agent")
        past = journal.resumable(self.model.name, FIX.rules)

        def record(kind: str, data: Mapping[str, Any]) -> None:
            journal.record(kind, data, spend=data["spend"])

        budget = Budget(BudgetLimits(), PRICE, earlier=Spent.from_spend(journal.spend))
        files = MemoryWorkspace({"calc.py": b""})
        agent = Agent(self.model, files, budget, judge=Proof(PROVED), record=record)
        agent.run(TASK, past, began_before=journal.began_before)
        self.store.finish(claim, self.escalate(claim), journal.spend)

    def escalate(self, claim: Claim) -> Outcome:
        attempt = make_attempt(GaveUp("I cannot."), verification=None)
        evidence = self.scene.evidence(
            run=self.request(claim), attempt=attempt, reason=Reason.GAVE_UP, detail="The model gave up."
        )
        return self.scene.host.publish_escalation(evidence)

    def request(self, claim: Claim) -> RunRequest:
        return replace(self.scene.run, run_id=claim.run.id, intents=intents_of(self.store, claim))

    def damage(self) -> list[str]:
        return damage_of(self.scene.github, self.store, 1, self.model.asked)
