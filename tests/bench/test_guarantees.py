"""Each guarantee taken out does damage that the checks of `make chaos` find; with it there is none."""

import uuid
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from app.standins.github import GitHubStandIn
from bench.chaos.checks import IssueFacts, RunFacts, damage, percentile, resume_seconds
from tests.support.github import make_scene
from tests.support.small_worker import CountingModel, DiedError, Small
from workers.intents import Unkept
from workers.outcomes import Outcome
from workers.store import Claim, CreatedRun, IssueSnapshot, LeaseLostError, NewDelivery, RunStore, open_store
from workers.store.database import make_engine


@pytest.fixture
def small(tmp_path: Path) -> Iterator[Small]:
    store = open_store(f"sqlite:///{tmp_path / 'store.db'}")
    with GitHubStandIn() as github:
        yield Small(make_scene(github, tmp_path), store, CountingModel())
    store.close()


def without(small: Small, kind: type[RunStore], folder: Path) -> Small:
    """The same on a store that lacks something."""
    return replace(small, store=kind(make_engine(f"sqlite:///{folder / 'store.db'}")))


def die_once_at(turn: int) -> Callable[[int], None]:
    died: list[int] = []

    def before(now: int) -> None:
        if now == turn and not died:
            died.append(now)
            raise DiedError

    return before


def test_a_run_that_nothing_happens_to_shows_no_damage(small: Small) -> None:
    small.work(small.label())
    assert small.damage() == []


@pytest.mark.parametrize("late", [False, True], ids=["with", "without"])
def test_journal_before_use(small: Small, late: bool) -> None:
    """Killed while the second question is out: the first one's answer is in the journal, or is asked again."""
    small = replace(small, late_journal=late, model=CountingModel(die_once_at(1)))
    run_id = small.label()
    with pytest.raises(DiedError):
        small.work(run_id)
    small.work(run_id)
    found = small.damage()
    assert any("model calls repeated" in problem for problem in found) if late else found == []


class WithoutLease(RunStore):
    """Writes of a worker that lost its run are not told from others."""

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


@pytest.mark.parametrize("fenced", [True, False], ids=["with", "without"])
def test_the_lease_check(small: Small, tmp_path: Path, fenced: bool) -> None:
    """Paused during its first question; another worker does the whole run; then the first one wakes up."""
    small = small if fenced else without(small, WithoutLease, tmp_path)
    run_id = small.label()
    paused: list[int] = []

    def another_worker_first(turn: int) -> None:
        if not paused:
            paused.append(turn)
            small.work(run_id)

    small.model.before = another_worker_first
    if fenced:
        with pytest.raises(LeaseLostError):
            small.work(run_id)
        assert small.damage() == []
    else:
        small.work(run_id)
        assert any("finished model call of turn 1" in problem for problem in small.damage())


@pytest.mark.parametrize("kept", [True, False], ids=["with", "without"])
def test_the_intent_row(small: Small, kept: bool) -> None:
    """Killed when the pull request was open and nobody had noted it; the next attempt comes to another end."""
    small = small if kept else replace(small, intents=lambda _store, _claim: Unkept())
    first = small.claim(small.label())
    small.scene.host.publish_draft(small.scene.evidence(run=small.request(first)))
    small.work(first.run.id)
    found = small.damage()
    assert found == [] if kept else any("a pull request and a comment of escalation" in problem for problem in found)


class WithoutDedupe(RunStore):
    """Each delivery is taken for a new one."""

    def create_run_once(self, delivery: NewDelivery, issue: IssueSnapshot) -> CreatedRun:
        return super().create_run_once(replace(delivery, id=str(uuid.uuid4())), issue)


@pytest.mark.parametrize("deduped", [True, False], ids=["with", "without"])
def test_the_dedupe_of_deliveries(small: Small, tmp_path: Path, deduped: bool) -> None:
    """A copy of the delivery comes when the run has ended."""
    small = small if deduped else without(small, WithoutDedupe, tmp_path)
    small.work(small.label())
    small.label()
    found = small.damage()
    assert found == [] if deduped else found == ["issue 1: one labelling made 2 runs"]


FINE = IssueFacts("x", [RunFacts("r", "draft_pull_request", 2, {0: 1.0})], 1, ["b"], {}, [(0, 0.5)])


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"runs": [RunFacts("r", None, 1)]}, "lost"),
        ({"runs": []}, "made 0 runs"),
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
        ({"asked": [(0, 0.5), (0, 2.0)]}, "finished model call of turn 0"),
        ({"asked": [(0, 0.1), (0, 0.2), (0, 0.3)]}, "2 model calls repeated in 2 attempts"),
        ({"asked": [(0, 0.1), (0, 0.2)]}, "not charged"),
    ],
)
def test_each_kind_of_damage_is_found(changed: dict[str, Any], words: str) -> None:
    assert damage([FINE]) == []
    assert any(words in problem for problem in damage([replace(FINE, **changed)]))


def test_resuming_is_reckoned_from_the_kill_of_who_held_the_run_to_the_next_attempt_at_it() -> None:
    begun = {"a": [0.0, 12.0, 15.0], "b": [3.0]}
    assert resume_seconds([("a", 5.0), ("b", 6.0), ("a", 13.0)], begun) == [7.0, 2.0]
    assert percentile([3.0, 1.0, 2.0], 0.95) == 3.0
    assert percentile([], 0.95) is None
