"""One maker at a time, and nobody waits for ever."""

import threading
import time
from pathlib import Path

import pytest

from repo_tools.sandbox.layer_lock import one_maker

KEY = "ab" * 20


def test_a_second_maker_of_a_key_waits_for_the_first(tmp_path: Path) -> None:
    said: list[str] = []

    def second() -> None:
        with one_maker(tmp_path, KEY, 60):
            said.append("second")

    with one_maker(tmp_path, KEY, 60):
        waiting = threading.Thread(target=second)
        waiting.start()
        time.sleep(0.3)
        said.append("first")
    waiting.join()
    assert said == ["first", "second"]


@pytest.mark.parametrize("other", ["cd" * 20, "ab" * 7 + "cd" * 13])
def test_makers_of_other_keys_do_not_wait_however_alike_they_begin(tmp_path: Path, other: str) -> None:
    with one_maker(tmp_path, KEY, 60):
        started = time.monotonic()
        with one_maker(tmp_path, other, 5):
            assert time.monotonic() - started < 2
        assert len([*tmp_path.iterdir()]) == 1


def test_a_maker_that_takes_too_long_is_not_waited_for(tmp_path: Path) -> None:
    with one_maker(tmp_path, KEY, 60):
        started = time.monotonic()
        with one_maker(tmp_path, KEY, 0.1):
            waited = time.monotonic() - started
    assert 0.1 <= waited < 30
