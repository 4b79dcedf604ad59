"""A worker that is connected, idle and deaf is not alive; one that is busy, or has nothing that is its to take, is."""

import platform
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.support.issues import a_run
from tests.support.processes import eventually
from workers.broker import EmbeddedBroker
from workers.companion import Companion, CompanionConfig, Round
from workers.liveness import worker_lives
from workers.message import BrokerUnavailableError
from workers.queue_lag import LAG_SECONDS, QueueLag
from workers.reconciler import Reconciler
from workers.settings import StoreSettings, WorkerSettings
from workers.store import RunStore, StoreUnavailableError, open_store
from workers.worker import companion_config

LAG = 60.0
NODE = platform.node()


@dataclass
class Looking:
    """A lag whose node leaves `run_id` waiting, looked at by a clock that is moved by hand."""

    run_id: str | None = "one"
    now: float = 0.0
    away: bool = False

    def __post_init__(self) -> None:
        self.lag = QueueLag(self.left_waiting, LAG, lambda: self.now)

    def left_waiting(self) -> str | None:
        if self.away:
            raise StoreUnavailableError("away")
        return self.run_id

    def for_seconds(self, seconds: float, step: float = 5.0) -> str | None:
        end = self.now + seconds
        while self.now < end:
            self.now += step
            self.lag.look()
        return self.lag.late_for


def test_a_run_that_stays_first_for_longer_than_the_lag_is_left_waiting() -> None:
    looking = Looking()
    assert looking.for_seconds(LAG) is None
    assert looking.for_seconds(10) == "one"


def test_where_runs_are_begun_nothing_is_late() -> None:
    looking = Looking()
    for run_id in ("one", "two", "three"):
        looking.run_id = run_id
        assert looking.for_seconds(LAG - 5) is None


@pytest.mark.parametrize("pause", [5, 2 * LAG])
def test_once_the_node_worked_the_wait_begins_anew(pause: float) -> None:
    looking = Looking()
    looking.for_seconds(LAG)
    looking.run_id = None
    looking.for_seconds(pause)
    looking.run_id = "one"
    assert looking.for_seconds(LAG) is None
    assert looking.for_seconds(10) == "one"


def test_a_database_that_is_away_and_a_machine_that_stood_still_leave_nothing_known() -> None:
    looking = Looking()
    looking.for_seconds(LAG)
    looking.away = True
    with pytest.raises(StoreUnavailableError):
        looking.for_seconds(5)
    looking.away = False
    assert looking.for_seconds(LAG) is None
    looking.now += 10 * LAG
    assert looking.for_seconds(LAG) is None


def test_what_is_forgotten_is_late_no_more() -> None:
    looking = Looking()
    assert looking.for_seconds(LAG + 10) == "one"
    looking.lag.forget()
    assert looking.lag.late_for is None


@dataclass
class Deaf:
    """A worker that reports and reaches its broker, and never takes a message; it has its companion."""

    settings: StoreSettings
    store: RunStore
    companion: Companion

    def lives(self) -> bool:
        self.companion.pulse()
        return worker_lives(self.settings)


@pytest.fixture
def deaf(tmp_path: Path, broker: EmbeddedBroker) -> Iterator[Deaf]:
    settings = StoreSettings(data_dir=tmp_path)
    url = settings.effective_database_url
    with closing(open_store(url)) as store:
        companion = Companion(CompanionConfig(f"{NODE}-1", url, broker.url, 0.1, limits=(1, None), lag_seconds=1.0))
        yield Deaf(settings, store, companion)
        companion.close()


def test_a_worker_that_does_not_hear_its_bell_is_not_alive_until_it_works(deaf: Deaf) -> None:
    eventually(deaf.lives, 60)
    run_id = a_run(deaf.store)
    eventually(lambda: not deaf.lives(), 60, what="a worker that is given up")
    assert deaf.store.claim(run_id, f"{NODE}-7", 60)
    eventually(deaf.lives, 60, what="a worker that is alive again")


def test_while_no_bell_can_be_rung_no_worker_is_late(sqlite_store: RunStore) -> None:
    looking, broker_is_away = Looking(a_run(sqlite_store)), [False]

    def waiting_messages() -> int:
        if broker_is_away[0]:
            raise BrokerUnavailableError("away")
        return 1

    one_round = Round(sqlite_store, Reconciler(sqlite_store, print, waiting_messages, 0), looking.lag, None, None)

    def late_after(seconds: float) -> bool:
        end = looking.now + seconds
        while looking.now < end:
            looking.now += 5
            one_round()
        return looking.lag.late_for == looking.run_id

    assert not late_after(LAG)
    broker_is_away[0] = True
    assert not late_after(5)
    broker_is_away[0] = False
    assert not late_after(LAG)
    assert late_after(10)


def test_a_workers_companion_knows_its_limits_and_its_node(tmp_path: Path) -> None:
    settings = WorkerSettings(data_dir=tmp_path, runs_per_repository=3, runs_per_installation=None)
    config = companion_config(settings, "redis://x", 5.0)
    assert config.limits == (3, None)
    assert config.lag_seconds == LAG_SECONDS == 60
    assert config.node == f"{NODE}-"
