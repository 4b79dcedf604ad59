"""Processes have names that are never used twice, and only those that are certainly gone count as gone."""

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from repo_tools.sandbox.owner import has_ended, installation_id, owner_labels, this_process

ROOT = Path(__file__).parents[3]
NAME = "from repo_tools.sandbox.owner import this_process; print(this_process(), flush=True); input()"


def test_this_process_lives() -> None:
    assert not has_ended(this_process())


def test_a_process_is_gone_once_it_was_killed_and_not_before() -> None:
    argv = [sys.executable, "-c", NAME]
    with subprocess.Popen(argv, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as other:
        assert other.stdout
        name = other.stdout.readline().decode().strip()
        assert not has_ended(name)
        other.kill()
        os.waitid(os.P_PID, other.pid, os.WEXITED | os.WNOWAIT)
        assert has_ended(name), "what is left of a process before its parent looks is no process"
    assert has_ended(name)


def test_a_number_that_was_used_again_is_another_process() -> None:
    place, pid, started = this_process().split(":")
    assert has_ended(f"{place}:{pid}:{int(started) - 1}")


def test_what_cannot_be_seen_from_here_may_well_live() -> None:
    _, pid, started = this_process().split(":")
    boot, namespace = this_process().split(":")[0].split("/")
    assert not has_ended(f"another-boot/{namespace}:999999:{started}")
    assert not has_ended(f"{boot}/1:{pid}:{int(started) - 1}")
    assert not has_ended("")
    assert not has_ended("nonsense")


def test_an_installation_keeps_its_name(tmp_path: Path) -> None:
    with ThreadPoolExecutor(8) as pool:
        names = set(pool.map(installation_id, [tmp_path / "data"] * 8))
    assert names == {installation_id(tmp_path / "data")}
    assert names != {installation_id(tmp_path / "other")}
    assert os.listdir(tmp_path / "data") == ["installation"]


def test_an_installation_without_a_name_gets_one(tmp_path: Path) -> None:
    (tmp_path / "installation").write_text("")
    assert installation_id(tmp_path)
    assert installation_id(tmp_path) == installation_id(tmp_path)


def test_labels_name_both() -> None:
    assert owner_labels("mine") == {"agent-fix.installation": "mine", "agent-fix.worker": this_process()}
