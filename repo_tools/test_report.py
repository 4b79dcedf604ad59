"""What a test run said, as a value; whichever runner said it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property
from typing import Any

NO_FILE = "."
"""The path of a test whose runner tells none."""


class TestOutcome(StrEnum):
    __test__ = False

    PASSED = "passed"
    FAILED = "failed"
    ERROR = "error"
    SKIPPED = "skipped"  # expected failures count here too


def told_counts(counts: Mapping[str, int]) -> str:
    """``40 passed, 2 errors``; empty where there are none."""
    told = ((number, "errors" if name == TestOutcome.ERROR and number > 1 else name) for name, number in counts.items())
    return ", ".join(f"{number} {name}" for number, name in told if number)


@dataclass(frozen=True)
class TestCase:
    """`id` is what the runner takes as a selector (``tests/test_a.py::TestB::test_c[1]``); `path` its file."""

    __test__ = False

    id: str
    path: str
    outcome: TestOutcome
    seconds: float = 0.0
    message: str = ""  # the failure as the runner shows it, at most 8,000 characters


@dataclass(frozen=True)
class TestReport:
    """One run of a suite or of a part of it. `problem` is set when there is no result to trust (time-out, no
    result file, nothing collected, the runner itself failed): in words for a person."""

    __test__ = False

    command: str  # as a person would type it at the root
    cases: tuple[TestCase, ...]
    exit_code: int
    seconds: float
    output: str  # the runner's own output, at most 20,000 characters, cut in the middle
    problem: str | None = None
    left_behind: tuple[str, ...] = field(default=())  # paths that the run made or altered, and that were put back
    flaky: frozenset[str] = frozenset()  # red here, and green when run again on the same files
    part: tuple[int, int] | None = None  # so many of so many test files; None: the whole suite
    only_exit_code: bool = False  # no test by test results: each command is one case
    unbuilt: bool = False  # something of what is built first was not, and the rest was tested
    timed_out: bool = False  # which is a problem of its own: the suite may be sound, and only long
    hanging: tuple[str, ...] = ()  # files of the tests for which a run that timed out waited in vain
    broken: tuple[int, ...] = ()  # of several commands, by their place: those that gave no result to trust
    service_ended: bool = False  # one more: what its tests say from then on is not about the code
    recompiled: tuple[str, ...] = ()  # changed sources that set-up had compiled, and that were compiled again first
    notes: tuple[str, ...] = ()  # what the tests ran without, or with something in its place; sentences for people

    @cached_property
    def by_id(self) -> Mapping[str, TestCase]:
        return {case.id: case for case in self.cases}

    def ids(self, *outcomes: TestOutcome) -> frozenset[str]:
        """Ids with one of `outcomes`; all of them when none is named."""
        return frozenset(c.id for c in self.cases if not outcomes or c.outcome in outcomes)

    @cached_property
    def passed(self) -> frozenset[str]:
        return self.ids(TestOutcome.PASSED)

    @cached_property
    def red(self) -> frozenset[str]:
        return self.ids(TestOutcome.FAILED, TestOutcome.ERROR)

    def counts(self) -> dict[str, int]:
        return {str(o): len(self.ids(o)) for o in TestOutcome}

    def to_json(self) -> dict[str, Any]:
        """For the journal and the API; outputs included."""
        return {
            "command": self.command,
            "exit_code": self.exit_code,
            "seconds": round(self.seconds, 3),
            "problem": self.problem,
            "counts": self.counts(),
            "failures": [{"id": c.id, "message": c.message} for c in self.cases if c.id in self.red][:50],
            "output": self.output,
            "left_behind": list(self.left_behind),
            "flaky": sorted(self.flaky)[:50],
            "part": list(self.part) if self.part else None,
            "only_exit_code": self.only_exit_code,
            "notes": list(self.notes),
        }
