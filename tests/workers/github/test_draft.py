"""Draft pull requests on the stand-in: every kind of file, found again, never doubled, never forced."""

import pytest

from agent.errors import GaveUp
from app.standins.github_faults import Fault, FaultKind
from app.standins.github_state import Issue, PullRequest
from repo_tools.changes import FileChange, FileMode
from repo_tools.errors import TransientError
from tests.support.evidence import make_attempt, make_transcript, make_verification, turn, use
from tests.support.github import FILES, REPOSITORY, Scene
from tests.support.long import first_of
from workers.github.markers import marker
from workers.host import Evidence
from workers.outcomes import OutcomeKind, Reason

BRANCH = "agent-fix/issue-1-r1k4"


def test_a_proved_change_becomes_a_draft_pull_request(scene: Scene) -> None:
    outcome = scene.host.publish_draft(scene.evidence())
    (pull,) = scene.github.pull_requests(REPOSITORY)
    assert pull.pull
    assert pull.pull.draft
    assert (pull.pull.head, pull.pull.base) == (BRANCH, "main")
    assert pull.author.login == "agent-fix-local[bot]"
    assert pull.title == "Fix #1: add() subtracts"
    assert "Fixes #1." in pull.body
    assert f"]({scene.github.server_url}/{REPOSITORY}/commit/{scene.base})." in pull.body
    assert outcome.kind is OutcomeKind.DRAFT_PULL_REQUEST
    assert outcome.url == outcome.pull_request_url == scene.github.page_url(REPOSITORY, pull.number)


def test_each_kind_of_file_arrives_as_it_is(scene: Scene) -> None:
    binary = bytes(reversed(range(256)))
    files: dict[str, FileChange | None] = {
        "data.bin": FileChange(FileMode.REGULAR, binary),
        "notes.txt": FileChange(FileMode.REGULAR, b"one\r\nthree\r\n"),
        "bom.txt": FileChange(FileMode.REGULAR, b"\xef\xbb\xbfno newline at the end"),
        "tools/go": FileChange(FileMode.EXECUTABLE, b"#!/bin/sh\n"),
        "run.sh": FileChange(FileMode.REGULAR, FILES["run.sh"]),  # loses its executable bit
        "calc.py": None,
        "calc/add.py": FileChange(FileMode.REGULAR, FILES["calc.py"]),  # a rename
        "naïve/ünï.py": FileChange(FileMode.REGULAR, b""),
    }
    scene.host.publish_draft(scene.evidence(files))
    git = scene.github.state.repository(REPOSITORY).git
    head = scene.branch_head(BRANCH)
    assert head
    modes = {path: mode for mode, _, _, path in git.tree(head)}
    contents = {path: git.read(head, path) for path in modes}
    assert modes == {
        "bom.txt": "100644",
        "calc/add.py": "100644",
        "data.bin": "100644",
        "naïve/ünï.py": "100644",
        "notes.txt": "100644",
        "run.sh": "100644",
        "test_calc.py": "100644",
        "tools/go": "100755",
    }
    assert contents == {path: change.content for path, change in files.items() if change} | {
        "test_calc.py": FILES["test_calc.py"]
    }
    assert git.commit(head).parents == (scene.base,)


def test_publishing_twice_changes_nothing(scene: Scene) -> None:
    first = scene.host.publish_draft(scene.evidence())
    head = scene.branch_head(BRANCH)
    assert scene.host.publish_draft(scene.evidence()) == first
    assert len(scene.github.pull_requests(REPOSITORY)) == 1
    assert scene.branch_head(BRANCH) == head


@pytest.mark.parametrize("kind", [FaultKind.DROP_ANSWER, FaultKind.ERROR_AFTER_EFFECT])
@pytest.mark.parametrize(
    "path", first_of(["/pulls$", "/git/refs$", "/git/commits$", "/git/trees$", "/git/blobs$"], always=2)
)
def test_a_lost_answer_doubles_nothing(scene: Scene, kind: FaultKind, path: str) -> None:
    """G01."""
    scene.github.faults.add(Fault(kind, "POST", path))
    try:
        outcome = scene.host.publish_draft(scene.evidence())
    except TransientError:  # the run comes back later
        outcome = scene.host.publish_draft(scene.evidence())
    (pull,) = scene.github.pull_requests(REPOSITORY)
    assert outcome.url == scene.github.page_url(REPOSITORY, pull.number)
    assert scene.branch_head(f"{BRANCH}-2") is None


def test_a_pull_request_whose_answer_was_lost_is_adopted_at_once(scene: Scene) -> None:
    """G01."""
    scene.github.faults.add(Fault(FaultKind.DROP_ANSWER, "POST", "/pulls$"))
    assert scene.host.publish_draft(scene.evidence()).kind is OutcomeKind.DRAFT_PULL_REQUEST
    assert len(scene.github.pull_requests(REPOSITORY)) == 1


def test_somebody_elses_branch_is_left_alone(scene: Scene) -> None:
    """G06."""
    git = scene.github.state.repository(REPOSITORY).git
    git.create_ref(f"refs/heads/{BRANCH}", scene.base)
    theirs = git.commit_files(BRANCH, {"theirs.txt": b"mine"}, "Mine\n")
    scene.host.publish_draft(scene.evidence())
    assert scene.branch_head(BRANCH) == theirs
    (pull,) = scene.github.pull_requests(REPOSITORY)
    assert pull.pull
    assert pull.pull.head == f"{BRANCH}-2"


def test_a_branch_that_a_person_pushed_to_before_the_draft_is_left_alone(scene: Scene) -> None:
    """G06: our own commit is on it, theirs on top; the worker died between branch and pull request."""
    scene.github.faults.add(Fault(FaultKind.FORBIDDEN, "POST", "/pulls$"))
    scene.host.publish_draft(scene.evidence())
    git = scene.github.state.repository(REPOSITORY).git
    theirs = git.commit_files(BRANCH, {"theirs.txt": b"by a person"}, "More\n")
    scene.host.publish_draft(scene.evidence())
    assert scene.branch_head(BRANCH) == theirs
    (pull,) = scene.github.pull_requests(REPOSITORY)
    assert pull.pull
    assert pull.pull.head == f"{BRANCH}-2"


def test_a_push_onto_our_branch_after_the_draft_makes_no_second_one(scene: Scene) -> None:
    """G06."""
    first = scene.host.publish_draft(scene.evidence())
    scene.github.state.repository(REPOSITORY).git.commit_files(BRANCH, {"more.txt": b"by a person"}, "More\n")
    assert scene.host.publish_draft(scene.evidence()) == first
    assert len(scene.github.pull_requests(REPOSITORY)) == 1


def branch_without_pull(scene: Scene) -> str:
    """The worker died between branch and pull request."""
    scene.github.faults.add(Fault(FaultKind.SERVER_ERROR, "POST", "/pulls$"))
    with pytest.raises(TransientError):
        scene.host.publish_draft(scene.evidence())
    head = scene.branch_head(BRANCH)
    assert head
    return head


def pull_of_mallory(scene: Scene, base: str = "main") -> Issue:
    """From our branch, with our marker, which anybody can copy."""
    state = scene.github.state
    head = scene.branch_head(BRANCH) or ""
    body = f"{marker('r1k4', 'draft')}\nMine."
    pull = state.add_issue(state.repository(REPOSITORY), "Mine", body, state.account("mallory"))
    pull.pull = PullRequest(BRANCH, base, head, scene.base, draft=False)
    return pull


def test_somebody_elses_pull_request_from_our_branch_is_not_adopted(scene: Scene) -> None:
    head = branch_without_pull(scene)
    theirs = pull_of_mallory(scene)
    outcome = scene.host.publish_draft(scene.evidence())
    assert outcome.kind is OutcomeKind.ESCALATION
    assert f"mallory opened one from {BRANCH} first" in outcome.detail
    assert scene.github.page_url(REPOSITORY, theirs.number) in outcome.detail
    assert len(scene.github.comments(REPOSITORY, 1)) == 1
    assert scene.branch_head(BRANCH) == head


def test_somebody_elses_pull_request_to_another_branch_is_in_nobodys_way(scene: Scene) -> None:
    branch_without_pull(scene)
    theirs = pull_of_mallory(scene, base="stable")
    outcome = scene.host.publish_draft(scene.evidence())
    assert outcome.kind is OutcomeKind.DRAFT_PULL_REQUEST
    assert outcome.url != scene.github.page_url(REPOSITORY, theirs.number)
    assert scene.host.publish_draft(scene.evidence()) == outcome


def test_a_pull_request_of_ours_without_the_runs_marker_is_not_adopted(scene: Scene) -> None:
    """Another run's."""
    branch_without_pull(scene)
    other = pull_of_mallory(scene)
    other.author, other.body = scene.github.state.bot, f"{marker('other', 'draft')}\n"
    outcome = scene.host.publish_draft(scene.evidence())
    assert outcome.kind is OutcomeKind.ESCALATION


def test_a_base_branch_that_moved_on_is_fine(scene: Scene) -> None:
    """G07."""
    scene.github.state.repository(REPOSITORY).git.commit_files("main", {"new.txt": b"new"}, "On\n")
    assert scene.host.publish_draft(scene.evidence()).kind is OutcomeKind.DRAFT_PULL_REQUEST


def test_a_base_branch_that_is_gone_becomes_an_escalation(scene: Scene) -> None:
    """G07."""
    git = scene.github.state.repository(REPOSITORY).git
    git.create_ref("refs/heads/other", scene.base)
    git.git("update-ref", "-d", "refs/heads/main")
    outcome = scene.host.publish_draft(scene.evidence())
    assert outcome.kind is OutcomeKind.ESCALATION
    assert outcome.reason is Reason.REPOSITORY
    assert "GitHub did not take it" in outcome.detail
    assert len(scene.github.comments(REPOSITORY, 1)) == 1


def test_without_drafts_it_is_an_ordinary_pull_request_that_says_so(scene: Scene) -> None:
    scene.github.state.repository(REPOSITORY).drafts_allowed = False
    scene.host.publish_draft(scene.evidence())
    (pull,) = scene.github.pull_requests(REPOSITORY)
    assert pull.pull
    assert not pull.pull.draft
    assert "Treat it as a draft." in pull.body
    assert scene.host.publish_draft(scene.evidence()).kind is OutcomeKind.DRAFT_PULL_REQUEST
    assert len(scene.github.pull_requests(REPOSITORY)) == 1


def test_a_secret_in_the_change_is_not_published(scene: Scene) -> None:
    key = "ghp_" + "a1B2c3D4e5F6g7H8i9" * 2
    patch = f"diff --git a/conf.py b/conf.py\n--- a/conf.py\n+++ b/conf.py\n@@ -0,0 +1 @@\n+TOKEN = '{key}'\n".encode()
    outcome = scene.host.publish_draft(scene.evidence(patch=patch))
    assert outcome.kind is OutcomeKind.ESCALATION
    assert "conf.py" in outcome.detail
    assert scene.github.pull_requests(REPOSITORY) == []
    (comment,) = scene.github.comments(REPOSITORY, 1)
    assert key not in comment.body
    assert key not in outcome.detail


def long_transcript(scene: Scene, turns: int = 60) -> Evidence:
    """Of which a page holds seven turns; from about forty on, what is said is cut."""
    numbers = range(1, turns + 1)
    said = [turn(n, f"Step {n}", use("read_file", f"{n}\n" + "x" * 9_000, path=f"f{n}.py")) for n in numbers]
    verification = make_verification(change=scene.change)
    return scene.evidence(attempt=make_attempt(verification=verification, transcript=make_transcript(said)))


def test_a_draft_whose_comments_are_refused_is_still_the_outcome(scene: Scene) -> None:
    """What GitHub refuses after the pull request is open makes no second ending."""
    scene.github.faults.add(Fault(FaultKind.FORBIDDEN, "POST", "/comments$"))
    outcome = scene.host.publish_draft(long_transcript(scene))
    assert outcome.kind is OutcomeKind.DRAFT_PULL_REQUEST
    assert "transcript could not be written: Resource not accessible" in outcome.detail
    assert len(scene.github.pull_requests(REPOSITORY)) == 1
    assert scene.github.comments(REPOSITORY, 1) == []


def test_what_a_rule_of_the_repository_refuses_is_handed_over_with_the_work(scene: Scene) -> None:
    scene.github.faults.add(Fault(FaultKind.RULE, "POST", "/git/refs$"))
    outcome = scene.host.publish_draft(scene.evidence(patch=b"diff --git a/x b/x\n+y\n"))
    assert (outcome.kind, outcome.reason) == (OutcomeKind.ESCALATION, Reason.REPOSITORY)
    assert "Repository rule violations found" in outcome.detail
    (comment,) = scene.github.comments(REPOSITORY, 1)
    assert "Repository rule violations found" in comment.body
    assert "diff --git a/x b/x" in comment.body


@pytest.mark.parametrize("kind", [FaultKind.RULE, FaultKind.FORBIDDEN])
def test_people_are_told_also_where_the_whole_transcript_is_refused(scene: Scene, kind: FaultKind) -> None:
    scene.github.faults.add(Fault(kind, "GET", "/git/ref/agent-fix/transcripts/"))
    draft = scene.host.publish_draft(long_transcript(scene))
    assert draft.kind is OutcomeKind.DRAFT_PULL_REQUEST
    (pull,) = scene.github.pull_requests(REPOSITORY)
    assert "Long texts are cut here." in pull.body
    assert "the whole transcript" not in pull.body


@pytest.mark.parametrize("kind", [FaultKind.RULE, FaultKind.FORBIDDEN])
def test_a_hand_off_does_without_a_transcript_that_is_refused(scene: Scene, kind: FaultKind) -> None:
    scene.github.faults.add(Fault(kind, "GET", "/git/ref/agent-fix/transcripts/"))
    outcome = scene.host.publish_escalation(long_transcript(scene))
    (comment,) = scene.github.comments(REPOSITORY, 1)
    assert outcome.url is not None
    assert "The whole transcript" not in comment.body


@pytest.mark.parametrize("times", [1, 3])
@pytest.mark.parametrize("method", ["GET", "POST"])
@pytest.mark.parametrize("kind", [FaultKind.UNRESOLVED, FaultKind.NOT_FOUND])
def test_a_pull_request_that_github_does_not_know_yet_gets_its_comments(
    scene: Scene, kind: FaultKind, method: str, times: int
) -> None:
    """G03: each of them, once, and no second pull request."""
    evidence = long_transcript(scene, 20)
    scene.github.faults.add(Fault(kind, method, "/comments$", times))
    outcome = scene.host.publish_draft(evidence)
    (pull,) = scene.github.pull_requests(REPOSITORY)
    bodies = [comment.body for comment in scene.github.comments(REPOSITORY, pull.number)]
    begins = [marker("r1k4", f"transcript-{number}") for number in range(1, len(bodies) + 1)]
    assert len(bodies) > 1
    assert sorted(body.partition("\n")[0] for body in bodies) == begins
    assert "could not be written" not in outcome.detail
    assert scene.host.publish_draft(evidence) == outcome
    assert len(scene.github.comments(REPOSITORY, pull.number)) == len(bodies)


@pytest.mark.parametrize("kind", [FaultKind.UNRESOLVED, FaultKind.NOT_FOUND])
def test_a_branch_that_github_does_not_know_everywhere_yet_gets_its_pull_request(scene: Scene, kind: FaultKind) -> None:
    """G03, one step earlier."""
    scene.github.faults.add(Fault(kind, "POST", "/pulls$", 2))
    outcome = scene.host.publish_draft(scene.evidence())
    (pull,) = scene.github.pull_requests(REPOSITORY)
    assert outcome.url == scene.github.page_url(REPOSITORY, pull.number)
    assert pull.pull is not None
    assert pull.pull.draft


def test_a_long_transcript_goes_on_in_comments_and_stands_whole_in_a_commit(scene: Scene) -> None:
    secret = "ghs_" + "A1b2C3d4" * 60
    turns = [
        turn(n, f"Step {n} @someone {secret}", use("read_file", f"{n}\n" + "x" * 9_000, path=f"f{n}.py"))
        for n in range(1, 61)
    ]
    evidence = scene.evidence(attempt=make_attempt(
        verification=make_verification(change=scene.change), transcript=make_transcript(turns)
    ))  # fmt: skip
    scene.host.publish_draft(evidence)
    scene.host.publish_draft(evidence)
    (pull,) = scene.github.pull_requests(REPOSITORY)
    texts = [pull.body, *(comment.body for comment in scene.github.comments(REPOSITORY, pull.number))]
    assert 2 <= len(texts) <= 6
    assert all(len(text.encode()) <= 65_536 for text in texts)
    for n in range(1, 61):
        assert sum(f"Turn {n} ·" in text for text in texts) == 1
    git = scene.github.state.repository(REPOSITORY).git
    commit = git.ref("refs/agent-fix/transcripts/r1k4")
    assert commit
    assert git.commit(commit).parents == ()
    whole = git.read(commit, "transcript.md").decode()
    assert whole.count("x" * 9_000) == 60
    assert f"/blob/{commit}/transcript.md" in pull.body
    for text in (*texts, whole, git.read(commit, "transcript.json").decode()):
        assert secret[4:40] not in text


@pytest.mark.parametrize("whose", ["theirs", "ours", "ours of an earlier attempt"])
def test_a_transcript_is_adopted_only_where_it_is_what_would_be_written(scene: Scene, whose: str) -> None:
    git = scene.github.state.repository(REPOSITORY).git
    name = "refs/agent-fix/transcripts/r1k4"
    evidence = long_transcript(scene)
    if whose == "theirs":
        tree = git.write_tree(None, [("transcript.md", "100644", git.write_blob(b"Not so."))])
        git.create_ref(name, git.write_commit("Transcript of run r1k4\n", tree, [], ("A Person", "p@example.org")))
    elif whose == "ours":
        scene.host.publish_draft(evidence)
    else:
        attempt = make_attempt(GaveUp("I cannot."), verification=None)
        scene.host.publish_escalation(scene.evidence(attempt=attempt, reason=Reason.GAVE_UP))
    before = git.ref(name)
    scene.host.publish_draft(evidence)
    assert git.ref(name) == before
    linked = before if whose == "ours" else git.ref(f"{name}-2")
    assert (git.ref(f"{name}-2") is None) == (whose == "ours")
    (pull,) = scene.github.pull_requests(REPOSITORY)
    assert f"/blob/{linked}/transcript.md" in pull.body
    assert git.read(linked or "", "transcript.md").decode().count("x" * 9_000) == 60


def test_a_path_that_github_cannot_hold_becomes_an_escalation(scene: Scene) -> None:
    outcome = scene.host.publish_draft(scene.evidence({"caf\udce9.py": FileChange(FileMode.REGULAR, b"")}))
    assert outcome.kind is OutcomeKind.ESCALATION
    assert "not UTF-8" in outcome.detail
