"""A worker in this process, on the product's own path: `Executor`, `carry_out`, `run_pipeline` and `Case`, with the
store, the journal, the agent, the publisher, the client of GitHub's API and boxes of bubblewrap.

Not the product's are three things: the model, which is scripted; GitHub, which is the stand-in; and the message, in
whose place `ring` calls the executor. A kill is an exception that nothing in the product catches: it leaves row,
journal and lease behind as `kill -9` does. (`make chaos` kills real processes, with Celery between them.)
"""

from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

from sqlalchemy import update

from agent.budget import BudgetLimits
from agent.model import Model, Reply, Request
from agent.pricing import Price
from agent.scripted import Scripted, ScriptedModel
from app.standins.github import GitHubStandIn
from repo_tools.sandbox.contract import SandboxEngine
from tests.support import calc
from tests.support.github import Scene, make_scene
from tests.support.sqlite_file import with_tables
from workers.execute import Executor
from workers.outcomes import RunStatus
from workers.store import IssueSnapshot, NewDelivery, RunStore
from workers.store.database import make_engine
from workers.store.schema import runs
from workers.workshop import Workshop

SUITE = """import unittest

from calc import total


class TestTotal(unittest.TestCase):
    def test_of_nothing_is_nothing(self):
        self.assertEqual(total([]), 0)
"""
NEW_TEST = """
    def test_the_first_price_counts(self):
        self.assertEqual(total([1, 2, 3]), 6)
"""
FILES = {  # nothing to set up: what every box has is enough
    "calc.py": calc.FILES["calc.py"],
    "checks.py": SUITE.encode(),
    ".github/agent-fix.yml": b"tests: [python3 -m unittest checks]\n",
}
PRICE = Price(*[Decimal(1)] * 4)
LEASE_SECONDS = 600.0
"""So long that no lease ends by itself: `expire` ends it."""


class KilledError(BaseException):
    """The worker was killed."""


def killed(request: Request) -> Reply:
    """In a script: while this question was out."""
    raise KilledError


@dataclass
class RealWorker:
    """One labelled issue, and a worker for it. `store` may lack a guarantee."""

    scene: Scene
    store: RunStore
    engine: SandboxEngine
    folder: Path

    def queue(self) -> str:
        """The id of the run of its issue."""
        request = self.scene.run
        issue = IssueSnapshot(
            request.installation_id, request.repository_id, request.repository, request.issue_number, request.title,
            request.body, request.sender, datetime.now(UTC),
        )  # fmt: skip
        return self.store.create_run_once(NewDelivery("a-delivery", "issues", "labeled"), issue).run_id

    def ring(self, run_id: str, model: Model) -> None:
        """One attempt, to its end or to where it is killed."""
        workshop = Workshop(
            self.engine, self.engine.describe(), model, PRICE, True, BudgetLimits(seconds=None), ()
        )  # fmt: skip
        Executor(self.store, workshop, self.scene.host, LEASE_SECONDS, retry_seconds=0)(run_id)

    def take_over(self, run_id: str, model: Model) -> None:
        """Do the whole run while another worker holds it, who may renew its lease just now."""
        while (run := self.store.get(run_id)) and run.status is not RunStatus.ENDED:
            self.expire(run_id)
            self.ring(run_id, model)

    def expire(self, run_id: str) -> None:
        """Its holder fell silent for longer than its lease."""
        engine = make_engine(f"sqlite:///{self.folder / 'store.db'}")
        with engine.begin() as connection:
            connection.execute(update(runs).where(runs.c.id == run_id).values(lease_until=0.0))
        engine.dispose()


@contextmanager
def real_worker(
    engine: SandboxEngine,
    folder: Path,
    kind: Callable[[Any], RunStore] = RunStore,
    files: Mapping[str, bytes] = FILES,
) -> Iterator[RealWorker]:
    """With a store of this kind, in `folder`."""
    url = with_tables(folder / "store.db")
    with GitHubStandIn() as github, closing(kind(make_engine(url))) as store:
        scene = make_scene(github, folder, files)
        yield RealWorker(scene, store, engine, folder)


def script(*replies: Scripted) -> ScriptedModel:
    return ScriptedModel(replies)
