"""`agent-fix fix` that dies of a bug: what was reached by then is written."""

import json
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from agent.scripted import Scripted, ScriptedModel, reply
from tests.support import calc
from tests.support.engine import require_bubblewrap
from tests.support.hosts import empty_workshop
from tests.support.laboratory import INDEX_HOSTS, ca_bundle
from tests.support.repositories import make_repository
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


def die_of_a_bug(store: RunStore, folder: Path, workshop: Workshop) -> tuple[Run, str]:
    """The run's row, and what its command says at last."""
    asked = LocalRun(
        make_repository(folder / "repository", calc.FILES),
        LocalIssue("It is wrong", ""),
        "HEAD",
        folder / "output",
        None,
    )
    ids: list[str] = []
    with pytest.raises((RuntimeError, AssertionError)) as raised:
        run_locally(asked, store, workshop, 60, ids.append)
    row = store.get(ids[0])
    assert row is not None
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
