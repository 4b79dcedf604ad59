"""A worker in small: the real agent, journal, store and publisher; only the model and the boxes are not."""

import time
from collections import Counter
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
from bench.chaos.checks import IssueFacts, RunFacts, damage
from bench.chaos.world import MARKER
from tests.support.evidence import make_attempt
from tests.support.github import REPOSITORY, Scene
from tests.support.issues import an_issue
from tests.support.memory_workspace import PRICE, PROVED, TASK, MemoryWorkspace
from workers.heartbeat import Heartbeat
from workers.host import RunRequest
from workers.intents import Intents
from workers.journal import Journal, intents_of
from workers.outcomes import Outcome, Reason
from workers.store import Claim, NewDelivery, RunStore

DELIVERY = NewDelivery("one-and-the-same", "issues", "labeled")
ISSUE = an_issue(1)


class DiedError(BaseException):
    """The worker was killed."""


@dataclass
class CountingModel:
    """Looks, then gives up. `before` is called with the turn before each answer: to die there, or to be paused."""

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
    """One labelled issue and all that works on it. What it is made of may lack a guarantee."""

    scene: Scene
    store: RunStore
    model: CountingModel
    intents: Callable[[RunStore, Claim], Intents] = intents_of
    late_journal: bool = False

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
        late: list[tuple[str, Mapping[str, Any]]] = []

        def record(kind: str, data: Mapping[str, Any]) -> None:
            if self.late_journal:
                late.append((kind, data))
            else:
                journal.record(kind, data, spend=data["spend"])

        budget = Budget(BudgetLimits(), PRICE, earlier=Spent.from_spend(journal.spend))
        files = MemoryWorkspace({"calc.py": b""})
        agent = Agent(self.model, files, budget, judge=Proof(PROVED), record=record)
        agent.run(TASK, past, began_before=journal.began_before)
        for kind, data in late:
            journal.record(kind, data, spend=data["spend"])
        self.store.finish(claim, self.escalate(claim), journal.spend)

    def escalate(self, claim: Claim) -> Outcome:
        attempt = make_attempt(GaveUp("I cannot."), verification=None)
        evidence = self.scene.evidence(
            run=self.request(claim), attempt=attempt, reason=Reason.GAVE_UP, detail="The model gave up."
        )
        return self.scene.host.publish_escalation(evidence)

    def request(self, claim: Claim) -> RunRequest:
        return replace(self.scene.run, run_id=claim.run.id, intents=self.intents(self.store, claim))

    def damage(self) -> list[str]:
        pulls = self.scene.github.pull_requests(REPOSITORY)
        kinds = Counter(
            kind for comment in self.scene.github.comments(REPOSITORY, 1) for kind in MARKER.findall(comment.body)[:1]
        )
        runs = [self._facts(run.id) for run in self.store.list_runs()]
        return damage([IssueFacts("issue 1", runs, len(pulls), [], kinds, self.model.asked)])

    def _facts(self, run_id: str) -> RunFacts:
        run = self.store.get(run_id)
        assert run is not None
        replies = [step for step in self.store.steps(run_id) if step.kind == "reply"]
        used = int(run.spend.get("tokens", {}).get("used", 0))
        journaled = sum(sum(step.data["usage"].values()) for step in replies)
        at = {n: step.at.timestamp() for n, step in enumerate(replies)}
        return RunFacts(run_id, run.outcome, run.attempts, at, used, journaled)
