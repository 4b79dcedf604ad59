"""The attempts of several workers at one run, in a real store: what one wrote down, the next one reads."""

from dataclasses import dataclass, replace

from tests.support.issues import a_delivery
from workers.host import RunRequest
from workers.journal import intents_of
from workers.outcomes import Outcome
from workers.store import Claim, IssueSnapshot, RunStore


@dataclass
class StoredRun:
    """`request` is the run as nobody holds it."""

    store: RunStore
    request: RunRequest
    claim: Claim | None = None

    @property
    def id(self) -> str:
        return self.request.run_id

    def attempt(self) -> RunRequest:
        """The run as it is to the worker that takes it over now; the one before it can write no more."""
        self.claim = self.store.claim(self.id, "worker", lease_seconds=-1)  # run out: the next one may follow at once
        assert self.claim is not None
        return replace(self.request, intents=intents_of(self.store, self.claim))

    def end(self, outcome: Outcome) -> None:
        """By the worker that took it over last."""
        assert self.claim is not None
        if self.request.base_commit is not None:
            self.store.set_progress(self.claim, base_commit=self.request.base_commit)
        self.store.finish(self.claim, outcome, {})

    def intended(self) -> list[str]:
        """The effects that were written down, in order."""
        return [step.data["effect"] for step in self.store.steps(self.id) if step.kind == "intent"]


def stored_run(store: RunStore, run: RunRequest) -> StoredRun:
    """A new run for the issue of `run`."""
    issue = IssueSnapshot(
        run.installation_id,
        run.repository_id,
        run.repository,
        run.issue_number,
        run.title,
        run.body,
        run.sender,
        labelled_at=None,
    )
    return StoredRun(store, replace(run, run_id=store.create_run_once(a_delivery(), issue).run_id))
