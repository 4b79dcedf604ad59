"""Layers as folders: whole or not there, kept within bounds, and never taken from under a box."""

import ctypes
import errno
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

from repo_tools.errors import DiskFullError, LayerGoneError, SandboxError
from repo_tools.sandbox.contract import Making
from repo_tools.sandbox.layer_folders import BOOT_ID, UNSETTLED_FILE, LayerFolders
from repo_tools.sandbox.layers import LayerLimits
from tests.support.threads import wait_for_threads

KEY, OTHER, THIRD = "ab" * 20, "cd" * 20, "ef" * 20
DAY = 86_400.0


def fill(folder: Path) -> int:
    (folder / "content").write_text("x")
    return 40


def unused_for(folder: Path, key: str, seconds: float) -> None:
    os.utime(folder / key / "lock", (0, time.time() - seconds))


def names(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


def test_a_layer_and_how_it_was_made_are_found_again(tmp_path: Path) -> None:
    layers = LayerFolders(tmp_path)
    assert layers.find(KEY) is None
    layer = layers.keep(KEY, fill, Making(3.0, ("refused.example",), "log"))
    assert LayerFolders(tmp_path).find(KEY) == layer
    assert (layer.making.refused_hosts, layer.making.log, layer.making.seconds) == (("refused.example",), "log", 3.0)
    assert time.time() - layer.making.made_at < 60
    assert [path.name for path in Path(layer.reference).iterdir()] == ["content"]


def test_a_layer_whose_making_fails_is_not_there(tmp_path: Path) -> None:
    def fail(folder: Path) -> int:
        (folder / "half").write_text("x")
        raise SandboxError("broken")

    layers = LayerFolders(tmp_path)
    with pytest.raises(SandboxError):
        layers.keep(KEY, fail)
    assert layers.find(KEY) is None
    assert names(tmp_path) == set()


def test_a_layer_is_there_before_it_is_on_disk_but_not_after_the_machine_went_down_meanwhile(tmp_path: Path) -> None:
    layers = LayerFolders(tmp_path)
    place = Path(layers.keep(KEY, fill).reference).parent
    wait_for_threads("settle")  # its own, which would settle what this test unsettles
    assert not (place / UNSETTLED_FILE).exists()
    (place / UNSETTLED_FILE).write_bytes(BOOT_ID.read_bytes())
    assert layers.find(KEY)
    (place / UNSETTLED_FILE).write_bytes(b"")  # as a file is that was not on disk either
    assert layers.find(KEY) is None
    again = layers.keep(KEY, fill)
    assert layers.find(KEY) == again
    wait_for_threads("settle")
    (place / UNSETTLED_FILE).write_text("an earlier start")
    unused_for(tmp_path, KEY, DAY)
    layers.sweep()
    assert names(tmp_path) == set()


def test_of_two_makers_of_a_layer_the_first_wins(tmp_path: Path) -> None:
    layers = LayerFolders(tmp_path)

    def second(folder: Path) -> int:
        layers.keep(KEY, fill)
        (folder / "second").touch()
        return 40

    layer = layers.keep(KEY, second)
    assert [path.name for path in Path(layer.reference).iterdir()] == ["content"]
    assert names(tmp_path) == {KEY}


def test_many_makers_at_once_leave_one_whole_layer(tmp_path: Path) -> None:
    program = f"""
import sys
from pathlib import Path
from repo_tools.sandbox.layer_folders import BOOT_ID, UNSETTLED_FILE, LayerFolders, settle
def fill(folder):
    for number in range(50):
        (folder / str(number)).write_text("x")
    return 50
sys.stdin.readline()
layer = LayerFolders(Path({str(tmp_path)!r})).keep({KEY!r}, fill)
print(len(list(Path(layer.reference).iterdir())), flush=True)
"""
    makers = [
        subprocess.Popen([sys.executable, "-c", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        for _ in range(4)
    ]
    for maker in makers:
        assert maker.stdin
        maker.stdin.write("go\n")
        maker.stdin.flush()
    said = [maker.communicate()[0] for maker in makers]
    assert said == ["50\n"] * 4
    assert names(tmp_path) == {KEY}


def test_a_sweep_at_any_moment_takes_nothing_away_from_who_makes_a_layer(tmp_path: Path) -> None:
    program = f"""
import sys
from pathlib import Path
from repo_tools.sandbox.layer_folders import LayerFolders
layers = LayerFolders(Path({str(tmp_path)!r}))
sweeping, sweeps = False, 0
def sweep(event, _):
    global sweeping, sweeps
    if event in ("open", "fcntl.flock", "os.mkdir", "os.rename", "os.utime") and not sweeping:
        sweeping = True
        layers.sweep()
        sweeping, sweeps = False, sweeps + 1
def fill(folder):
    (folder / "content").touch()
    return 1
layers.sweep()
sys.addaudithook(sweep)
layer = layers.keep({KEY!r}, fill)
print(sweeps > 5, *(path.name for path in Path(layer.reference).iterdir()))
"""
    maker = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert maker.stdout == "True content\n", maker.stderr


def test_an_outdated_layer_is_not_found_and_is_replaced(tmp_path: Path) -> None:
    now = time.time()
    old = LayerFolders(tmp_path, clock=lambda: now - 8 * DAY).keep(KEY, lambda folder: 0)
    layers = LayerFolders(tmp_path)
    assert layers.find(KEY) is None
    layer = layers.keep(KEY, fill)
    assert layer.making.made_at > old.making.made_at + 7 * DAY
    assert [path.name for path in Path(layer.reference).iterdir()] == ["content"]
    assert names(tmp_path) == {KEY}


def test_an_outdated_layer_that_is_in_use_stays_until_its_box_ends(tmp_path: Path) -> None:
    now = time.time()
    before = LayerFolders(tmp_path, clock=lambda: now - 8 * DAY)
    layers = LayerFolders(tmp_path)
    old = before.keep(KEY, fill)
    inside = os.open(old.reference, os.O_RDONLY)
    with before.hold(old):
        layers.keep(KEY, fill)
        layers.sweep()
        assert os.listdir(inside) == ["content"]
    layers.sweep()
    assert os.listdir(inside) == []
    os.close(inside)
    assert names(tmp_path) == {KEY}


def test_what_was_not_used_for_the_longest_time_makes_room(tmp_path: Path) -> None:
    layers = LayerFolders(tmp_path, LayerLimits(most_bytes=100))
    layers.keep(KEY, fill)
    layers.keep(OTHER, fill)
    unused_for(tmp_path, KEY, 2 * DAY)
    unused_for(tmp_path, OTHER, 3 * DAY)
    assert layers.find(OTHER), "used now"
    layers.keep(THIRD, fill)
    assert names(tmp_path) == {OTHER, THIRD}


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EDQUOT])
def test_a_disk_that_is_full_before_the_bound_is_reached_is_told_and_half_of_what_is_kept_goes(
    tmp_path: Path, number: int
) -> None:
    def full(_: Path) -> int:
        raise OSError(number, "no room")

    layers = LayerFolders(tmp_path)
    for days, key in enumerate((KEY, OTHER), 1):
        layers.keep(key, fill)
        unused_for(tmp_path, key, days * DAY)
    with pytest.raises(DiskFullError, match="is full"):
        layers.keep(THIRD, full)
    assert names(tmp_path) == {KEY}


def test_a_layer_whose_folder_was_taken_away_is_made_anew(tmp_path: Path) -> None:
    layers = LayerFolders(tmp_path)
    shutil.rmtree(layers.keep(KEY, fill).reference)
    assert layers.find(KEY) is None
    assert (Path(layers.keep(KEY, fill).reference) / "content").exists()


def test_a_layer_that_a_box_uses_is_never_evicted(tmp_path: Path) -> None:
    layers = LayerFolders(tmp_path, LayerLimits(most_bytes=100))
    held = layers.keep(KEY, fill)
    layers.keep(OTHER, fill)
    with layers.hold(held):
        unused_for(tmp_path, KEY, 3 * DAY)
        unused_for(tmp_path, OTHER, 2 * DAY)
        layers.keep(THIRD, fill)
        assert names(tmp_path) == {KEY, THIRD}
    unused_for(tmp_path, KEY, 3 * DAY)
    layers.sweep(50)
    assert names(tmp_path) == {THIRD}


def test_the_hold_of_a_worker_that_is_killed_ends(tmp_path: Path) -> None:
    layers = LayerFolders(tmp_path, LayerLimits(most_bytes=10))
    layers.keep(KEY, fill)
    program = f"""
from pathlib import Path
from repo_tools.sandbox.layer_folders import BOOT_ID, UNSETTLED_FILE, LayerFolders, settle
layers = LayerFolders(Path({str(tmp_path)!r}))
held = layers.hold(layers.find({KEY!r}))
print("held", flush=True)
input()
"""
    worker = subprocess.Popen([sys.executable, "-c", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert worker.stdout
    assert worker.stdout.readline() == b"held\n"
    unused_for(tmp_path, KEY, DAY)
    layers.sweep()
    assert names(tmp_path) == {KEY}
    worker.kill()
    worker.communicate()
    layers.sweep()
    assert names(tmp_path) == set()


def without_capabilities() -> None:
    """Before a program starts: for its files it is a worker that is not root."""
    ctypes.CDLL(None).prctl(28, 1, 0, 0, 0)  # PR_SET_SECUREBITS, SECBIT_NOROOT (capabilities(7))


def test_a_worker_that_is_not_root_removes_folders_that_may_not_be_written(tmp_path: Path) -> None:
    program = f"""
import os
from pathlib import Path
from repo_tools.sandbox.layer_folders import LayerFolders

def fill(folder):
    module = folder / "pkg" / "mod"
    module.mkdir(parents=True)
    (module / "a.go").touch()
    (module / "elsewhere").symlink_to({str(tmp_path)!r})
    module.chmod(0o555)
    return 40

def fail(folder):
    fill(folder)
    raise ValueError

layers = LayerFolders(Path({str(tmp_path)!r}) / "layers")
layers.keep({KEY!r}, fill)
try:
    layers.keep({OTHER!r}, fail)
except ValueError:
    pass
LayerFolders(Path({str(tmp_path)!r}) / "layers", clock=lambda: 10**10).sweep()
"""
    tmp_path.chmod(0o755)
    subprocess.run([sys.executable, "-c", program], preexec_fn=without_capabilities, check=True)
    assert names(tmp_path / "layers") == set()
    assert tmp_path.stat().st_mode & 0o777 == 0o755, "links are not followed"


def test_a_layer_that_went_between_finding_and_use_is_worth_another_try(tmp_path: Path) -> None:
    layers = LayerFolders(tmp_path, LayerLimits(most_bytes=10))
    layer = layers.keep(KEY, fill)
    unused_for(tmp_path, KEY, DAY)
    layers.sweep()
    with pytest.raises(LayerGoneError):
        layers.hold(layer)


def test_what_dead_makers_left_is_removed_and_what_is_being_made_is_not(tmp_path: Path) -> None:
    for name, age_hours in ((".making-dead", 2), (".leaving-dead", 2), (KEY, 2), (".making-just-begun", 0)):
        (tmp_path / name / "environment").mkdir(parents=True)
        os.utime(tmp_path / name, (0, time.time() - age_hours * 3600))
    (tmp_path / ".making-killed").mkdir()
    (tmp_path / ".making-killed" / "lock").touch()

    def sweep_meanwhile(folder: Path) -> int:
        LayerFolders(tmp_path).sweep()
        return fill(folder)

    LayerFolders(tmp_path).keep(OTHER, sweep_meanwhile)
    assert names(tmp_path) == {OTHER, ".making-just-begun"}
