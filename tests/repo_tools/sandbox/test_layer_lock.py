"""One maker at a time, and nobody waits for ever."""

import threading
import time
from pathlib import Path

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


def test_makers_of_other_keys_do_not_wait(tmp_path: Path) -> None:
    with one_maker(tmp_path, KEY, 60), one_maker(tmp_path, "cd" * 20, 60):
        assert {path.name for path in tmp_path.iterdir()} == {"ab", "cd"}


def test_a_maker_that_takes_too_long_is_not_waited_for(tmp_path: Path) -> None:
    with one_maker(tmp_path, KEY, 60):
        started = time.monotonic()
        with one_maker(tmp_path, KEY, 0.1):
            waited = time.monotonic() - started
    assert 0.1 <= waited < 30
