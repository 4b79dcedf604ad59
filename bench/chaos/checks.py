"""What is left of each labelled issue when all is over, and what of it is damage. Pure."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

ENDINGS = ("escalation", "cancellation", "refusal")
"""Kinds of comments that tell of an end, as a pull request does."""
CLOCK_SECONDS = 0.002
"""How far SQLite's clock, which counts milliseconds, lags behind that of the calls."""


@dataclass(frozen=True)
class RunFacts:
    """One run of the issue, as the store has it."""

    id: str
    outcome: str | None  # None: it has not ended
    attempts: int  # claims, those that were cut short by a soft stop too
    reply_at: Mapping[int, float] = field(default_factory=dict)  # turn -> when its reply was journaled
    tokens_used: int = 0
    tokens_journaled: int = 0  # of the replies alone


@dataclass(frozen=True)
class IssueFacts:
    """One labelled issue. `asked`: (turn, when) of every model call that reached the provider. `comments`: own ones, by
    kind, on the issue and on its pull requests. `pull_requests`: those that are open."""

    title: str
    runs: Sequence[RunFacts]
    pull_requests: int
    branches: Sequence[str]
    comments: Mapping[str, int]
    asked: Sequence[tuple[int, float]] = ()

    @property
    def repeated_calls(self) -> int:
        return len(self.asked) - len({turn for turn, _ in self.asked})


def damage(issues: Iterable[IssueFacts]) -> list[str]:
    """One sentence for each promise that was broken; empty where all hold."""
    return [f"{issue.title}: {problem}" for issue in issues for problem in _problems(issue)]


def _problems(issue: IssueFacts) -> list[str]:
    if len(issue.runs) != 1:
        return [f"one labelling made {len(issue.runs)} runs"]
    (run,) = issue.runs
    if run.outcome is None:
        return [f"lost: run {run.id} has not ended"]
    return [*_doubled(issue), *_missing(issue, run.outcome), *_repeated(issue, run)]


def _doubled(issue: IssueFacts) -> list[str]:
    found = [f"{count} comments of kind {kind}" for kind, count in issue.comments.items() if count > 1]
    found += [f"{issue.pull_requests} pull requests"] if issue.pull_requests > 1 else []
    found += [f"{len(issue.branches)} branches"] if len(issue.branches) > 1 else []
    endings = ["a pull request"] if issue.pull_requests else []
    endings += [f"a comment of {kind}" for kind in ENDINGS if issue.comments.get(kind)]
    return [*found, " and ".join(endings)] if len(endings) > 1 else found


def _missing(issue: IssueFacts, outcome: str) -> list[str]:
    """What the outcome says must stand on GitHub."""
    there = {
        "draft_pull_request": issue.pull_requests == 1,
        "escalation": issue.comments.get("escalation") == 1 and not issue.pull_requests,
        "refused": issue.comments.get("refusal") == 1 and not issue.pull_requests,
        "cancelled": not issue.pull_requests,
    }
    return [] if there[outcome] else [f"ended as {outcome}, which GitHub does not show"]


def _repeated(issue: IssueFacts, run: RunFacts) -> list[str]:
    finished = [turn for turn, at in issue.asked if at > run.reply_at.get(turn, at) + CLOCK_SECONDS]
    found = [f"the finished model call of turn {turn} was repeated" for turn in finished]
    if issue.repeated_calls > run.attempts - 1:
        found.append(f"{issue.repeated_calls} model calls repeated in {run.attempts} attempts")
    if issue.repeated_calls and run.tokens_used <= run.tokens_journaled:
        found.append("a repeated model call was not charged")
    return found


def resume_seconds(interrupted: Iterable[tuple[str, float]], begun: Mapping[str, Sequence[float]]) -> list[float]:
    """From each moment at which the holder of a run was struck to the beginning of that run's next attempt.

    `interrupted`: (run, when); `begun`: when each attempt at a run began, in order. A run that needed no other attempt
    is left out, and so is one whose next attempt only told people.
    """
    nexts = ((at, next((start for start in begun[run] if start > at), None)) for run, at in interrupted)
    return [start - at for at, start in nexts if start is not None]


def percentile(values: Sequence[float], part: float) -> float | None:
    """The smallest value that `part` of all do not exceed; None where there is none."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(part * len(ordered)))] if ordered else None


def outcomes(issues: Iterable[IssueFacts]) -> Counter[str]:
    return Counter(run.outcome or "not ended" for issue in issues for run in issue.runs)
