"""What came of it, for people."""

import os
import platform
from collections.abc import Sequence
from datetime import UTC, datetime

from bench.chaos.parts import Result
from bench.chaos.verdict import damages, missed, shortfalls

_PREFACE = """# Chaos

Written by `make chaos`: real web and worker processes, a real broker, real boxes (bubblewrap), git over HTTP, a local
stand-in for GitHub; the model alone is scripted, and counts who asks. Where the place is a database and a broker, whole
sites of such processes were harmed. Where it is "stand-in, one process", the product's own code sent each of its writes
to the stand-in from within the program that measures: with an answer lost each time, for every kind of write, also
those that a site seldom sends.

"Damage" counts issues that are lost, doubled (pull request, comment, branch, run), that came to another end than they
would by themselves (a proved draft where the model mends, an escalation with the reason that it gave up where it gives
up), whose finished model calls were asked again, or whose repeated ones were not charged; each must be 0. Kills and
pauses that meet a run again and again end it after four attempts with a hand-off (escalation, attempts), and no other
harm does: that is then its one outcome. Several sites of several workers each are under way side by side on the same
processors. A figure beyond its limit is missed, and `make chaos` then ends with an error, as it does where less was
done than was to be done."""


def _times(result: Result) -> str:
    """And how often it was meant to be, where the time ran out."""
    short = result.faults < result.planned
    return f"{result.faults:,} of {result.planned:,}" if short else f"{result.faults:,}"


def sentences(result: Result) -> str:
    found = "; ".join(result.damage[:5]) or "no damage"
    done = f"{_times(result)} times, {result.issues} issues"
    return f"{result.part} ({result.place}): {done}: {found}. {result.words}".rstrip()


def markdown_page(results: Sequence[Result], seed: int, seconds: float) -> str:
    rows = ["| what | where | times | issues | damage | |", "| --- | --- | ---: | ---: | ---: | --- |"]
    rows += [f"| {r.part} | {r.place} | {_times(r)} | {r.issues:,} | {len(r.damage)} | {r.words} |" for r in results]
    circumstances = [
        f"- date: {datetime.now(UTC).date().isoformat()}",
        f"- machine: {platform.system()} on {platform.machine()}, {os.cpu_count()} processors",
        f"- seed: {seed}; the whole took {seconds / 60:.0f} minutes",
        f"- load average of its last 15 minutes: {os.getloadavg()[2]:.0f}",
    ]
    return "\n".join([_PREFACE, "", *circumstances, "", *rows, "", *closing(results)])


def closing(results: Sequence[Result]) -> list[str]:
    """Whatever is not as it should be, in lists; where all is, a sentence says so."""
    lists = {
        "Damage:": damages(results),
        "Missed:": missed(results),
        "Short of what was to be done:": shortfalls(results),
    }
    found = [line for title, problems in lists.items() if problems for line in _list(title, problems)]
    return found or ["No damage; every limit met; all was done that was to be done.", ""]


def _list(title: str, problems: Sequence[str]) -> list[str]:
    return [title, "", *(f"- {problem}" for problem in problems), ""]
