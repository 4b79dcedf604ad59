"""What the process beside a worker says stands in the log like everything else: with its time and its name."""

import json
import logging
import subprocess
import sys
from dataclasses import asdict
from pathlib import Path

import pytest

from tests.support.issues import a_run
from tests.support.sqlite_file import with_tables
from workers.companion import CompanionConfig, Round
from workers.queue_lag import QueueLag
from workers.reconciler import Reconciler
from workers.store import open_store


def test_a_broker_that_is_away_is_told_with_time_and_name(tmp_path: Path) -> None:
    url = with_tables(tmp_path / "store.db")
    store = open_store(url)
    a_run(store)
    store.close()
    config = CompanionConfig("node-1", url, "redis://127.0.0.1:1/0", interval_seconds=0.05)
    program = [sys.executable, "-m", "workers.companion"]
    with subprocess.Popen(program, stdin=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdin is not None
        assert process.stderr is not None
        process.stdin.write(f"{json.dumps(asdict(config))}\n")
        process.stdin.flush()
        line = process.stderr.readline()
        process.stdin.close()
        process.stderr.read()
    assert line[:4].isdigit()
    assert "WARNING workers.companion: BrokerUnavailableError: the broker cannot be used (" in line


def test_a_run_that_waits_for_an_idle_worker_is_told_once_and_not_at_each_round(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    store = open_store(with_tables(tmp_path / "store.db"))
    first_in_turn = ["one"]
    lag = QueueLag(lambda: first_in_turn[0], lag_seconds=0.0)
    one_round = Round(store, Reconciler(store, lambda _: None, lambda: 0, 1.0), lag, None, None)
    with caplog.at_level(logging.ERROR, "workers.companion"):
        for run in ("one", "one", "one", "two", "two"):
            first_in_turn[0] = run
            one_round()
    assert [record.args for record in caplog.records] == [("one",), ("two",)]
    store.close()
