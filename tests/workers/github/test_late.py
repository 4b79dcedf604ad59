"""What comes when the run has ended: one ending stays on GitHub, the recorded one."""

import os
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest

from app.standins.github_faults import Fault, FaultKind
from app.standins.github_state import Issue
from bench.chaos.processes import owner_of_port
from tests.support.attempts import StoredRun
from tests.support.github import REPOSITORY, Scene, settings_for
from tests.support.issues import run_of
from workers.github.host import make_github_host
from workers.github.markers import marker
from workers.outcomes import Outcome, OutcomeKind, Reason
from workers.twins import remove_behind

BOT = "agent-fix-local[bot]"
GAVE_UP = Outcome(OutcomeKind.ESCALATION, Reason.GAVE_UP, "It gave up.", url="https://github.example/1#issuecomment-1")
CANCELLED = Outcome(OutcomeKind.CANCELLED, Reason.UNWANTED, "The label was taken off.")


def branch(stored: StoredRun) -> str:
    return f"agent-fix/issue-1-{stored.id}"


def the_pull(scene: Scene) -> Issue:
    (pull,) = scene.github.pull_requests(REPOSITORY)
    return pull


def drafted(scene: Scene, stored: StoredRun) -> Outcome:
    return scene.host.publish_draft(scene.evidence(run=stored.attempt()))


def ended(scene: Scene, stored: StoredRun, outcome: Outcome) -> None:
    stored.attempt()
    stored.end(outcome)
    tidied(scene, stored)


def tidied(scene: Scene, stored: StoredRun) -> None:
    run = run_of(stored.store, stored.id)
    remove_behind(stored.store, run, scene.host.remove_late)


def test_a_pull_request_that_was_held_up_until_the_run_had_ended_is_closed_again(
    scene: Scene, stored: StoredRun, tmp_path: Path
) -> None:
    """Its worker stood still exactly between check and send."""
    slow = make_github_host(settings_for(scene.github, tmp_path), timeout_seconds=120)
    hold = scene.github.faults.hold("POST", "/pulls$")
    with ThreadPoolExecutor(1) as pool:
        late = pool.submit(slow.publish_draft, scene.evidence(run=stored.attempt()))
        try:
            assert hold.arrived.wait(60)
            assert owner_of_port(iter([1, os.getpid()]), hold.client_port) == os.getpid()
            ended(scene, stored, scene.host.publish_cancellation(scene.evidence(run=stored.attempt(), attempt=None)))
        finally:
            hold.released.set()
        late.result(120)
    assert the_pull(scene).state == "open"
    tidied(scene, stored)
    assert the_pull(scene).state == "closed"
    assert scene.branch_head(branch(stored)) is None
    (comment,) = scene.github.comments(REPOSITORY, the_pull(scene).number)
    assert comment.body.startswith(f"{marker(stored.id, 'late')}\n**Closed.**")


def test_it_says_where_the_ending_stands_and_is_closed_once(scene: Scene, stored: StoredRun) -> None:
    drafted(scene, stored)
    ended(scene, stored, GAVE_UP)
    tidied(scene, stored)
    (comment,) = scene.github.comments(REPOSITORY, the_pull(scene).number)
    assert f"the run had ended [with a hand-off]({GAVE_UP.url}) by then." in comment.body


def test_what_was_begun_is_brought_to_its_end(scene: Scene, stored: StoredRun) -> None:
    """Whoever closed it died before the branch was gone."""
    drafted(scene, stored)
    git = scene.github.state.repository(REPOSITORY).git
    head = scene.branch_head(branch(stored)) or ""
    ended(scene, stored, GAVE_UP)
    git.create_ref(f"refs/heads/{branch(stored)}", head)
    tidied(scene, stored)
    assert scene.branch_head(branch(stored)) is None


def test_one_that_a_person_opened_again_stays_open(scene: Scene, stored: StoredRun) -> None:
    """With its branch, which they restored."""
    drafted(scene, stored)
    head = scene.branch_head(branch(stored)) or ""
    ended(scene, stored, GAVE_UP)
    scene.github.state.repository(REPOSITORY).git.create_ref(f"refs/heads/{branch(stored)}", head)
    the_pull(scene).state = "open"
    tidied(scene, stored)
    assert the_pull(scene).state == "open"
    assert scene.branch_head(branch(stored)) == head
    assert len(scene.github.comments(REPOSITORY, the_pull(scene).number)) == 1


def test_one_whose_closing_did_not_take_effect_is_closed_by_the_next_look(scene: Scene, stored: StoredRun) -> None:
    drafted(scene, stored)
    scene.github.faults.add(Fault(FaultKind.SERVER_ERROR, "PATCH", r"/pulls/\d+$"))
    ended(scene, stored, GAVE_UP)
    assert the_pull(scene).state == "open"
    tidied(scene, stored)
    assert the_pull(scene).state == "closed"
    assert scene.branch_head(branch(stored)) is None


def test_the_recorded_one_stays_also_under_another_name_of_the_repository(scene: Scene, stored: StoredRun) -> None:
    outcome = drafted(scene, stored)
    scene.github.rename_repository(REPOSITORY, "calculator")
    ended(scene, stored, outcome)
    assert the_pull(scene).state == "open"
    assert scene.github.comments(REPOSITORY, the_pull(scene).number) == []


@pytest.mark.parametrize("amended", [False, True], ids=["on top", "in place of ours"])
def test_one_that_a_person_pushed_to_is_left_alone(scene: Scene, stored: StoredRun, amended: bool) -> None:
    drafted(scene, stored)
    git = scene.github.state.repository(REPOSITORY).git
    if amended:
        git.git("update-ref", f"refs/heads/{branch(stored)}", scene.base)
    theirs = git.commit_files(branch(stored), {"theirs.txt": b"by a person"}, "More\n")
    ended(scene, stored, GAVE_UP)
    assert the_pull(scene).state == "open"
    assert scene.branch_head(branch(stored)) == theirs
    assert scene.github.comments(REPOSITORY, the_pull(scene).number) == []


def test_one_that_a_person_closed_keeps_its_branch(scene: Scene, stored: StoredRun) -> None:
    drafted(scene, stored)
    the_pull(scene).state = "closed"
    head = scene.branch_head(branch(stored))
    ended(scene, stored, GAVE_UP)
    assert scene.branch_head(branch(stored)) == head


def test_somebody_elses_from_our_branch_is_left_alone(scene: Scene, stored: StoredRun) -> None:
    drafted(scene, stored)
    pull = the_pull(scene)
    pull.author = scene.github.state.account("mallory")
    ended(scene, stored, GAVE_UP)
    assert pull.state == "open"


def test_where_no_comment_is_taken_it_is_closed_without_a_word(scene: Scene, stored: StoredRun) -> None:
    drafted(scene, stored)
    the_pull(scene).locked = True
    ended(scene, stored, GAVE_UP)
    assert the_pull(scene).state == "closed"


@pytest.mark.parametrize(
    ("outcome", "left"), [(GAVE_UP, ["escalation"]), (CANCELLED, ["cancellation"])], ids=["escalated", "cancelled"]
)
def test_a_comment_that_tells_of_another_ending_goes(
    scene: Scene, stored: StoredRun, outcome: Outcome, left: list[str]
) -> None:
    for kind in ("escalation", "cancellation", "refusal"):
        scene.github.add_comment(REPOSITORY, 1, f"{marker(stored.id, kind)}\n", BOT)
    ended(scene, stored, outcome)
    kinds = [comment.body for comment in scene.github.comments(REPOSITORY, 1)]
    assert kinds == [f"{marker(stored.id, kind)}\n" for kind in left]


def test_twins_go_and_what_is_not_of_this_run_stays(scene: Scene, stored: StoredRun) -> None:
    """The worker that wrote the twin died before it could tidy up."""
    outcome = scene.host.publish_escalation(scene.evidence(run=stored.attempt(), attempt=None))
    begin = marker(stored.id, "escalation")
    scene.github.add_comment(REPOSITORY, 1, f"{begin}\ntwin", BOT)
    scene.github.add_comment(REPOSITORY, 1, f"{marker('other', 'escalation')}\nanother run's", BOT)
    scene.github.add_comment(REPOSITORY, 1, f"{begin}\nnot ours", "mallory")
    ended(scene, stored, outcome)
    left = [comment.body.partition("\n")[2] for comment in scene.github.comments(REPOSITORY, 1)]
    assert len(left) == 3
    assert left[1:] == ["another run's", "not ours"]


def test_a_run_of_an_older_release_that_kept_no_tree_loses_nothing(scene: Scene, stored: StoredRun) -> None:
    scene.host.publish_draft(scene.evidence(run=replace(scene.run, run_id=stored.id)))
    ended(scene, stored, GAVE_UP)
    assert the_pull(scene).state == "open"


def test_a_draft_stays_where_the_recorded_ending_was_told_to_nobody(scene: Scene, stored: StoredRun) -> None:
    """Each of its workers died, the first one when the draft was open."""
    drafted(scene, stored)
    while claim := stored.store.claim(stored.id, "worker", lease_seconds=-1):
        stored.store.set_progress(claim, base_commit=scene.base)
    assert stored.store.end_hopeless() == [stored.id]
    tidied(scene, stored)
    assert the_pull(scene).state == "open"
    assert scene.branch_head(branch(stored)) is not None
    assert scene.github.comments(REPOSITORY, the_pull(scene).number) == []


def test_a_comment_of_another_ending_stays_where_the_recorded_one_was_told_to_nobody(
    scene: Scene, stored: StoredRun
) -> None:
    begin = marker(stored.id, "refusal")
    for words in ("first", "a twin"):
        scene.github.add_comment(REPOSITORY, 1, f"{begin}\n{words}", BOT)
    ended(scene, stored, replace(GAVE_UP, url=None))
    assert [comment.body for comment in scene.github.comments(REPOSITORY, 1)] == [f"{begin}\nfirst"]
