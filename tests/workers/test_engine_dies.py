"""Q19. The engine is killed in the middle of a run: the run goes on once that is back, or is handed over."""

import threading
import time
import uuid
from collections.abc import Iterator
from contextlib import closing, suppress
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path

import pytest

from agent.budget import BudgetLimits
from agent.pricing import Price
from agent.scripted import ScriptedModel, reply, text, tool_use
from repo_tools.local import LocalRepository
from repo_tools.sandbox.docker import DockerEngine
from repo_tools.sandbox.docker_reaper import ENDED_FOR_SECONDS, reap
from tests.support import calc
from tests.support.containers import LIMITS
from tests.support.engine import engine_client
from tests.support.issues import a_run, run_of
from tests.support.processes import eventually
from tests.support.repositories import make_repository
from tests.support.second_engine import SecondEngine, second_engine
from workers.execute import Executor
from workers.host import Evidence
from workers.local_host import LocalHost
from workers.outcomes import Outcome, OutcomeKind, Reason, RunStatus
from workers.store import MAX_ATTEMPTS, Run, RunStore, open_store
from workers.workshop import Workshop

pytestmark = [
    pytest.mark.docker,
    # The SDK leaves a socket open to the collector where nobody answers it.
    pytest.mark.filterwarnings("ignore:Exception ignored in. <socket:pytest.PytestUnraisableExceptionWarning"),
    pytest.mark.filterwarnings("ignore:unclosed:ResourceWarning"),
]

SLEEP = ("sleep", "2.0625")  # by its odd length the process is found
SUITE = f"""import subprocess
import unittest

from calc import total


class TestTotal(unittest.TestCase):
    def test_of_nothing_is_nothing(self):
        subprocess.run({SLEEP}, check=True)
        self.assertEqual(total([]), 0)
"""
NEW_TEST = """
    def test_the_first_price_counts(self):
        self.assertEqual(total([1, 2, 3]), 6)
"""
FILES = {  # nothing to set up: what a box of the small image has is enough
    "calc.py": calc.FILES["calc.py"],
    "checks.py": SUITE.encode(),
    ".github/agent-fix.yml": b"tests: [python3 -m unittest checks]\n",
}
END_SECONDS = 120.0
"""An attempt whose engine died has ended by then, on a busy machine too."""


@dataclass(frozen=True)
class KeptHost(LocalHost):
    """A folder as the host; what it was told to publish is kept."""

    kept: list[Evidence] = field(default_factory=list)

    def publish_escalation(self, evidence: Evidence) -> Outcome:
        self.kept.append(evidence)
        return super().publish_escalation(evidence)


@dataclass
class Worker:
    """One that opened its engine at its start, and never again."""

    daemon: SecondEngine
    store: RunStore
    host: KeptHost
    model: ScriptedModel
    executor: Executor
    run_id: str
    installation: str

    def row(self) -> Run:
        return run_of(self.store, self.run_id)

    def ended(self) -> bool:
        return self.row().status is RunStatus.ENDED

    def attempt(self) -> float:
        """How many seconds it took."""
        began = time.monotonic()
        self.executor(self.run_id)
        return time.monotonic() - began

    def kill_engine_while_tests_run(self, stage: str) -> None:
        eventually(lambda: self.ended() or (self.row().stage == stage and runs(SLEEP)), 120, f"tests of {stage}")
        self.daemon.kill()


@pytest.fixture
def worker(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> Iterator[Worker]:
    installation = f"test-{uuid.uuid4().hex}"
    with second_engine() as daemon:
        engine = DockerEngine(docker_host=daemon.host, installation=installation)
        with closing(engine), closing(open_store(f"sqlite:///{tmp_path / 'store.db'}")) as store:
            yield make_worker(daemon, engine, store, tmp_path, installation)
        caplog.get_records("call").clear()  # they hold the errors, and those the SDK's sockets


def make_worker(daemon: SecondEngine, engine: DockerEngine, store: RunStore, folder: Path, installation: str) -> Worker:
    repository = LocalRepository(make_repository(folder / "repository", FILES))
    host = KeptHost(repository, repository.resolve("HEAD"), folder / "output")
    add_test = tool_use("write_file", path="checks.py", content=SUITE + NEW_TEST)
    plan = text("Success criterion: the first price counts.\n\nPlan: a test, the correction, the suite.")
    model = ScriptedModel([reply(plan, add_test, calc.mend()), reply(calc.finish())])
    price = Price(*[Decimal(1)] * 4)
    workshop = Workshop(engine, engine.describe(), model, price, True, BudgetLimits(seconds=None), (), limits=LIMITS)
    executor = Executor(store, workshop, host, lease_seconds=60, retry_seconds=0)
    return Worker(daemon, store, host, model, executor, a_run(store), installation)


def runs(argv: tuple[str, ...]) -> bool:
    """Whether a process of this machine was started so."""
    return b"".join(word.encode() + b"\0" for word in argv) in command_lines()


def command_lines() -> list[bytes]:
    lines = []
    for entry in Path("/proc").iterdir():
        with suppress(OSError):
            lines += [(entry / "cmdline").read_bytes()] if entry.name.isdigit() else []
    return lines


@pytest.mark.long(short="test_a_run_whose_engine_stays_away_is_handed_over_once")
def test_a_run_goes_on_from_its_journal_once_the_engine_is_back(worker: Worker) -> None:
    killer = threading.Thread(target=worker.kill_engine_while_tests_run, args=["verify"])
    killer.start()
    assert worker.attempt() < END_SECONDS
    killer.join()
    assert (worker.row().status, worker.row().attempts) == (RunStatus.QUEUED, 1), worker.row().detail
    assert len(worker.model.requests) == 2

    worker.daemon.start()
    assert worker.attempt() < END_SECONDS
    ended = worker.row()
    assert (ended.outcome, ended.reason, ended.attempts) == (OutcomeKind.DRAFT_PULL_REQUEST, Reason.PROVED, 2)
    assert len(worker.model.requests) == 2  # no turn was asked for, or paid, twice
    with closing(engine_client(worker.daemon.host)) as client:
        assert client.containers.list() == []
        reap(client, worker.installation, now=time.time() + ENDED_FOR_SECONDS + 1)
        assert client.containers.list(all=True) == []


def test_a_run_whose_engine_stays_away_is_handed_over_once(worker: Worker) -> None:
    killer = threading.Thread(target=worker.kill_engine_while_tests_run, args=["baseline"])
    killer.start()
    assert worker.attempt() < END_SECONDS
    killer.join()
    assert (worker.row().status, worker.row().attempts) == (RunStatus.QUEUED, 1), worker.row().detail

    for _ in range(MAX_ATTEMPTS - 1):
        assert worker.attempt() < END_SECONDS
    ended = worker.row()
    assert (ended.outcome, ended.reason, ended.attempts) == (OutcomeKind.ESCALATION, Reason.SANDBOX, MAX_ATTEMPTS)
    assert [evidence.reason for evidence in worker.host.kept] == [Reason.SANDBOX]
    assert worker.attempt() < END_SECONDS  # a late message changes nothing
    assert worker.row() == ended
    assert len(worker.host.kept) == 1
