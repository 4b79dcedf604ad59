"""What came too late is looked for where there can be any."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from app.standins.github import GitHubStandIn
from tests.support.github import REPOSITORY, make_scene, mark_of, patrol_of, settings_for
from tests.support.issues import ENDED, a_claim, a_run, after_now, an_ended_run, an_issue
from workers.github.errors import GitHubUnavailableError, NotFoundError
from workers.github.markers import marker
from workers.host import RunRequest
from workers.outcomes import Outcome
from workers.patrol import LOOKED, make_patrol
from workers.store import IssueSnapshot, RunStore
from workers.twins import GIVEN_UP, WITHIN, remove_late_twins


def always() -> bool:
    return True


def lately(store: RunStore) -> datetime:
    return store.time() - WITHIN


def test_only_runs_that_ended_lately_and_had_several_workers_are_looked_at(sqlite_store: RunStore) -> None:
    an_ended_run(sqlite_store, workers=1)
    a_claim(sqlite_store, a_run(sqlite_store))
    changed_hands = [an_ended_run(sqlite_store, workers=2), an_ended_run(sqlite_store, workers=3)]
    asked: list[str] = []

    def remove(run: RunRequest, recorded: Outcome) -> None:
        assert recorded == ENDED
        asked.append(run.run_id)
        raise NotFoundError("GET /issues/1", 404)  # the next one is looked at all the same

    assert remove_late_twins(sqlite_store, remove, lately(sqlite_store), always)
    assert sorted(asked) == sorted(changed_hands)
    assert remove_late_twins(sqlite_store, remove, after_now(sqlite_store), always)
    assert len(asked) == 2


def test_no_run_of_an_installation_that_github_limits_is_looked_at(sqlite_store: RunStore) -> None:
    for _ in range(2):
        an_ended_run(sqlite_store, 2, an_issue())
    other = an_ended_run(sqlite_store, 2, replace(an_issue(), installation_id=4711, repository_id=4711))
    asked: list[str] = []

    def remove(run: RunRequest, _recorded: Outcome) -> None:
        asked.append(run.run_id)
        if run.run_id != other:
            limited = GitHubUnavailableError("GET /comments", 403, "rate limited")
            limited.retry_after_seconds = 3600
            raise limited

    assert not remove_late_twins(sqlite_store, remove, lately(sqlite_store), always)
    assert not remove_late_twins(sqlite_store, remove, lately(sqlite_store), always)
    assert asked.count(other) == 2
    assert len(asked) == 3
    assert sqlite_store.is_paused(an_issue().installation_id)
    assert not sqlite_store.is_paused(4711)


def test_a_run_that_waited_long_is_looked_at_however_many_were_labelled_after_it(sqlite_store: RunStore) -> None:
    old = an_ended_run(sqlite_store, workers=2)
    for _ in range(5):
        a_run(sqlite_store)
    looked_at: list[str] = []
    remove_late_twins(sqlite_store, lambda run, _ended: looked_at.append(run.run_id), lately(sqlite_store), always)
    assert looked_at == [old]


def test_no_run_is_looked_at_and_nobody_asked_once_another_one_does_it(sqlite_store: RunStore) -> None:
    for _ in range(3):
        an_ended_run(sqlite_store, workers=2)
    answers = iter((True, False))  # nobody asks a third time
    asked: list[str] = []
    assert not remove_late_twins(
        sqlite_store, lambda run, _ended: asked.append(run.run_id), lately(sqlite_store), lambda: next(answers)
    )
    assert len(asked) == 1


@pytest.fixture
def github() -> Iterator[GitHubStandIn]:
    with GitHubStandIn() as standin:
        yield standin


@dataclass
class Remover:
    """Refused while `away`."""

    away: bool = False
    asked: list[str] = field(default_factory=list)

    def __call__(self, run: RunRequest, _recorded: Outcome) -> None:
        self.asked.append(run.run_id)
        if self.away:
            raise GitHubUnavailableError("GET /comments", 502)


def pass_by(store: RunStore, folder: Path, time: timedelta) -> None:
    """All that happened so far happened so much earlier."""
    with closing(sqlite3.connect(folder / "store.db")) as database, database:
        database.execute("update runs set ended_at = ended_at - ?", [time.total_seconds()])
    looked = datetime.fromisoformat(mark_of(store)[LOOKED]) - time
    mark_of(store, **{LOOKED: looked.isoformat()})


@pytest.mark.parametrize("off", [timedelta(days=-2), timedelta(days=2)], ids=["behind", "ahead"])
def test_the_database_says_what_ended_lately_and_not_the_workers_clock(
    github: GitHubStandIn, sqlite_store: RunStore, tmp_path: Path, off: timedelta
) -> None:
    remover = Remover()
    patrol = patrol_of(github, sqlite_store, tmp_path, remove_late=remover, now=lambda: datetime.now(UTC) + off)
    old = an_ended_run(sqlite_store, workers=2)
    patrol.round("here")
    pass_by(sqlite_store, tmp_path, 2 * WITHIN)
    patrol.round("here")  # now nothing of it can be under way any longer
    newer = an_ended_run(sqlite_store, workers=2)
    patrol.round("here")
    assert remover.asked == [old, old, newer]


def test_what_nobody_could_look_behind_is_looked_behind_when_github_is_back(
    github: GitHubStandIn, sqlite_store: RunStore, tmp_path: Path
) -> None:
    run_id, remover = an_ended_run(sqlite_store, workers=2), Remover(away=True)
    patrol = patrol_of(github, sqlite_store, tmp_path, remove_late=remover)
    for _ in range(2):
        patrol.round("here")
        pass_by(sqlite_store, tmp_path, 2 * WITHIN)
    remover.away = False
    patrol.round("here")
    assert remover.asked == [run_id] * 3
    pass_by(sqlite_store, tmp_path, 2 * WITHIN)
    patrol.round("here")
    assert remover.asked == [run_id] * 3  # the last look was late enough


def test_behind_a_run_that_ended_more_than_a_day_ago_nobody_looks(
    github: GitHubStandIn, sqlite_store: RunStore, tmp_path: Path
) -> None:
    an_ended_run(sqlite_store, workers=2)
    remover = Remover(away=True)
    patrol = patrol_of(github, sqlite_store, tmp_path, remove_late=remover)
    patrol.round("here")
    pass_by(sqlite_store, tmp_path, GIVEN_UP)
    patrol.round("here")
    assert len(remover.asked) == 1


def test_the_patrol_removes_them(sqlite_store: RunStore, tmp_path: Path) -> None:
    with GitHubStandIn() as github:
        run = make_scene(github, tmp_path).run
        issue = IssueSnapshot(run.installation_id, run.repository_id, run.repository, 1, "It breaks", "", "me", None)
        begin = marker(an_ended_run(sqlite_store, 2, issue), "escalation")
        for words in ("first", "a twin"):
            github.add_comment(REPOSITORY, 1, f"{begin}\n{words}", "agent-fix-local[bot]")
        assert make_patrol(settings_for(github, tmp_path), sqlite_store).round("here")
        assert [comment.body for comment in github.comments(REPOSITORY, 1)] == [f"{begin}\nfirst"]
