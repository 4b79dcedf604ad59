"""The tests are compiled beside the making of images, by a process that ends with the one that started it."""

import os
import signal
import time
from pathlib import Path

import pytest

from scripts.test import compiled_meanwhile


def children() -> set[str]:
    return {pid for task in Path("/proc/self/task").glob("*/children") for pid in task.read_text().split()}


def test_who_is_ended_meanwhile_leaves_no_process_behind_and_does_not_wait_for_it() -> None:
    before, began = children(), time.monotonic()
    with pytest.raises(SystemExit), compiled_meanwhile((), dict(os.environ)):
        raise SystemExit(143)
    assert children() <= before
    assert time.monotonic() - began < 5


def test_who_is_ended_while_it_waits_leaves_no_process_behind() -> None:
    before = children()

    def ended(*_: object) -> None:
        raise SystemExit(143)

    old = signal.signal(signal.SIGALRM, ended)
    try:
        with pytest.raises(SystemExit), compiled_meanwhile((), dict(os.environ)):
            signal.setitimer(signal.ITIMER_REAL, 0.2)
    finally:
        signal.signal(signal.SIGALRM, old)
    assert children() <= before


def test_a_part_of_the_tests_is_not_compiled_before() -> None:
    before = children()
    with compiled_meanwhile(("tests/agent", "-n", "2"), dict(os.environ)):
        assert children() <= before
