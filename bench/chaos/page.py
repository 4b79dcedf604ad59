"""What came of it, for people."""

import os
import platform
from collections.abc import Sequence
from datetime import UTC, datetime

from bench.chaos.parts import Result

_PREFACE = """# Chaos

Written by `make chaos`: real web and worker processes, a real broker, real boxes (bubblewrap), git over HTTP, a local
stand-in for GitHub; the model alone is scripted, and counts who asks. "Damage" counts issues that are lost, doubled
(pull request, comment, branch, run) or whose finished model calls were asked again; each must be 0. Kills that meet a
run again and again end it after four attempts with a hand-off: that is its one outcome. Several sites of several
workers each are under way side by side on the same processors. "Resumed" is the time from the moment at which the
process that held a run was struck to the beginning of the next attempt at it; times depend on the machine and decide
nothing."""


def _times(result: Result) -> str:
    """And how often it was meant to be, where the time ran out."""
    short = result.faults < result.planned
    return f"{result.faults:,} of {result.planned:,}" if short else f"{result.faults:,}"


def sentences(result: Result) -> str:
    figures = "; ".join(result.figures)
    found = "; ".join(result.damage[:5]) or "no damage"
    return (
        f"{result.part} ({result.place}): {_times(result)} times, {result.issues} issues: {found}. {figures}".rstrip()
    )


def markdown_page(results: Sequence[Result], seed: int, seconds: float) -> str:
    rows = ["| what | where | times | issues | damage | |", "| --- | --- | ---: | ---: | ---: | --- |"]
    rows += [
        f"| {r.part} | {r.place} | {_times(r)} | {r.issues:,} | {len(r.damage)} | {'; '.join(r.figures)} |"
        for r in results
    ]
    found = [f"- {r.part} ({r.place}): {problem}" for r in results for problem in r.damage]
    circumstances = [
        f"- date: {datetime.now(UTC).date().isoformat()}",
        f"- machine: {platform.system()} on {platform.machine()}, {os.cpu_count()} processors",
        f"- seed: {seed}; the whole took {seconds / 60:.0f} minutes",
        f"- load average of its last 15 minutes: {os.getloadavg()[2]:.0f}",
    ]
    return "\n".join([_PREFACE, "", *circumstances, "", *rows, "", *(["Damage:", "", *found, ""] if found else [])])
