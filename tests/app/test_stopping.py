"""Deliveries after which a run is no longer wanted."""

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

from tests.support.deliveries import changed, encoded, headers, labeled
from tests.support.issues import run_of
from workers.outcomes import OutcomeKind, RunStatus
from workers.store import Run, RunStore

PATH = "/webhooks/github"
LATER = "2026-01-02T03:06:05Z"
INSTALLATION = {"installation": {"id": 99, "account": {"login": "octo"}}}
STOPPING = [
    ("issues", changed("unlabeled", label="Agent-Fix"), "The label was taken off."),
    ("issues", changed("closed"), "The issue was closed."),
    ("issues", changed("deleted"), "The issue was deleted."),
    ("issues", changed("locked"), "The issue was locked."),
    ("issues", changed("transferred"), "The issue was transferred."),
    ("repository", {"action": "archived", "repository": {"id": 42}}, "The repository was archived."),
    ("repository", {"action": "deleted", "repository": {"id": 42}}, "The repository was deleted."),
    ("installation", {"action": "deleted", **INSTALLATION}, "The App was uninstalled."),
    ("installation", {"action": "suspend", **INSTALLATION}, "The App was suspended."),
    (
        "installation_repositories",
        {"action": "removed", **INSTALLATION, "repositories_removed": [{"id": 41}, {"id": 42}]},
        "The App was taken off the repository.",
    ),
]


def post(client: TestClient, payload: Any, event: str = "issues", **words: Any) -> Any:
    body = encoded(payload)
    return client.post(PATH, content=body, headers=headers(body, event=event, **words))


def started(client: TestClient, store: RunStore, **words: Any) -> Run:
    return run_of(store, post(client, labeled(**words)).json()["run"])


@pytest.mark.parametrize(("event", "payload", "why"), STOPPING, ids=[f"{e}-{p['action']}" for e, p, _ in STOPPING])
def test_a_run_that_waits_is_cancelled_at_once(
    client: TestClient, store: RunStore, event: str, payload: Any, why: str
) -> None:
    """W20."""
    run = started(client, store)
    response = post(client, payload, event)
    assert (response.status_code, response.json()) == (200, {"stopped": 1})
    ended = run_of(store, run.id)
    assert (ended.status, ended.outcome, ended.detail) == (RunStatus.ENDED, OutcomeKind.CANCELLED, why)


def test_a_text_that_is_edited_after_the_label_is_not_the_runs(client: TestClient, store: RunStore) -> None:
    """P06: whoever wrote the issue could put anything there once a maintainer had read it."""
    run = started(client, store)
    edited = {**changed("edited"), "changes": {"body": {"from": "1 + 1 is 3"}}}
    edited["issue"]["body"] = "Other words."
    assert post(client, edited).status_code == 200
    again = labeled(body="Other words.", title="Another title", updated_at=LATER)  # the label once more, in between
    assert post(client, again).json()["created"] is False
    kept = run_of(store, run.id)
    assert (kept.title, kept.body) == ("Wrong sum", "1 + 1 is 3")


def test_a_run_under_way_is_told(client: TestClient, store: RunStore) -> None:
    """W20."""
    run = started(client, store)
    assert store.claim(run.id, "worker", 60) is not None
    assert post(client, changed("closed")).json() == {"stopped": 1}
    assert store.why_unwanted(run.id) == "The issue was closed."


def test_a_label_taken_off_and_put_on_again_makes_one_new_run(client: TestClient, store: RunStore) -> None:
    first = started(client, store)
    store.claim(first.id, "worker", 60)
    post(client, changed("unlabeled", label="agent-fix"))
    again = [post(client, labeled(updated_at=LATER)).json() for _ in range(3)]
    assert [answer["created"] for answer in again] == [True, False, False]
    assert len({answer["run"] for answer in again} | {first.id}) == 2
    assert store.claim(again[0]["run"], "worker", 60) is None  # until the first has ended


@pytest.mark.parametrize(
    ("event", "payload"),
    [
        ("issues", changed("unlabeled", label="bug")),
        ("issues", changed("unlabeled")),
        ("issues", changed("closed", number=8)),
        ("issues", changed("edited")),
        ("issues", changed("reopened")),
        ("repository", {"action": "renamed", "repository": {"id": 42}}),
        ("repository", {"action": "archived", "repository": {"id": 43}}),
        ("installation", {"action": "unsuspend", **INSTALLATION}),
        ("installation", {"action": "deleted", "installation": {"id": 98}}),
        ("installation_repositories", {"action": "added", **INSTALLATION, "repositories_added": [{"id": 42}]}),
    ],
)
def test_what_does_not_concern_a_run_leaves_it_alone(
    client: TestClient, store: RunStore, event: str, payload: Any
) -> None:
    """A renamed repository is followed by its id, and a run that waits begins under its new name (W22)."""
    run = started(client, store)
    assert post(client, payload, event).status_code == 200
    left = run_of(store, run.id)
    assert left.status is RunStatus.QUEUED


def test_a_closing_that_is_delivered_late_does_not_stop_a_later_label(client: TestClient, store: RunStore) -> None:
    run = started(client, store, updated_at=LATER)
    assert post(client, changed("closed")).json() == {"stopped": 0}
    assert store.why_unwanted(run.id) is None


def test_one_that_makes_no_sense_is_the_senders_fault(client: TestClient) -> None:
    response = post(client, {"action": "archived"}, "repository")
    assert response.status_code == 400
    assert "repository" in response.json()["error"]


def test_a_delivery_that_failed_works_when_it_is_delivered_again(client: TestClient, tmp_path: Path) -> None:
    """W16: processed is what counts, not seen: a redelivery carries the same id."""
    with closing(sqlite3.connect(tmp_path / "agent-fix.db")) as database:
        database.execute("alter table runs rename to away")
        assert post(client, labeled(), delivery="d-1").status_code == 503
        database.execute("alter table away rename to runs")
    answers = [post(client, labeled(), delivery="d-1") for _ in range(2)]
    assert [(answer.status_code, answer.json()["created"]) for answer in answers] == [(202, True), (202, False)]
