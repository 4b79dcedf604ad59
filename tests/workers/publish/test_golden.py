"""Each ending as people read it. After a wanted change: `AGENT_FIX_WRITE_GOLDEN=1 pytest tests/workers/publish`, and
read the difference."""

import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from agent.errors import ContextFull, GaveUp, LimitExceeded, NotProved
from repo_tools.environment.contract import Environment, PreparedEnvironment, TestCommand
from repo_tools.sandbox.contract import Layer
from repo_tools.test_report import TestCase, TestOutcome
from repo_tools.verification.contract import Verdict
from tests.support.evidence import (
    BASE,
    COMMAND,
    FAILED,
    OLD,
    PASSED,
    make_attempt,
    make_evidence,
    make_run,
    make_transcript,
    make_verification,
    report,
    turn,
    use,
)
from workers.endings import BaselineError, SuiteTooSlowError, check_baseline, ending_of_attempt, ending_of_error
from workers.host import RunRefusedError
from workers.outcomes import Reason
from workers.publish.draft import render_draft
from workers.publish.escalation import render_escalation
from workers.publish.local_report import render_report
from workers.publish.short_comments import render_cancellation, render_refusal

ERROR = TestOutcome.ERROR
GOLDEN = Path(__file__).with_name("golden")
TRANSCRIPT = "https://github.example/acme/calc/blob/abc/transcript.md"
COMMIT = f"https://github.example/acme/calc/commit/{BASE}"
CHANGED_TEST = b"""\
diff --git a/test_calc.py b/test_calc.py
--- a/test_calc.py
+++ b/test_calc.py
@@ -1,2 +1,2 @@
 def test_zero():
-    assert add(0, 0) == 1
+    assert add(0, 0) == 0
"""


def proved() -> str:
    draft = render_draft(make_evidence(), None, COMMIT)
    return f"{draft.title}\n\n{draft.body}"


def contract_changed() -> str:
    verification = make_verification(
        Verdict.CONTRACT_CHANGED,
        regression=report(("test_calc.py::test_zero", FAILED)),
        red=report(("test_calc.py::test_zero", FAILED)),
        green=report(("test_calc.py::test_zero", PASSED)),
        turned_green=("test_calc.py::test_zero",),
        contract_tests=("test_calc.py::test_zero",),
        left_out=("pkg/__init__/conftest.py",),
        reasons=(
            "Test configuration is always the base commit's; these changes count for nothing and are left out: "
            "pkg/__init__/conftest.py.",
        ),
    )
    evidence = make_evidence(
        reason=Reason.CONTRACT_CHANGED, attempt=make_attempt(verification=verification), patch=CHANGED_TEST
    )
    draft = render_draft(evidence, None, COMMIT)
    return f"{draft.title}\n\n{draft.body}"


def red_before() -> str:
    """No test of its own: a base test that failed passes now."""
    verification = make_verification(
        baseline=report(OLD, ("test_calc.py::test_add", FAILED)),
        regression=report(OLD, ("test_calc.py::test_add", PASSED)),
        red=None,
        green=None,
        turned_green=("test_calc.py::test_add",),
    )
    draft = render_draft(make_evidence(attempt=make_attempt(verification=verification)), None, COMMIT)
    return f"{draft.title}\n\n{draft.body}"


def flaky() -> str:
    verification = make_verification(
        regression=report((OLD[0], FAILED)),
        reasons=(
            f"Flaky (failed once and passed when run again, with the change): {OLD[0]}.",
            "The tests ran with the dependencies and compiled code of the base commit; changes to these files are not "
            "installed or compiled: pyproject.toml.",
        ),
    )
    draft = render_draft(make_evidence(attempt=make_attempt(verification=verification)), None, COMMIT)
    return f"{draft.title}\n\n{draft.body}"


def not_collected() -> str:
    """The new test's file imports what the issue asks for by name: nobody saw the test fail."""
    error = "ImportError while importing test module\nE   ImportError: cannot import name 'total' from 'calc'"
    red = replace(report(("test_add.py", ERROR)), cases=(TestCase("test_add.py", "test_add.py", ERROR, 0.0, error),))
    verification = make_verification(
        red=red,
        red_by_import=("test_add.py::test_add",),
        reasons=(
            "No test was seen to fail on existing behaviour: test_add.py::test_add lacked only what was not there yet "
            "(ImportError: cannot import name 'total' from 'calc'), which the issue asks for by name.",
        ),
    )
    draft = render_draft(make_evidence(attempt=make_attempt(verification=verification)), None, COMMIT)
    return f"{draft.title}\n\n{draft.body}"


def limit_usd() -> str:
    attempt = make_attempt(LimitExceeded("usd", 3.01, 3), verification=None)
    evidence = make_evidence(
        reason=Reason.LIMIT_USD, detail="3.01 of 3 US dollars are spent", attempt=attempt, price_known=False
    )
    return render_escalation(evidence, TRANSCRIPT, COMMIT)


def context_full() -> str:
    attempt = make_attempt(ContextFull(210_000, 200_000), verification=None)
    reason, detail = ending_of_attempt(attempt.ending, None)
    return render_escalation(make_evidence(reason=reason, detail=detail, attempt=attempt), TRANSCRIPT, COMMIT)


def gave_up() -> str:
    words = "The issue does not say what `add` should do with strings. Ask @boss."
    turns = [turn(1, "Plan", use("search", "", pattern="add")), turn(2, "", use("give_up", "", reason=words))]
    attempt = make_attempt(GaveUp(words), verification=None, transcript=make_transcript(turns))
    evidence = make_evidence(reason=Reason.GAVE_UP, detail="The model gave up.", attempt=attempt, patch=b"")
    return render_escalation(evidence, TRANSCRIPT, COMMIT)


def not_proved() -> str:
    verification = make_verification(
        Verdict.NOT_PROVED,
        reasons=("test_add.py::test_add still fails with the change.", "Nothing went from red to green."),
        green=report(("test_add.py::test_add", FAILED)),
        turned_green=(),
    )
    evidence = make_evidence(
        reason=Reason.NOT_PROVED,
        detail="Two verifications did not prove the change.",
        attempt=make_attempt(NotProved(), verification=verification),
    )
    return render_escalation(evidence, TRANSCRIPT, COMMIT)


def setup_failed() -> str:
    environment = Environment("python", ("pyproject.toml",), (), (TestCommand("pytest", tuple(COMMAND.split())),), ())
    prepared = PreparedEnvironment(
        environment, Layer("k", "r"), 3.0, log="ERROR: No matching distribution found for nosuch"
    )
    evidence = make_evidence(
        reason=Reason.SETUP_FAILED,
        detail="`pip install .` ended with exit code 1.",
        attempt=None,
        prepared=prepared,
        patch=b"",
    )
    return render_escalation(evidence, None, COMMIT)


def suite_too_slow() -> str:
    reason, detail = ending_of_error(SuiteTooSlowError("The suite of the base commit did not end within 600 seconds."))
    return render_escalation(make_evidence(reason=reason, detail=detail, attempt=None, patch=b""), None, COMMIT)


def no_baseline() -> str:
    """The suite cannot be collected: its own words say why, behind a line."""
    problem = "The test runner refused its command line or configuration. (exit code 4, no result file)"
    output = (
        "ImportError while loading conftest '/workspace/conftest.py'.\nE   ModuleNotFoundError: No module named 'yaml'"
    )
    baseline = replace(report(problem=problem), output=output)
    with pytest.raises(BaselineError) as raised:
        check_baseline(baseline)
    reason, detail = ending_of_error(raised.value)
    evidence = make_evidence(reason=reason, detail=detail, attempt=None, baseline=baseline, patch=b"")
    return render_escalation(evidence, None, COMMIT)


def refused() -> str:
    refusal = RunRefusedError(Reason.PERMISSION, "The label was put on by `someone`, whose permission here is `read`.")
    return render_refusal(make_run(), refusal, "agent-fix")


def configuration_refused() -> str:
    """What stands in the repository's file is quoted, and has no power."""
    points = ("line 3: unknown key `bugdets`; did you mean `budgets`?", "line 4: `model` is `@octocat`, fixes #7")
    refusal = RunRefusedError(Reason.CONFIGURATION, "`.github/agent-fix.yml` cannot be used.", points)
    return render_refusal(make_run(), refusal, "agent-fix")


def cancelled() -> str:
    return render_cancellation(make_evidence(reason=Reason.UNWANTED, detail="The label was taken off."))


def cancelled_before_the_model() -> str:
    return render_cancellation(make_evidence(reason=Reason.UNWANTED, detail="Closed by @octocat, fixes #7.", spend={}))


def local_proved() -> str:
    return render_report(make_evidence(run=make_run(repository="/home/me/calc", issue_number=0)))


def local_gave_up() -> str:
    attempt = make_attempt(GaveUp("No."), verification=None)
    return render_report(make_evidence(reason=Reason.GAVE_UP, detail="The model gave up.", attempt=attempt))


ENDINGS: tuple[Callable[[], str], ...] = (
    proved, contract_changed, red_before, flaky, not_collected, limit_usd, context_full, gave_up, not_proved,
    setup_failed, suite_too_slow, no_baseline, refused, configuration_refused, cancelled, cancelled_before_the_model,
    local_proved, local_gave_up,
)  # fmt: skip


@pytest.mark.parametrize("ending", ENDINGS, ids=lambda ending: ending.__name__)
def test_an_ending_reads_as_agreed(ending: Callable[[], str]) -> None:
    file = GOLDEN / f"{ending.__name__}.md"
    text = ending()
    if os.environ.get("AGENT_FIX_WRITE_GOLDEN"):
        file.write_text(text, "utf-8")
    assert text == file.read_text("utf-8")


def test_every_golden_file_is_an_ending() -> None:
    assert {file.stem for file in GOLDEN.iterdir()} == {ending.__name__ for ending in ENDINGS}
