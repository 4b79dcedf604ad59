"""`agent-fix solve`: one task without a repository, through the same store, pipeline and engine as any other run."""

import shutil
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

from repo_tools.errors import RepoError
from repo_tools.given_files import make_given
from workers.carry_out import carry_out
from workers.folder_host import OutputError
from workers.local_claim import claim_local_run, write_local_run
from workers.outcomes import Outcome, OutcomeKind, Reason, RunStatus
from workers.solve_case import SolveCase
from workers.solve_host import SolveHost
from workers.solve_request import SolveRequest
from workers.store import MAX_ATTEMPTS, RESUMABLE_SECONDS, TASK, Claim, RunStore
from workers.workshop import Workshop

DRAFT = ".draft"
"""Of what is not kept whole yet."""
NOT_KEPT = "it was cut off before the files that were given were kept"
GOES_ON = "`agent-fix solve --resume {0}` goes on with it"
TOO_OFTEN = "it was begun as often as a run may be: ask anew"
FORGOTTEN = "It was cut off, and nobody went on with it within a day."


@dataclass(frozen=True)
class Solver:
    """Where tasks are solved: the store, the workshop, and a folder for what was given, as long as a run needs it."""

    store: RunStore
    workshop: Workshop
    folder: Path
    lease_seconds: float

    def solve(self, asked: SolveRequest, host: Callable[[Path], SolveHost], started: Callable[[str], None]) -> Outcome:
        """`host` is made with the place of what was given; `started` is told the run's id before anything is spent.
        After an interrupt, or an `OutputError`, it may be resumed, as often as any run is begun. RepoError."""
        self._sweep()
        run_id = write_local_run(self.store, TASK, asked.title, asked.task)
        return self._to_its_end(self._claim(run_id), host, started, lambda: self._keep(run_id, asked))

    def resume(self, run_id: str, host: Callable[[Path], SolveHost], started: Callable[[str], None]) -> Outcome:
        """Go on with a run that was cut off, though not for ever. RepoError where there is none to go on with."""
        self._sweep()
        row = self.store.get(run_id)
        if row is not None and row.repository == TASK and row.status is RunStatus.ENDED:
            raise RepoError(f"run {run_id} has ended ({row.reason}); `agent-fix show {run_id}` tells what it did")
        if row is None or row.repository != TASK:
            raise RepoError(f"there is no task {run_id} to go on with")
        if not self._given(run_id).is_dir():
            self._end_without_files(run_id)
        return self._to_its_end(self._claim(run_id), host, started, lambda: None)

    def _end_without_files(self, run_id: str) -> NoReturn:
        self.store.finish(self._claim(run_id), Outcome(OutcomeKind.CANCELLED, Reason.UNWANTED, NOT_KEPT), {})
        self._sweep()
        raise RepoError(f"run {run_id}: {NOT_KEPT}. Ask anew")

    def _claim(self, run_id: str) -> Claim:
        return claim_local_run(self.store, run_id, self.lease_seconds)

    def _to_its_end(
        self,
        claim: Claim,
        host: Callable[[Path], SolveHost],
        started: Callable[[str], None],
        keep: Callable[[], None],
    ) -> Outcome:
        given = self._given(claim.run.id)
        try:
            started(claim.run.id)
            keep()
            place = host(given)
            outcome = carry_out(
                self.store,
                claim,
                place,
                self.workshop,
                self.lease_seconds,
                last_attempt=True,
                make_case=SolveCase,
            )
        except (KeyboardInterrupt, OutputError) as cut:
            self.store.renew(claim, 0.0)  # as a process leaves it that died
            if given.is_dir():
                given.touch()
                may_go_on = claim.run.attempts < MAX_ATTEMPTS
                cut.add_note(GOES_ON.format(claim.run.id) if may_go_on else TOO_OFTEN)
            raise
        except BaseException as error:
            row = self.store.get(claim.run.id) or claim.run
            detail = f"An internal error ended the command ({type(error).__name__})."
            self.store.finish(claim, Outcome(OutcomeKind.ESCALATION, Reason.INTERNAL, detail), row.spend)
            shutil.rmtree(given, ignore_errors=True)
            raise
        shutil.rmtree(given, ignore_errors=True)
        return outcome

    def _given(self, run_id: str) -> Path:
        return self.folder / run_id

    def _keep(self, run_id: str, asked: SolveRequest) -> None:
        self.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        draft = self.folder / f"{run_id}{DRAFT}"
        make_given(draft, asked.files).close()
        draft.rename(self._given(run_id))

    def _sweep(self) -> None:
        """End the runs that died too often, and those that nobody went on with, and remove what was given to them."""
        self.store.end_hopeless()
        for left in self.folder.glob("*"):
            run_id = left.name.removesuffix(DRAFT)
            with suppress(FileNotFoundError):  # another command sweeps too
                if time.time() - left.stat().st_mtime > RESUMABLE_SECONDS:
                    self._forget(run_id)
            row = self.store.get(run_id)
            if row is None or row.status is RunStatus.ENDED:
                shutil.rmtree(left, ignore_errors=True)

    def _forget(self, run_id: str) -> None:
        """Unless somebody holds it."""
        with suppress(RepoError):
            claim = self._claim(run_id)
            self.store.finish(claim, Outcome(OutcomeKind.CANCELLED, Reason.UNWANTED, FORGOTTEN), claim.run.spend)
