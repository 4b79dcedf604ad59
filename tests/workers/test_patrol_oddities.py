"""One odd or refused thing among many keeps the patrol from nothing else."""

import json
import logging
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import httpx
import pytest
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from pydantic import SecretStr

from app.standins.github import GitHubStandIn
from app.standins.github_faults import Fault, FaultKind
from tests.support.github import FILES, REPOSITORY, labelled, mark_of, patrol_of, settings_for
from tests.support.issues import an_ended_run
from workers.github.app_auth import load_credentials
from workers.github.rest import Connection
from workers.host import RunRequest
from workers.outcomes import Outcome
from workers.patrol import SWEPT, Patrol
from workers.store import RunStore

NOW = datetime.now(UTC)


@dataclass
class Odd(httpx.BaseTransport):
    """The way to GitHub, on which `item` comes first in each list whose path ends so."""

    path: str
    item: Any

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        with httpx.HTTPTransport(verify=False) as way:
            answer = way.handle_request(request)
            body = answer.read()
        if request.method == "GET" and request.url.path.endswith(self.path):
            body = self._with_item(body)
        return httpx.Response(answer.status_code, headers={"content-type": "application/json"}, content=body)

    def _with_item(self, body: bytes) -> bytes:
        value = json.loads(body)
        items = value["repositories"] if isinstance(value, dict) else value
        items.insert(0, self.item)
        return json.dumps(value).encode()


def whole_patrol(github: GitHubStandIn, store: RunStore, folder: Path, odd: Odd | None = None) -> Patrol:
    """Whose rounds leave out nothing."""
    connection = Connection(github.api_url, transport=odd)
    return patrol_of(github, store, folder, connection=connection, deliveries_first=False)


def swept(store: RunStore) -> dict[str, str]:
    return dict(mark_of(store)[SWEPT])


@pytest.mark.parametrize(
    ("path", "item", "named"),
    [
        ("/app/hook/deliveries", {"guid": "odd-one"}, "odd-one"),
        ("/app/hook/deliveries", None, "NoneType"),
        ("/app/installations", {"id": 4711}, "4711"),
        ("/installation/repositories", {"full_name": "acme/odd"}, "acme/odd"),
        (f"/{REPOSITORY}/issues", {"number": 4711}, "4711"),
    ],
)
def test_an_odd_item_of_a_list_is_told_and_left_out(
    github: GitHubStandIn,
    sqlite_store: RunStore,
    tmp_path: Path,
    caplog: pytest.LogCaptureFixture,
    path: str,
    item: Any,
    named: str,
) -> None:
    number = labelled(github)
    assert whole_patrol(github, sqlite_store, tmp_path, Odd(path, item)).round("worker")
    assert [run.issue_number for run in sqlite_store.list_runs()] == [number]
    assert swept(sqlite_store).keys() == {str(github.state.installation_id)}
    assert named in caplog.text


def test_an_issue_with_an_odd_event_is_looked_at_again_and_the_others_at_once(
    github: GitHubStandIn, sqlite_store: RunStore, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    odd, fine = labelled(github), labelled(github)
    transport = Odd(f"/issues/{odd}/events", {"event": "labeled"})
    assert whole_patrol(github, sqlite_store, tmp_path, transport).round("worker")
    assert [run.issue_number for run in sqlite_store.list_runs()] == [fine]
    assert swept(sqlite_store) == {}
    assert f"issue {REPOSITORY}#{odd}: passed over" in caplog.text
    assert whole_patrol(github, sqlite_store, tmp_path).round("worker")
    assert sorted(run.issue_number for run in sqlite_store.list_runs()) == [odd, fine]


def test_a_repository_that_is_refused_keeps_no_other_one_back(
    github: GitHubStandIn, sqlite_store: RunStore, tmp_path: Path
) -> None:
    labelled(github)
    github.create_repository("acme/second", FILES)
    github.add_collaborator("acme/second", "maintainer", "write")
    labelled(github, "acme/second")
    github.faults.add(Fault(FaultKind.FORBIDDEN, "GET", f"/{REPOSITORY}/issues$", times=100))
    assert whole_patrol(github, sqlite_store, tmp_path).round("worker")
    assert [run.repository for run in sqlite_store.list_runs()] == ["acme/second"]


def test_a_repository_that_is_always_refused_wears_no_large_installations_limit_out(
    github: GitHubStandIn, sqlite_store: RunStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("workers.sweep.LARGE", 0)
    labelled(github)
    refused = Fault(FaultKind.FORBIDDEN, "GET", f"/{REPOSITORY}/issues$", times=100)
    github.faults.add(refused)
    patrol = replace(whole_patrol(github, sqlite_store, tmp_path), now=lambda: NOW)
    assert patrol.round("worker")
    left = refused.times
    assert patrol.round("worker")
    assert refused.times == left
    later = replace(patrol, now=lambda: NOW + timedelta(minutes=1))
    assert later.round("worker")
    assert refused.times < left


def test_an_installation_that_always_refuses_keeps_no_others_mark_back(
    github: GitHubStandIn, sqlite_store: RunStore, tmp_path: Path
) -> None:
    another = {"id": 4711, "suspended_at": None}  # to whose tokens the stand-in says 404
    assert whole_patrol(github, sqlite_store, tmp_path, Odd("/app/installations", another)).round("worker")
    assert swept(sqlite_store).keys() == {str(github.state.installation_id)}


def test_a_delivery_that_github_does_not_send_again_keeps_no_other_one_back(
    github: GitHubStandIn, sqlite_store: RunStore, tmp_path: Path
) -> None:
    labelled(github)
    labelled(github)
    first = min(attempt.id for attempt in github.hook.attempts)
    github.faults.add(Fault(FaultKind.FORBIDDEN, "POST", f"/deliveries/{first}/attempts$"))
    asked: list[str] = []
    github.hook.again = lambda attempt: asked.append(attempt.delivery.id)  # type: ignore[method-assign]
    whole_patrol(github, sqlite_store, tmp_path).round("worker")
    assert asked == [one.delivery.id for one in github.hook.attempts if one.id != first]


def test_with_a_key_that_github_refuses_a_round_reaches_nothing_and_the_next_begins_where_it_did(
    github: GitHubStandIn, sqlite_store: RunStore, tmp_path: Path
) -> None:
    number = labelled(github)
    good = whole_patrol(github, sqlite_store, tmp_path)
    key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    pem = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()).decode()
    settings = settings_for(github, tmp_path).model_copy(update={"github_private_key": SecretStr(pem)})
    refused = replace(good, credentials=load_credentials(settings))
    assert refused.round("worker")
    assert swept(sqlite_store) == {}
    assert sqlite_store.list_runs() == []
    assert good.round("worker")
    assert [run.issue_number for run in sqlite_store.list_runs()] == [number]


def test_a_run_that_cannot_be_understood_keeps_no_other_from_being_tidied_up(
    github: GitHubStandIn, sqlite_store: RunStore, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    ids = [an_ended_run(sqlite_store, workers=2) for _ in range(2)]
    asked: list[str] = []

    def remove(run: RunRequest, _ended: Outcome) -> None:
        asked.append(run.run_id)
        raise KeyError("head")

    patrol = replace(whole_patrol(github, sqlite_store, tmp_path), remove_late=remove)
    with caplog.at_level(logging.WARNING):
        assert patrol.round("worker")
    assert sorted(asked) == sorted(ids)
    assert all(f"looking behind run {run_id}: passed over" in caplog.text for run_id in ids)
