"""Probes: live while the process answers, ready while a label would be worked on."""

import pytest
from fastapi.testclient import TestClient

from tests.support.web import Ringer
from workers.store import RunStore


def test_the_process_lives(client: TestClient) -> None:
    assert client.get("/livez").status_code == 200


def test_ready_means_store_broker_and_a_worker(client: TestClient, store: RunStore) -> None:
    store.worker_seen("worker-1")
    response = client.get("/readyz")
    assert (response.status_code, response.json()) == (200, {"status": "ready"})


def test_what_is_missing_is_named(client: TestClient, store: RunStore, ringer: Ringer) -> None:
    assert client.get("/readyz").json() == {"missing": ["worker"]}
    ringer.alive = False
    assert client.get("/readyz").json() == {"missing": ["worker", "broker"]}
    store.worker_seen("worker-1")
    response = client.get("/readyz")
    assert (response.status_code, response.json()) == (503, {"missing": ["broker"]})


@pytest.mark.parametrize("path", ["/livez", "/readyz"])
def test_probes_tell_nothing_about_runs(client: TestClient, path: str) -> None:
    assert len(client.get(path).content) < 60


def test_who_asks_for_the_head_alone_is_answered_too(client: TestClient) -> None:
    for path, status in (("/livez", 200), ("/readyz", 503)):
        answer = client.head(path)
        assert (answer.status_code, answer.content) == (status, b"")
