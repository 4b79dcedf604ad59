"""What programs are told of runs."""

import json

from fastapi.testclient import TestClient

from app.journal_view import whole_run
from tests.support.issues import a_claim
from tests.support.journals import SPEND, finish, journal, new_run
from workers.store import RunStore


def test_no_runs_are_an_empty_list(client: TestClient) -> None:
    assert client.get("/api/runs").json() == {"runs": []}


def test_a_run_that_waits_has_no_outcome_yet(client: TestClient, store: RunStore) -> None:
    run_id = new_run(store)
    [run] = client.get("/api/runs").json()["runs"]
    expected = {
        "id": run_id,
        "repository": "octo/calc",
        "issue_number": 7,
        "status": "queued",
        "outcome": None,
        "reason": None,
        "pull_request_url": None,
        "spend": {},
    }
    assert {name: run[name] for name in expected} == expected


def test_a_run_that_ended_says_how(client: TestClient, store: RunStore) -> None:
    held = a_claim(store, new_run(store))
    journal(store, held)
    finish(store, held)
    [run] = client.get("/api/runs").json()["runs"]
    assert (run["status"], run["outcome"], run["reason"]) == ("ended", "draft_pull_request", "proved")
    assert run["pull_request_url"] == "https://github.com/octo/calc/pull/8"
    assert run["spend"] == SPEND
    assert run["ended_at"] >= run["started_at"] >= run["created_at"]


def test_the_list_is_paged_newest_first(client: TestClient, store: RunStore) -> None:
    ids = [new_run(store, number) for number in range(1, 6)]
    first = [run["id"] for run in client.get("/api/runs?limit=2").json()["runs"]]
    second = [run["id"] for run in client.get(f"/api/runs?limit=2&before={first[-1]}").json()["runs"]]
    third = [run["id"] for run in client.get(f"/api/runs?limit=2&before={second[-1]}").json()["runs"]]
    assert first + second + third == sorted(ids, reverse=True)


def test_a_page_has_its_bounds(client: TestClient) -> None:
    for limit in ("0", "-1", "100000", "x", "9" * 5_000):
        assert client.get(f"/api/runs?limit={limit}").status_code == 422


def test_an_unknown_run_is_not_found(client: TestClient) -> None:
    for run_id in ("unknown", "%00", "a'b", "%ff", "x" * 5_000):
        assert client.get(f"/api/runs/{run_id}").status_code == 404


def test_one_run_comes_whole_with_journal_and_transcript(client: TestClient, store: RunStore) -> None:
    held = a_claim(store, new_run(store))
    journal(store, held)
    run = client.get(f"/api/runs/{held.run.id}").json()
    assert [step["kind"] for step in run["steps"]] == [
        "stage",
        "baseline",
        "stage",
        "reply",
        "tool_result",
        "reply",
        "verification",
    ]
    first, second = run["transcript"]["turns"]
    assert (first["number"], first["text"], first["thinking"]) == (1, "I will fix the sum.", "The operator is wrong.")
    assert first["tools"] == [
        {
            "id": "call-1",
            "name": "read_file",
            "arguments": {"path": "calc.py"},
            "result": "def add(a, b):",
            "is_error": False,
        }
    ]
    assert second["verdict"]["verdict"] == "proved"
    assert run["body"] == "1 + 1 is 3"


def test_what_is_streamed_is_what_the_command_line_shows(client: TestClient, store: RunStore) -> None:
    held = a_claim(store, new_run(store))
    journal(store, held)
    assert client.get(f"/api/runs/{held.run.id}").json() == json.loads(json.dumps(whole_run(store, held.run.id)))


def test_a_follower_asks_for_what_is_new(client: TestClient, store: RunStore) -> None:
    held = a_claim(store, new_run(store))
    journal(store, held)
    run = client.get(f"/api/runs/{held.run.id}?after=5").json()
    assert [step["number"] for step in run["steps"]] == [6, 7]
    assert [turn["number"] for turn in run["transcript"]["turns"]] == [2]


def test_secrets_are_redacted_wherever_they_stand(client: TestClient, store: RunStore) -> None:
    secret = "ghp_" + "aB3dE5fG7hI9kL1mN3oP5qR7sT9uV1wX3yZ5"
    held = a_claim(store, new_run(store, title=f"title {secret}", body=f"body {secret}"))
    journal(store, held, said=f"said {secret}", result="x" * 480 + f" {secret}")
    for path in ("/api/runs", f"/api/runs/{held.run.id}", "/", f"/runs/{held.run.id}"):
        assert secret[:12] not in client.get(path).text, path


def test_a_database_that_is_away_is_no_crash(client: TestClient, store: RunStore) -> None:
    store.close()
    for name in ("deliveries", "steps", "runs"):
        with store._engine.begin() as connection:
            connection.exec_driver_sql(f"drop table {name}")
    for path in ("/api/runs", "/api/runs/x", "/", "/runs/x"):
        assert client.get(path).status_code == 503
    assert client.get("/readyz").json()["missing"] == ["store", "worker"]
