"""Whom `make chaos` strikes."""

import os
import subprocess
import sys
from contextlib import suppress

from bench.chaos.processes import Kind, descendants, processes_of
from tests.support.processes import eventually

FORKS = """
import os, sys
for _ in range(2):
    if os.fork():
        break
sys.stdin.read()
"""


def test_what_the_pool_has_just_forked_is_not_taken_for_the_pool() -> None:
    """A box that is about to start has the command of who starts it."""
    argv = [sys.executable, "-c", FORKS, "app.cli", "worker"]
    with subprocess.Popen(argv, stdin=subprocess.PIPE) as worker:
        try:
            eventually(lambda: len([*descendants(worker.pid)]) == 2, what="two forks")
            pool = next(iter(descendants(worker.pid)))
            assert processes_of(os.getpid()) == {worker.pid: Kind.WORKER, pool: Kind.POOL}
        finally:
            with suppress(BrokenPipeError):
                worker.communicate()
