"""Children are started in order, started again later and later, and none outlives the supervisor."""

import itertools
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from functools import partial
from pathlib import Path

import pytest

from tests.support.processes import children_of, eventually, is_alive
from workers.supervisor import Backoff, Child, Supervisor
from workers.watchdog import Watchdog, WatchdogTimes

QUICK = Backoff(first_seconds=0.05, longest_seconds=0.4, steady_seconds=60)
SLEEP = "import time; time.sleep(60)"


def python(name: str, program: str, **options: object) -> Child:
    return Child(name, (sys.executable, "-I", "-c", program), dict(os.environ), **options)  # type: ignore[arg-type]


def sleeper(notes: Path, name: str, **options: object) -> Child:
    """A child that notes its process, for `pids_of`."""
    return python(name, f"import os; print(os.getpid(), file=open({str(notes / name)!r}, 'a')); {SLEEP}", **options)


def pids_of(notes: Path, name: str) -> list[int]:
    """Each process that the child of `sleeper` had so far."""
    file = notes / name
    return [int(line) for line in file.read_text().split()] if file.exists() else []


@contextmanager
def running(supervisor: Supervisor) -> Iterator[None]:
    """In a thread which lasts as long as this."""
    thread = threading.Thread(target=supervisor.run)
    thread.start()
    try:
        yield
    finally:
        supervisor.stop()
        thread.join()


def supervised(children: Sequence[Child], backoff: Backoff = QUICK) -> AbstractContextManager[None]:
    return running(Supervisor(children, backoff))


def test_the_next_child_starts_once_the_one_before_is_ready(tmp_path: Path) -> None:
    flag = tmp_path / "flag"
    with supervised([sleeper(tmp_path, "first", ready=flag.exists), sleeper(tmp_path, "second")]):
        eventually(lambda: pids_of(tmp_path, "first"))
        time.sleep(0.5)
        assert not pids_of(tmp_path, "second")
        flag.touch()
        eventually(lambda: pids_of(tmp_path, "second"))


def test_a_child_that_died_is_started_again(tmp_path: Path) -> None:
    with supervised([sleeper(tmp_path, "one"), sleeper(tmp_path, "other")]):
        eventually(lambda: pids_of(tmp_path, "one") and pids_of(tmp_path, "other"))
        os.kill(pids_of(tmp_path, "one")[0], signal.SIGKILL)
        eventually(lambda: len(pids_of(tmp_path, "one")) == 2)
        [other] = pids_of(tmp_path, "other")
        assert is_alive(other)


def test_a_child_that_keeps_dying_is_started_less_and_less_often(tmp_path: Path) -> None:
    starts = tmp_path / "starts"
    program = f"import time; open({str(starts)!r}, 'a').write(f'{{time.time()}}\\n')"
    with supervised([python("one", program)]):
        eventually(lambda: starts.exists() and len(starts.read_text().splitlines()) >= 5)
    times = [float(line) for line in starts.read_text().splitlines()]
    gaps = [later - earlier for earlier, later in itertools.pairwise(times)]
    assert all(gap >= wait for gap, wait in zip(gaps, (0.05, 0.1, 0.2, 0.4), strict=False))


@pytest.mark.parametrize(("early_ends", "seconds"), [(1, 0.5), (2, 1), (3, 2), (6, 16), (7, 30), (2000, 30)])
def test_the_wait_is_doubled_up_to_the_longest(early_ends: int, seconds: float) -> None:
    assert Backoff().wait_seconds(early_ends) == seconds


def test_what_a_dead_child_left_in_its_group_is_cleared(tmp_path: Path) -> None:
    note = tmp_path / "grandchild"
    program = (
        "import subprocess, sys, time\n"
        f"child = subprocess.Popen([sys.executable, '-c', {SLEEP!r}])\n"
        f"open({str(note)!r}, 'w').write(str(child.pid))\n"
        "sys.exit(1)\n"
    )
    with supervised([python("one", program)], Backoff(first_seconds=60)):
        eventually(lambda: note.exists() and note.read_text())
        eventually(lambda: not is_alive(int(note.read_text())))


ASKED = "import signal, sys, time; signal.signal(15, lambda *_: {end}); open({ready!r}, 'w'); time.sleep(60)"


@pytest.mark.parametrize(("end", "status"), [("sys.exit(7)", "7"), ("None", "-9")], ids=["ends", "does not listen"])
def test_a_child_that_does_not_do_its_work_is_asked_to_end_and_started_again(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, end: str, status: str
) -> None:
    """Q10: it runs, and nothing but its work tells that it is deaf."""
    ready = tmp_path / "ready"
    program = ASKED.format(end=end, ready=str(ready))
    deaf = python("deaf", program, alive=lambda: not ready.exists(), grace_seconds=1.0)
    supervisor = Supervisor([deaf, sleeper(tmp_path, "other")], QUICK, WatchdogTimes(0.0, 0.05, 3))
    with running(supervisor):
        eventually(lambda: f"deaf ended with {status};" in caplog.text)
        [other] = pids_of(tmp_path, "other")
        assert is_alive(other)
    assert "deaf runs, but does not do its work" in caplog.text


def test_a_process_is_given_up_after_failures_in_a_row_and_not_before_it_had_time_to_start() -> None:
    answers = [False, False, True, False, False, False]
    seen: list[bool] = []

    def alive() -> bool:
        seen.append(answers[len(seen)])
        return seen[-1]

    def asked_at(now: float, times: int) -> bool:
        watchdog.look(now)  # nothing, while the answer before is still on its way
        return len(seen) == times

    watchdog = Watchdog(alive, WatchdogTimes(first_seconds=60, every_seconds=30, failures=3), started=1_000)
    watchdog.look(1_059)
    assert not asked_at(1_059, 1)
    for number in range(5):
        eventually(partial(asked_at, 1_060 + 30 * number, number + 1))
        assert not watchdog.lost
    eventually(lambda: asked_at(1_210, 6) and watchdog.lost)


def test_stopping_asks_first_and_then_kills(tmp_path: Path) -> None:
    polite, started = tmp_path / "polite", tmp_path / "started"
    told = f"open({str(started)!r}, 'a').write(f'{{os.getpid()}}\\n'); time.sleep(60)\n"
    asks = (
        "import os, signal, sys, time\n"
        f"def end(*_): open({str(polite)!r}, 'w').write('asked'); sys.exit(0)\n"
        f"signal.signal(signal.SIGTERM, end); {told}"
    )
    stubborn = f"import os, signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); {told}"
    with supervised([python("asks", asks), python("stubborn", stubborn, grace_seconds=0.3)]):
        eventually(lambda: len(pids_of(tmp_path, "started")) == 2)
    assert polite.read_text() == "asked"
    assert not any(is_alive(pid) for pid in pids_of(tmp_path, "started"))


SUPERVISOR_PROGRAM = """
import os, sys
from workers.supervisor import Child, Supervisor
sleeper = ("{python}", "-c", "import os, time; os.write(1, bytes([33])); time.sleep(60)")
Supervisor([Child(name, sleeper, dict(os.environ), grace_seconds=2) for name in ("broker", "worker", "web")]).run()
""".replace("{python}", sys.executable)


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_no_child_outlives_the_supervisor(how: signal.Signals) -> None:
    supervisor = subprocess.Popen([sys.executable, "-c", SUPERVISOR_PROGRAM], stdout=subprocess.PIPE)
    assert supervisor.stdout is not None
    assert supervisor.stdout.read(3) == b"!!!"  # each child has started
    children = children_of(supervisor.pid)
    assert len(children) == 3
    supervisor.send_signal(how)
    assert supervisor.wait(60) == (-signal.SIGKILL if how is signal.SIGKILL else 0)
    supervisor.stdout.close()
    eventually(lambda: not any(is_alive(pid) for pid in children))


def test_a_child_gets_the_environment_that_it_was_given_and_no_more(tmp_path: Path) -> None:
    seen = tmp_path / "seen"
    program = f"import os; open({str(seen)!r}, 'w').write(repr(sorted(os.environ)))"
    child = Child("one", (sys.executable, "-I", "-c", program), {"AGENT_FIX_LABEL": "x"})
    with supervised([child], Backoff(first_seconds=60)):
        eventually(lambda: seen.exists() and seen.read_text())
    assert [name for name in eval(seen.read_text()) if name != "LC_CTYPE"] == ["AGENT_FIX_LABEL"]
