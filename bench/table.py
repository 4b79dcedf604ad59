"""What a measurement says, and how it is shown: on the terminal and in `docs/benchmarks.md`."""

import os
import platform
import statistics
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.metadata import version

from rich.table import Table


class PeerMissingError(Exception):
    """A peer cannot be had on this machine; the text says which and why."""


@dataclass(frozen=True)
class Row:
    """One figure of ours beside a peer's, in `unit`. Smaller is better.

    `ratio` is ours divided by the peer's. `target` is what `ratio` may be at most or, where there is no peer, what
    `ours` may be at most. `note` is shown where a figure is missing.
    """

    what: str
    ours: float | None
    peer: float | None
    ratio: float | None
    target: float | None
    unit: str
    note: str = ""

    @property
    def verdict(self) -> str:
        """``met``, ``missed``, or nothing where there is nothing to compare: `note` says why."""
        figure = self.ours if self.ratio is None and self.peer is None else self.ratio
        if figure is None or self.target is None:
            return ""
        return "met" if figure <= self.target else "missed"


def compared(what: str, ours: Sequence[float], peer: Sequence[float], target: float | None, unit: str) -> Row:
    """The medians of several rounds, side by side."""
    own, others = statistics.median(ours), statistics.median(peer)
    return Row(what, own, others, own / others, target, unit)


def alone(what: str, ours: Sequence[float], target: float, unit: str) -> Row:
    """The median of several rounds, against a bound."""
    return Row(what, statistics.median(ours), None, None, target, unit)


def without_peer(what: str, ours: Sequence[float], target: float, unit: str, why: PeerMissingError) -> Row:
    """The median of several rounds, and why there is nothing beside it: no verdict."""
    return Row(what, statistics.median(ours), None, None, None, unit, f"target {target:g} × peer; {why}")


def missing(what: str, target: float, unit: str, why: PeerMissingError) -> Row:
    """Nothing could be measured: said in the table and, loudly, at the end of the run."""
    return Row(what, None, None, None, target, unit, f"NOT MEASURED: {why}")


HEADINGS = ("what", "agent-fix", "peer", "ratio", "at most", "unit", "")


def cells(row: Row) -> tuple[str, ...]:
    figures = tuple("" if figure is None else _short(figure) for figure in (row.ours, row.peer, row.ratio, row.target))
    return (row.what, *figures, row.unit, row.verdict or row.note)


def terminal_table(rows: Iterable[Row]) -> Table:
    table = Table(*HEADINGS)
    for row in rows:
        table.add_row(*cells(row), style="red" if row.verdict == "missed" else None)
    return table


def markdown_page(rows: Iterable[Row], packages: Sequence[str]) -> str:
    """The page that is kept: machine, versions, table."""
    lines = [
        "| " + " | ".join(heading or "target" for heading in HEADINGS) + " |",
        "| --- |" + " ---: |" * 4 + " --- | --- |",
    ]
    lines += ["| " + " | ".join(cell.replace("|", "\\|") for cell in cells(row)) + " |" for row in rows]
    return "\n".join([_PREFACE, "", *_circumstances(packages), "", *lines, ""])


_PREFACE = """# Benchmarks

Written by `make bench`, which measures ours and the peers' in one run on one machine, in turns. Figures are medians of
several rounds; smaller is better, and ratios count rather than seconds. "at most" is the target: for the ratio where
there is a peer, for our figure where there is none. The repository map has [a page of its own](benchmarks-map.md)."""


def _circumstances(packages: Sequence[str]) -> list[str]:
    machine: Mapping[str, str] = {
        "date": datetime.now(UTC).date().isoformat(),
        "machine": f"{platform.system()} on {platform.machine()}, {os.cpu_count()} processors",
        "Python": platform.python_version(),
        **{name: version(name) for name in packages},
    }
    return [f"- {name}: {value}" for name, value in machine.items()]


def _short(figure: float) -> str:
    return f"{figure:,.0f}" if figure >= 100 else f"{figure:.3g}"


Measure = Callable[[], list[Row]]
