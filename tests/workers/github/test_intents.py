"""Effects that may have happened already: written down before, looked for with patience, adopted, never doubled."""

import os
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest

from app.standins.github_faults import Fault, FaultKind
from bench.chaos.processes import owner_of_port
from repo_tools.errors import TransientError
from tests.support.github import REPOSITORY, Scene, settings_for
from workers.github.host import make_github_host
from workers.github.markers import kind_in, marker
from workers.github.patience import Patience
from workers.host import RunRefusedError
from workers.intents import Unkept
from workers.outcomes import OutcomeKind, Reason

LAG_SECONDS = 0.6
REFUSAL = RunRefusedError(Reason.PERMISSION, "No.")


@dataclass
class Kept(Unkept):
    """Intents that outlive an attempt, as the journal's do."""

    known: dict[str, dict[str, Any]] = field(default_factory=dict)

    def intend(self, effect: str, **data: Any) -> bool:
        before = effect in self.known
        self.known.setdefault(effect, data)
        return before

    def intended(self, effect: str) -> dict[str, Any] | None:
        return self.known.get(effect)


class LostError(BaseException):
    """The worker died."""


class Dying(Kept):
    """The worker that writes these dies with the next intent, and sends nothing."""

    def intend(self, effect: str, **data: Any) -> bool:
        raise LostError(effect)


def with_intents(scene: Scene, intents: Unkept) -> Scene:
    return replace(scene, run=replace(scene.run, intents=intents))


def refuse_after_a_lost_answer(scene: Scene, folder: Path) -> int:
    """The number of comments, when a second worker has done what the first, whose answer was lost, had done."""
    scene.github.state.read_lag_seconds = LAG_SECONDS
    scene.github.faults.add(Fault(FaultKind.DROP_ANSWER, "POST", "/comments$"))
    first = make_github_host(settings_for(scene.github, folder), wait=Patience(seconds=0))
    with pytest.raises(TransientError):
        first.publish_refusal(scene.run, REFUSAL)
    scene.host.publish_refusal(scene.run, REFUSAL)
    return len(scene.github.comments(REPOSITORY, 1))


def test_a_comment_that_no_list_shows_yet_is_waited_for_and_adopted(scene: Scene, tmp_path: Path) -> None:
    assert refuse_after_a_lost_answer(with_intents(scene, Kept()), tmp_path) == 1


def test_a_comment_stands_where_lists_lag(scene: Scene) -> None:
    scene.github.state.read_lag_seconds = LAG_SECONDS
    outcome = scene.host.publish_refusal(scene.run, REFUSAL)
    (comment,) = scene.github.comments(REPOSITORY, 1)
    assert str(outcome.url).endswith(f"#issuecomment-{comment.id}")


def test_a_pull_request_that_no_list_shows_yet_is_adopted(scene: Scene) -> None:
    """G01."""
    scene = with_intents(scene, Kept())
    scene.github.state.read_lag_seconds = LAG_SECONDS
    scene.github.faults.add(Fault(FaultKind.DROP_ANSWER, "POST", "/pulls$"))
    outcome = scene.host.publish_draft(scene.evidence())
    (pull,) = scene.github.pull_requests(REPOSITORY)
    assert outcome.url == scene.github.page_url(REPOSITORY, pull.number)


def test_a_draft_that_was_opened_is_the_outcome_even_if_the_next_attempt_comes_to_another_end(scene: Scene) -> None:
    """A run that dies after its pull request was opened, again and again, is handed over: to the pull request."""
    scene = with_intents(scene, Kept())
    first = scene.host.publish_draft(scene.evidence())
    handed_over = scene.host.publish_escalation(scene.evidence(reason=Reason.ATTEMPTS, detail="It never ended."))
    assert handed_over == first
    assert handed_over.kind is OutcomeKind.DRAFT_PULL_REQUEST
    assert scene.github.comments(REPOSITORY, 1) == []


def test_a_draft_that_was_intended_and_never_sent_leaves_the_escalation(scene: Scene) -> None:
    intents = Kept()
    intents.intend("draft", reason="proved", detail="Red before, green after.")
    outcome = with_intents(scene, intents).host.publish_escalation(
        scene.evidence(run=replace(scene.run, intents=intents), reason=Reason.ATTEMPTS, detail="It never ended.")
    )
    assert outcome.kind is OutcomeKind.ESCALATION
    assert len(scene.github.comments(REPOSITORY, 1)) == 1


def test_nothing_is_sent_that_could_not_be_written_down(scene: Scene) -> None:
    """A worker that lost its run sends no branch, no pull request and no comment."""
    scene = with_intents(scene, Dying())
    with pytest.raises(LostError, match="branch"):
        scene.host.publish_draft(scene.evidence())
    with pytest.raises(LostError, match="comment"):
        scene.host.publish_refusal(scene.run, REFUSAL)
    assert scene.branch_head("agent-fix/issue-1-r1k4") is None
    assert scene.github.comments(REPOSITORY, 1) == []


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


def test_a_twin_that_came_too_late_is_removed_by_whoever_looks_next(scene: Scene) -> None:
    """For the reconciler: the worker that wrote it died before it could tidy up."""
    scene.host.publish_refusal(scene.run, REFUSAL)
    scene.github.add_comment(REPOSITORY, 1, f"{marker('r1k4', 'refusal')}\ntwin", "agent-fix-local[bot]")
    scene.github.add_comment(REPOSITORY, 1, f"{marker('other', 'refusal')}\nanother run's", "agent-fix-local[bot]")
    scene.github.add_comment(REPOSITORY, 1, f"{marker('r1k4', 'refusal')}\nnot ours", "mallory")
    scene.host.remove_twins(scene.run)
    left = [comment.body.partition("\n")[2] for comment in scene.github.comments(REPOSITORY, 1)]
    assert len(left) == 3
    assert left[1:] == ["another run's", "not ours"]


def test_patience_ends() -> None:
    waits: list[float] = []
    assert Patience(seconds=2.0, first_wait_seconds=0.5, sleep=waits.append).until(lambda: None) is None
    assert waits == [0.5, 1.0, 0.5]


@pytest.mark.parametrize("body", ["", "words <!-- agent-fix:run=r1:draft -->", "<!-- agent-fix:run=r2:draft -->"])
def test_only_a_marker_of_this_run_at_the_beginning_counts(body: str) -> None:
    assert kind_in(body, "r1") is None
    assert kind_in("<!-- agent-fix:run=r1:draft -->\nbody", "r1") == "draft"
