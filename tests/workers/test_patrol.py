"""What was missed while the receiver was down is found, by either way alone."""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from app.standins.github import GitHubStandIn
from app.standins.github_faults import Fault, FaultKind
from app.standins.github_state import PullRequest
from tests.support.github import FILES, LABEL, NOBODY, REPOSITORY, labelled, mark_of, patrol_of
from tests.support.issues import ENDED, a_claim
from tests.support.processes import eventually
from tests.support.web import make_app, serving, web_settings
from workers.github.app_client import SentDelivery
from workers.github.rest import Connection
from workers.patrol import TRIED, Patrol
from workers.redelivery import missed_deliveries
from workers.store import RunStore
from workers.store.chores import PATROL

NOW = datetime(2026, 11, 22, tzinfo=UTC)


def whole_patrol(github: GitHubStandIn, store: RunStore, folder: Path) -> Patrol:
    """Whose rounds leave out nothing."""
    return patrol_of(github, store, folder, deliveries_first=False)


@contextmanager
def receiver(github: GitHubStandIn, store: RunStore, folder: Path) -> Iterator[None]:
    """The webhook is up."""
    settings = web_settings(folder, github_webhook_secret=github.webhook_secret)
    with serving(make_app(settings, store)) as port:
        github.webhook_url = f"http://127.0.0.1:{port}/webhooks/github"
        yield
        github.webhook_url = NOBODY


def issues_with_runs(store: RunStore) -> list[int]:
    return sorted(run.issue_number for run in store.list_runs())


def without_sweep(github: GitHubStandIn) -> None:
    github.faults.add(Fault(FaultKind.FORBIDDEN, "GET", "/app/installations$", times=100))


def without_redelivery(github: GitHubStandIn) -> None:
    github.faults.add(Fault(FaultKind.FORBIDDEN, "GET", "/app/hook/deliveries$", times=100))


def test_deliveries_that_failed_are_asked_for_again_and_no_others(
    github: GitHubStandIn, sqlite_store: RunStore, tmp_path: Path
) -> None:
    """W16, W18: by redelivery alone."""
    without_sweep(github)
    patrol = whole_patrol(github, sqlite_store, tmp_path)
    numbers = [labelled(github) for _ in range(3)]
    github.label_issue(REPOSITORY, numbers[0], "bug", "maintainer")
    with receiver(github, sqlite_store, tmp_path):
        assert patrol.round("worker")
        eventually(lambda: issues_with_runs(sqlite_store) == numbers)
        eventually(lambda: sum(one.redelivery for one in github.hook.attempts) == 4)
        assert patrol.round("worker")
    assert sum(one.redelivery for one in github.hook.attempts) == 4
    assert issues_with_runs(sqlite_store) == numbers


def test_labels_that_no_delivery_told_of_are_found(
    github: GitHubStandIn, sqlite_store: RunStore, tmp_path: Path
) -> None:
    """W18: by the sweep alone; the run is as the webhook would have made it."""
    without_redelivery(github)
    patrol = whole_patrol(github, sqlite_store, tmp_path)
    numbers = [labelled(github) for _ in range(3)]
    assert patrol.round("worker")
    assert patrol.round("worker")
    assert issues_with_runs(sqlite_store) == numbers
    run = sqlite_store.list_runs()[-1]
    assert (run.repository, run.title, run.body, run.sender) == (REPOSITORY, "Wrong sum", "1 + 1 is 3", "maintainer")
    assert run.installation_id == github.state.installation_id
    assert run.labelling == github.issue(REPOSITORY, numbers[0]).events[-1].id


def test_a_text_that_was_edited_while_the_receiver_was_down_is_not_the_runs(
    github: GitHubStandIn, sqlite_store: RunStore, tmp_path: Path
) -> None:
    """P06: the delivery, which is sent again, holds the text as it was when a maintainer had read it."""
    number = labelled(github)
    github.issue(REPOSITORY, number).body = "Other words."
    patrol = patrol_of(github, sqlite_store, tmp_path)
    with receiver(github, sqlite_store, tmp_path):
        assert patrol.round("worker")
        eventually(lambda: issues_with_runs(sqlite_store) == [number])
        assert patrol.round("worker")
    (run,) = sqlite_store.list_runs()
    assert run.body == "1 + 1 is 3"


def test_deliveries_that_never_come_hold_the_sweep_up_for_one_round(
    github: GitHubStandIn, sqlite_store: RunStore, tmp_path: Path
) -> None:
    number = labelled(github)
    patrol = patrol_of(github, sqlite_store, tmp_path)
    assert patrol.round("worker")
    assert issues_with_runs(sqlite_store) == []
    assert patrol.round("worker")
    assert issues_with_runs(sqlite_store) == [number]


def test_deliveries_of_the_next_outage_come_first_again(
    github: GitHubStandIn, sqlite_store: RunStore, tmp_path: Path
) -> None:
    first = labelled(github)
    patrol = patrol_of(github, sqlite_store, tmp_path)
    with receiver(github, sqlite_store, tmp_path):
        assert patrol.round("worker")
        eventually(lambda: issues_with_runs(sqlite_store) == [first])
        assert patrol.round("worker")
    labelled(github)
    assert patrol.round("worker")
    assert issues_with_runs(sqlite_store) == [first]


def test_both_ways_and_a_late_delivery_make_one_run(
    github: GitHubStandIn, sqlite_store: RunStore, tmp_path: Path
) -> None:
    """W18: no duplicates."""
    number = labelled(github)
    patrol = whole_patrol(github, sqlite_store, tmp_path)
    with receiver(github, sqlite_store, tmp_path):
        assert patrol.round("worker")
        eventually(lambda: any(one.redelivery for one in github.hook.attempts))
        assert issues_with_runs(sqlite_store) == [number]
        sqlite_store.finish(a_claim(sqlite_store, sqlite_store.list_runs()[0].id), ENDED, {})
        github.hook.again(github.hook.attempts[0])
        eventually(lambda: sum(one.redelivery for one in github.hook.attempts) == 2)
        assert patrol.round("worker")
    assert issues_with_runs(sqlite_store) == [number]


def test_what_the_webhook_would_not_start_the_sweep_does_not(
    github: GitHubStandIn, sqlite_store: RunStore, tmp_path: Path
) -> None:
    labelled(github, sender="ci[bot]")
    github.close_issue(REPOSITORY, labelled(github))
    github.unlabel_issue(REPOSITORY, labelled(github), LABEL, "maintainer")
    github.issue(REPOSITORY, labelled(github)).pull = PullRequest("x", "main", "0" * 40, "0" * 40, draft=True)
    github.label_issue(REPOSITORY, github.open_issue(REPOSITORY, "T", "B"), "agent-fix-later", "maintainer")
    archived = github.create_repository("acme/archived", FILES)
    github.label_issue("acme/archived", github.open_issue("acme/archived", "T", "B"), LABEL, "maintainer")
    archived.archived = True
    assert whole_patrol(github, sqlite_store, tmp_path).round("worker")
    assert sqlite_store.list_runs() == []


def test_a_label_put_on_again_while_a_run_goes_on_has_its_run_afterwards(
    github: GitHubStandIn, sqlite_store: RunStore, tmp_path: Path
) -> None:
    number, patrol = labelled(github), whole_patrol(github, sqlite_store, tmp_path)
    patrol.round("worker")
    first = a_claim(sqlite_store, sqlite_store.list_runs()[0].id)
    github.unlabel_issue(REPOSITORY, number, LABEL, "maintainer")
    github.label_issue(REPOSITORY, number, LABEL, "maintainer")
    patrol.round("worker")
    assert issues_with_runs(sqlite_store) == [number]
    sqlite_store.finish(first, ENDED, {})
    patrol.round("worker")
    assert issues_with_runs(sqlite_store) == [number, number]


def test_one_worker_at_a_time_and_not_before_it_is_time(
    github: GitHubStandIn, sqlite_store: RunStore, tmp_path: Path
) -> None:
    patrol = replace(whole_patrol(github, sqlite_store, tmp_path), every_seconds=3600)
    held = sqlite_store.take_chore(PATROL, "another", 60)
    assert held is not None
    assert not patrol.round("worker")
    sqlite_store.give_back_chore(held, {}, 0)
    assert patrol.round("worker")
    assert not patrol.round("worker")
    assert not sqlite_store.chore_due(PATROL)


def limited_patrol(github: GitHubStandIn, store: RunStore, folder: Path, retry_after_seconds: int) -> Patrol:
    """After a round that GitHub cut short."""
    patrol = replace(whole_patrol(github, store, folder), connection=Connection(github.api_url, max_wait_seconds=0.5))
    fault = Fault(FaultKind.SECONDARY_LIMIT, "GET", "/issues$", times=1, retry_after_seconds=retry_after_seconds)
    github.faults.add(fault)
    round_from_its_mark(patrol, {"delivered", "looked"})
    assert issues_with_runs(store) == []
    return patrol


def round_from_its_mark(patrol: Patrol, reached: set[str]) -> None:
    assert patrol.round("worker")
    assert {name for name, at in mark_of(patrol.store).items() if at} - {TRIED} == reached


def test_a_round_that_github_limits_goes_on_from_the_same_mark(
    github: GitHubStandIn, sqlite_store: RunStore, tmp_path: Path
) -> None:
    number = labelled(github)
    patrol = limited_patrol(github, sqlite_store, tmp_path, retry_after_seconds=1)
    eventually(lambda: not sqlite_store.is_paused(github.state.installation_id))
    round_from_its_mark(patrol, {"delivered", "swept", "looked"})
    assert issues_with_runs(sqlite_store) == [number]


def test_an_installation_is_not_swept_before_the_time_that_github_gave(
    github: GitHubStandIn, sqlite_store: RunStore, tmp_path: Path
) -> None:
    labelled(github)
    patrol = limited_patrol(github, sqlite_store, tmp_path, retry_after_seconds=3600)
    round_from_its_mark(patrol, {"delivered", "looked"})
    assert issues_with_runs(sqlite_store) == []


@pytest.mark.parametrize(
    ("method", "path"),
    [("GET", "/app/hook/deliveries$"), ("GET", "/app/installations$"), ("POST", "/access_tokens$")],
)
def test_no_round_begins_before_the_time_that_github_gave_the_app_itself(
    github: GitHubStandIn, sqlite_store: RunStore, tmp_path: Path, method: str, path: str
) -> None:
    """What one process was told would be forgotten with it."""
    github.faults.add(Fault(FaultKind.SECONDARY_LIMIT, method, path, retry_after_seconds=3600))
    patrol = whole_patrol(github, sqlite_store, tmp_path)
    assert patrol.round("worker")
    assert not sqlite_store.chore_due(PATROL)
    assert not sqlite_store.is_paused(github.state.installation_id)


def test_the_sweeps_token_reads_issues_and_nothing_else(
    github: GitHubStandIn, sqlite_store: RunStore, tmp_path: Path
) -> None:
    """K06."""
    whole_patrol(github, sqlite_store, tmp_path).round("worker")
    (token,) = github.state.tokens.values()
    assert dict(token.permissions) == {"issues": "read", "metadata": "read"}


@pytest.mark.parametrize("name", ["suspended", "uninstalled"])
def test_an_installation_that_is_gone_is_not_asked(
    github: GitHubStandIn, sqlite_store: RunStore, tmp_path: Path, name: str
) -> None:
    """K08."""
    labelled(github)
    setattr(github.state, name, True)
    assert whole_patrol(github, sqlite_store, tmp_path).round("worker")
    assert github.state.tokens == {}


def sent(number: int, guid: str, event: str = "issues", action: str | None = "labeled") -> SentDelivery:
    return SentDelivery(number, guid, event, action, 502, NOW - timedelta(minutes=number))


def test_of_each_delivery_of_ours_the_newest_attempt_is_asked_for() -> None:
    failed = [sent(9, "a"), sent(8, "b"), sent(7, "a"), sent(6, "c", action="edited"), sent(5, "d", "push", None)]
    assert missed_deliveries(failed, frozenset(), {}) == [8, 9]
    assert missed_deliveries(failed, {"a"}, {}) == [8]


def test_more_deliveries_than_a_page_holds_are_all_seen(
    github: GitHubStandIn, sqlite_store: RunStore, tmp_path: Path
) -> None:
    without_sweep(github)
    labelled(github)
    (only,) = github.hook.attempts
    copies = [replace(only, id=10_000 + n, delivery=replace(only.delivery, id=f"d-{n}")) for n in range(101)]
    github.hook.attempts += copies
    whole_patrol(github, sqlite_store, tmp_path).round("worker")
    with receiver(github, sqlite_store, tmp_path):
        whole_patrol(github, sqlite_store, tmp_path).round("worker")
        eventually(lambda: len(sqlite_store.processed([f"d-{n}" for n in range(101)])) == 101, 120)
    assert len(issues_with_runs(sqlite_store)) == 1


def test_its_log_is_like_the_others_and_names_no_request(github: GitHubStandIn, tmp_path: Path) -> None:
    """Of a large installation that would be thousands of lines every five minutes."""
    labelled(github)
    settings = {
        "AGENT_FIX_DATA_DIR": str(tmp_path),
        "AGENT_FIX_GITHUB_API_URL": github.api_url,
        "AGENT_FIX_GITHUB_SERVER_URL": github.server_url,
        "AGENT_FIX_GITHUB_APP_ID": github.app_id,
        "AGENT_FIX_GITHUB_PRIVATE_KEY": github.private_key_pem,
        "AGENT_FIX_PATROL_SECONDS": "5",
    }
    program = [sys.executable, "-m", "workers.patrol"]
    done = subprocess.run(program, env={**os.environ, **settings}, capture_output=True, text=True, check=True)
    eventually(lambda: any(one.redelivery for one in github.hook.attempts), what="that it has looked")
    assert "HTTP Request" not in done.stderr
    assert all(line[:4].isdigit() for line in done.stderr.splitlines())
