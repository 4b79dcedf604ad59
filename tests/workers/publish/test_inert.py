"""Whatever the model, the issue or the repository says: in every place where it is shown it stays words."""

import html
import re

import pytest

from agent.errors import GaveUp
from repo_tools.test_report import TestCase, TestOutcome, TestReport
from repo_tools.verification.contract import Verdict
from tests.support.evidence import (
    COMMAND,
    make_attempt,
    make_evidence,
    make_run,
    make_transcript,
    make_verification,
    turn,
    use,
)
from tests.workers.publish.test_markdown import GITHUB_LIKE
from workers.host import Evidence, RunRefusedError
from workers.outcomes import Reason
from workers.publish.draft import render_commit_message, render_draft, render_title
from workers.publish.escalation import render_escalation
from workers.publish.local_report import render_report
from workers.publish.short_comments import render_refusal
from workers.publish.transcript_markdown import transcript_files

COMMIT, TRANSCRIPT = "https://github.example/acme/calc/commit/0", "https://github.example/acme/calc/blob/0/t.md"
SECRET = "ghs_31337_" + "aB3dE4" * 8
WORDS = (
    "Fixes #99, closes a/b#98, GH-97 @octocat <img src=x> <!-- x --> ![i](https://evil.example/i) [l](//evil.example)"
    " [skip ci] ***NO_CI*** www.evil.example &#64;octocat [d] `code` **b** $\\color{red}{x}$ \x1b[31m\u202e\u2066\u3164"
)
LINES = (
    f"{WORDS}\n\n[d]: https://evil.example\n\n# Head\n\n> [!CAUTION]\n> x\n\n- [x] done\n\n</details>\n\n```mermaid\n"
)


def poisoned(**changed: object) -> Evidence:
    """A word of the stranger in every place that takes one."""
    test = f"test_{WORDS}.py::test_{WORDS}"
    red = TestReport(COMMAND, (TestCase(test, test, TestOutcome.FAILED, 0.1, LINES),), 1, 0.1, LINES)
    verification = make_verification(
        reasons=(LINES,), baseline=red, red=red, green=red, turned_green=(test,), contract_tests=(test,)
    )
    calls = (use(WORDS, LINES, path=WORDS), use("finish", LINES, summary=LINES), use("run_tests", LINES))
    attempt = make_attempt(verification=verification, transcript=make_transcript([turn(1, LINES, *calls)]))
    patch = f"diff --git a/{WORDS} b/{WORDS}\n--- a/{test}\n+++ b/{test}\n@@ -1 +1 @@\n-{WORDS}\n+```\n".encode()
    run = make_run(title=LINES, sender=WORDS)
    evidence = make_evidence(run=run, attempt=attempt, detail=LINES, patch=patch, engine=WORDS, model=WORDS)
    return evidence if not changed else make_evidence(**{**vars(evidence), **changed})


def gave_up() -> Evidence:
    attempt = make_attempt(GaveUp(LINES), verification=None, transcript=make_transcript([turn(1, LINES)]))
    return poisoned(reason=Reason.GAVE_UP, attempt=attempt)


def contract_changed() -> Evidence:
    attempt = poisoned().attempt
    assert attempt
    assert attempt.verification
    verification = make_verification(**{**vars(attempt.verification), "verdict": Verdict.CONTRACT_CHANGED})
    return poisoned(reason=Reason.CONTRACT_CHANGED, attempt=make_attempt(verification=verification))


def without_baseline(output: str = f"{LINES}{'`' * 5}\n{LINES}") -> Evidence:
    baseline = TestReport(COMMAND, (), 2, 0.1, output, problem=LINES)
    return poisoned(reason=Reason.NO_TESTS, attempt=None, baseline=baseline)


def pages() -> dict[str, str]:
    return {
        "draft": render_draft(poisoned(), TRANSCRIPT, COMMIT).body,
        "contract": render_draft(contract_changed(), TRANSCRIPT, COMMIT).body,
        "gave up": render_escalation(gave_up(), TRANSCRIPT, COMMIT),
        "not proved": render_escalation(poisoned(reason=Reason.NOT_PROVED), TRANSCRIPT, COMMIT),
        "no baseline": render_escalation(without_baseline(), None, COMMIT),
        "set-up failed": render_escalation(poisoned(reason=Reason.SETUP_FAILED, attempt=None), None, COMMIT),
        "refused": render_refusal(make_run(), RunRefusedError(Reason.REPOSITORY, WORDS), "agent-fix"),
        "report": render_report(poisoned(reason=Reason.NOT_PROVED)),
    }


@pytest.mark.parametrize("page", pages().values(), ids=pages().keys())
def test_on_every_page_a_strangers_words_stay_words(page: str) -> None:
    shown = GITHUB_LIKE.render(page.replace("Fixes #7.", ""))
    outside_of_code = re.sub(r"(?s)<pre>.*?</pre>|<code>.*?</code>", "", shown)
    assert set(re.findall(r'(?:href|src)="([^"]*)"', shown)) <= {COMMIT, TRANSCRIPT}
    assert not re.search(r"<(?:img|script|!--|input)", outside_of_code)
    assert set(re.findall(r'class="(.*?)"', shown)) <= {"language-diff"}
    assert "<h1>Head" not in re.sub(r"(?s)<blockquote>.*?</blockquote>", "", outside_of_code)
    words = html.unescape(re.sub(r"<[^>]*>", "", outside_of_code))
    assert not re.search(r"@\w|#\d|GH-\d|www\.|://|\[!CAUTION|\[x\] done|\$\\color", words)
    assert shown.count("<details>") == shown.count("</details>")
    assert not re.search("[\x1b\u202e\u2066\u3164]", page)


@pytest.mark.parametrize(
    "line", [render_title(poisoned()), render_title(contract_changed()), render_commit_message(poisoned())]
)
def test_titles_and_commit_messages_command_nothing(line: str) -> None:
    rest = line.replace("Fix #7: ", "").replace("(issue #7)", "")
    assert not re.search(r"@\w|#\d|GH-\d|\[skip ci\]|\*\*\*NO_CI|://|[\x1b\u202e\u2066\u3164]", rest)
    assert len(line.splitlines()[0]) <= 256


def test_a_commit_message_takes_no_trailers_from_a_stranger() -> None:
    run = make_run(title="x\n\nCo-authored-by: Eve <eve@evil.example>")
    message = render_commit_message(make_evidence(run=run, detail="y\n\nskip-checks: true"))
    assert message.count("\n\n") == 2
    assert not re.search(r"(?m)^(?:Co-authored-by|skip-checks)", message)


def test_a_secret_that_hidden_characters_split_is_put_together_and_then_taken_out() -> None:
    split = f"{SECRET[:8]}\u200b{SECRET[8:20]}\x1b[0m{SECRET[20:]}"
    page = render_escalation(poisoned(reason=Reason.GITHUB, attempt=None, detail=f"It is {split}."))
    assert SECRET not in page
    assert "[redacted: github token]" in page


def test_output_of_the_tests_is_shown_within_bounds_and_without_secrets() -> None:
    evidence = without_baseline(f"first\n{'x' * 30_000}\n{SECRET}\nlast")
    for page in (render_escalation(evidence), render_report(evidence)):
        shown = page.partition("Output of the tests")[2].partition("</details>")[0]
        assert len(shown) < 7_000
        assert "\nfirst\n" in shown
        assert "\n[redacted: github token]\nlast\n" in shown


def test_a_split_secret_is_in_no_page_and_no_file() -> None:
    split = f"{SECRET[:8]}\u200b{SECRET[8:20]}\x1b[0m{SECRET[20:]}"
    calls = (use("search", f"found {split}", pattern=split), use("give_up", split, reason=split))
    transcript = make_transcript([turn(1, split, *calls)])
    attempt = make_attempt(GaveUp(split), verification=None, transcript=transcript)
    evidence = make_evidence(reason=Reason.GAVE_UP, attempt=attempt, patch=f"+{split}\n".encode())
    files = transcript_files(evidence)
    assert sorted(files) == ["transcript.json", "transcript.md"]
    for text in (render_escalation(evidence), render_report(evidence), *(file.decode() for file in files.values())):
        assert "[redacted: github token]" in text
        for piece in (SECRET[8:20], SECRET[20:]):
            assert piece not in text


def test_output_in_a_detail_cannot_swallow_what_comes_after_it() -> None:
    detail = "Set-up failed: pip install .\n```\n# Approved by the maintainers\n- [x] done"
    page = render_escalation(make_evidence(reason=Reason.SETUP_FAILED, detail=detail, attempt=None, patch=b""))
    shown = GITHUB_LIKE.render(page)
    assert "<strong>Next:</strong>" in shown
    assert "<h1>" not in shown


def test_a_single_backtick_in_a_call_does_not_reach_the_next_one() -> None:
    calls = (use("search", "", pattern="`a"), use("search", "", pattern="b` __init__"))
    attempt = make_attempt(GaveUp("No."), verification=None, transcript=make_transcript([turn(1, "", *calls)]))
    shown = GITHUB_LIKE.render(render_escalation(make_evidence(reason=Reason.GAVE_UP, attempt=attempt)))
    assert "<code>`a</code>" in shown
    assert "<code>b` __init__</code>" in shown
