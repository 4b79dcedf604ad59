"""Whether the promises hold: no damage, each limit met, and as much done as was to be done. Pure."""

from collections.abc import Iterable, Sequence

from bench.chaos.measures import Verdict
from bench.chaos.parts import Result


def damages(results: Iterable[Result]) -> list[str]:
    return [f"{_name(result)}: {problem}" for result in results for problem in result.damage]


def missed(results: Iterable[Result]) -> list[str]:
    """Figures beyond what is wanted of them."""
    return _measures(results, Verdict.MISSED)


def shortfalls(results: Sequence[Result]) -> list[str]:
    """What was not done, or not as often as it should have been, so that nothing is known of it."""
    return [*undone(results), *_measures(results, Verdict.UNMEASURED)]


def undone(results: Iterable[Result]) -> list[str]:
    """Harm and issues that were planned and did not come."""
    return [f"{_name(result)}: {words}" for result in results for words in _fewer(result)]


def exit_code(results: Sequence[Result], *, shorter: bool) -> int:
    """0 where all holds. `shorter`: less than the whole was asked for, so that shortfalls are said and no more."""
    return int(bool(damages(results) or missed(results) or (shortfalls(results) and not shorter)))


def _measures(results: Iterable[Result], verdict: Verdict) -> list[str]:
    return [f"{_name(result)}: {m}" for result in results for m in result.measures if m.verdict is verdict]


def _fewer(result: Result) -> list[str]:
    counts = ((result.faults, result.planned, "times"), (result.issues, result.planned_issues, "issues"))
    return [f"{done:,} of {planned:,} {what}" for done, planned, what in counts if done < planned] + [*result.lacks]


def _name(result: Result) -> str:
    return f"{result.part} ({result.place})"
