"""The tests that run beside the making of images end with the one that started them."""

import os
import signal
import time
from pathlib import Path

import pytest

from scripts import test as script


@pytest.fixture(autouse=True)
def reports(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(script, "REPORTS", tmp_path)


def children() -> set[str]:
    return {pid for task in Path("/proc/self/task").glob("*/children") for pid in task.read_text().split()}


def test_who_is_ended_meanwhile_leaves_no_process_behind_and_does_not_wait_for_it() -> None:
    before, began = children(), time.monotonic()
    with pytest.raises(SystemExit), script.begun("all", ("tests", "--collect-only", "-qq"), dict(os.environ)):
        raise SystemExit(143)
    assert children() <= before
    assert time.monotonic() - began < 5


def test_who_is_ended_while_it_waits_leaves_no_process_behind() -> None:
    before = children()

    def ended(*_: object) -> None:
        raise SystemExit(143)

    old = signal.signal(signal.SIGALRM, ended)
    try:
        signal.setitimer(signal.ITIMER_REAL, 1)
        with pytest.raises(SystemExit):
            script.run_pytest("all", ("tests", "--collect-only", "-qq"), dict(os.environ))
    finally:
        signal.signal(signal.SIGALRM, old)
    assert children() <= before


def test_what_failed_while_the_images_were_made_fails_the_whole(capfd: pytest.CaptureFixture[str]) -> None:
    good = ("tests/test_begun.py", "-q", "--collect-only")
    assert script.run_all(good, dict(os.environ), {"boxless": 1}) == 1
    assert "the boxless tests FAILED (pytest ended with 1)" in capfd.readouterr().err


@pytest.mark.parametrize(
    ("marks", "runs"),
    [((), ["boxless"]), (("docker",), ["boxed"]), (("bubblewrap", "registry"), ["boxed"]), (("docker", "long"), [])],
)
def test_a_test_is_of_one_run(marks: tuple[str, ...], runs: list[str], tmp_path: Path) -> None:
    lines = ["import pytest", *(f"@pytest.mark.{mark}" for mark in marks), "def test_it(): pass"]
    (tmp_path / "test_one.py").write_text("\n".join(lines))
    only = {"boxless": script.BOXLESS[-1], "boxed": script.RUNS["boxed"][-1]}
    codes = {
        name: script.run_pytest(name, (str(tmp_path), "-m", marked), dict(os.environ)) for name, marked in only.items()
    }
    assert [name for name, code in codes.items() if code == 0] == runs
    assert {code for name, code in codes.items() if name not in runs} <= {script.NOTHING_COLLECTED}
