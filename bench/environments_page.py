"""The page that says which real packages work."""

import os
import platform
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

_PREFACE = """# Environments

Written by `make bench-environments`. The sources of real packages, as their registries have them, are set up and tested
in a sandbox without a word of configuration. The same is done by hand in a sandbox of the same engine
([tests/real_packages.toml](../tests/real_packages.toml) has what is typed), and the two results are compared:

- **same**: both count as many passed, failed, broken (error) and skipped tests. Such a package works.
- **differs**: the counts are not equal; the last column has the summary of the run by hand.
- **nothing to compare**: there was no result by hand; **no baseline**, **broke**: there was none without configuration.
  The last column says why.

The numbers of tests are those of the run without configuration. "detector" is what told how to set the package up, with
its version; "set-up s" and "by hand s" are the seconds that either set-up took."""
_HEADINGS = (
    "package",
    "detector",
    "tests run as",
    "set-up s",
    "by hand s",
    "passed / failed / error / skipped",
    "result",
    "why not",
)


def page(rows: Sequence[Mapping[str, Any]], engine: str, listed: int) -> str:
    """Of `listed` packages those that were measured."""
    working = sum(row["result"] == "same" for row in rows)
    lines = [
        _PREFACE,
        "",
        f"- date: {datetime.now(UTC).date().isoformat()}",
        f"- machine: {platform.system()} on {platform.machine()}, {os.cpu_count()} processors, Python "
        f"{platform.python_version()}, {engine}",
        f"- **{working} of {len(rows)} work ({working / max(1, len(rows)):.0%}; wanted: at least 90 %)**",
        *([f"- not measured yet: {listed - len(rows)} of {listed}"] if len(rows) < listed else []),
        "",
        "| " + " | ".join(_HEADINGS) + " |",
        "| --- | --- | --- | ---: | ---: | ---: | --- | --- |",
        *("| " + " | ".join(_cell(text) for text in _cells(row)) + " |" for row in rows),
    ]
    return "\n".join(lines) + "\n"


def _cells(row: Mapping[str, Any]) -> tuple[str, ...]:
    counts = row.get("counts")
    return (
        row["id"].replace("@", " ", 1) if row["id"].count("@") == 1 else row["id"],
        row.get("detector", ""),
        f"`{row['tests']}`" if row.get("tests") else "",
        str(row.get("setup_seconds", "")),
        str(row.get("by_hand_seconds", "")),
        " / ".join(str(number) for number in counts.values()) if counts else "",
        row["result"],
        row["why"],
    )


def _cell(text: str) -> str:
    first = next(iter(text.strip().splitlines()), "")
    return (first[:200] + ("…" if len(first) > 200 else "")).replace("|", "\\|")
