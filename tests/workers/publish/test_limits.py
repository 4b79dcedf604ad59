"""Whatever a run holds, what is published stays within GitHub's limits, and no turn is lost."""

from typing import Any

import pytest

from repo_tools.changes import ChangeSet, FileChange, FileMode
from repo_tools.verification.contract import Verdict
from tests.support.evidence import (
    FAILED,
    make_attempt,
    make_evidence,
    make_run,
    make_transcript,
    make_verification,
    report,
    turn,
    use,
)
from workers.outcomes import Reason
from workers.publish.draft import Draft, render_draft, render_title
from workers.publish.escalation import NEXT_STEP, render_escalation
from workers.publish.parts import patch_part
from workers.publish.secrets import secret_in_change
from workers.publish.transcript_markdown import transcript_files

BINARY_PATCH = (
    b"diff --git a/a.bin b/a.bin\nnew file mode 100644\nindex 000..fc2\nGIT binary patch\nliteral 42\n"
    b"xmcZQb&nSpbG;}gbHg+*dHFYyfH}|l}\n\nliteral 0\nHcmV?d00001\n\n"
)
NASTY = "@<`[#1 漢字🙂" * 500
LIMIT = 65_536


def nasty_evidence(verdict: Verdict) -> Any:
    """Every text far too long, and made of what grows most when it is made inert."""
    test = f"test_{NASTY}.py::test"
    patch = "".join(
        f"diff --git a/{n} b/{n}\n--- a/{n}\n+++ b/{n}\n@@ -1 +1 @@\n-{NASTY}\n+{NASTY}\n" for n in range(30)
    )
    verification = make_verification(
        verdict,
        reasons=(NASTY,) * 30,
        baseline=report((test, FAILED)),
        red=report((test, FAILED)),
        turned_green=(test,) * 40,
        contract_tests=tuple(f"{n}::test" for n in range(30)),
        left_out=(NASTY,) * 40,
    )
    turns = [
        turn(n, NASTY, *(use(NASTY, NASTY, path=NASTY) for _ in range(6)), use("finish", NASTY, summary=NASTY))
        for n in range(1, 60)
    ]
    return make_evidence(
        run=make_run(title=NASTY, sender=NASTY),
        detail=NASTY,
        attempt=make_attempt(verification=verification, transcript=make_transcript(turns)),
        engine=NASTY,
        model=NASTY,
        patch=patch.encode(),
    )


def within_limits(draft: Draft) -> bool:
    texts = (draft.body, *draft.comments)
    return len(draft.comments) <= 5 and all(len(text.encode()) < LIMIT for text in texts)


@pytest.mark.parametrize("verdict", [Verdict.PROVED, Verdict.CONTRACT_CHANGED])
def test_a_draft_stays_within_the_limits(verdict: Verdict) -> None:
    draft = render_draft(nasty_evidence(verdict), "https://github.example/transcript.md")
    assert within_limits(draft)
    assert len(draft.title) <= 256
    assert not draft.complete
    assert "Fixes #7." in draft.body


def test_an_escalation_stays_within_the_limits() -> None:
    assert len(render_escalation(nasty_evidence(Verdict.NOT_PROVED), "https://github.example/t").encode()) < LIMIT


@pytest.mark.parametrize("turns", [1, 40, 400])
@pytest.mark.parametrize("length", [10, 3_000, 60_000])
def test_every_turn_has_its_line(turns: int, length: int) -> None:
    transcript = make_transcript([turn(n, "", use("search", "x" * length, pattern="y")) for n in range(1, turns + 1)])
    draft = render_draft(make_evidence(attempt=make_attempt(transcript=transcript)), "https://github.example/t")
    text = "\n".join((draft.body, *draft.comments))
    assert within_limits(draft)
    for n in range(1, turns + 1):
        assert text.count(f"Turn {n} · ") == 1
    assert draft.complete == (text.count("x" * length) == turns)


def test_more_turns_than_lines_fit_leave_a_note() -> None:
    transcript = make_transcript([turn(n, "", use("search", "", pattern="y" * 60)) for n in range(1, 9_000)])
    draft = render_draft(make_evidence(attempt=make_attempt(transcript=transcript)), "https://github.example/t")
    assert within_limits(draft)
    assert "turns left out here" in "\n".join((draft.body, *draft.comments))
    assert "Turn 8999 · " in draft.comments[-1]


def test_the_kept_transcript_is_whole_and_redacted() -> None:
    secret = "sk-ant-" + "a1B2" * 10
    transcript = make_transcript([turn(1, f"key {secret}", use("search", "z" * 99_999, pattern=secret))])
    files = transcript_files(make_evidence(attempt=make_attempt(transcript=transcript)))
    for content in files.values():
        assert secret not in content.decode()
        assert b"z" * 99_999 in content
    assert files.keys() == {"transcript.md", "transcript.json"}


def test_a_transcript_of_this_machine_names_no_issue() -> None:
    heads = (transcript_files(make_evidence(run=make_run(issue_number=n)))["transcript.md"] for n in (7, 0))
    assert [b"issue" in head.splitlines()[2] for head in heads] == [True, False]


def test_every_reason_names_a_next_step() -> None:
    assert NEXT_STEP.keys() == set(Reason)


def test_a_title_closes_no_other_issue() -> None:
    title = render_title(make_evidence(run=make_run(title="Also fixes #99 and closes acme/other#3")))
    assert title.startswith("Fix #7: ")
    assert "#99" not in title
    assert "#3" not in title


@pytest.mark.parametrize("title", ["$" * 300, "@a" * 150, "[x]" * 100, "ü" * 300])
@pytest.mark.parametrize("only_new", [False, True])
def test_a_title_is_never_too_long(title: str, only_new: bool) -> None:
    tests = make_verification().turned_green
    verification = make_verification(red_by_import=tests if only_new else ())
    run = make_run(title=title, issue_number=1_234_567)
    assert len(render_title(make_evidence(run=run, attempt=make_attempt(verification=verification)))) <= 256


KEY = "AKIA" + "A1B2C3D4E5F6G7H8"


def test_only_what_a_change_adds_counts_as_its_secret() -> None:
    head = b"diff --git a/x.py b/x.py\n--- a/x.py\n+++ b/x.py\n@@ -1,2 +1,2 @@\n"
    change = ChangeSet("0" * 40)
    assert secret_in_change(head + f"-k = '{KEY}'\n+k = 1\n".encode(), change) is None
    assert secret_in_change(head + f" k = '{KEY}'\n+k = 1\n".encode(), change) is None
    assert secret_in_change(head + f"+k = '{KEY}'\n".encode(), change) == "x.py"


def test_a_secret_hides_in_no_name_of_a_new_file() -> None:
    path = f"keys/{KEY}.py"
    head = f"diff --git a/{path} b/{path}\n"
    body = f"--- /dev/null\n+++ b/{path}\n@@ -0,0 +1 @@\n+x\n"
    change = ChangeSet("0" * 40)
    assert secret_in_change(f"{head}new file mode 100644\n{body}".encode(), change) == "keys/[redacted: aws key].py"
    assert secret_in_change(f"{head}index 0..1\n{body}".encode(), change) is None


@pytest.mark.parametrize(
    "content", [b"\0" + KEY.encode(), KEY.encode("utf-16"), b"\x89PNG\0 " + KEY.encode() + b"\xff"]
)
def test_a_secret_hides_in_no_binary_file(content: bytes) -> None:
    added = ChangeSet("0" * 40, {"a.bin": FileChange(FileMode.REGULAR, content), "b": None})
    assert secret_in_change(BINARY_PATCH, added) == "a.bin"
    harmless = ChangeSet("0" * 40, {"a.bin": FileChange(FileMode.REGULAR, b"\0" * 99)})
    assert secret_in_change(BINARY_PATCH, harmless) is None


def test_what_is_binary_in_a_diff_is_not_shown() -> None:
    text = b"diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-GIT binary patch\n+after\n"
    shown = patch_part(BINARY_PATCH + text, "The change", 20_000)
    assert "xmcZQb" not in shown
    assert "diff --git a/a.bin b/a.bin" in shown
    assert "-GIT binary patch\n+after" in shown
