"""How often a delivery is asked for again: until the receiver is there, and not for ever where it refuses."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path

import pytest

from app.standins.github import GitHubStandIn
from app.standins.github_faults import Fault, FaultKind
from tests.support.github import FILES, NOBODY, REPOSITORY, labelled, mark_of, patrol_of
from tests.support.long import first_of
from tests.support.processes import eventually
from tests.support.web import make_app, serving, web_settings
from workers.github.app_client import SentDelivery
from workers.patrol import DELIVERED, Patrol
from workers.redelivery import MAX_REFUSALS
from workers.store import RunStore

ROUNDS = MAX_REFUSALS + 3


@pytest.fixture
def github() -> Iterator[GitHubStandIn]:
    """With one label that was put on while the receiver was down; the sweep finds nothing."""
    with GitHubStandIn() as standin:
        standin.create_repository(REPOSITORY, FILES)
        standin.webhook_url = NOBODY
        labelled(standin)
        standin.faults.add(Fault(FaultKind.FORBIDDEN, "GET", "/app/installations$", times=100))
        yield standin


def pass_by(github: GitHubStandIn, store: RunStore, time: timedelta) -> None:
    """All that happened so far happened so much earlier."""
    github.hook.attempts = [replace(one, at=earlier(one.at, time)) for one in github.hook.attempts]
    mark_of(store, **{DELIVERED: earlier(mark_of(store)[DELIVERED], time)})


def earlier(moment: str, time: timedelta) -> str:
    return (datetime.fromisoformat(moment) - time).isoformat()


def made(github: GitHubStandIn, attempts: int) -> bool:
    return len(github.hook.attempts) >= attempts


def rounds(patrol: Patrol, github: GitHubStandIn, apart: timedelta, expected: int) -> None:
    """Until so many attempts were made, the first delivery included, and a few more."""
    for number in range(2, ROUNDS + 2):
        assert patrol.round("worker")
        eventually(partial(made, github, min(number, expected)))
        pass_by(github, patrol.store, apart)


@pytest.mark.parametrize("apart", first_of([timedelta(seconds=5), timedelta(minutes=5)]), ids=["short", "default"])
def test_what_the_receiver_refuses_each_time_is_not_asked_for_without_end(
    github: GitHubStandIn, sqlite_store: RunStore, tmp_path: Path, apart: timedelta
) -> None:
    patrol = patrol_of(github, sqlite_store, tmp_path)
    with serving(
        make_app(web_settings(tmp_path, github_webhook_secret="another one than GitHub has"), sqlite_store)
    ) as port:
        github.webhook_url = f"http://127.0.0.1:{port}/webhooks/github"
        rounds(patrol, github, apart, MAX_REFUSALS + 1)
    refused = [one for one in github.hook.attempts if one.status_code == 401]
    assert (len(refused), len(github.hook.attempts)) == (MAX_REFUSALS, MAX_REFUSALS + 1)


@pytest.mark.parametrize("apart", first_of([timedelta(seconds=5), timedelta(minutes=5)]), ids=["short", "default"])
def test_an_outage_is_waited_for_however_long_it_lasts(
    github: GitHubStandIn, sqlite_store: RunStore, tmp_path: Path, apart: timedelta
) -> None:
    patrol = patrol_of(github, sqlite_store, tmp_path)
    rounds(patrol, github, apart, ROUNDS + 1)
    settings = web_settings(tmp_path, github_webhook_secret=github.webhook_secret)
    with serving(make_app(settings, sqlite_store)) as port:
        github.webhook_url = f"http://127.0.0.1:{port}/webhooks/github"
        assert patrol.round("worker")
        eventually(lambda: len(sqlite_store.list_runs()) == 1)


@pytest.mark.parametrize(
    ("status", "refused"), [(400, True), (401, True), (404, True), (429, False), (408, False), (500, False), (0, False)]
)
def test_a_refusal_is_an_answer_that_will_be_the_same_next_time(status: int, refused: bool) -> None:
    assert SentDelivery(1, "a", "issues", "labeled", status, datetime.now(UTC)).refused is refused
