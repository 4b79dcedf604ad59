"""Each guarantee taken out of the product's own path does damage that the checks of `make chaos` find; with it there is
none. What is named is taken out by a store that lacks it; nothing else of the path is another (`real_worker`)."""

import json
import uuid
from collections.abc import Callable, Iterator, Mapping, Set
from contextlib import ExitStack, suppress
from dataclasses import dataclass, replace
from datetime import timedelta
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Engine

from agent.scripted import ScriptedModel, reply, tool_use
from app.standins.github_webhooks import deliver
from bench.chaos.checks import (
    GAVE_UP,
    HANDED_OVER,
    PROVED,
    Ending,
    IssueFacts,
    RunFacts,
    damage,
    outcomes,
    percentile,
    resume_seconds,
)
from repo_tools.sandbox.bubblewrap import BubblewrapEngine
from tests.support import calc
from tests.support.damage import damage_of
from tests.support.engine import shared_bubblewrap
from tests.support.github import LABEL, REPOSITORY
from tests.support.issues import run_of
from tests.support.long import first_of
from tests.support.real_worker import NEW_TEST, SUITE, KilledError, RealWorker, real_worker
from tests.support.small_worker import CountingModel
from tests.support.web import make_app, serving, web_settings
from workers.outcomes import Outcome, OutcomeKind, Reason
from workers.store import Claim, CreatedRun, IssueSnapshot, LeaseLostError, NewDelivery, RunStore

pytestmark = pytest.mark.bubblewrap

each_way = pytest.mark.parametrize("there", first_of([False, True]), ids=["without", "with"])


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> BubblewrapEngine:
    return shared_bubblewrap(tmp_path_factory)


@dataclass
class Watched:
    """A worker whose model counts, and what is left when it is done."""

    worker: RealWorker
    model: CountingModel

    def ring(self, run_id: str) -> None:
        self.worker.ring(run_id, self.model)

    def damage(self, number: int = 1, endings: Set[Ending] = frozenset({GAVE_UP})) -> list[str]:
        return damage_of(self.worker.scene.github, self.worker.store, number, self.model.asked, endings)


@pytest.fixture
def watch(engine: BubblewrapEngine, tmp_path: Path) -> Iterator[Callable[..., Watched]]:
    """Opens one on a store of a kind; each test opens one."""
    with ExitStack() as stack:
        yield lambda kind=RunStore: Watched(stack.enter_context(real_worker(engine, tmp_path, kind)), CountingModel())


def killed_once_at(turn: int) -> Callable[[int], None]:
    killed: list[int] = []

    def before(now: int) -> None:
        if now == turn and not killed:
            killed.append(now)
            raise KilledError

    return before


def test_a_run_that_nothing_happens_to_shows_no_damage(watch: Callable[..., Watched]) -> None:
    watched = watch()
    watched.ring(watched.worker.queue())
    assert watched.damage() == []


class LateJournal(RunStore):
    """What the model said and its tools answered is written when the run ends, by whoever still lives then."""

    def __init__(self, engine: Engine) -> None:
        super().__init__(engine)
        self._late: list[tuple[Claim, str, Mapping[str, Any]]] = []

    def append_step(self, claim: Claim, kind: str, data: Mapping[str, Any]) -> int:
        if kind not in ("reply", "tool_result"):
            return super().append_step(claim, kind, data)
        self._late.append((claim, kind, data))
        return 0

    def finish(self, claim: Claim, outcome: Outcome, spend: Mapping[str, Any]) -> None:
        for holder, kind, data in self._late:
            if holder.epoch == claim.epoch:
                super().append_step(claim, kind, data)
        super().finish(claim, outcome, spend)


@each_way
def test_journal_before_use(watch: Callable[..., Watched], there: bool) -> None:
    """Killed while the second question is out: the first one's answer is in the journal, or is asked again."""
    watched = watch(RunStore if there else LateJournal)
    watched.model.before = killed_once_at(1)
    run_id = watched.worker.queue()
    with pytest.raises(KilledError):
        watched.ring(run_id)
    watched.worker.expire(run_id)
    watched.ring(run_id)
    found = watched.damage()
    assert found == [] if there else any("model calls repeated" in problem for problem in found)


class WithoutLease(RunStore):
    """Writes of a worker that lost its run are not told from others."""

    def renew(self, claim: Claim, lease_seconds: float) -> bool:
        super().renew(claim, lease_seconds)
        return True

    def append_step(self, claim: Claim, kind: str, data: Mapping[str, Any]) -> int:
        with suppress(LeaseLostError):
            return super().append_step(claim, kind, data)
        return 0

    def set_progress(self, claim: Claim, **words: Any) -> None:
        with suppress(LeaseLostError):
            super().set_progress(claim, **words)

    def finish(self, claim: Claim, outcome: Outcome, spend: Mapping[str, Any]) -> None:
        with suppress(LeaseLostError):
            super().finish(claim, outcome, spend)


@each_way
def test_the_lease_check(watch: Callable[..., Watched], there: bool) -> None:
    """Paused during its first question; another worker does the whole run; then the first one wakes up."""
    watched = watch(RunStore if there else WithoutLease)
    run_id = watched.worker.queue()
    paused: list[int] = []

    def another_worker_first(turn: int) -> None:
        if not paused:
            paused.append(turn)
            watched.worker.take_over(run_id, watched.model)

    watched.model.before = another_worker_first
    watched.ring(run_id)
    found = watched.damage()
    assert found == [] if there else any("finished model call of turn 1" in problem for problem in found)


class StandsStill(RunStore):
    """Once, when the answer of the first tool is written."""

    meanwhile: Callable[[], None] | None = None

    def append_step(self, claim: Claim, kind: str, data: Mapping[str, Any]) -> int:
        number = super().append_step(claim, kind, data)
        meanwhile = self.meanwhile
        if kind == "tool_result" and meanwhile is not None:
            self.meanwhile = None
            meanwhile()
        return number


class AsksUnheld(StandsStill):
    """Whether the run is still held is known from the next step on."""

    def renew(self, claim: Claim, lease_seconds: float) -> bool:
        super().renew(claim, lease_seconds)
        return True


@each_way
def test_the_hold_before_a_question(watch: Callable[..., Watched], there: bool) -> None:
    """Paused after a step, before the next question; another worker does the rest; then the first one wakes up."""
    watched = watch(StandsStill if there else AsksUnheld)
    run_id = watched.worker.queue()
    store = watched.worker.store
    assert isinstance(store, StandsStill)
    store.meanwhile = lambda: watched.worker.take_over(run_id, watched.model)
    watched.ring(run_id)
    found = watched.damage()
    assert found == [] if there else any("finished model call of turn 1" in problem for problem in found)


class DiesAtTheEnd(RunStore):
    """Once, when all is done but the row."""

    died = False

    def finish(self, claim: Claim, outcome: Outcome, spend: Mapping[str, Any]) -> None:
        if not self.died:
            self.died = True
            raise KilledError
        super().finish(claim, outcome, spend)


class EarlierModel(ScriptedModel):
    """One that is no longer to be had at the next attempt, so that the agent starts again."""

    name = "an earlier model"


class WithoutIntents(DiesAtTheEnd):
    """What is about to be sent to GitHub is written down nowhere."""

    def append_step(self, claim: Claim, kind: str, data: Mapping[str, Any]) -> int:
        return 0 if kind == "intent" else super().append_step(claim, kind, data)


@each_way
def test_the_intent_row(watch: Callable[..., Watched], there: bool) -> None:
    """Killed when the pull request was open and nobody had noted it; the next attempt comes to another end."""
    watched = watch(DiesAtTheEnd if there else WithoutIntents)
    run_id = watched.worker.queue()
    write = tool_use("write_file", path="checks.py", content=SUITE + NEW_TEST)
    with pytest.raises(KilledError):
        watched.worker.ring(run_id, EarlierModel([reply(*calc.PLAN, write, calc.mend()), reply(calc.finish())]))
    watched.worker.expire(run_id)
    watched.ring(run_id)
    found, both = watched.damage(endings={PROVED}), "a pull request and a comment of escalation"
    assert found == [] if there else any(both in problem for problem in found)


class WithoutDedupe(RunStore):
    """Each delivery is taken for a new one, and for one of a labelling of its own."""

    _seconds = count(1)

    def create_run_once(self, delivery: NewDelivery, issue: IssueSnapshot, labelling: int | None = None) -> CreatedRun:
        assert issue.labelled_at is not None
        at = issue.labelled_at + timedelta(seconds=next(self._seconds))
        return super().create_run_once(replace(delivery, id=str(uuid.uuid4())), replace(issue, labelled_at=at))

    def at_once(self) -> None:
        """Not past this class."""


@pytest.mark.parametrize("again", ["the same delivery", "another delivery of the label"])
@each_way
def test_the_dedupe_of_deliveries(watch: Callable[..., Watched], tmp_path: Path, there: bool, again: str) -> None:
    """GitHub's own deliveries reach the web process; a copy comes when the run has ended."""
    watched = watch(RunStore if there else WithoutDedupe)
    github = watched.worker.scene.github
    settings = web_settings(tmp_path, github_webhook_secret=github.webhook_secret, label=LABEL)
    with serving(make_app(settings, watched.worker.store)) as port:
        url = f"http://127.0.0.1:{port}/webhooks/github"
        github.webhook_url = url
        number = github.open_issue(REPOSITORY, "The first price is left out", "total([1, 2, 3]) is 5.")
        sent = github.label_issue(REPOSITORY, number, LABEL, "maintainer")
        assert sent is not None
        assert sent.response is not None
        run = run_of(watched.worker.store, sent.response.json()["run"])
        assert run.labelled_at is not None
        watched.ring(run.id)
        delivery_id = sent.id if again == "the same delivery" else None
        copy = deliver(url, github.webhook_secret, sent.event, json.loads(sent.body), delivery_id)
        assert copy.response is not None
        assert copy.response.status_code == 202
    found = watched.damage(number)
    assert found == [] if there else found == [f"issue {number}: one labelling made 2 runs"]


RUN = RunFacts("r", PROVED, 2, {0: 1.0}, tokens_used=100, tokens_journaled=100)
FINE = IssueFacts("x", {PROVED}, [RUN], 1, ["b"], {}, [(0, 0.5)])
ESCALATED: dict[str, Any] = {"pull_requests": 0, "branches": [], "comments": {"escalation": 1}}
TWICE: dict[str, Any] = {"asked": [(0, 0.1), (0, 0.2)]}
OTHER_REASONS = [reason for reason in Reason if reason is not Reason.GAVE_UP]


def ended(ending: Ending | None) -> dict[str, Any]:
    return {"runs": [replace(RUN, ending=ending)]}


def charged(*tokens: int, used: int) -> dict[str, Any]:
    return {"runs": [replace(RUN, attempts=len(tokens) + 2, charges=tokens, tokens_used=used)]}


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        (ended(None), "lost"),
        ({"runs": []}, "made 0 runs"),
        ({"runs": [RUN, RUN]}, "made 2 runs"),
        ({"pull_requests": 2}, "2 pull requests"),
        ({"pull_requests": 0}, "which GitHub does not show"),
        ({"branches": ["b", "b-2"]}, "2 branches"),
        ({"comments": {"transcript-1": 2}}, "2 comments of kind transcript-1"),
        ({"comments": {"escalation": 1}}, "a pull request and a comment of escalation"),
        ({"comments": {"cancellation": 1}}, "a pull request and a comment of cancellation"),
        (
            {"pull_requests": 0, "comments": {"escalation": 1, "cancellation": 1}},
            "a comment of escalation and a comment of cancellation",
        ),
        ({"pull_requests": 0, "comments": {"escalation": 1, "refusal": 1}}, "a comment of escalation and"),
        ({**ESCALATED, **ended(GAVE_UP)}, "ended as escalation (gave up), not as draft pull request (proved)"),
        ({**ESCALATED, **ended(HANDED_OVER)}, "ended as escalation (attempts), not as"),
        ({"endings": {GAVE_UP}}, "ended as draft pull request (proved), not as escalation (gave up)"),
        (ended(Ending(OutcomeKind.DRAFT_PULL_REQUEST, Reason.CONTRACT_CHANGED)), "contract changed"),
        ({**ESCALATED, **ended(Ending(OutcomeKind.CANCELLED, Reason.UNWANTED))}, "ended as cancelled (unwanted)"),
        ({"asked": [(0, 0.5), (0, 2.0)]}, "finished model call of turn 0"),
        ({"asked": [(0, 0.1), (0, 0.2), (0, 0.3)]}, "2 model calls repeated in 2 attempts"),
        (TWICE, "1 model calls repeated, 0 of them charged"),
        ({**TWICE, **charged(0, used=100)}, "1 model calls repeated, 0 of them charged"),
        (
            {"asked": [(0, 0.1), (0, 0.2), (0, 0.3)], **charged(7, used=107)},
            "2 model calls repeated, 1 of them charged",
        ),
        ({**TWICE, **charged(7, used=106)}, "what was charged is not in what the run has spent"),
    ],
)
def test_each_kind_of_damage_is_found(changed: dict[str, Any], words: str) -> None:
    assert damage([FINE]) == []
    assert any(words in problem for problem in damage([replace(FINE, **changed)]))


@pytest.mark.parametrize("reason", OTHER_REASONS)
def test_an_escalation_for_any_other_reason_is_damage_though_github_shows_it(reason: Reason) -> None:
    shown = replace(FINE, endings={GAVE_UP}, **ESCALATED)
    assert damage([replace(shown, **ended(GAVE_UP))]) == []
    assert damage([replace(shown, **ended(Ending(OutcomeKind.ESCALATION, reason)))]) != []


def test_a_hand_over_after_the_last_attempt_is_an_end_where_it_is_said_that_harm_strikes_again_and_again() -> None:
    struck = replace(FINE, **ESCALATED, **ended(HANDED_OVER))
    assert damage([replace(struck, endings={PROVED, HANDED_OVER})]) == []
    assert outcomes([FINE, struck]) == {"draft pull request (proved)": 1, "escalation (attempts)": 1}


def test_each_repeated_call_that_was_charged_is_none() -> None:
    asked = [(0, 0.1), (0, 0.2), (0, 0.3)]
    assert damage([replace(FINE, asked=asked, **charged(7, 7, used=114))]) == []


def test_resuming_is_reckoned_from_the_kill_of_who_held_the_run_to_the_next_attempt_at_it() -> None:
    begun = {"a": [0.0, 12.0, 15.0], "b": [3.0]}
    assert resume_seconds([("a", 5.0), ("b", 6.0), ("a", 13.0)], begun) == [7.0, 2.0]
    assert percentile([3.0, 1.0, 2.0], 0.95) == 3.0
    assert percentile([], 0.95) is None
