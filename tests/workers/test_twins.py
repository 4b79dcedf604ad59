"""What came too late is looked for where there can be any."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from app.standins.github import GitHubStandIn
from tests.support.github import REPOSITORY, make_scene, settings_for
from tests.support.issues import a_claim, a_run, an_issue
from workers import twins
from workers.github.errors import GitHubUnavailableError, NotFoundError
from workers.github.markers import marker
from workers.host import RunRequest
from workers.outcomes import Outcome, OutcomeKind, Reason
from workers.patrol import make_patrol
from workers.store import IssueSnapshot, RunStore
from workers.twins import WITHIN, remove_late_twins

OUTCOME = Outcome(OutcomeKind.ESCALATION, Reason.GAVE_UP, "It gave up.")


def always() -> bool:
    return True


def ended(store: RunStore, workers: int, issue: IssueSnapshot | None = None) -> str:
    run_id = a_run(store, issue)
    for _ in range(workers - 1):
        a_claim(store, run_id, lease_seconds=-1)
    store.finish(a_claim(store, run_id), OUTCOME, {})
    return run_id


def test_only_runs_that_ended_lately_and_had_several_workers_are_looked_at(sqlite_store: RunStore) -> None:
    ended(sqlite_store, workers=1)
    a_claim(sqlite_store, a_run(sqlite_store))
    changed_hands = [ended(sqlite_store, workers=2), ended(sqlite_store, workers=3)]
    asked: list[str] = []

    def remove(run: RunRequest, recorded: Outcome) -> None:
        assert recorded == OUTCOME
        asked.append(run.run_id)
        raise NotFoundError("GET /issues/1", 404)  # the next one is looked at all the same

    now = datetime.now(UTC)
    assert remove_late_twins(sqlite_store, remove, now, always)
    assert sorted(asked) == sorted(changed_hands)
    assert remove_late_twins(sqlite_store, remove, now + WITHIN + timedelta(minutes=1), always)
    assert len(asked) == 2


def test_no_run_of_an_installation_that_github_limits_is_looked_at(sqlite_store: RunStore) -> None:
    for _ in range(2):
        ended(sqlite_store, 2, an_issue())
    other = ended(sqlite_store, 2, replace(an_issue(), installation_id=4711, repository_id=4711))
    asked: list[str] = []

    def remove(run: RunRequest, _recorded: Outcome) -> None:
        asked.append(run.run_id)
        if run.run_id != other:
            limited = GitHubUnavailableError("GET /comments", 403, "rate limited")
            limited.retry_after_seconds = 3600
            raise limited

    assert not remove_late_twins(sqlite_store, remove, datetime.now(UTC), always)
    assert not remove_late_twins(sqlite_store, remove, datetime.now(UTC), always)
    assert asked.count(other) == 2
    assert len(asked) == 3
    assert sqlite_store.is_paused(an_issue().installation_id)
    assert not sqlite_store.is_paused(4711)


def test_a_run_that_waited_long_is_looked_at_however_many_were_labelled_after_it(
    sqlite_store: RunStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(twins, "_AT_MOST", 3)
    old = ended(sqlite_store, workers=2)
    for _ in range(5):
        a_run(sqlite_store)
    looked_at: list[str] = []
    remove_late_twins(sqlite_store, lambda run, _ended: looked_at.append(run.run_id), datetime.now(UTC), always)
    assert looked_at == [old]


def test_the_patrol_removes_them(sqlite_store: RunStore, tmp_path: Path) -> None:
    with GitHubStandIn() as github:
        run = make_scene(github, tmp_path).run
        issue = IssueSnapshot(run.installation_id, run.repository_id, run.repository, 1, "It breaks", "", "me", None)
        begin = marker(ended(sqlite_store, 2, issue), "escalation")
        for words in ("first", "a twin"):
            github.add_comment(REPOSITORY, 1, f"{begin}\n{words}", "agent-fix-local[bot]")
        assert make_patrol(settings_for(github, tmp_path), sqlite_store).round("here")
        assert [comment.body for comment in github.comments(REPOSITORY, 1)] == [f"{begin}\nfirst"]
