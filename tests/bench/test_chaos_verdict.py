"""What turns `make chaos` red."""

from dataclasses import replace
from pathlib import Path

import pytest

from bench.chaos.lanes import LANES, WAVES, said
from bench.chaos.measures import Measure, Verdict
from bench.chaos.page import closing, markdown_page, sentences
from bench.chaos.parts import Result
from bench.chaos.verdict import exit_code

LIMIT = Measure("from the kill to the next attempt", 19.96, 20.0, " s")
FINE = Result("kill -9", "SQLite", 250, 50, [], ["50 escalation"], planned=250, planned_issues=50, measures=[LIMIT])
DAMAGED = replace(FINE, damage=["lost: run x has not ended"])
LATE = replace(FINE, measures=[LIMIT, replace(LIMIT, value=20.04)])
UNMEASURED = replace(FINE, measures=[replace(LIMIT, value=None)])
FEWER_FAULTS = replace(FINE, faults=249)
FEWER_ISSUES = replace(FINE, issues=49)
NOT_RUN = replace(FINE, lacks=["NOT RUN: only root may mount a small disk"])


def test_all_that_was_to_be_done_without_damage_and_within_its_limits_is_fine() -> None:
    assert exit_code([FINE], shorter=False) == 0
    assert closing([FINE]) == ["No damage; every limit met; all was done that was to be done.", ""]


@pytest.mark.parametrize("result", [DAMAGED, LATE], ids=["damage", "limit"])
@pytest.mark.parametrize("shorter", [False, True])
def test_damage_and_a_limit_that_is_missed_are_errors_however_short_the_form(result: Result, shorter: bool) -> None:
    assert exit_code([FINE, result], shorter=shorter) == 1


@pytest.mark.parametrize("result", [FEWER_FAULTS, FEWER_ISSUES, NOT_RUN, UNMEASURED])
def test_a_shortfall_is_an_error_unless_less_than_the_whole_was_asked_for(result: Result) -> None:
    assert exit_code([FINE, result], shorter=False) == 1
    assert exit_code([FINE, result], shorter=True) == 0


@pytest.mark.parametrize(
    ("result", "words"),
    [
        (DAMAGED, "lost: run x"),
        (LATE, "20.0 s (at most 20 s: missed)"),
        (FEWER_FAULTS, "249 of 250 times"),
        (FEWER_ISSUES, "49 of 50 issues"),
        (NOT_RUN, "NOT RUN"),
        (UNMEASURED, "not measured"),
    ],
)
def test_whatever_is_wrong_is_said_at_the_end(result: Result, words: str) -> None:
    assert any(words in line for line in closing([result]))
    assert words in markdown_page([result], seed=1, seconds=60.0)


def test_each_line_says_the_limit_and_whether_it_was_met() -> None:
    assert LIMIT.verdict is Verdict.MET
    assert "20.0 s (at most 20 s: met)" in sentences(FINE)


def test_every_lane_is_in_a_wave() -> None:
    assert sorted(name for wave in WAVES for name in wave) == sorted(LANES)


def test_what_a_damaged_site_logged_is_kept(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    log = tmp_path / "world" / "site-1" / "log"
    log.parent.mkdir(parents=True)
    log.write_text("run x: SandboxError: no box")
    kept = tmp_path / "kept"
    assert [*said(iter([replace(FINE, log=log)]), kept)]
    assert not kept.exists()
    assert [*said(iter([replace(DAMAGED, log=log)]), kept)]
    assert [file.read_text() for file in kept.iterdir()] == ["run x: SandboxError: no box"]
    assert str(kept / "world-site-1.log") in capsys.readouterr().err
