"""A patrol that takes longer than its hold keeps it, and stops where another one has it."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest

from app.standins.github import GitHubStandIn
from tests.support.github import labelled, settings_for
from tests.support.issues import an_ended_run
from workers.host import RunRequest
from workers.outcomes import Outcome
from workers.patrol import Patrol, make_patrol
from workers.store import Chore, RunStore
from workers.store.chores import PATROL

MANY = 3


@dataclass
class Rival:
    """Another patrol, which takes the row once `is_time`: ours ran out."""

    store: RunStore
    is_time: Callable[[], bool]
    holds: Chore | None = field(default=None)

    def __call__(self, _seconds: float) -> None:
        if self.holds is None and self.is_time():
            self.store.give_back_chore(Chore(PATROL, "worker", {}), {}, -1)
            self.holds = self.store.take_chore(PATROL, "another", 60)
            assert self.holds is not None


@pytest.fixture
def patrol(github: GitHubStandIn, sqlite_store: RunStore, tmp_path: Path) -> Patrol:
    return make_patrol(settings_for(github, tmp_path), sqlite_store)


@pytest.fixture
def many(github: GitHubStandIn) -> None:
    for _ in range(MANY):
        labelled(github)


def round_with_a_rival(patrol: Patrol, is_time: Callable[[], bool]) -> None:
    """Whose mark stays the rival's."""
    rival = Rival(patrol.store, is_time)
    assert replace(patrol, sleep=rival).round("worker")
    assert rival.holds is not None
    assert patrol.store.hold_chore(rival.holds, 60)


@pytest.mark.usefixtures("many")
def test_no_delivery_is_asked_for_once_another_patrol_is_at_it(github: GitHubStandIn, patrol: Patrol) -> None:
    asked: list[str] = []
    github.hook.again = lambda attempt: asked.append(attempt.delivery.id)  # type: ignore[method-assign]
    round_with_a_rival(patrol, lambda: len(asked) == 1)
    assert len(asked) == 1
    assert patrol.store.list_runs() == []


@pytest.mark.usefixtures("many")
def test_no_issue_is_looked_at_once_another_patrol_is_at_it(github: GitHubStandIn, patrol: Patrol) -> None:
    github.hook.attempts.clear()
    round_with_a_rival(patrol, lambda: len(patrol.store.list_runs()) == 1)
    assert len(patrol.store.list_runs()) == 1


def test_no_run_is_looked_behind_once_another_patrol_is_at_it(patrol: Patrol) -> None:
    for _ in range(MANY):
        an_ended_run(patrol.store, workers=2)
    asked: list[str] = []

    def remove(run: RunRequest, _ended: Outcome) -> None:
        asked.append(run.run_id)

    round_with_a_rival(replace(patrol, remove_late=remove), lambda: len(asked) == 1)
    assert len(asked) == 1
