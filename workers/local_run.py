"""`agent-fix fix`: one run on a local repository, through the same store, pipeline and engine as any other."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from repo_tools.local import LocalRepository
from workers.aftermath import evidence_of_row, with_journal
from workers.carry_out import carry_out
from workers.folder_host import OutputError
from workers.local_claim import claim_local_run, write_local_run
from workers.local_host import LocalHost
from workers.local_issue import LocalIssue
from workers.outcomes import Outcome, OutcomeKind, Reason
from workers.store import RunStore
from workers.workshop import Workshop


@dataclass(frozen=True)
class LocalRun:
    """What was asked for on the command line, already checked."""

    path: Path
    issue: LocalIssue
    base: str
    output: Path
    branch: str | None


def run_locally(
    asked: LocalRun, store: RunStore, workshop: Workshop, lease_seconds: float, started: Callable[[str], None]
) -> Outcome:
    """`started` is told the run's id before anything is spent. An interrupt ends the run as cancelled; what was reached
    by then is written all the same."""
    repository = LocalRepository(asked.path)
    commit = repository.resolve(asked.base)
    if asked.branch is not None:
        repository.check_new_branch(asked.branch)
    run_id = write_local_run(store, asked.path.resolve().name, asked.issue.title, asked.issue.body)
    claim = claim_local_run(store, run_id, lease_seconds)
    started(run_id)
    host = LocalHost(repository, commit, asked.output, asked.branch)
    try:
        return carry_out(store, claim, host, workshop, lease_seconds, last_attempt=True)
    except BaseException as error:  # whatever ends the command ends its run
        row = store.get(run_id) or claim.run
        outcome = _cut_short(error, asked.output)
        store.finish(claim, outcome, row.spend)
        if not isinstance(error, OutputError):
            told = evidence_of_row(row, workshop, outcome.reason, outcome.detail)
            host.publish_escalation(with_journal(told, store, repository.checkout(commit)))
            error.add_note(f"Patch, report and transcript so far: {asked.output}")
        raise


def _cut_short(error: BaseException, output: Path) -> Outcome:
    if isinstance(error, KeyboardInterrupt):
        return Outcome(OutcomeKind.CANCELLED, Reason.UNWANTED, "interrupted at the keyboard", url=str(output))
    if isinstance(error, OutputError):
        return Outcome(OutcomeKind.ESCALATION, Reason.CONFIGURATION, str(error))
    detail = f"An internal error ended the command ({type(error).__name__})."
    return Outcome(OutcomeKind.ESCALATION, Reason.INTERNAL, detail, url=str(output))
