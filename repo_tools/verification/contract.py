"""What verification answers. The rules are in `judge`; the runs in `verify`."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from repo_tools.changes import ChangeSet
from repo_tools.test_report import TestReport


class Verdict(StrEnum):
    PROVED = "proved"
    CONTRACT_CHANGED = "contract_changed"  # a base test was replaced by one that is red before and green after
    NOT_PROVED = "not_proved"

    @property
    def earns_pull_request(self) -> bool:
        return self is not Verdict.NOT_PROVED


@dataclass(frozen=True)
class Verification:
    """One verdict with everything it rests on.

    `baseline`: the base commit's suite on the base. `regression` (A): base tests and test configuration on the new
    product files. `red` (B): the change's own tests on the base's product files. `green` (C): the same on the new ones.
    B and C are None where the change has no tests of its own (or was refused before any run).
    `turned_green` holds test ids; those in `red_by_import` are red on the base only because something that they use is
    not there: alone they prove something only where the issue asks for it, and a reviewer must be told.
    `contract_tests` are the base tests that the change replaced; `reasons` are sentences for the model and for people,
    the first the most important; never empty when not proved. `left_out` are paths of the change that no verdict
    counts, in whole (test configuration, protected paths) or in their test tables (``pyproject.toml``). `counted` is
    what the runs held: `change` without what is left out, files that configure both merged; None where nothing was
    sorted.
    """

    verdict: Verdict
    change: ChangeSet
    reasons: tuple[str, ...]
    baseline: TestReport
    regression: TestReport | None = None
    red: TestReport | None = None
    green: TestReport | None = None
    turned_green: tuple[str, ...] = ()
    contract_tests: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()
    seconds: float = 0.0
    counted: ChangeSet | None = None
    red_by_import: tuple[str, ...] = ()

    @property
    def publishable(self) -> ChangeSet:
        """What the verdict rests on, and nothing else."""
        if self.counted is not None:
            return self.counted
        return self.change.restricted_to(lambda path: path not in self.left_out)

    def to_json(self) -> dict[str, Any]:
        """For the journal and the API. The change itself is journaled with the step, not here."""
        return {
            "verdict": str(self.verdict),
            "reasons": list(self.reasons),
            "turned_green": list(self.turned_green),
            "red_by_import": list(self.red_by_import),
            "contract_tests": list(self.contract_tests),
            "left_out": list(self.left_out),
            "seconds": round(self.seconds, 3),
            "runs": {
                name: report and report.to_json()
                for name, report in (
                    ("baseline", self.baseline),
                    ("regression", self.regression),
                    ("red", self.red),
                    ("green", self.green),
                )
            },
        }
