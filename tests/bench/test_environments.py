"""Real packages beside a run by hand: what counts as the same, and what a person's summary says."""

from typing import Any

import pytest

from bench.by_hand import HandRun, summary_of, telling
from bench.environments import judged
from bench.environments_page import page
from bench.real_packages import listed

COUNTS = {"passed": 1, "failed": 0, "error": 0, "skipped": 0}


@pytest.mark.parametrize(
    ("output", "counts"),
    [
        ("=== 1 failed, 54 passed, 2 skipped, 1 xfailed, 1 xpassed, 3 errors in 1.04s ===", (55, 1, 3, 3)),
        ("2434 passed, 24 skipped, 31000 deselected, 5 warnings in 43.11s (0:00:43)", (2434, 0, 0, 24)),
        ("Ran 12 tests in 0.1s\n\nFAILED (failures=1, errors=2, skipped=3, expected failures=1)", (5, 1, 2, 4)),
        ("Ran 3 tests in 0.1s\n\nOK", (3, 0, 0, 0)),
        ("Tests:       1 failed, 2 skipped, 3 passed, 6 total", (3, 1, 0, 2)),
        ("\x1b[32m      Tests  1 failed | 3 passed (4)\x1b[0m", (3, 1, 0, 0)),
        ("  12 passing (20ms)\n  1 failing\n  2 pending", (12, 1, 0, 2)),
        ("# pass 5\n# fail 1\n# skipped 0", (5, 1, 0, 0)),
    ],
)
def test_summaries_of_runners_are_counted(output: str, counts: tuple[int, int, int, int]) -> None:
    found = summary_of(f"collected 5 items\n{output}\n")[1]
    assert found == dict(zip(("passed", "failed", "error", "skipped"), counts, strict=True))


def test_output_without_a_summary_counts_nothing() -> None:
    assert summary_of("Traceback (most recent call last):\n1 of 2 passed the test in front\n") == ("", None)


@pytest.mark.parametrize(
    ("output", "line"),
    [
        (
            "go\n      meson.build:1:0: ERROR: Unknown compiler(s)\n  note: This error is not of pip.\nSee above.\n",
            "ERROR: Unk",
        ),
        ("Traceback\nModuleNotFoundError: No module named 'x'\n\n", "ModuleNotFoundError: No module named 'x'"),
        ("one\ncannot stat y\n \n", "cannot stat y"),
        ("", "nothing was said"),
    ],
)
def test_the_page_gets_the_line_that_names_the_error(output: str, line: str) -> None:
    first, _, rest = telling(output).partition("\n")
    assert line in first
    assert rest == output


def test_only_a_baseline_that_counts_the_same_works() -> None:
    row = {"id": "a@1", "counts": COUNTS, "problem": ""}
    assert judged(row, HandRun(COUNTS)) == ("same", "")
    assert judged(row, HandRun({**COUNTS, "skipped": 1}))[0] == "differs"
    assert judged(row, HandRun(None, problem="x")) == ("nothing to compare", "x")
    assert judged({**row, "problem": "died"}, HandRun(COUNTS)) == ("no baseline", "died")


def test_the_list_is_long_enough_and_names_each_package_once() -> None:
    packages = listed()
    assert len({package.id for package in packages}) == len(packages) >= 40
    assert sum(package.registry == "npm" for package in packages) >= 6


def test_the_page_says_the_share_and_why_not() -> None:
    rows: list[dict[str, Any]] = [
        {"id": "a@1", "counts": COUNTS, "result": "same", "why": "", "tests": "pytest"},
        {"id": "@b/c@2", "counts": None, "result": "no baseline", "why": "died | of\nthis"},
    ]
    text = page(rows, "bubblewrap", 5)
    assert "not measured yet: 3 of 5" in text
    assert "1 of 2 work (50%" in text
    assert "| a 1 |  | `pytest` |  |  | 1 / 0 / 0 / 0 | same |  |" in text
    assert "died \\| of |" in text
