"""The host on the stand-in: admission, checkout, being wanted."""

import os
from dataclasses import replace
from pathlib import Path

import pytest

from app.standins.github import GitHubStandIn
from app.standins.github_faults import Fault, FaultKind
from tests.support.github import FILES, LABEL, REPOSITORY, Scene, make_scene, settings_for, with_sender
from workers.github.app_auth import load_credentials
from workers.github.host import GitHubHost, GitHubPlace
from workers.github.rest import Connection
from workers.host import RunCancelledError, RunRefusedError
from workers.outcomes import OutcomeKind, Reason


def test_an_admitted_run_is_received_with_one_reaction(scene: Scene) -> None:
    scene.host.admit(scene.run)
    scene.host.admit(scene.run)
    assert scene.github.reactions(REPOSITORY, 1) == ["eyes"]


@pytest.mark.parametrize("permission", ["write", "maintain", "admin"])
def test_people_who_may_write_start_runs(scene: Scene, permission: str) -> None:
    scene.github.add_collaborator(REPOSITORY, "someone", permission)
    scene.host.admit(with_sender(scene, "someone"))
    assert scene.github.reactions(REPOSITORY, 1) == ["eyes"]


@pytest.mark.parametrize("permission", ["read", "triage"])
def test_people_who_may_not_write_are_refused(scene: Scene, permission: str) -> None:
    """P10."""
    scene.github.add_collaborator(REPOSITORY, "someone", permission)
    with pytest.raises(RunRefusedError, match="`someone`, whose permission here is `read`") as refusal:
        scene.host.admit(with_sender(scene, "someone"))
    assert refusal.value.reason is Reason.PERMISSION


def test_strangers_and_bots_are_refused(scene: Scene) -> None:
    for sender in ("nobody-we-know", "ci[bot]", "../../etc"):
        with pytest.raises(RunRefusedError):
            scene.host.admit(with_sender(scene, sender))


def test_a_permission_taken_away_after_the_label_counts(scene: Scene) -> None:
    """P11."""
    scene.host.admit(scene.run)
    scene.github.add_collaborator(REPOSITORY, "maintainer", "read")
    with pytest.raises(RunRefusedError):
        scene.host.admit(scene.run)


@pytest.mark.parametrize(
    ("flag", "value", "sentence"),
    [
        ("archived", True, "archived"),
        ("disabled", True, "disabled"),
        ("has_issues", False, "Issues are disabled"),
        ("has_pull_requests", False, "Pull requests are disabled"),
    ],
)
def test_a_repository_that_could_take_no_pull_request_is_refused(
    scene: Scene, flag: str, value: bool, sentence: str
) -> None:
    """G11."""
    setattr(scene.github.state.repository(REPOSITORY), flag, value)
    with pytest.raises(RunRefusedError, match=sentence) as refusal:
        scene.host.admit(scene.run)
    assert refusal.value.reason is Reason.REPOSITORY
    outcome = scene.host.publish_refusal(scene.run, refusal.value)
    assert outcome.kind is OutcomeKind.REFUSED
    assert sentence in outcome.detail


def test_a_refusal_is_one_comment_however_often_it_is_published(scene: Scene) -> None:
    refusal = RunRefusedError(Reason.PERMISSION, "The label was put on by `someone`.")
    first = scene.host.publish_refusal(scene.run, refusal)
    second = scene.host.publish_refusal(scene.run, refusal)
    (comment,) = scene.github.comments(REPOSITORY, 1)
    assert first.url == second.url == f"{scene.github.page_url(REPOSITORY, 1)}#issuecomment-{comment.id}"
    assert "put on by `someone`" in comment.body


def test_checkout_is_the_default_branch_as_it_is_on_the_server(scene: Scene) -> None:
    checkout = scene.host.checkout(scene.run)
    assert checkout.commit == scene.base
    assert {path: checkout.read(path) for path in checkout.tree} == FILES


def test_a_private_repository_is_fetched_with_a_token(scene: Scene) -> None:
    scene.github.state.repository(REPOSITORY).private = True
    assert scene.host.checkout(scene.run).commit == scene.base


def test_a_renamed_repository_and_branch_are_followed(scene: Scene) -> None:
    scene.github.rename_repository(REPOSITORY, "calculator")
    repository = scene.github.state.repository("acme/calculator")
    repository.git.create_ref("refs/heads/trunk", scene.base)
    repository.git.git("update-ref", "-d", "refs/heads/main")
    repository.default_branch = "trunk"
    assert scene.host.checkout(scene.run).commit == scene.base
    assert scene.host.publish_draft(scene.evidence()).kind is OutcomeKind.DRAFT_PULL_REQUEST


def test_a_default_branch_that_is_renamed_under_way_gets_the_draft_under_its_new_name(scene: Scene) -> None:
    """W22: the commit that the run began from stays its base, also for a worker that takes it over."""
    assert scene.host.checkout(scene.run).commit == scene.base
    repository = scene.github.state.repository(REPOSITORY)
    repository.git.create_ref("refs/heads/trunk", scene.base)
    repository.git.commit_files("trunk", {"new.txt": b"new"}, "On\n")
    repository.git.git("update-ref", "-d", "refs/heads/main")
    repository.default_branch = "trunk"
    resumed = replace(scene.run, base_commit=scene.base)
    scene.host.check_wanted(resumed, at_once=True)
    assert scene.host.checkout(resumed).commit == scene.base
    outcome = scene.host.publish_draft(scene.evidence())
    (pull,) = scene.github.pull_requests(REPOSITORY)
    assert outcome.kind is OutcomeKind.DRAFT_PULL_REQUEST
    assert pull.pull
    assert pull.pull.base == "trunk"


def test_what_led_to_the_base_commit_is_asked_for_once(scene: Scene) -> None:
    repository = scene.github.state.repository(REPOSITORY)
    repository.private = True
    repository.git.commit_files("main", {"calc.py": b"# one"}, "Add numbers\n")
    repository.git.commit_files("main", {"notes.txt": b"two"}, "Write it down\n")
    checkout = scene.host.checkout(scene.run)
    changes = scene.host.recent_changes(scene.run, checkout)
    assert [(change.message, change.paths) for change in changes[:2]] == [
        (b"Write it down", ("notes.txt",)),
        (b"Add numbers", ("calc.py",)),
    ]
    scene.github.state.uninstalled = True
    assert scene.host.recent_changes(scene.run, checkout) == changes


def test_a_run_whose_history_cannot_be_had_goes_on_without(scene: Scene, tmp_path: Path) -> None:
    scene.github.state.repository(REPOSITORY).git.commit_files("main", {"calc.py": b"# one"}, "Add numbers\n")
    checkout = scene.host.checkout(scene.run)
    kept = tmp_path / "mirrors" / f"{scene.run.repository_id}.changes"
    kept.mkdir()
    assert scene.host.recent_changes(scene.run, checkout) == ()
    kept.rmdir()
    scene.github.faults.add(Fault(FaultKind.NOT_FOUND, "GET", "/installation/repositories$"))
    assert scene.host.recent_changes(scene.run, checkout) == ()


def test_the_mirrors_of_other_repositories_make_room_for_this_one(scene: Scene, tmp_path: Path) -> None:
    other = tmp_path / "mirrors" / "1"
    other.mkdir(parents=True)
    with (other / "pack").open("wb") as pack:
        pack.truncate(10 << 30)
    lock = tmp_path / "mirrors" / "1.lock"
    lock.touch()
    os.utime(lock, (0, 0))
    checkout = scene.host.checkout(scene.run)
    assert not other.exists()
    assert checkout.read("calc.py")


def test_an_empty_repository_is_refused(github: GitHubStandIn, tmp_path: Path) -> None:
    """G11."""
    scene = make_scene(github, tmp_path)
    empty = github.create_repository("acme/empty", {})
    with pytest.raises(RunRefusedError, match="empty"):
        scene.host.checkout(replace(scene.run, repository_id=empty.id))


def test_a_run_is_unwanted_once_the_issue_is_closed(scene: Scene, tmp_path: Path) -> None:
    place = GitHubPlace(Connection(scene.github.api_url), scene.github.server_url, LABEL, tmp_path)
    host = GitHubHost(place, load_credentials(settings_for(scene.github, tmp_path)), clock=lambda: 0.0)
    host.check_wanted(scene.run)
    scene.github.close_issue(REPOSITORY, 1)
    host.check_wanted(scene.run)  # the answer is kept for some seconds
    with pytest.raises(RunCancelledError, match="closed"):
        host.admit(scene.run)


def test_a_run_is_unwanted_once_the_issue_is_locked(scene: Scene) -> None:
    scene.host.admit(scene.run)
    scene.github.lock_issue(REPOSITORY, 1)
    with pytest.raises(RunCancelledError, match=r"The issue was locked\."):
        scene.host.check_wanted(scene.run, at_once=True)
    with pytest.raises(RunCancelledError, match="locked"):
        scene.host.admit(scene.run)


@pytest.mark.parametrize("private", [False, True], ids=["seen", "unseen"])
def test_a_run_is_unwanted_once_the_issue_is_transferred(scene: Scene, private: bool) -> None:
    """GitHub goes on answering, with the issue of the other repository, where that can be seen."""
    scene.host.admit(scene.run)
    scene.github.create_repository("acme/other", FILES, private=private)
    scene.github.transfer_issue(REPOSITORY, 1, "acme/other")
    with pytest.raises(RunCancelledError, match="can no longer be reached" if private else "was transferred"):
        scene.host.check_wanted(scene.run, at_once=True)
    with pytest.raises(RunCancelledError):
        scene.host.labelling(scene.run)


def test_a_run_is_unwanted_once_the_label_is_off(scene: Scene) -> None:
    scene.github.unlabel_issue(REPOSITORY, 1, LABEL, "maintainer")
    with pytest.raises(RunCancelledError, match="label was taken off"):
        scene.host.check_wanted(scene.run)


@pytest.mark.parametrize("name", ["suspended", "uninstalled"])
def test_a_run_is_unwanted_once_the_app_is_gone(scene: Scene, name: str) -> None:
    scene.host.admit(scene.run)  # a token is kept
    setattr(scene.github.state, name, True)
    with pytest.raises(RunCancelledError, match="can no longer be reached"):
        scene.host.check_wanted(scene.run)


def test_a_run_is_unwanted_once_the_repository_is_taken_from_the_installation(scene: Scene) -> None:
    scene.host.admit(scene.run)
    scene.github.state.repository(REPOSITORY).installed = False
    with pytest.raises(RunCancelledError):
        scene.host.check_wanted(scene.run)


def test_a_revoked_token_is_replaced_once(scene: Scene) -> None:
    scene.host.admit(scene.run)
    scene.github.state.tokens.clear()
    scene.host.admit(scene.run)
    assert len(scene.github.state.tokens) == 1


def test_an_issue_that_takes_no_reaction_is_worked_on_all_the_same(scene: Scene) -> None:
    scene.github.faults.add(Fault(FaultKind.FORBIDDEN, "POST", "/reactions$"))
    scene.host.admit(scene.run)
    assert scene.github.reactions(REPOSITORY, 1) == []


def test_a_bot_that_the_operator_allows_starts_runs(github: GitHubStandIn, tmp_path: Path) -> None:
    scene = make_scene(github, tmp_path, allowed_bots=frozenset({"triage-bot[bot]"}))
    scene.host.admit(with_sender(scene, "triage-bot[bot]"))
    assert scene.github.reactions(REPOSITORY, 1) == ["eyes"]


def test_while_github_cannot_be_asked_a_run_is_wanted(scene: Scene) -> None:
    scene.github.faults.add(Fault(FaultKind.SERVER_ERROR, "GET", "/installation/repositories", times=3))
    scene.host.check_wanted(scene.run)
