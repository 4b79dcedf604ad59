"""What is left of each labelled issue when all is over, and what of it is damage. Pure."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field

from workers.outcomes import OutcomeKind, Reason

ENDINGS = ("escalation", "cancellation", "refusal")
"""Kinds of comments that tell of an end, as a pull request does."""
CLOCK_SECONDS = 0.002
"""How far SQLite's clock, which counts milliseconds, lags behind that of the calls."""


@dataclass(frozen=True)
class Ending:
    """How a run ended, and why."""

    kind: OutcomeKind
    reason: Reason

    def __str__(self) -> str:
        """For people."""
        return f"{self.kind} ({self.reason})".replace("_", " ")


PROVED = Ending(OutcomeKind.DRAFT_PULL_REQUEST, Reason.PROVED)
GAVE_UP = Ending(OutcomeKind.ESCALATION, Reason.GAVE_UP)
HANDED_OVER = Ending(OutcomeKind.ESCALATION, Reason.ATTEMPTS)
"""After four attempts: only where harm strikes one run again and again."""


@dataclass(frozen=True)
class RunFacts:
    """One run of the issue, as the store has it."""

    id: str
    ending: Ending | None  # None: it has not come to one
    attempts: int  # claims, those that were cut short by a soft stop too
    reply_at: Mapping[int, float] = field(default_factory=dict)  # turn -> when its reply was journaled
    tokens_used: int = 0
    tokens_journaled: int = 0  # of the replies alone
    charges: Sequence[int] = ()  # tokens of each call that was charged without an answer


@dataclass(frozen=True)
class IssueFacts:
    """One labelled issue. `endings`: those that it may come to. `asked`: (turn, when) of every model call that reached
    the provider. `comments`: own ones, by kind, on the issue and on its pull requests. `pull_requests`: those that are
    open."""

    title: str
    endings: Set[Ending]
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
    if run.ending is None:
        return [f"lost: run {run.id} has not ended"]
    return [*_unwanted(issue, run.ending), *_doubled(issue), *_missing(issue, run.ending.kind), *_repeated(issue, run)]


def _unwanted(issue: IssueFacts, ending: Ending) -> list[str]:
    wanted = " or ".join(sorted(map(str, issue.endings)))
    return [] if ending in issue.endings else [f"ended as {ending}, not as {wanted}"]


def _doubled(issue: IssueFacts) -> list[str]:
    found = [f"{count} comments of kind {kind}" for kind, count in issue.comments.items() if count > 1]
    found += [f"{issue.pull_requests} pull requests"] if issue.pull_requests > 1 else []
    found += [f"{len(issue.branches)} branches"] if len(issue.branches) > 1 else []
    endings = ["a pull request"] if issue.pull_requests else []
    endings += [f"a comment of {kind}" for kind in ENDINGS if issue.comments.get(kind)]
    return [*found, " and ".join(endings)] if len(endings) > 1 else found


def _missing(issue: IssueFacts, kind: OutcomeKind) -> list[str]:
    """What the outcome says must stand on GitHub."""
    there = {
        OutcomeKind.DRAFT_PULL_REQUEST: issue.pull_requests == 1,
        OutcomeKind.ESCALATION: issue.comments.get("escalation") == 1 and not issue.pull_requests,
        OutcomeKind.REFUSED: issue.comments.get("refusal") == 1 and not issue.pull_requests,
        OutcomeKind.CANCELLED: not issue.pull_requests,
    }
    return [] if there[kind] else [f"ended as {kind}, which GitHub does not show"]


def _repeated(issue: IssueFacts, run: RunFacts) -> list[str]:
    finished = [turn for turn, at in issue.asked if at > run.reply_at.get(turn, at) + CLOCK_SECONDS]
    found = [f"the finished model call of turn {turn} was repeated" for turn in finished]
    if issue.repeated_calls > run.attempts - 1:
        found.append(f"{issue.repeated_calls} model calls repeated in {run.attempts} attempts")
    charged = sum(tokens > 0 for tokens in run.charges)
    if issue.repeated_calls > charged:
        found.append(f"{issue.repeated_calls} model calls repeated, {charged} of them charged")
    if run.tokens_used < run.tokens_journaled + sum(run.charges):
        found.append("what was charged is not in what the run has spent")
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
    """Of all endings, in words."""
    return Counter(str(run.ending or "not ended") for issue in issues for run in issue.runs)
