"""`agent-fix fix` that dies of a bug: what was reached by then is written."""

import json
import os
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from agent.scripted import Scripted, ScriptedModel, reply
from repo_tools.errors import SandboxError
from repo_tools.sandbox.contract import BoxSpec, Sandbox
from tests.support import calc
from tests.support.engine import require_bubblewrap
from tests.support.hosts import NoEngine, empty_workshop
from tests.support.issues import run_of
from tests.support.laboratory import INDEX_HOSTS, ca_bundle
from tests.support.repositories import make_repository
from workers.folder_host import OutputError
from workers.local_claim import write_local_run
from workers.local_issue import LocalIssue
from workers.local_run import LocalRun, run_locally
from workers.outcomes import OutcomeKind, Reason
from workers.store import Run, RunStore, open_store
from workers.workshop import Workshop

SECRET = "ghp_" + "a1B2" * 9


@pytest.fixture
def store(tmp_path: Path) -> Iterator[RunStore]:
    with closing(open_store(f"sqlite:///{tmp_path / 'store.db'}")) as store:
        yield store


def test_a_user_without_a_name_begins_runs_by_number(store: RunStore, monkeypatch: pytest.MonkeyPatch) -> None:
    """As `docker run --user` starts one."""
    for name in ("LOGNAME", "USER", "LNAME", "USERNAME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(os, "getuid", lambda: 4_000_000)
    row = run_of(store, write_local_run(store, "repository", "It is wrong", ""))
    assert row.sender == "4000000"


@dataclass
class Dying(NoEngine):
    error: BaseException

    def start(self, spec: BoxSpec) -> Sandbox:
        raise self.error


def die_of_a_bug(store: RunStore, folder: Path, workshop: Workshop) -> tuple[Run, str]:
    return die_of((RuntimeError, AssertionError), store, folder, workshop)


def die_of(
    errors: type[BaseException] | tuple[type[BaseException], ...], store: RunStore, folder: Path, workshop: Workshop
) -> tuple[Run, str]:
    """The run's row, and what its command says at last."""
    asked = LocalRun(
        make_repository(folder / "repository", calc.FILES),
        LocalIssue("It is wrong", ""),
        "HEAD",
        folder / "output",
        None,
    )
    ids: list[str] = []
    with pytest.raises(errors) as raised:
        run_locally(asked, store, workshop, 60, ids.append)
    row = run_of(store, ids[0])
    return row, "\n".join(raised.value.__notes__)


@pytest.mark.bubblewrap
@pytest.mark.registry
def test_patch_report_and_transcript_so_far_are_written(store: RunStore, tmp_path: Path) -> None:
    replies: list[Scripted] = [
        reply(*calc.PLAN, calc.write_test(f"# {SECRET}\n{calc.NEW_TEST}"), calc.mend()),
        RuntimeError("a bug"),
    ]
    workshop = replace(
        empty_workshop(),
        engine=require_bubblewrap(tmp_path / "engine"),
        model=ScriptedModel(replies),
        allowed_hosts=INDEX_HOSTS,
        ca_bundle=ca_bundle(),
    )
    row, note = die_of_a_bug(store, tmp_path, workshop)
    output = tmp_path / "output"
    assert (row.outcome, row.reason, row.url) == (OutcomeKind.ESCALATION, Reason.INTERNAL, str(output))
    assert str(output) in note
    assert "+    return sum(prices)" in (output / "change.patch").read_text()
    report = (output / "report.md").read_text()
    for words in ("An internal error ended the command (RuntimeError).", "Turn 1 · ", "Success criterion"):
        assert words in report
    transcript = json.loads((output / "transcript.json").read_text())
    assert [[use["name"] for use in turn["tools"]] for turn in transcript["turns"]] == [["write_file", "edit_file"]]
    assert SECRET not in report + str(transcript)


def test_a_bug_before_the_agent_is_reported_too_and_no_earlier_transcript_stays(
    store: RunStore, tmp_path: Path
) -> None:
    output = tmp_path / "output"
    output.mkdir()
    (output / "transcript.json").write_text("an earlier run's")
    row, _ = die_of_a_bug(store, tmp_path, empty_workshop())
    assert row.reason is Reason.INTERNAL
    assert "An internal error ended the command (AssertionError)." in (output / "report.md").read_text()
    assert not (output / "transcript.json").exists()


def test_what_was_reached_by_an_interrupt_is_written(store: RunStore, tmp_path: Path) -> None:
    workshop = replace(empty_workshop(), engine=Dying(KeyboardInterrupt()))
    row, note = die_of(KeyboardInterrupt, store, tmp_path, workshop)
    assert (row.outcome, row.reason, row.url) == (OutcomeKind.CANCELLED, Reason.UNWANTED, str(tmp_path / "output"))
    assert note == f"Patch, report and transcript so far: {tmp_path / 'output'}"
    assert "interrupted at the keyboard" in (tmp_path / "output" / "report.md").read_text()


def test_a_folder_that_takes_no_file_is_named(store: RunStore, tmp_path: Path) -> None:
    (tmp_path / "output").write_text("in the way")
    workshop = replace(empty_workshop(), engine=Dying(SandboxError("no box")))
    with pytest.raises(OutputError, match=r"--output: .*/output takes no file \(File exists\)"):
        die_of(ZeroDivisionError, store, tmp_path, workshop)
    (row,) = store.list_runs(10)
    assert (row.reason, "takes no file" in str(row.detail)) == (Reason.CONFIGURATION, True)
