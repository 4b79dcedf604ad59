"""The page that says which real packages work."""

import os
import platform
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

_PREFACE = """# Environments

Written by `make bench-environments`: real packages as their indexes have them, taken without a word of configuration
from source to a baseline in a box. "same" is a baseline that counts as many passed, failed, broken and skipped tests
as the same suite set up and run by hand in a box of the same engine
([tests/real_packages.toml](../tests/real_packages.toml) has what is typed)."""
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
