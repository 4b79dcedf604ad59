"""The evidence of an imagined run: acme/calc issue 7, `add` subtracts."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

from agent.attempt import Attempt
from agent.budget import Budget, BudgetLimits
from agent.errors import AgentStop, Submitted
from agent.model import Usage
from agent.pricing import Price
from agent.transcript import ToolUse, Transcript, Turn
from repo_tools.changes import ChangeSet, FileChange, FileMode
from repo_tools.test_report import TestCase, TestOutcome, TestReport
from repo_tools.verification.contract import Verdict, Verification
from workers.host import Evidence, RunRequest
from workers.outcomes import Reason

BASE = "0123456789abcdef0123456789abcdef01234567"
PRICE = Price(Decimal(3), Decimal(15), Decimal("0.3"), Decimal("3.75"))
COMMAND = "python -m pytest -q"
PATCH = b"""\
diff --git a/calc.py b/calc.py
--- a/calc.py
+++ b/calc.py
@@ -1,2 +1,2 @@
 def add(a, b):
-    return a - b
+    return a + b
diff --git a/test_add.py b/test_add.py
new file mode 100644
--- /dev/null
+++ b/test_add.py
@@ -0,0 +1,5 @@
+from calc import add
+
+
+def test_add():
+    assert add(1, 2) == 3
"""
FIXED = FileChange(FileMode.REGULAR, b"def add(a, b):\n    return a + b\n")
NEW_TEST = FileChange(FileMode.REGULAR, b"from calc import add\n\n\ndef test_add():\n    assert add(1, 2) == 3\n")
FAILURE = "    def test_add():\n>       assert add(1, 2) == 3\nE       assert -1 == 3\n\ntest_add.py:5: AssertionError"


def make_run(**changed: Any) -> RunRequest:
    run = RunRequest(
        run_id="r1k4",
        repository="acme/calc",
        repository_id=42,
        installation_id=4242,
        issue_number=7,
        title="add() subtracts",
        body="`add(1, 2)` gives -1.",
        sender="maintainer",
        queued_at=datetime(2026, 11, 21, 12, tzinfo=UTC),
    )
    return replace(run, **changed)


def report(*cases: tuple[str, TestOutcome], problem: str | None = None) -> TestReport:
    """A test report; a case that failed says `FAILURE`."""
    made = tuple(
        TestCase(test, test.partition("::")[0], outcome, 0.01, FAILURE if outcome is TestOutcome.FAILED else "")
        for test, outcome in cases
    )
    return TestReport(COMMAND, made, int(any(c.outcome is TestOutcome.FAILED for c in made)), 0.4, "", problem)


PASSED, FAILED = TestOutcome.PASSED, TestOutcome.FAILED
OLD = ("test_calc.py::test_zero", PASSED)


def make_verification(verdict: Verdict = Verdict.PROVED, **changed: Any) -> Verification:
    verification = Verification(
        verdict,
        ChangeSet(BASE, {"calc.py": FIXED, "test_add.py": NEW_TEST}),
        reasons=(),
        baseline=report(OLD),
        regression=report(OLD),
        red=report(("test_add.py::test_add", FAILED)),
        green=report(("test_add.py::test_add", PASSED)),
        turned_green=("test_add.py::test_add",),
    )
    return replace(verification, **changed)


def use(name: str, result: str, **arguments: Any) -> ToolUse:
    return ToolUse(name, arguments, result, is_error=False)


def turn(number: int, text: str, *tools: ToolUse) -> Turn:
    return Turn(number, text, tools, Usage(900, 100, 200, 4), 1.5)


def make_transcript(turns: Sequence[Turn] = ()) -> Transcript:
    transcript = Transcript()
    for one in turns or (
        turn(
            1,
            "Done when add(1, 2) is 3.\n\n1. Read calc.py\n2. Test, fix, prove",
            use("read_file", FIXED.content.decode(), path="calc.py"),
        ),
        turn(2, "", use("edit_file", "Replaced 1 occurrence.", path="calc.py", old="a - b", new="a + b")),
        turn(3, "", use("run_tests", "2 passed", selector="test_add.py")),
        turn(
            4,
            "",
            use(
                "finish", "Proved.", summary="`add` subtracted.\n\n- `calc.py`: it adds now\n- `test_add.py`: shows it"
            ),
        ),
    ):
        transcript.append(one)
    return transcript


def make_attempt(ending: AgentStop | None = None, **changed: Any) -> Attempt:
    verification = changed.get("verification", make_verification())
    transcript = changed.get("transcript") or make_transcript()
    change = verification.change if verification else ChangeSet(BASE, {"calc.py": FIXED})
    return Attempt(ending or Submitted(), changed.get("change", change), verification, transcript)


def spend_of(attempt: Attempt | None) -> dict[str, Any]:
    budget = Budget(BudgetLimits(), PRICE, clock=lambda: 0.0)
    if attempt is not None:
        for one in attempt.transcript.turns:
            budget.charge_turn(one.usage)
        budget.charge_test_run()
    return budget.spend()


def make_evidence(**changed: Any) -> Evidence:
    """The spend is the attempt's; nothing used where there is none."""
    attempt = changed.get("attempt", make_attempt())
    evidence = Evidence(
        run=make_run(),
        base_commit=BASE,
        reason=Reason.PROVED,
        detail="test_add.py::test_add went from red to green.",
        attempt=attempt,
        prepared=None,
        baseline=attempt.verification.baseline if attempt and attempt.verification else None,
        engine="docker 20.10.24, runc 1.1.5",
        model="claude-sonnet-4-5",
        price_known=True,
        patch=PATCH,
        spend=spend_of(attempt),
    )
    return replace(evidence, **changed)
