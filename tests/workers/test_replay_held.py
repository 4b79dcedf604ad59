"""A replay is held from its first step on: no worker takes it for one that its command left behind."""

import threading
from pathlib import Path

import pytest

from repo_tools.local import LocalRepository
from tests.support import calc
from tests.support.hosts import empty_workshop
from tests.support.issues import a_claim
from tests.support.repositories import make_repository
from workers.replay import PastRun, replay_from
from workers.store import Claim, RunStore


class StoppedError(Exception):
    """What was to be seen was seen."""


class SlowStore(RunStore):
    """Takes so long to write a step that the lease has to be renewed."""

    renewed = threading.Event()

    def renew(self, claim: Claim, lease_seconds: float) -> bool:
        held = super().renew(claim, lease_seconds)
        self.renewed.set()
        return held

    def append_step(self, claim: Claim, kind: str, data: object) -> int:
        assert self.renewed.wait(60), "nobody holds the run"
        raise StoppedError


def test_a_replay_is_held_while_its_steps_are_copied(sqlite_store: RunStore, tmp_path: Path) -> None:
    store = SlowStore(sqlite_store._engine)
    repository = LocalRepository(make_repository(tmp_path / "calc", calc.FILES))
    past = PastRun(a_claim(store).run, (), repository, repository.resolve("HEAD"))
    with pytest.raises(StoppedError):
        replay_from(past, 1, store, empty_workshop(), tmp_path / "output", 1, lambda _: None)
