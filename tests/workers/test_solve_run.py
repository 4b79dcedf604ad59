"""Where the files of a task go, and what comes of one that is cut off."""

import os
import time
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from agent.attempt import Attempt
from agent.errors import AgentStop, Answered, LimitExceeded, Submitted
from agent.model import Usage
from agent.transcript import ToolUse, Transcript, Turn
from repo_tools.changes import ChangeSet
from repo_tools.errors import RepoError
from repo_tools.paths import PathRefusedError
from tests.support.issues import a_claim, a_run, an_issue, fall_silent, run_of
from tests.support.memory_workspace import BASE
from workers.folder_host import OutputError
from workers.host import Evidence, RunRequest, Solution
from workers.outcomes import Reason, RunStatus
from workers.publish.solve_report import render_answer, render_solve_report
from workers.solve_host import SolveHost
from workers.solve_request import solve_request
from workers.solve_run import DRAFT, Solver
from workers.store import MAX_ATTEMPTS, TASK, RunStore, open_store
from workers.store.leases import HAND_OFF_ATTEMPTS

SECRET = "ghp_" + "a1B2" * 9


def evidence(ending: AgentStop, reason: Reason, files: dict[str, bytes], report: str = "") -> Evidence:
    uses = (
        ToolUse("run_python", {"code": "sales.mean()"}, "2.5"),
        ToolUse("sql", {"query": "SELECT 1"}, "1"),
        ToolUse("read_file", {"path": "notes"}, "nothing"),
    )
    transcript = Transcript("Plan.", [Turn(1, "Plan.", uses, Usage(1, 1), 0.1)])
    attempt = Attempt(ending, ChangeSet(BASE), None, transcript)
    run = RunRequest("run-1", "solve", -1, 0, 0, "What is the mean?", "What is the mean?", "me", datetime.now(UTC))
    return Evidence(
        run, BASE, reason, "The detail.", attempt, None, None, "engine", "model", True, b"", {},
        Solution(files, report),
    )  # fmt: skip


def test_the_files_of_the_best_candidate_are_written_beside_the_report(tmp_path: Path) -> None:
    host = SolveHost(tmp_path / "given", tmp_path / "out")
    outcome = host.publish_draft(evidence(Submitted("Done."), Reason.PROVED, {"a/b.py": b"1"}, "2 passed"))
    assert outcome.url == str(tmp_path / "out")
    assert (tmp_path / "out" / "files" / "a" / "b.py").read_bytes() == b"1"
    assert "2 passed" in (tmp_path / "out" / "report.md").read_text()
    assert (tmp_path / "out" / "transcript.json").exists()


def test_files_of_an_earlier_run_stay_and_are_told_as_not_of_this_one(tmp_path: Path) -> None:
    host = SolveHost(tmp_path / "given", tmp_path / "out")
    host.publish_draft(evidence(Submitted("Done."), Reason.PROVED, {"a/b.py": b"1", "c.py": b"1"}, "2 passed"))
    report = tmp_path / "out" / "report.md"
    assert "Not of this run" not in report.read_text()
    host.publish_draft(evidence(Submitted("Done."), Reason.PROVED, {"c.py": b"2"}, "2 passed"))
    assert (tmp_path / "out" / "files" / "a" / "b.py").read_bytes() == b"1"
    assert "Not of this run, and there before it: `files/a/b.py`." in report.read_text()


def test_a_folder_of_ones_own_keeps_its_files_and_an_earlier_transcript_goes(tmp_path: Path) -> None:
    new, own = tmp_path / "new", tmp_path / "own"
    rules = own / ".gitignore"
    own.mkdir()
    rules.write_bytes(b"mine\n")
    early = replace(evidence(Submitted("x"), Reason.SETUP_FAILED, {}), attempt=None, solution=None)
    for folder in (new, own):
        host = SolveHost(tmp_path / "given", folder)
        host.publish_draft(evidence(Submitted("Done."), Reason.PROVED, {"a.py": b"1"}))
        host.publish_escalation(early)
        assert not (folder / "transcript.md").exists()
    assert rules.read_bytes() == b"mine\n"
    assert (new / ".gitignore").read_text() == "*\n"


def test_no_file_leaves_the_folder(tmp_path: Path) -> None:
    host = SolveHost(tmp_path / "given", tmp_path / "out")
    (tmp_path / "out" / "files").mkdir(parents=True)
    (tmp_path / "out" / "files" / "link").symlink_to(tmp_path)
    for path, error in (("../x", PathRefusedError), ("link/x", RepoError)):
        with pytest.raises(error):
            host.publish_draft(evidence(Submitted("Done."), Reason.PROVED, {path: b"1"}))
    assert not (tmp_path / "x").exists()


def test_the_report_of_an_answer_tells_figures_files_and_the_code_behind_them() -> None:
    ending = Answered(f"It is **2.5** <script> {SECRET}", (("mean | units", "2.5"),), ("plots/a b.png",))
    told = render_solve_report(evidence(ending, Reason.ANSWERED, {"plots/a b.png": b"", "x.py": b""}))
    assert "It is **2.5**" in told
    assert "<script>" not in told
    assert SECRET not in told
    assert "| `2.5` |" in told
    assert "![](files/plots/a%20b.png)" in told
    assert "```python\nsales.mean()\n```" in told
    assert "```sql\nSELECT 1\n```" in told
    assert told.index("sales.mean()") < told.index("SELECT 1") < told.index("## Transcript")


def test_a_task_of_several_lines_stands_in_the_report_in_full() -> None:
    asked = evidence(Answered("Four."), Reason.ANSWERED, {"a.svg": b""})
    assert "## The task" not in render_solve_report(asked)
    longer = replace(asked, run=replace(asked.run, body="What is the mean?\nOf <b>units</b>.\n"))
    told = render_solve_report(longer)
    assert "## The task\n\n> What is the mean?\n> Of <" in told
    assert "![](files/a.svg)" in told


def test_files_that_belong_to_the_answer_stand_before_those_that_were_made_on_the_way() -> None:
    ending = Answered("See the plot.", files=("plots/last.png", "given.csv"))
    told = render_solve_report(evidence(ending, Reason.ANSWERED, {"a.py": b"", "plots/last.png": b"", "z.py": b""}))
    places = [told.index(f"- [`{path}`]") for path in ("plots/last.png", "a.py", "z.py")]
    assert places == sorted(places)
    assert "given.csv" not in told


def test_the_report_of_a_task_that_was_not_solved_says_why_and_shows_the_tests(tmp_path: Path) -> None:
    unsolved = evidence(LimitExceeded("turns", 4, 4), Reason.LIMIT_TURNS, {"x.py": b""}, "1 failed: never so")
    told = render_solve_report(unsolved)
    assert "Stopped at the limit of model calls" in told
    assert "never so" in told
    assert render_answer(unsolved) == ""


@pytest.mark.parametrize("reason", [Reason.SETUP_FAILED, Reason.TOOL_MISSING, Reason.REPOSITORY, Reason.LIMIT_TURNS])
def test_the_ending_and_what_is_next_speak_of_no_repository(reason: Reason) -> None:
    early = replace(evidence(Submitted("x"), reason, {}), attempt=None, solution=None)
    said = [line for line in render_solve_report(early).splitlines() if line.startswith("**")]
    assert len(said) == 2
    for word in ("agent-fix.yml", "publish", "label", "issue", "project", "pull request"):
        assert word not in " ".join(said)


def test_a_run_that_ended_before_the_agent_has_a_report_too() -> None:
    early = replace(evidence(Submitted("x"), Reason.SETUP_FAILED, {}), attempt=None, solution=None, detail="pip failed")
    assert "pip failed" in render_solve_report(early)
    assert render_answer(early) == ""


class Never:
    """A workshop that nothing may be asked of."""


def solver(store: RunStore, folder: Path) -> Solver:
    return Solver(store, Never(), folder, 60)  # type: ignore[arg-type]


def no_host(_: Path) -> SolveHost:
    raise KeyboardInterrupt


def full_disk(_: Path) -> SolveHost:
    raise OutputError("--output", "/full takes no file", "Mend that")


@pytest.mark.parametrize(("host", "error"), [(no_host, KeyboardInterrupt), (full_disk, OutputError)])
def test_a_run_that_is_interrupted_or_cannot_be_written_may_be_resumed_with_what_was_given(
    host: Callable[[Path], SolveHost], error: type[BaseException], tmp_path: Path
) -> None:
    with closing(open_store(f"sqlite:///{tmp_path / 'store.db'}")) as store:
        given = tmp_path / "test_x.py"
        given.write_text("x")
        asked, at = solve_request("Do it.", [given], []), solver(store, tmp_path / "solve")
        with pytest.raises(error) as raised:
            at.solve(asked, host, lambda _: None)
        (row,) = store.list_runs(10)
        assert (row.repository, row.title, row.status) == ("solve", "Do it.", RunStatus.RUNNING)
        assert raised.value.__notes__ == [f"`agent-fix solve --resume {row.id}` goes on with it"]
        for _ in range(1, MAX_ATTEMPTS):
            with pytest.raises(error) as raised:
                at.resume(row.id, host, lambda _: None)
        assert raised.value.__notes__ == ["it was begun as often as a run may be: ask anew"]
        assert (tmp_path / "solve" / row.id).is_dir()


def a_bug(_: Path) -> SolveHost:
    raise ZeroDivisionError


def test_a_bug_ends_the_run_and_leaves_nothing_of_what_was_given(tmp_path: Path) -> None:
    with closing(open_store(f"sqlite:///{tmp_path / 'store.db'}")) as store:
        with pytest.raises(ZeroDivisionError):
            solver(store, tmp_path / "solve").solve(solve_request("Do it.", [], []), a_bug, lambda _: None)
        (row,) = store.list_runs(10)
    assert (row.outcome, row.reason) == ("escalation", "internal")
    assert list((tmp_path / "solve").iterdir()) == []


def test_a_run_that_nobody_goes_on_with_for_a_day_ends_and_leaves_nothing_of_what_was_given(tmp_path: Path) -> None:
    with closing(open_store(f"sqlite:///{tmp_path / 'store.db'}")) as store:
        at = solver(store, tmp_path / "solve")
        with pytest.raises(KeyboardInterrupt):
            at.solve(solve_request("Do it.", [], []), no_host, lambda _: None)
        (given,) = (tmp_path / "solve").iterdir()
        os.utime(given, (time.time() - 80_000,) * 2)
        with pytest.raises(KeyboardInterrupt):
            at.resume(given.name, no_host, lambda _: None)
        assert time.time() - given.stat().st_mtime < 3_600
        os.utime(given, (0, 0))
        with pytest.raises(RepoError, match=r"has ended \(unwanted\)"):
            at.resume(given.name, no_host, lambda _: None)
    assert list((tmp_path / "solve").iterdir()) == []


def test_only_a_task_that_has_not_ended_is_resumed(tmp_path: Path) -> None:
    with closing(open_store(f"sqlite:///{tmp_path / 'store.db'}")) as store:
        other, held = a_run(store), a_claim(store).run.id
        at = solver(store, tmp_path)
        for run_id in ("nothing", other, held):
            with pytest.raises(RepoError, match="no task"):
                at.resume(run_id, no_host, lambda _: None)


def test_a_task_whose_processes_died_one_after_the_other_ends_as_that(tmp_path: Path) -> None:
    with closing(open_store(f"sqlite:///{tmp_path / 'store.db'}")) as store:
        run_id = a_run(store, replace(an_issue(), repository=TASK, installation_id=0))
        (tmp_path / "solve" / run_id).mkdir(parents=True)
        for _ in range(MAX_ATTEMPTS + HAND_OFF_ATTEMPTS):
            fall_silent(store, a_claim(store, run_id))
        with pytest.raises(RepoError, match=r"has ended \(attempts\); `agent-fix show"):
            solver(store, tmp_path / "solve").resume(run_id, no_host, lambda _: None)
    assert list((tmp_path / "solve").iterdir()) == []


def test_a_task_that_was_cut_off_before_its_files_were_kept_ends_and_is_to_be_asked_anew(tmp_path: Path) -> None:
    kept = tmp_path / "solve"
    with closing(open_store(f"sqlite:///{tmp_path / 'store.db'}")) as store:
        run_id = a_run(store, replace(an_issue(), repository=TASK, installation_id=0))
        fall_silent(store, a_claim(store, run_id))
        (kept / f"{run_id}{DRAFT}" / "objects").mkdir(parents=True)
        with pytest.raises(RepoError, match=r"cut off before the files that were given were kept\. Ask anew"):
            solver(store, kept).resume(run_id, no_host, lambda _: None)
        ended = run_of(store, run_id)
    assert (ended.outcome, list(kept.iterdir())) == ("cancelled", [])


def test_what_was_given_to_runs_that_are_over_is_swept(tmp_path: Path) -> None:
    (tmp_path / "solve" / "run-that-nobody-knows").mkdir(parents=True)
    with closing(open_store(f"sqlite:///{tmp_path / 'store.db'}")) as store, pytest.raises(ZeroDivisionError):
        solver(store, tmp_path / "solve").solve(solve_request("Do it.", [], []), a_bug, lambda _: None)
    assert list((tmp_path / "solve").iterdir()) == []
