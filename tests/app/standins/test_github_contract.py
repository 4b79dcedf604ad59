"""What the product says to GitHub, and what the stand-in answers, held against GitHub's own description."""

from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from githubkit import TokenAuthStrategy

from agent.errors import GaveUp
from app.standins.github import GitHubStandIn
from tests.support.attempts import stored_run
from tests.support.evidence import make_attempt
from tests.support.github import FILES, REPOSITORY, Scene, make_scene, settings_for, with_sender
from tests.support.openapi import Exchange, GitHubContract, RecordingTransport
from workers.github.app_auth import InstallationTokens, load_credentials
from workers.github.app_client import AppClient
from workers.github.errors import GitHubError
from workers.github.host import GitHubHost, GitHubPlace
from workers.github.rest import Connection, Rest
from workers.host import RunRefusedError
from workers.outcomes import OutcomeKind, Reason
from workers.patrol import make_patrol
from workers.store import open_store
from workers.twins import remove_behind

pytestmark = pytest.mark.registry

ISSUE = "/repos/{owner}/{repo}/issues/{issue_number}"
GIT = "/repos/{owner}/{repo}/git"
CALLS = {
    ("GET", "/app"),
    ("POST", "/app/installations/{installation_id}/access_tokens"),
    ("GET", "/app/hook/config"),
    ("GET", "/app/hook/deliveries"),
    ("POST", "/app/hook/deliveries/{delivery_id}/attempts"),
    ("GET", "/app/installations"),
    ("GET", "/installation/repositories"),
    ("GET", "/repos/{owner}/{repo}/issues"),
    ("GET", f"{ISSUE}/events"),
    ("GET", "/repos/{owner}/{repo}/collaborators/{username}/permission"),
    ("GET", ISSUE),
    ("GET", f"{ISSUE}/comments"),
    ("POST", f"{ISSUE}/comments"),
    ("DELETE", "/repos/{owner}/{repo}/issues/comments/{comment_id}"),
    ("POST", f"{ISSUE}/reactions"),
    ("GET", f"{GIT}/ref/{{ref}}"),
    ("POST", f"{GIT}/refs"),
    ("GET", f"{GIT}/commits/{{commit_sha}}"),
    ("POST", f"{GIT}/commits"),
    ("POST", f"{GIT}/trees"),
    ("POST", f"{GIT}/blobs"),
    ("GET", "/repos/{owner}/{repo}/pulls"),
    ("POST", "/repos/{owner}/{repo}/pulls"),
    ("PATCH", "/repos/{owner}/{repo}/pulls/{pull_number}"),
    ("DELETE", f"{GIT}/refs/{{ref}}"),
}
"""Every call that the product makes."""


@pytest.fixture(scope="module")
def contract() -> GitHubContract:
    return GitHubContract({template for _, template in CALLS})


@pytest.fixture
def github() -> Iterator[GitHubStandIn]:
    with GitHubStandIn() as standin:
        yield standin


@pytest.fixture
def recording(github: GitHubStandIn) -> Iterator[RecordingTransport]:
    transport = RecordingTransport(github.api_url)
    yield transport
    transport.finish()


@pytest.fixture
def scene(github: GitHubStandIn, recording: RecordingTransport, tmp_path: Path) -> Scene:
    return replace(make_scene(github, tmp_path), host=recorded_host(github, recording, tmp_path))


def recorded_host(github: GitHubStandIn, recording: RecordingTransport, folder: Path) -> GitHubHost:
    settings = settings_for(github, folder)
    connection = Connection(github.api_url, transport=recording)
    place = GitHubPlace(connection, github.server_url, settings.label, folder / "mirrors")
    return GitHubHost(place, load_credentials(settings))


def run_every_way(scene: Scene, folder: Path) -> None:
    """The main job with each of its endings, and the refusals on the way."""
    github, host = scene.github, scene.host
    host.admit(scene.run)
    host.admit(scene.run)  # the reaction is there already: 200
    for sender in ("nobody-we-know", "reporter"):
        with pytest.raises(RunRefusedError):
            host.admit(with_sender(scene, sender))
    host.checkout(scene.run)
    empty = github.create_repository("acme/empty", {})
    with pytest.raises(RunRefusedError):
        host.checkout(replace(scene.run, repository_id=empty.id))
    host.publish_draft(scene.evidence({"calc.py": None, "new.py": scene.change.files["calc.py"]}))
    host.publish_refusal(scene.run, RunRefusedError(Reason.PERMISSION, "No."))
    (comment,) = github.comments(REPOSITORY, 1)
    github.add_comment(REPOSITORY, 1, comment.body, "agent-fix-local[bot]")
    host.publish_refusal(scene.run, RunRefusedError(Reason.PERMISSION, "No."))  # the twin goes
    attempt = make_attempt(GaveUp("No."), verification=None)
    host.publish_escalation(scene.evidence(attempt=attempt, reason=Reason.GAVE_UP))
    draft_too_late(scene, folder)
    github.state.repository(REPOSITORY).has_issues = False
    host.publish_escalation(scene.evidence(attempt=None, run=replace(scene.run, run_id="r2")))


def draft_too_late(scene: Scene, folder: Path) -> None:
    with closing(open_store(f"sqlite:///{folder / 'late.db'}")) as store:
        late = stored_run(store, replace(scene.run, base_commit=scene.base))
        outcome = scene.host.publish_draft(scene.evidence(run=late.attempt()))
        late.end(replace(outcome, kind=OutcomeKind.CANCELLED, pull_request_url=None))
        (row,) = store.list_runs()
        remove_behind(store, row, scene.host.remove_late)


def go_on_patrol(scene: Scene, recording: RecordingTransport, folder: Path) -> None:
    """With more failed deliveries than a page holds, and an issue that nobody told of."""
    github = scene.github
    github.webhook_url = "http://127.0.0.1:9/"
    github.label_issue(REPOSITORY, github.open_issue(REPOSITORY, "T", "B"), "agent-fix", "maintainer")
    (failed,) = github.hook.attempts
    github.hook.attempts += [replace(failed, id=10_000 + n) for n in range(120)]
    with closing(open_store(f"sqlite:///{folder / 'patrol.db'}")) as store:
        patrol = make_patrol(settings_for(github, folder), store)
        connection = Connection(github.api_url, transport=recording)
        assert replace(patrol, connection=connection, sleep=lambda _: None, deliveries_first=False).round("worker")
        assert len(store.list_runs()) == 2
    github.hook.attempts = [failed]
    app = load_credentials(settings_for(github, folder)).strategy
    with Connection(github.api_url, transport=recording).open(app) as rest:
        AppClient(rest).redeliver(failed.id)
        assert AppClient(rest).webhook().url == github.webhook_url
        assert AppClient(rest).last_delivery() is not None


def test_the_product_and_the_stand_in_speak_as_github_describes(
    scene: Scene, recording: RecordingTransport, contract: GitHubContract, tmp_path: Path
) -> None:
    run_every_way(scene, tmp_path)
    scene.github.state.repository(REPOSITORY).has_issues = True
    go_on_patrol(scene, recording, tmp_path)
    scene.github.state.suspended = True
    other = recorded_host(scene.github, recording, tmp_path)  # one that holds no token yet
    assert other.publish_draft(scene.evidence()).url is None
    seen = {contract.operation(exchange) for exchange in recording.exchanges}
    for exchange in recording.exchanges:
        if contract.is_described(exchange):
            contract.check(exchange)
    assert seen == CALLS


def test_what_is_not_as_described_is_found(contract: GitHubContract) -> None:
    """The check itself can fail: on an answer without a needed field, and on a request with a wrong type."""
    fine = Exchange(
        "POST", "/repos/a/b/git/blobs", {}, b'{"content": "x"}', 201, b'{"url": "https://x.example", "sha": "0"}'
    )
    contract.check(fine)
    for wrong in (
        replace(fine, answer=b'{"sha": "0"}'),
        replace(fine, body=b'{"content": 1}'),
        replace(fine, body=b"{}"),
    ):
        with pytest.raises(Exception, match=r"(?i)invalid|validation"):
            contract.check(wrong)
    with pytest.raises(KeyError):
        contract.operation(replace(fine, path="/repos/a/b/git/nothing"))


def refusals(rest: Rest, base: str, tree: str) -> Iterator[tuple[int, str, Any]]:
    """What GitHub refuses: status, words, call."""
    repo = "/repos/acme/calc"
    pull = {"title": "t", "head": "feature", "base": "main", "body": ""}
    yield 404, "Not Found", lambda: rest.get(f"{repo}/issues/99")
    yield 404, "Not Found", lambda: rest.get("/repos/acme/private/issues/1")
    yield 404, "Not Found", lambda: rest.get(f"{repo}/git/ref/heads/none")
    yield 404, "Not Found", lambda: rest.patch(f"{repo}/pulls/1", {"state": "closed"})
    yield 422, "does not exist", lambda: rest.delete(f"{repo}/git/refs/heads/none")
    yield 422, "already exists", lambda: rest.post(f"{repo}/git/refs", {"ref": "refs/heads/main", "sha": base})
    yield 422, "does not exist", lambda: rest.post(f"{repo}/git/refs", {"ref": "refs/heads/x", "sha": "0" * 40})
    yield 422, "two slashes", lambda: rest.post(f"{repo}/git/refs", {"ref": "main", "sha": base})
    for entry in ({"path": "a", "mode": "100644", "sha": "1" * 40}, {"path": "../a", "mode": "100644", "sha": None}):
        yield 422, "", lambda entry=entry: rest.post(f"{repo}/git/trees", {"base_tree": tree, "tree": [entry]})
    gone = {"path": "gone", "mode": "100644", "type": "blob", "sha": None}
    yield 422, "BadObjectState", lambda: rest.post(f"{repo}/git/trees", {"base_tree": tree, "tree": [gone]})
    yield 422, "Tree SHA", lambda: rest.post(f"{repo}/git/commits", {"message": "m", "tree": base, "parents": []})
    yield 422, "Parent SHA", lambda: rest.post(f"{repo}/git/commits", {"message": "m", "tree": tree, "parents": [tree]})
    yield 422, "base invalid", lambda: rest.post(f"{repo}/pulls", pull | {"base": "none"})
    yield 422, "head invalid", lambda: rest.post(f"{repo}/pulls", pull | {"head": "none"})
    yield 422, "No commits between", lambda: rest.post(f"{repo}/pulls", pull | {"head": "same"})
    yield 422, "no history in common", lambda: rest.post(f"{repo}/pulls", pull | {"head": "orphan"})
    yield 422, "too long", lambda: rest.post(f"{repo}/pulls", pull | {"body": "x" * 65_537})
    yield 422, "already exists for acme:taken", lambda: rest.post(f"{repo}/pulls", pull | {"head": "taken"})
    yield 422, "too long", lambda: rest.post(f"{repo}/issues/1/comments", {"body": "x" * 65_537})
    yield 422, "body", lambda: rest.post(f"{repo}/issues/1/comments", {"body": " "})
    yield 422, "content", lambda: rest.post(f"{repo}/issues/1/reactions", {"content": "thumbs"})
    yield 422, "Base64", lambda: rest.post(f"{repo}/git/blobs", {"content": "é", "encoding": "base64"})


def test_it_refuses_what_github_refuses(
    scene: Scene, recording: RecordingTransport, contract: GitHubContract, tmp_path: Path
) -> None:
    github = scene.github
    github.create_repository("acme/private", FILES, private=True)
    git = github.state.repository(REPOSITORY).git
    for branch in ("feature", "taken", "same"):
        git.create_ref(f"refs/heads/{branch}", scene.base)
    for branch in ("feature", "taken"):
        git.commit_files(branch, {"x": b"x"}, "x\n")
    git.commit_files("orphan", {"x": b"x"}, "x\n")
    token = token_for(scene, tmp_path)
    with Connection(github.api_url, transport=recording).open(TokenAuthStrategy(token)) as rest:
        rest.post("/repos/acme/calc/pulls", {"title": "t", "head": "taken", "base": "main"})
        for status, words, call in refusals(rest, scene.base, git.commit(scene.base).tree):
            with pytest.raises(GitHubError) as error:
                call()
            assert (error.value.status, words in error.value.message) == (status, True), error.value
    for exchange in recording.exchanges:
        if exchange.status < 400 and contract.is_described(exchange):
            contract.check(exchange)


def token_for(scene: Scene, folder: Path) -> str:
    credentials = load_credentials(settings_for(scene.github, folder))
    tokens = InstallationTokens(Connection(scene.github.api_url), credentials)
    return tokens.token(scene.run.installation_id, scene.run.repository_id)
