"""Effects that may have happened already: written down before, looked for with patience, adopted, never doubled."""

import math
import os
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import httpx
import pytest

from agent.errors import GaveUp
from app.standins.github_faults import Fault, FaultKind
from bench.chaos.processes import owner_of_port
from repo_tools.errors import TransientError
from tests.support.attempts import StoredRun
from tests.support.evidence import make_attempt
from tests.support.github import LABEL, REPOSITORY, Scene, settings_for
from tests.support.openapi import RecordingTransport
from workers.github.app_auth import load_credentials
from workers.github.host import GitHubHost, GitHubPlace, make_github_host
from workers.github.markers import kind_in, marker
from workers.github.patience import Patience
from workers.github.rest import Connection
from workers.host import RunRefusedError, RunRequest
from workers.outcomes import Outcome, OutcomeKind, Reason
from workers.store import LeaseLostError
from workers.twins import remove_behind

BOT = "agent-fix-local[bot]"
LAG_SECONDS = 0.6
REFUSAL = RunRefusedError(Reason.PERMISSION, "No.")


def refuse_after_a_lost_answer(scene: Scene, stored: StoredRun, folder: Path) -> int:
    """The number of comments, when a second worker has done what the first, whose answer was lost, had done: no list
    shows it but to who waits."""
    state, settings = scene.github.state, settings_for(scene.github, folder)
    state.read_lag_seconds = math.inf
    scene.github.faults.add(Fault(FaultKind.DROP_ANSWER, "POST", "/comments$"))
    impatient = make_github_host(settings, wait=Patience(seconds=0))
    with pytest.raises(TransientError):
        impatient.publish_refusal(stored.attempt(), REFUSAL)
    patient = make_github_host(settings, wait=Patience(sleep=lambda _: setattr(state, "read_lag_seconds", 0)))
    patient.publish_refusal(stored.attempt(), REFUSAL)
    return len(scene.github.comments(REPOSITORY, 1))


def test_a_comment_that_no_list_shows_yet_is_waited_for_and_adopted(
    scene: Scene, stored: StoredRun, tmp_path: Path
) -> None:
    assert refuse_after_a_lost_answer(scene, stored, tmp_path) == 1


def test_a_comment_stands_where_lists_lag(scene: Scene) -> None:
    scene.github.state.read_lag_seconds = LAG_SECONDS
    outcome = scene.host.publish_refusal(scene.run, REFUSAL)
    (comment,) = scene.github.comments(REPOSITORY, 1)
    assert str(outcome.url).endswith(f"#issuecomment-{comment.id}")


def test_a_pull_request_that_no_list_shows_yet_is_adopted(scene: Scene, stored: StoredRun) -> None:
    """G01."""
    scene.github.state.read_lag_seconds = LAG_SECONDS
    scene.github.faults.add(Fault(FaultKind.DROP_ANSWER, "POST", "/pulls$"))
    outcome = scene.host.publish_draft(scene.evidence(run=stored.attempt()))
    (pull,) = scene.github.pull_requests(REPOSITORY)
    assert outcome.url == scene.github.page_url(REPOSITORY, pull.number)


Ending = Callable[[Scene, RunRequest], Outcome]


def draft(scene: Scene, run: RunRequest) -> Outcome:
    return scene.host.publish_draft(scene.evidence(run=run))


def escalate(scene: Scene, run: RunRequest) -> Outcome:
    attempt = make_attempt(GaveUp("I cannot."), verification=None)
    evidence = scene.evidence(run=run, attempt=attempt, reason=Reason.GAVE_UP, detail="The model gave up.")
    return scene.host.publish_escalation(evidence)


def cancel(scene: Scene, run: RunRequest) -> Outcome:
    evidence = scene.evidence(run=run, attempt=None, reason=Reason.UNWANTED, detail="The label was taken off.")
    return scene.host.publish_cancellation(evidence)


def refuse(scene: Scene, run: RunRequest) -> Outcome:
    return scene.host.publish_refusal(run, REFUSAL)


ENDINGS = (draft, escalate, cancel, refuse)


@pytest.mark.parametrize(
    ("first", "second"),
    [(one, other) for one in ENDINGS for other in ENDINGS if one is not other],
    ids=lambda ending: ending.__name__,
)
def test_the_ending_that_people_were_told_stands_even_if_the_next_attempt_comes_to_another(
    scene: Scene, stored: StoredRun, first: Ending, second: Ending
) -> None:
    """The worker died between telling GitHub and telling the store."""
    told = first(scene, stored.attempt())
    assert second(scene, stored.attempt()) == told
    assert len(scene.github.comments(REPOSITORY, 1)) == (first is not draft)
    assert len(scene.github.pull_requests(REPOSITORY)) == (first is draft)


@pytest.mark.parametrize("effect", ["draft", "comment escalation on 1"])
def test_an_ending_that_was_intended_and_never_sent_leaves_another_one(
    scene: Scene, stored: StoredRun, effect: str
) -> None:
    stored.attempt().intents.intend(effect, reason="proved", detail="Red before, green after.")
    assert cancel(scene, stored.attempt()).kind is OutcomeKind.CANCELLED
    assert len(scene.github.comments(REPOSITORY, 1)) == 1


def admit(scene: Scene, run: RunRequest) -> None:
    scene.host.admit(run)


@pytest.mark.parametrize("send", [*ENDINGS, admit], ids=lambda send: send.__name__)
def test_a_worker_that_lost_its_run_sends_nothing(
    scene: Scene, stored: StoredRun, send: Callable[[Scene, RunRequest], object]
) -> None:
    lost = stored.attempt()
    stored.attempt()
    with pytest.raises(LeaseLostError):
        send(scene, lost)
    assert scene.github.state.repository(REPOSITORY).git.git("for-each-ref", "--format=%(refname)").split() == [
        b"refs/heads/main"
    ]
    assert scene.github.comments(REPOSITORY, 1) == []
    assert scene.github.reactions(REPOSITORY, 1) == []


UNSEEN = ("/access_tokens", "/git/blobs", "/git/trees")
"""Writes that nobody sees."""


class Watching(RecordingTransport):
    """Keeps each write with what was written down last before it."""

    def __init__(self, api_url: str, stored: StoredRun) -> None:
        super().__init__(api_url)
        self._stored = stored
        self.seen: list[tuple[str, str]] = []

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        if request.method != "GET" and not request.url.path.endswith(UNSEEN):
            what = f"{request.method} {request.url.path.partition(REPOSITORY)[2]}"
            self.seen.append((what, ["nothing", *self._stored.intended()][-1]))
        return super().handle_request(request)


@contextmanager
def watched(scene: Scene, stored: StoredRun, folder: Path) -> Iterator[tuple[Scene, Watching]]:
    watching = Watching(scene.github.api_url, stored)
    connection = Connection(scene.github.api_url, transport=watching)
    place = GitHubPlace(connection, scene.github.server_url, LABEL, folder, wait=Patience(seconds=0))
    yield replace(scene, host=GitHubHost(place, load_credentials(settings_for(scene.github, folder)))), watching
    watching.finish()


def test_an_intent_stands_before_each_effect_of_a_hand_off(scene: Scene, stored: StoredRun, tmp_path: Path) -> None:
    with watched(scene, stored, tmp_path) as (there, watching):
        run = stored.attempt()
        there.host.admit(run)
        escalate(there, run)
    assert watching.seen == [
        ("POST /issues/1/reactions", "reaction eyes"),
        ("POST /git/commits", "transcript"),
        ("POST /git/refs", "transcript"),
        ("POST /issues/1/comments", "comment escalation on 1"),
    ]


def test_an_intent_stands_before_each_effect_of_a_draft_and_of_what_is_removed(
    scene: Scene, stored: StoredRun, tmp_path: Path
) -> None:
    with watched(scene, stored, tmp_path) as (there, watching):
        draft(there, stored.attempt())
        first, twin = (
            scene.github.add_comment(REPOSITORY, 1, f"{marker(stored.id, 'escalation')}\n{n}", BOT) for n in range(2)
        )
        url = f"https://github.example/1#issuecomment-{first}"
        stored.end(Outcome(OutcomeKind.ESCALATION, Reason.GAVE_UP, "It gave up.", url))
        (run,) = stored.store.list_runs()
        remove_behind(stored.store, run, there.host.remove_late)
    branch = f"agent-fix/issue-1-{stored.id}"
    assert watching.seen == [
        ("POST /git/commits", f"branch {branch}"),
        ("POST /git/refs", f"branch {branch}"),
        ("POST /pulls", "draft"),
        (f"DELETE /issues/comments/{twin}", f"delete comment {twin}"),
        ("POST /issues/2/comments", "comment late on 2"),
        ("PATCH /pulls/2", "close pull request 2"),
        (f"DELETE /git/refs/heads/{branch}", f"delete branch {branch}"),
    ]
    assert [comment.id for comment in scene.github.comments(REPOSITORY, 1)] == [first]


def test_a_worker_that_stands_still_between_check_and_send_leaves_one_comment(scene: Scene, tmp_path: Path) -> None:
    """Its comment comes second, and goes again; the one of the worker that took over stays."""
    slow = make_github_host(settings_for(scene.github, tmp_path), timeout_seconds=120)
    hold = scene.github.faults.hold("POST", "/comments$")
    with ThreadPoolExecutor(1) as pool:
        late = pool.submit(slow.publish_refusal, scene.run, REFUSAL)
        try:
            assert hold.arrived.wait(60)
            assert owner_of_port(iter([1, os.getpid()]), hold.client_port) == os.getpid()
            outcome = scene.host.publish_refusal(scene.run, REFUSAL)
        finally:
            hold.released.set()
        late.result(120)
    (comment,) = scene.github.comments(REPOSITORY, 1)
    assert str(outcome.url).endswith(f"#issuecomment-{comment.id}")


def test_patience_ends() -> None:
    waits: list[float] = []
    assert Patience(seconds=2.0, first_wait_seconds=0.5, sleep=waits.append).until(lambda: None) is None
    assert waits == [0.5, 1.0, 0.5]


@pytest.mark.parametrize("body", ["", "words <!-- agent-fix:run=r1:draft -->", "<!-- agent-fix:run=r2:draft -->"])
def test_only_a_marker_of_this_run_at_the_beginning_counts(body: str) -> None:
    assert kind_in(body, "r1") is None
    assert kind_in("<!-- agent-fix:run=r1:draft -->\nbody", "r1") == "draft"
