"""Comments and escalations on the stand-in: one of each, whoever else writes."""

from dataclasses import replace
from pathlib import Path

import httpx
import pytest

from agent.errors import GaveUp
from app.standins.github import GitHubStandIn
from app.standins.github_faults import Fault, FaultKind
from repo_tools.errors import TransientError
from tests.support.evidence import make_attempt
from tests.support.github import FILES, LABEL, REPOSITORY, Scene, settings_for
from workers.github.checks import check_app
from workers.github.host import make_github_host
from workers.github.markers import marker
from workers.github.patience import Patience
from workers.host import Evidence, RunRefusedError
from workers.outcomes import OutcomeKind, Reason

REFUSAL = RunRefusedError(Reason.PERMISSION, "No.")


def gave_up(scene: Scene) -> Evidence:
    attempt = make_attempt(GaveUp("I cannot."), verification=None)
    return scene.evidence(attempt=attempt, reason=Reason.GAVE_UP, detail="The model gave up: I cannot.")


def test_an_escalation_is_one_comment_with_a_link_to_the_whole_transcript(scene: Scene) -> None:
    first = scene.host.publish_escalation(gave_up(scene))
    second = scene.host.publish_escalation(gave_up(scene))
    (comment,) = scene.github.comments(REPOSITORY, 1)
    assert first == second
    assert first.kind is OutcomeKind.ESCALATION
    assert first.url == f"{scene.github.page_url(REPOSITORY, 1)}#issuecomment-{comment.id}"
    assert comment.author.login == "agent-fix-local[bot]"
    git = scene.github.state.repository(REPOSITORY).git
    commit = git.ref("refs/agent-fix/transcripts/r1k4")
    assert f"({scene.github.server_url}/{REPOSITORY}/blob/{commit}/transcript.md)" in comment.body
    assert f"]({scene.github.server_url}/{REPOSITORY}/commit/{scene.base})." in comment.body
    assert "edit_file" in git.read(commit or "", "transcript.md").decode()
    assert scene.github.pull_requests(REPOSITORY) == []


def test_a_run_that_ended_before_the_agent_began_has_no_transcript(scene: Scene) -> None:
    scene.host.publish_escalation(scene.evidence(attempt=None, reason=Reason.SETUP_FAILED, patch=b""))
    git = scene.github.state.repository(REPOSITORY).git
    assert git.ref("refs/agent-fix/transcripts/r1k4") is None
    assert len(scene.github.comments(REPOSITORY, 1)) == 1


@pytest.mark.parametrize("kind", [FaultKind.DROP_ANSWER, FaultKind.ERROR_AFTER_EFFECT, FaultKind.SERVER_ERROR])
@pytest.mark.parametrize("path", ["/comments$", "/git/refs$", "/git/blobs$"])
def test_a_lost_answer_leaves_one_comment(scene: Scene, kind: FaultKind, path: str) -> None:
    scene.github.faults.add(Fault(kind, "POST", path))
    try:
        outcome = scene.host.publish_escalation(gave_up(scene))
    except TransientError:
        outcome = scene.host.publish_escalation(gave_up(scene))
    (comment,) = scene.github.comments(REPOSITORY, 1)
    assert outcome.url
    assert outcome.url.endswith(f"#issuecomment-{comment.id}")


def test_somebody_elses_marker_counts_for_nothing(scene: Scene) -> None:
    """Whatever it looks like: only the App's own comments are ours."""
    scene.github.add_comment(REPOSITORY, 1, f"{marker('r1k4', 'refusal')}\nNot us.", "mallory")
    scene.host.publish_refusal(scene.run, REFUSAL)
    theirs, ours = scene.github.comments(REPOSITORY, 1)
    assert theirs.author.login == "mallory"
    assert ours.author.login == "agent-fix-local[bot]"


def test_a_later_twin_is_deleted_and_the_oldest_kept(scene: Scene) -> None:
    """Another worker, paused before its own write, writes while we do: its comment comes to stand after ours."""
    scene.github.faults.add(Fault(FaultKind.DROP_ANSWER, "POST", "/comments$"))
    scene.host.publish_refusal(scene.run, REFUSAL)
    twin = f"{marker('r1k4', 'refusal')}\ntwin"
    (ours,) = scene.github.comments(REPOSITORY, 1)
    scene.github.add_comment(REPOSITORY, 1, twin, "agent-fix-local[bot]")
    scene.github.add_comment(REPOSITORY, 1, "a person's", "someone")
    scene.host.publish_refusal(scene.run, REFUSAL)
    assert [comment.body for comment in scene.github.comments(REPOSITORY, 1)] == [ours.body, "a person's"]


@pytest.mark.parametrize("times", [1, 3])
@pytest.mark.parametrize("method", ["GET", "POST"])
@pytest.mark.parametrize("kind", [FaultKind.UNRESOLVED, FaultKind.NOT_FOUND])
def test_a_comment_that_is_refused_for_a_moment_is_written_once(
    scene: Scene, kind: FaultKind, method: str, times: int
) -> None:
    """G03: it is the only one that tells of the ending."""
    scene.github.faults.add(Fault(kind, method, "/issues/1/comments$", times))
    outcome = scene.host.publish_escalation(gave_up(scene))
    (comment,) = scene.github.comments(REPOSITORY, 1)
    assert outcome.url
    assert outcome.url.endswith(f"#issuecomment-{comment.id}")


def test_a_comment_that_stands_by_now_is_not_sent_again(scene: Scene, tmp_path: Path) -> None:
    """G03: another worker wrote it between two refusals."""
    theirs = f"{marker('r1k4', 'refusal')}\ntheirs"

    def meanwhile(_: float) -> None:
        if not scene.github.comments(REPOSITORY, 1):
            scene.github.add_comment(REPOSITORY, 1, theirs, "agent-fix-local[bot]")

    host = make_github_host(settings_for(scene.github, tmp_path), wait=Patience(2.0, 0.05, meanwhile))
    scene.github.faults.add(Fault(FaultKind.UNRESOLVED, "POST", "/comments$", times=2))
    outcome = host.publish_refusal(scene.run, REFUSAL)
    (comment,) = scene.github.comments(REPOSITORY, 1)
    assert comment.body == theirs
    assert str(outcome.url).endswith(f"#issuecomment-{comment.id}")


def test_a_comment_that_is_refused_for_good_ends_in_bounded_time(scene: Scene) -> None:
    """G03."""
    fault = Fault(FaultKind.UNRESOLVED, "POST", "/comments$", times=1_000)
    scene.github.faults.add(fault)
    outcome = scene.host.publish_escalation(gave_up(scene))
    assert 1 < 1_000 - fault.times < 10
    assert outcome.url is None
    assert "No comment could be written: Could not resolve to a node" in outcome.detail


def test_where_no_comment_can_be_written_the_outcome_says_so(scene: Scene) -> None:
    scene.github.state.repository(REPOSITORY).has_issues = False
    outcome = scene.host.publish_escalation(gave_up(scene))
    assert outcome.url is None
    assert "No comment could be written" in outcome.detail


def test_a_permission_taken_away_before_the_draft_ends_in_an_escalation(scene: Scene) -> None:
    """G09."""
    scene.host.admit(scene.run)
    scene.github.state.permissions["pull_requests"] = "read"
    outcome = scene.host.publish_draft(scene.evidence())
    assert outcome.kind is OutcomeKind.ESCALATION
    assert "Resource not accessible by integration" in outcome.detail
    assert len(scene.github.comments(REPOSITORY, 1)) == 1


def test_a_permission_that_was_never_granted_refuses_the_run(scene: Scene) -> None:
    scene.github.state.permissions["contents"] = "read"
    with pytest.raises(RunRefusedError, match="contents: write"):
        scene.host.admit(scene.run)


@pytest.mark.parametrize("words", [("a b", "x"), ("a", "x-->"), ("a--b", "x"), ("", "x"), ("a\n", "x")])
def test_a_marker_is_made_of_plain_words_only(words: tuple[str, str]) -> None:
    with pytest.raises(ValueError, match="plain words"):
        marker(*words)


def checked(github: GitHubStandIn, folder: Path, **changed: object) -> dict[str, bool]:
    return {check.what: check.ok for check in check_app(settings_for(github, folder, **changed))}


def test_doctor_finds_what_is_wrong_with_the_app(github: GitHubStandIn, tmp_path: Path) -> None:
    github.webhook_url = "https://fix.example.org/webhooks/github"
    well = dict.fromkeys(("App key", "clock", "App", "permissions", "events", "webhook", "deliveries"), True)
    assert checked(github, tmp_path) == well
    github.state.events.clear()
    assert checked(github, tmp_path) == well | {"events": False}
    del github.state.permissions["issues"]
    assert checked(github, tmp_path) == well | {"events": False, "permissions": False}
    assert checked(github, tmp_path, github_app_id="1") == {"App key": True, "clock": True, "App": False}
    assert checked(github, tmp_path, github_app_id=None) == {"App key": False}
    nowhere = checked(github, tmp_path, github_api_url="http://127.0.0.1:9")
    assert nowhere == {"App key": True, "GitHub": False, "App": False}


def test_doctor_tells_why_a_label_does_nothing(github: GitHubStandIn, tmp_path: Path) -> None:
    """The webhook as GitHub has it, and what the receiver answered last."""

    def told() -> str:
        checks = check_app(settings_for(github, tmp_path))
        return " ".join(f"{c.ok} {c.detail} {c.remedy}" for c in checks if c.what in ("webhook", "deliveries"))

    assert "none yet" in told()
    github.webhook_url = "https://fix.example.org/"
    assert "True https://fix.example.org/ The receiver answers at /webhooks/github" in told()
    github.webhook_url = "https://me:pass@fix.example.org/webhooks/github?token=hush"
    assert "True https://fix.example.org/webhooks/github " in told()
    github.webhook_url = "http://127.0.0.1:9/webhooks/github"
    github.create_repository("acme/hooked", FILES)
    github.label_issue("acme/hooked", github.open_issue("acme/hooked", "a", "b"), LABEL, "maintainer")
    assert "False the last one (issues.labeled) was answered 502 See that the receiver runs" in told()
    (sent,) = github.hook.attempts
    refused = replace(sent.delivery, response=httpx.Response(401))
    github.hook.attempts[:] = [replace(sent, delivery=refused)]
    assert "answered 401 AGENT_FIX_GITHUB_WEBHOOK_SECRET is not the App's" in told()
    github.webhook_url = None
    assert "False has no address" in told()


def test_doctor_tells_of_the_app_where_github_says_nothing_of_its_webhook(
    github: GitHubStandIn, tmp_path: Path
) -> None:
    del github.state.permissions["issues"]
    github.faults.add(Fault(FaultKind.NOT_FOUND, "GET", "/app/hook/", times=4))
    checks = check_app(settings_for(github, tmp_path))
    assert not [check for check in checks if check.remedy and check.remedy in check.detail], "told twice"
    told = checked(github, tmp_path)
    assert told["App"]
    assert [what for what, well in told.items() if not well] == ["permissions", "webhook", "deliveries"]


def test_doctor_names_a_remedy_for_each_thing_that_is_wrong(github: GitHubStandIn, tmp_path: Path) -> None:
    github.state.permissions.clear()
    github.state.events.clear()
    wrong = [check for check in check_app(settings_for(github, tmp_path)) if not check.ok]
    assert len(wrong) == 3
    assert all(check.remedy for check in wrong)
