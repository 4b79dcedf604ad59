"""Runs in a store, with the journal that a worker leaves behind."""

from typing import Any

from workers.outcomes import Outcome, OutcomeKind, Reason
from workers.store import Claim, IssueSnapshot, NewDelivery, RunStore

BASE_COMMIT = "0123456789" * 4
SPEND: dict[str, dict[str, Any]] = {
    "turns": {"used": 2, "limit": 40.0},
    "tokens": {"used": 12_345, "limit": 2_000_000.0},
    "usd": {"used": 0.41, "limit": 3.0},
    "seconds": {"used": 73.2, "limit": 1800.0},
    "test_runs": {"used": 1, "limit": None},
}
USAGE = {"input_tokens": 900, "output_tokens": 80, "cache_read_tokens": 4_000, "cache_write_tokens": 100}


def new_run(
    store: RunStore, number: int = 7, title: str = "Wrong sum", body: str = "1 + 1 is 3", installation: int = 99
) -> str:
    issue = IssueSnapshot(installation, 42, "octo/calc", number, title, body, "octocat", None)
    return store.create_run_once(NewDelivery(f"delivery-{number}", "issues", "labeled"), issue).run_id


def journal(store: RunStore, held: Claim, *, said: str = "I will fix the sum.", result: str = "def add(a, b):") -> None:
    """A run as far as its first verification."""
    steps: list[tuple[str, dict[str, Any]]] = [
        ("stage", {"name": "baseline"}),
        ("baseline", report(passed=11, failed=1)),
        ("stage", {"name": "agent"}),
        ("reply", reply(1, said, ("call-1", "read_file", {"path": "calc.py"}))),
        ("tool_result", {"id": "call-1", "name": "read_file", "content": result, "is_error": False}),
        ("reply", reply(2, "Now I finish.", ("call-2", "finish", {"summary": "The sum is right."}))),
        ("verification", verification()),
    ]
    for kind, data in steps:
        store.append_step(held, kind, data)
    store.set_progress(held, stage="agent", spend=SPEND, model="a-model", base_commit=BASE_COMMIT)


def finish(store: RunStore, held: Claim) -> None:
    url = "https://github.com/octo/calc/pull/8"
    outcome = Outcome(OutcomeKind.DRAFT_PULL_REQUEST, Reason.PROVED, "A test turned green.", url, url)
    store.set_progress(held, stage="publish")
    store.finish(held, outcome, SPEND)


def reply(number: int, text: str, call: tuple[str, str, dict[str, Any]]) -> dict[str, Any]:
    blocks = [
        {"type": "thinking", "thinking": "The operator is wrong.", "signature": "signed"},
        {"type": "text", "text": text},
        {"type": "tool_use", "id": call[0], "name": call[1], "input": call[2]},
    ]
    return {
        "number": number,
        "blocks": blocks,
        "stop_reason": "tool_use",
        "usage": USAGE,
        "model": "a-model",
        "seconds": 2.5,
    }


def report(passed: int, failed: int = 0) -> dict[str, Any]:
    return {
        "command": ["python", "-m", "pytest"],
        "exit_code": 1 if failed else 0,
        "seconds": 1.25,
        "problem": None,
        "counts": {"passed": passed, "failed": failed, "error": 0, "skipped": 0},
        "failures": [{"id": "tests/test_calc.py::test_add", "message": "assert 3 == 2"}] if failed else [],
        "output": "",
        "left_behind": [],
    }


def verification() -> dict[str, Any]:
    return {
        "verdict": "proved",
        "reasons": ["tests/test_calc.py::test_add was red and is green."],
        "turned_green": ["tests/test_calc.py::test_add"],
        "contract_tests": [],
        "left_out": [],
        "seconds": 4.2,
        "runs": {"baseline": report(11, 1), "regression": report(12), "red": report(0, 1), "green": report(1)},
        "summary": "The sum is right.",
    }
