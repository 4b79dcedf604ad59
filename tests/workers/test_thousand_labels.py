"""A thousand labels at once, and GitHub's limits: nothing is sent before its time, and nothing is lost."""

import http.client
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import pytest

from app.standins.github import GitHubStandIn
from app.standins.github_limits import Allowance
from tests.support import deliveries
from tests.support.github import LABEL, settings_for
from tests.support.hosts import empty_workshop
from tests.support.long import first_of
from tests.support.web import make_app, serving, web_settings
from workers.execute import Executor
from workers.github.app_auth import load_credentials
from workers.github.host import GitHubHost, GitHubPlace
from workers.github.patience import Patience
from workers.github.rest import Connection
from workers.outcomes import OutcomeKind, RunStatus
from workers.store import Limits, Run, RunStore, open_store

pytestmark = pytest.mark.timeout(900)

REPOSITORIES, ISSUES = 10, 100
WORKERS = 4
ALLOWED = 40
TIMES = 3
SIT_OUT_SECONDS = 0.1
"""In the place of 15 seconds, so that a window of a second or two is long."""
READER = "reader"
"""May not write: each run is refused with a comment, after a reaction, and needs no box."""


def label_everything(github: GitHubStandIn, port: int) -> None:
    """A thousand deliveries for as many issues, over one connection for each repository."""
    for number in range(REPOSITORIES):
        repository = github.create_repository(f"acme/part-{number}", {})
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)  # now: an idle one is closed
        for _ in range(ISSUES):
            issue = github.open_issue(repository.full_name, "It is wrong", "It is.")
            github.label_issue(repository.full_name, issue, LABEL, READER)
            payload = deliveries.labeled(LABEL, sender=READER, number=issue)
            payload["repository"] = {"id": repository.id, "full_name": repository.full_name, "private": False}
            payload["installation"]["id"] = github.state.installation_id
            body = deliveries.encoded(payload)
            connection.request("POST", "/webhooks/github", body, deliveries.headers(body))
            answer = connection.getresponse()
            assert (answer.status, answer.read() != b"") == (202, True)
        connection.close()


def a_worker(github: GitHubStandIn, store: RunStore, folder: Path) -> Executor:
    """With tokens and memory of its own, as a process has them."""
    connection = Connection(github.api_url, max_wait_seconds=SIT_OUT_SECONDS)
    place = GitHubPlace(connection, github.server_url, LABEL, folder, wait=Patience(0.2, 0.05))
    host = GitHubHost(place, load_credentials(settings_for(github, folder)))
    return Executor(store, empty_workshop(), host, lease_seconds=60, limits=Limits(4, 20))


@dataclass
class Crowd:
    """A thousand labelled issues, their runs, and four workers whose bells do not stop ringing."""

    github: GitHubStandIn
    store: RunStore
    workers: list[Executor]

    def work_until_spent(self, allowance: Allowance) -> None:
        """Until GitHub has closed `TIMES` times: it opens again in between, and not after the last time."""
        deadline = time.monotonic() + 300

        def work(worker: Executor) -> None:
            while allowance.times_spent < TIMES and time.monotonic() < deadline:
                worker("aaaaaaaaaaaa")
                time.sleep(0.01)

        with ThreadPoolExecutor(WORKERS) as pool:
            list(pool.map(work, self.workers))
        assert allowance.times_spent == TIMES

    def runs(self) -> list[Run]:
        return self.store.list_runs(limit=10_000)

    def said(self, run: Run) -> tuple[int, int]:
        """Comments and reactions on the issue of a run."""
        where = (run.repository, run.issue_number)
        return len(self.github.comments(*where)), len(self.github.reactions(*where))


@pytest.fixture
def crowd(tmp_path: Path) -> Iterator[Crowd]:
    with GitHubStandIn() as github, closing(open_store(f"sqlite:///{tmp_path}/runs.db")) as store:
        with serving(make_app(web_settings(tmp_path), store)) as port:
            label_everything(github, port)
        yield Crowd(github, store, [a_worker(github, store, tmp_path / str(number)) for number in range(WORKERS)])


@pytest.mark.parametrize("kind", first_of(["secondary", "primary"]))
def test_nothing_is_sent_before_its_time_and_nothing_is_lost(crowd: Crowd, kind: str) -> None:
    limits, allowance = crowd.github.limits, Allowance(ALLOWED, seconds=1.0, times=TIMES)
    setattr(limits, kind, allowance)
    crowd.work_until_spent(allowance)
    setattr(limits, kind, None)

    runs = crowd.runs()
    ended = [run for run in runs if run.status is RunStatus.ENDED]
    assert len(runs) == REPOSITORIES * ISSUES
    assert len(ended) >= TIMES
    assert {(run.outcome, crowd.said(run)) for run in ended} == {(OutcomeKind.REFUSED, (1, 1))}
    waiting = [run for run in runs if run.status is not RunStatus.ENDED]
    assert {(run.status, run.attempts) for run in waiting} == {(RunStatus.QUEUED, 0)}  # waiting costs no attempt
    assert max(crowd.said(run) for run in waiting) <= (1, 1)
    # Each worker may have had one request under way when another was told.
    assert len(limits.refused) <= WORKERS * TIMES, limits.refused
    if kind == "primary":
        assert limits.served == ALLOWED * TIMES
