"""Working until given tests pass: every test run is a trial of the work as it stood, and the best one is kept."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from agent.attempt import Record
from agent.errors import Submitted, ToolFailed
from agent.replay import Steps
from agent.tools.testing import describe
from repo_tools.changes import ChangeSet
from repo_tools.test_report import TestReport
from repo_tools.verification.contract import Verification

KIND = "candidate"
_MOST_CONFIRMED = 3
"""Each costs a run of the tests, after the model's own end."""
NOT_SOLVED = "The given tests do not pass in a fresh sandbox, with their own content in force:\n{report}"
NONE_PASSED = "\nNone of the given tests passed: one that is skipped, or expected to fail, shows nothing."
UNCHANGED = "Nothing has changed since the given tests did not pass. Change something first.\n{report}"
"""With the report: of two processes the first may have died before it was told."""


@dataclass(frozen=True)
class Trial:
    """What the given tests said of `change`. `confirmed`: in a fresh box, where their own content was in force;
    `solved`: each file that holds some was run, some passed and none failed."""

    change: ChangeSet
    passed: int
    solved: bool
    confirmed: bool
    told: str
    seconds: float = 0.0

    def to_json(self) -> dict[str, Any]:
        return {**vars(self), "change": self.change.to_json()}

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> "Trial":
        change = ChangeSet.from_json(value["change"])
        return cls(
            change, value["passed"], value["solved"], value["confirmed"], value["told"], value.get("seconds", 0.0)
        )


class Trials:
    """`Judge` of a task whose tests are given as `paths`. `run` runs them in a fresh box, on a change."""

    verification: Verification | None = None

    def __init__(
        self,
        paths: frozenset[str],
        run: Callable[[ChangeSet], TestReport],
        past: Steps = (),
        *,
        holding: frozenset[str] | None = None,
    ) -> None:
        """`past`: steps of an attempt that was cut short; its trials count. `holding`: those of `paths` that surely
        hold tests, the others may only support them; all, where it is not said."""
        self._paths = paths
        self.holding = paths if holding is None else holding
        self._run = run
        self._trials = [Trial.from_json(data) for kind, data in past if kind == KIND]

    def finish(self, summary: str, change: ChangeSet, record: Record) -> str:
        """Submitted where they pass, or did for an earlier process that died before its end; else the report for the
        model, which may go on as long as its budget lasts."""
        known = next((trial for trial in self._trials if trial.confirmed and trial.change == change), None)
        if known is not None and not known.solved:
            raise ToolFailed(UNCHANGED.format(report=known.told))
        trial = known or self._tried(change, record)
        if trial.solved:
            raise Submitted(summary)
        return NOT_SOLVED.format(report=trial.told)

    def finished_before(self) -> None:
        """There is no limit but the budget's."""

    def tested(self, report: TestReport, change: ChangeSet, record: Record) -> None:
        """In the model's own box: no proof, but it tells how near the work is."""
        trial = self._trial(report, change, confirmed=False)
        if any(case.path in self._paths for case in report.cases):
            self._trials.append(trial)
            record(KIND, trial.to_json())

    def best(self) -> Trial | None:
        """Most tests passed, the latest of equals, confirmed in a fresh box now if it never was; one that does not hold
        there leaves its place to the next, a few times."""
        for _ in range(_MOST_CONFIRMED):
            best = self.best_so_far()
            if best is None or best.confirmed:
                return best
            self._confirm(best)
        return max((entry for entry in enumerate(self._trials) if entry[1].confirmed), key=_rank)[1]

    def _confirm(self, trial: Trial) -> None:
        """In the place of every trial of the same change."""
        report = self._run(trial.change)
        confirmed = self._trial(report, trial.change, confirmed=True)
        if report.timed_out:  # which says less of the work than what was seen of it
            told = f"{confirmed.told}\nBefore, beside the model's own work:\n{trial.told}"
            confirmed = replace(trial, solved=False, confirmed=True, told=told)
        self._trials = [*(t for t in self._trials if t.confirmed or t.change != trial.change), confirmed]

    @property
    def longest_seconds(self) -> float:
        """Of a test run so far."""
        return max((trial.seconds for trial in self._trials), default=0.0)

    def best_so_far(self) -> Trial | None:
        """The same, as far as it is known."""
        return max(enumerate(self._trials), key=_rank)[1] if self._trials else None

    def last_told(self) -> str:
        """What the last test run said; empty where there was none."""
        return self._trials[-1].told if self._trials else ""

    def _tried(self, change: ChangeSet, record: Record) -> Trial:
        trial = self._trial(self._run(change), change, confirmed=True)
        self._trials.append(trial)
        record(KIND, trial.to_json())
        return trial

    def _trial(self, report: TestReport, change: ChangeSet, *, confirmed: bool) -> Trial:
        given = [case for case in report.cases if case.path in self._paths]
        passed = sum(case.id in report.passed for case in given)
        untried = sorted(self.holding - {case.path for case in given})
        red = any(case.id in report.red for case in given)
        solved = report.problem is None and not untried and passed > 0 and not red
        why = "" if report.problem or red or solved else _why(untried)
        return Trial(change, passed, solved, confirmed, describe(report) + why, report.seconds)


def _why(untried: list[str]) -> str:
    """What a run that shows nothing red falls short of."""
    return f"\nNo test of {', '.join(untried)} was run." if untried else NONE_PASSED


def _rank(entry: tuple[int, Trial]) -> tuple[int, bool, int]:
    number, trial = entry
    return trial.passed, trial.solved, number
