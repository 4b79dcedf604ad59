"""From a delivery to a run that waits, and every other answer."""

import json
import sqlite3
import threading
import time
import uuid
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import Engine

from tests.support.deliveries import SECRET, encoded, headers, labeled, signature
from tests.support.issues import run_of
from tests.support.web import Ringer, make_app, web_settings
from workers.message import BrokerUnavailableError
from workers.outcomes import RunStatus
from workers.store import CreatedRun, RunStore
from workers.store.database import make_engine

PATH = "/webhooks/github"


def post(client: TestClient, payload: Any, **words: Any) -> Any:
    body = payload if isinstance(payload, bytes) else encoded(payload)
    return client.post(PATH, content=body, headers=headers(body, **words))


def rows(tmp_path: Path, query: str) -> list[Any]:
    with closing(sqlite3.connect(tmp_path / "agent-fix.db")) as database:
        return database.execute(query).fetchall()


def until_rung(ringer: Ringer, count: int) -> list[str]:
    deadline = time.monotonic() + 60
    while len(ringer.rung) < count and time.monotonic() < deadline:
        time.sleep(0.01)
    return ringer.rung


def test_a_label_becomes_a_run_that_waits_and_the_queue_is_rung(
    client: TestClient, store: RunStore, ringer: Ringer
) -> None:
    response = post(client, labeled())
    answer = response.json()
    assert (response.status_code, answer["created"]) == (202, True)
    assert until_rung(ringer, 1) == [answer["run"]]
    run = run_of(store, answer["run"])
    assert (run.status, run.repository, run.issue_number, run.title, run.sender) == (
        RunStatus.QUEUED,
        "octo/calc",
        7,
        "Wrong sum",
        "octocat",
    )


def test_a_redelivery_finds_the_run_that_is_there(client: TestClient, store: RunStore) -> None:
    first = post(client, labeled(), delivery="d-1")
    again = post(client, labeled(), delivery="d-1")
    assert again.status_code == 202
    assert again.json() == {"run": first.json()["run"], "created": False}
    assert len(store.list_runs()) == 1


def test_one_delivery_twenty_times_and_eight_at_once_is_one_run(client: TestClient, store: RunStore) -> None:
    """W07."""
    delivery = str(uuid.uuid4())
    with ThreadPoolExecutor(8) as threads:
        answers = list(threads.map(lambda _: post(client, labeled(), delivery=delivery), range(20)))
    assert {answer.status_code for answer in answers} == {202}
    assert len({answer.json()["run"] for answer in answers}) == 1
    assert sum(answer.json()["created"] for answer in answers) == 1
    assert len(store.list_runs()) == 1


def test_two_deliveries_for_one_labelling_are_one_run(client: TestClient) -> None:
    """W09."""
    assert post(client, labeled()).json()["run"] == post(client, labeled()).json()["run"]


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({}, "the signature is missing"),
        ({"X-Hub-Signature-256": "sha256=" + "0" * 64}, "it is wrong"),
        (
            {"X-Hub-Signature-256": signature(encoded(labeled()), "an old secret, no longer set")},
            "its secret is not ours",
        ),
        ({"X-Hub-Signature-256": signature(encoded(labeled())).upper()}, "it is not in GitHub's form"),
        ({"X-Hub-Signature-256": "sha1=" + "0" * 40}, "it is SHA-1"),
        ({"X-Hub-Signature-256": b"sha256=\xff\xfe\x80"}, "it is not ASCII"),
    ],
)
def test_what_is_not_githubs_is_refused_and_nothing_is_kept(
    client: TestClient, tmp_path: Path, change: dict[str, Any], why: str
) -> None:
    """W01, W03."""
    body = encoded(labeled())
    sent: dict[str, Any] = {**headers(body), "X-Hub-Signature-256": None, **change}
    response = client.post(PATH, content=body, headers={k: v for k, v in sent.items() if v is not None})
    assert response.status_code == 401, why
    assert rows(tmp_path, "select id from deliveries") == []


def test_two_signature_headers_are_refused(client: TestClient) -> None:
    """W05."""
    body = encoded(labeled())
    sent = [*headers(body).items(), ("X-Hub-Signature-256", signature(body))]
    assert client.post(PATH, content=body, headers=sent).status_code == 401


def test_a_changed_byte_is_refused(client: TestClient) -> None:
    """W02."""
    body = encoded(labeled())
    assert client.post(PATH, content=body.replace(b"octocat", b"octodog"), headers=headers(body)).status_code == 401


def test_both_secrets_count_while_they_are_rotated(tmp_path: Path, store: RunStore) -> None:
    """W23; one that is no longer set is refused above."""
    old = "the secret before the rotation"
    settings = web_settings(tmp_path, github_webhook_secret=f"{SECRET},{old}")
    with TestClient(make_app(settings, store)) as client:
        assert post(client, labeled(number=1)).status_code == 202
        assert post(client, labeled(number=2), secret=old).status_code == 202


def test_an_address_with_a_slash_at_its_end_is_the_same(client: TestClient) -> None:
    """People write it so in the App's settings."""
    body = encoded(labeled())
    assert client.post(f"{PATH}/", content=body, headers=headers(body)).status_code == 202


def test_the_signature_is_of_the_bytes_that_came_however_they_are_written(client: TestClient) -> None:
    """W06."""
    payload = labeled(title="Würmer 🐛")
    for number, body in enumerate(
        [
            json.dumps({**payload, "issue": {**payload["issue"], "number": 1}}, ensure_ascii=True).encode(),
            json.dumps({**payload, "issue": {**payload["issue"], "number": 2}}, ensure_ascii=False, indent=3).encode(),
            b' \r\n{"action":"opened",' + encoded({**payload, "issue": {**payload["issue"], "number": 3}})[1:] + b"\n",
        ]
    ):
        answer = post(client, body)
        assert answer.status_code == 202, number


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b"null",
        b"[]",
        b'"labeled"',
        b"\xff\xfe",
        b'{"action": "\xff"}',
        b"[" * 10_000,
        b'{"action":' + b"[" * 10_000 + b"]" * 10_000 + b"}",
        b'{"action": "labeled", "issue": {"number": NaN}}',
        b'{"action": "labeled", "issue": {"number": 1' + b"0" * 5_000 + b"}}",
        b'{"action": "labeled"}',
        encoded(labeled(number=2**63)),
        encoded(labeled(number=-1)),
        encoded({**labeled(), "repository": {"id": 42, "full_name": "../../etc"}}),
        encoded({**labeled(), "repository": {"id": 42, "full_name": "--upload-pack=x/y"}}),
        encoded({**labeled(), "repository": {"id": 42, "full_name": "octo/calc\n"}}),
        encoded({**labeled(), "sender": None}),
        encoded(labeled()).replace(b"Wrong sum", b"\\ud800"),
    ],
)
def test_a_body_that_makes_no_sense_is_the_senders_fault(client: TestClient, body: bytes) -> None:
    """W15."""
    response = post(client, body)
    assert response.status_code == 400
    assert response.json()["error"]


def test_the_answer_to_a_senseless_body_does_not_repeat_it(client: TestClient) -> None:
    assert "sk-canary" not in post(client, {**labeled(), "sender": {"login": "a", "type": ["sk-canary"]}}).text


@pytest.mark.parametrize("action", [None, 7, ["labeled"], {"labeled": 1}, "renamed_by_github", "", "x" * 100_000])
@pytest.mark.parametrize("event", ["issues", "issue_comment", "an_event_of_next_year"])
def test_unknown_events_and_actions_are_ignored(client: TestClient, event: str, action: Any) -> None:
    """W13."""
    response = post(client, {"action": action}, event=event)
    assert response.status_code == 200
    assert "ignored" in response.json()


def test_what_is_ignored_is_recorded_with_its_reason(client: TestClient, tmp_path: Path, ringer: Ringer) -> None:
    assert post(client, {"zen": "Design for failure."}, event="ping").json() == {"ignored": "ping"}
    assert post(client, labeled("bug"), delivery="d-2").json() == {"ignored": "another label"}
    assert ("another label",) in rows(tmp_path, "select ignored from deliveries where id = 'd-2'")
    assert ringer.rung == []


def test_text_that_no_database_holds_is_stored_safely(client: TestClient, store: RunStore) -> None:
    """W15."""
    answer = post(client, labeled(title="a\0b", body="c\0d"))
    assert answer.status_code == 202
    run = run_of(store, answer.json()["run"])
    assert "\0" not in run.title + run.body
    assert run.title.startswith("a")
    assert run.title.endswith("b")


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("X-GitHub-Delivery", None),
        ("X-GitHub-Delivery", "x" * 65),
        ("X-GitHub-Delivery", "a/b"),
        ("X-GitHub-Event", None),
        ("X-GitHub-Event", "Issues!"),
    ],
)
def test_a_delivery_without_id_or_event_is_refused(client: TestClient, name: str, value: str | None) -> None:
    body = encoded(labeled())
    sent = {key: text for key, text in {**headers(body), name: value}.items() if text is not None}
    assert client.post(PATH, content=body, headers=sent).status_code == 400


@pytest.mark.parametrize("kind", ["application/x-www-form-urlencoded", "text/plain", ""])
def test_another_content_type_is_refused_with_the_remedy(client: TestClient, kind: str) -> None:
    body = encoded(labeled())
    response = client.post(PATH, content=body, headers={**headers(body), "Content-Type": kind})
    assert response.status_code == 415
    assert "application/json" in response.json()["error"]


def test_a_charset_beside_the_content_type_is_fine(client: TestClient) -> None:
    body = encoded(labeled())
    sent = {**headers(body), "Content-Type": "application/json; charset=utf-8"}
    assert client.post(PATH, content=body, headers=sent).status_code == 202


@pytest.mark.parametrize("method", ["GET", "PUT", "DELETE", "PATCH", "OPTIONS"])
def test_only_post_is_answered(client: TestClient, method: str) -> None:
    assert client.request(method, PATH).status_code == 405


def test_a_row_that_cannot_be_written_is_said_so_that_github_notes_a_failure(
    client: TestClient, tmp_path: Path, ringer: Ringer
) -> None:
    """W16."""
    rows(tmp_path, "drop table deliveries")
    response = post(client, labeled())
    assert response.status_code == 503
    assert ringer.rung == []


class NotingStore(RunStore):
    """Notes that it was asked to write, and may be about to wait."""

    def __init__(self, engine: Engine) -> None:
        super().__init__(engine)
        self.asked = threading.Event()

    def create_run_once(self, *row: Any, **words: Any) -> CreatedRun:
        self.asked.set()
        return super().create_run_once(*row, **words)


def test_a_delivery_waits_while_another_process_writes(tmp_path: Path, store: RunStore) -> None:
    with (
        closing(sqlite3.connect(tmp_path / "agent-fix.db", isolation_level=None)) as other,
        closing(NotingStore(make_engine(f"sqlite:///{tmp_path / 'agent-fix.db'}"))) as noting,
        TestClient(make_app(web_settings(tmp_path), noting)) as client,
        ThreadPoolExecutor(1) as one,
    ):
        other.execute("BEGIN IMMEDIATE")
        waiting = one.submit(post, client, labeled())
        assert noting.asked.wait(60)
        assert client.get("/livez").status_code == 200
        assert not waiting.done()
        other.execute("COMMIT")
        assert waiting.result(60).status_code == 202


def test_a_broker_that_is_down_costs_nothing(client: TestClient, ringer: Ringer, store: RunStore) -> None:
    def refuse(_run_id: str) -> None:
        raise BrokerUnavailableError("ConnectionError")

    ringer.act = refuse
    for number in range(3):
        response = post(client, labeled(number=number + 1))
        assert response.status_code == 202
    assert len(store.list_runs()) == 3


def test_a_broker_that_hangs_holds_up_no_answer(client: TestClient, ringer: Ringer) -> None:
    answered = threading.Event()
    ringer.act = lambda _run_id: answered.wait(60)
    try:
        statuses = {post(client, labeled(number=number + 1)).status_code for number in range(120)}
    finally:
        assert ringer.rung == []
        answered.set()
    assert statuses == {202}
