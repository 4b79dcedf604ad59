"""A workspace in memory: files as a dict, test runs as told. And a small agent around it."""

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

from agent.attempt import Record, Task
from agent.budget import NOTHING, Budget, BudgetLimits, Spent
from agent.judge import Judge, Proof
from agent.loop import Agent
from agent.pricing import Price
from agent.scripted import Scripted, ScriptedModel
from repo_tools.changes import ChangeSet, FileChange, FileMode
from repo_tools.environment.selectors import check_selector
from repo_tools.errors import RepoError
from repo_tools.test_report import TestCase, TestOutcome, TestReport
from repo_tools.verification.contract import Verdict, Verification

BASE = "0" * 40
PRICE = Price(Decimal(3), Decimal(15), Decimal("0.3"), Decimal("3.75"))


@dataclass(frozen=True)
class Line:
    path: str
    line_number: int
    line: str


def report(*outcomes: tuple[str, TestOutcome], problem: str | None = None) -> TestReport:
    cases = tuple(
        TestCase(name, name.split("::")[0], outcome, 0.01, "assert 1 == 2" if outcome is TestOutcome.FAILED else "")
        for name, outcome in outcomes
    )
    return TestReport("pytest", cases, 0, 0.5, "output of the runner", problem)


GREEN = report(("tests/test_a.py::test_one", TestOutcome.PASSED))


class MemoryWorkspace:
    """Keeps `change` as the real one does; the base holds `files`. Paths that leave the root are refused."""

    def __init__(self, files: Mapping[str, bytes] | None = None, test_report: TestReport = GREEN) -> None:
        self.base = dict(files or {})
        self.change = ChangeSet(BASE)
        self.test_report = test_report
        self.test_calls: list[tuple[tuple[str, ...], float]] = []

    @property
    def files(self) -> dict[str, bytes]:
        now = {**self.base, **{p: c.content for p, c in self.change.files.items() if c is not None}}
        return {p: content for p, content in now.items() if self.change.files.get(p, ...) is not None}

    def paths(self) -> tuple[str, ...]:
        return tuple(sorted(self.files))

    def read(self, path: str, *, max_bytes: int) -> bytes:
        _check(path)
        if path not in self.files:
            raise FileNotFoundError(path)
        return self.files[path][:max_bytes]

    def write(self, path: str, content: bytes, *, executable: bool | None = None) -> None:
        _check(path)
        mode = FileMode.EXECUTABLE if executable else FileMode.REGULAR
        self.change = self.change.with_change(path, FileChange(mode, content))

    def delete(self, path: str) -> None:
        self.read(path, max_bytes=0)
        self.change = self.change.with_change(path, None) if path in self.base else self.change.without(path)

    def move(self, source: str, target: str) -> None:
        content = self.files.get(source)
        if content is None:
            raise FileNotFoundError(source)
        if target in self.files:
            raise FileExistsError(target)
        self.write(target, content)
        self.delete(source)

    def search(self, pattern: str, path: str | None, *, max_matches: int) -> tuple[Line, ...]:
        try:
            wanted = re.compile(pattern)
        except re.error as error:
            raise ValueError(f"bad pattern: {error}") from None
        found = (
            Line(name, number, line)
            for name, content in sorted(self.files.items())
            if path is None or name.startswith(path)
            for number, line in enumerate(content.decode("utf-8", "replace").splitlines(), 1)
            if wanted.search(line)
        )
        return tuple(found)[:max_matches]

    def check_selector(self, selector: str) -> None:
        check_selector(selector)

    def run_tests(self, selectors: tuple[str, ...], *, timeout_seconds: float) -> TestReport:
        self.test_calls.append((selectors, timeout_seconds))
        return self.test_report


def _check(path: str) -> None:
    if path.startswith("/") or ".." in path.split("/"):
        raise RepoError(f"{path} is outside of the repository")


@dataclass
class Recorder:
    """A `Record` that keeps everything; `stop_at` raises at the first step of that kind."""

    stop_at: str | None = None
    steps: list[tuple[str, Mapping[str, Any]]] = field(default_factory=list)

    def __call__(self, kind: str, data: Mapping[str, Any]) -> None:
        self.steps.append((kind, data))
        if kind == self.stop_at:
            raise StoppedError(kind)

    def data(self, kind: str) -> list[Mapping[str, Any]]:
        return [data for k, data in self.steps if k == kind]


class StoppedError(Exception):
    """What a record raises when the run is no longer wanted."""


def verdict(kind: Verdict, *reasons: str) -> Callable[[ChangeSet], Verification]:
    return lambda change: Verification(kind, change, reasons, GREEN)


PROVED = verdict(Verdict.PROVED)
NOT_PROVED = verdict(Verdict.NOT_PROVED, "nothing went from red to green")
TASK = Task("octo/calc", "Adding is wrong", "`add(1, 2)` gives 4.", "calc.py: add", GREEN, "python -m pytest")


class ScriptedAgent(Agent):
    """Its model keeps what it was asked."""

    model: ScriptedModel


def make_agent(
    replies: Iterable[Scripted],
    workspace: MemoryWorkspace | None = None,
    limits: BudgetLimits = BudgetLimits(),  # noqa: B008 - immutable
    verify: Callable[[ChangeSet], Verification] = PROVED,
    record: Record | None = None,
    earlier: Spent = NOTHING,
    judge: Judge | None = None,
    **options: Any,
) -> ScriptedAgent:
    budget = Budget(limits, PRICE, earlier=earlier)
    return ScriptedAgent(
        ScriptedModel(replies),
        workspace or MemoryWorkspace(),
        budget,
        judge=judge or Proof(verify),
        record=record or Recorder(),
        **options,
    )


def results(reply_request: Any) -> list[Any]:
    """The tool results at the end of a request."""
    return [b for b in reply_request.messages[-1]["content"] if b["type"] == "tool_result"]
