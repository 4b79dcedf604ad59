"""Runs that are stopped, limited, or refused under way: what is said on GitHub, and how often."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from app.standins.github_faults import Fault, FaultKind
from tests.support.attempts import StoredRun
from tests.support.evidence import make_evidence
from tests.support.github import LABEL, REPOSITORY, Scene, settings_for
from tests.support.openapi import RecordingTransport
from workers.github.app_auth import load_credentials
from workers.github.errors import GitHubUnavailableError
from workers.github.host import GitHubHost, GitHubPlace, make_github_host
from workers.github.rest import Connection
from workers.host import Evidence, RunCancelledError, RunRefusedError
from workers.outcomes import OutcomeKind, Reason

WHY = "The label was taken off."


def stopped(scene: Scene) -> Evidence:
    return make_evidence(run=scene.run, base_commit=scene.base, attempt=None, reason=Reason.UNWANTED, detail=WHY)


def test_one_short_comment_says_why_and_what_was_spent(scene: Scene) -> None:
    """W20."""
    outcomes = [scene.host.publish_cancellation(stopped(scene)) for _ in range(2)]
    (comment,) = scene.github.comments(REPOSITORY, 1)
    assert [(one.kind, one.reason, one.detail) for one in outcomes] == [
        (OutcomeKind.CANCELLED, Reason.UNWANTED, WHY)
    ] * 2
    assert {one.url for one in outcomes} == {f"{scene.github.page_url(REPOSITORY, 1)}#issuecomment-{comment.id}"}
    assert f"**Stopped.** {WHY}" in comment.body
    assert "US dollars" in comment.body
    assert len(comment.body) < 1_000


def archive(scene: Scene) -> None:
    scene.github.state.repository(REPOSITORY).archived = True


def uninstall(scene: Scene) -> None:
    scene.github.state.uninstalled = True


def suspend(scene: Scene) -> None:
    scene.github.state.suspended = True


def remove(scene: Scene) -> None:
    scene.github.state.repository(REPOSITORY).installed = False


def delete(scene: Scene) -> None:
    scene.github.issue(REPOSITORY, 1).state = "deleted"


def lock(scene: Scene) -> None:
    scene.github.lock_issue(REPOSITORY, 1)


def transfer(scene: Scene) -> None:
    scene.github.create_repository("acme/other", {})
    scene.github.transfer_issue(REPOSITORY, 1, "acme/other")


GONE = [archive, uninstall, suspend, remove, delete, lock, transfer]


@pytest.mark.parametrize("change", GONE, ids=lambda change: change.__name__)
def test_where_nothing_can_be_said_nothing_is(scene: Scene, change: Callable[[Scene], None]) -> None:
    """W20, K08."""
    scene.host.admit(scene.run)  # a token is kept
    change(scene)
    with pytest.raises(RunCancelledError):
        scene.host.check_wanted(scene.run, at_once=True)
    outcome = scene.host.publish_cancellation(stopped(scene))
    assert (outcome.kind, outcome.url) == (OutcomeKind.CANCELLED, None)
    assert scene.github.issue(REPOSITORY, 1).comments == []


def test_a_suspended_app_stops_the_run_without_a_storm_of_tries(scene: Scene, tmp_path: Path) -> None:
    """K08."""
    github = scene.github
    transport = RecordingTransport(github.api_url)
    place = GitHubPlace(Connection(github.api_url, transport=transport), github.server_url, LABEL, tmp_path)
    host = GitHubHost(place, load_credentials(settings_for(github, tmp_path)))
    host.admit(scene.run)
    suspend(scene)
    transport.exchanges.clear()
    for _ in range(2):
        with pytest.raises(RunCancelledError):
            host.check_wanted(scene.run, at_once=True)
    transport.finish()
    assert 2 <= len(transport.exchanges) <= 6


def test_asking_whether_runs_are_wanted_leaves_an_installation_most_of_its_requests(
    scene: Scene, tmp_path: Path
) -> None:
    """As many as may go on at a time, all of them asking as often as they may; GitHub takes 5,000 requests an hour."""
    github, seconds = scene.github, iter(range(10_000))
    transport = RecordingTransport(github.api_url)
    place = GitHubPlace(Connection(github.api_url, transport=transport), github.server_url, LABEL, tmp_path)
    settings = settings_for(github, tmp_path)
    host = GitHubHost(place, load_credentials(settings), clock=lambda: next(seconds))
    host.check_wanted(scene.run)  # a token is kept
    transport.exchanges.clear()
    for _ in range(600):  # a second passes with each look at the clock
        host.check_wanted(scene.run)
    transport.finish()
    assert len(transport.exchanges) * 6 * (settings.run_limits.installation or 0) < 5_000 / 2
    assert len(transport.exchanges) >= 10


def test_a_repository_that_is_renamed_under_way_stops_the_run_which_says_so_under_the_new_name(
    scene: Scene, stored: StoredRun
) -> None:
    """W22: it is followed by its id. Whoever holds the run learns of it, also one that took it over since."""
    scene.host.admit(stored.attempt())
    scene.github.rename_repository(REPOSITORY, "calculator")
    run = stored.attempt()
    for ask in (scene.host.admit, lambda run: scene.host.check_wanted(run, at_once=True)):
        with pytest.raises(RunCancelledError, match="was renamed") as renamed:
            ask(run)
    outcome = scene.host.publish_cancellation(replace(stopped(scene), run=run, detail=str(renamed.value)))
    assert outcome.url is not None
    assert "/acme/calculator/" in outcome.url
    (comment,) = scene.github.comments("acme/calculator", 1)
    assert "Take the label off and put it on again" in comment.body


def test_a_repository_that_was_renamed_before_the_run_began_is_worked_on(scene: Scene, stored: StoredRun) -> None:
    """W22."""
    scene.github.rename_repository(REPOSITORY, "calculator")
    run = stored.attempt()
    assert scene.host.labelling(run) is not None
    scene.host.admit(run)
    scene.host.check_wanted(run, at_once=True)


def test_a_secondary_limit_on_the_comment_is_waited_out_and_there_is_one_comment(scene: Scene) -> None:
    """G08."""
    scene.github.faults.add(Fault(FaultKind.SECONDARY_LIMIT, "POST", "/comments$", retry_after_seconds=1))
    assert scene.host.publish_cancellation(stopped(scene)).url is not None
    assert len(scene.github.comments(REPOSITORY, 1)) == 1


def test_a_long_limit_is_left_to_the_run_which_waits_in_the_database(scene: Scene, tmp_path: Path) -> None:
    """G08: no slot of a worker is held, and this one asks for nothing before the time that it was given."""
    scene.github.faults.add(Fault(FaultKind.SECONDARY_LIMIT, "POST", "/comments$", retry_after_seconds=3600))
    for _ in range(2):
        with pytest.raises(GitHubUnavailableError) as limited:
            scene.host.publish_cancellation(stopped(scene))
        assert limited.value.retry_after_seconds == pytest.approx(3600, abs=60)
    later = make_github_host(settings_for(scene.github, tmp_path))
    assert later.publish_cancellation(stopped(scene)).url is not None
    assert len(scene.github.comments(REPOSITORY, 1)) == 1


def test_a_permission_taken_away_under_way_refuses_the_run(scene: Scene) -> None:
    """G09: what can no longer be said on the issue stands in the outcome."""
    scene.host.admit(scene.run)
    scene.github.state.permissions["issues"] = "none"
    with pytest.raises(RunRefusedError, match="Resource not accessible"):
        scene.host.check_wanted(scene.run, at_once=True)
    evidence = replace(stopped(scene), reason=Reason.REPOSITORY, detail="GitHub refuses.")
    outcome = scene.host.publish_escalation(evidence)
    assert (outcome.kind, outcome.url) == (OutcomeKind.ESCALATION, None)
    assert "No comment could be written" in outcome.detail


def test_a_label_taken_off_stops_the_run_although_no_delivery_told(scene: Scene) -> None:
    scene.github.unlabel_issue(REPOSITORY, 1, LABEL, "maintainer")
    with pytest.raises(RunCancelledError, match="taken off"):
        scene.host.check_wanted(scene.run, at_once=True)
