"""Measured figures beside the values that are wanted of them. Pure."""

from dataclasses import dataclass
from enum import StrEnum


class Verdict(StrEnum):
    MET = "met"
    MISSED = "missed"
    UNMEASURED = "not measured"


@dataclass(frozen=True)
class Measure:
    """One figure, and what it may be at most. `value` is None where nothing happened that could be measured."""

    what: str
    value: float | None
    at_most: float
    unit: str = ""

    @property
    def verdict(self) -> Verdict:
        if self.value is None:
            return Verdict.UNMEASURED
        return Verdict.MET if self.value <= self.at_most else Verdict.MISSED

    def __str__(self) -> str:
        """For people, with the verdict."""
        figure = "" if self.value is None else f" {_rounded(self.value)}{self.unit}"
        return f"{self.what}:{figure} (at most {self.at_most:g}{self.unit}: {self.verdict})"


def _rounded(value: float) -> str:
    return f"{value:.0f}" if value == int(value) else f"{value:.1f}"
