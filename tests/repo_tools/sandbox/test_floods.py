"""What is large beyond reason costs a box and its worker no more than they have for it, on every engine."""

import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from repo_tools.sandbox.contract import BoxSpec, Limits, Sandbox, SandboxEngine
from tests.support.boxes import MIB, TIGHT, box_peak_bytes, python, sh
from tests.support.engine import docker_settings
from tests.support.flood_program import flood
from tests.support.long import first_of

MOST_GROWTH_BYTES = 8 * MIB
MOST_BOX_BYTES = 64 * MIB
FLOODS = {
    "one endless line": "head -c 300000000 /dev/zero | tr '\\0' x",
    "lines": "yes | head -c 300000000",
    "both outputs at once": "head -c 150000000 /dev/zero >&2 & head -c 150000000 /dev/zero; wait",
}


@pytest.mark.parametrize("script", FLOODS)
def test_output_without_end_keeps_memory_flat_on_both_sides(engine: SandboxEngine, tmp_path: Path, script: str) -> None:
    """F07."""
    settings = docker_settings() if engine.name == "docker" else {}
    told = flood(engine.name, tmp_path, FLOODS[script], settings)
    assert (told.exit_code, told.output_bytes) == (0, 200_000)
    assert told.growth_bytes < MOST_GROWTH_BYTES
    assert told.box_bytes < MOST_BOX_BYTES


@pytest.fixture
def roomy_box(engine: SandboxEngine) -> Iterator[Sandbox]:
    """With the limits that runs have."""
    with engine.start(BoxSpec(limits=Limits(memory_bytes=1024 * MIB))) as box:
        yield box


def test_a_file_of_two_gigabytes_costs_what_is_read(roomy_box: Sandbox) -> None:
    """F07. In the tree it stands with all its bytes, as git would see it."""
    sh(roomy_box, "truncate -s 2G big; printf end >> big")
    assert roomy_box.read("/workspace/big", max_bytes=10) == bytes(10)
    assert list(roomy_box.tree()) == ["big"]
    assert box_peak_bytes(roomy_box) < MOST_BOX_BYTES


def test_a_line_of_fifty_megabytes_is_taken_and_given_in_pieces(roomy_box: Sandbox) -> None:
    """F07."""
    line = b"\xff\0" * (25 * MIB)
    roomy_box.write("/workspace/line", line)
    assert roomy_box.read("/workspace/line", max_bytes=100 * MIB) == line
    with tempfile.TemporaryFile() as archive:
        roomy_box.download("/workspace", archive)
        assert archive.tell() > len(line)
    assert box_peak_bytes(roomy_box) < MOST_BOX_BYTES


MANY_FILES = """
import os
for folder in range(100):
    os.mkdir("f%d" % folder)
    for number in range(1000):
        open("f%d/%d" % (folder, number), "w").close()
"""


def test_a_hundred_thousand_small_files_are_listed_and_deleted(roomy_box: Sandbox) -> None:
    """F08."""
    assert python(roomy_box, MANY_FILES, timeout_seconds=120).exit_code == 0
    assert len(roomy_box.tree()) == 100_000
    for number in range(100):
        roomy_box.delete(f"/workspace/f{number}")
    assert roomy_box.tree() == {}
    assert box_peak_bytes(roomy_box) < 2 * MOST_BOX_BYTES


LARGE_ALLOCATIONS = {
    "64 GB at once": "x = bytearray(64 << 30)",
    "64 GB mapped, then touched": "import mmap\nx = mmap.mmap(-1, 64 << 30)\n"
    "for n in range(0, 64 << 30, 4096): x[n] = 1",
}


@pytest.mark.parametrize("how", LARGE_ALLOCATIONS)
def test_sixty_four_gigabytes_are_not_to_be_had(engine: SandboxEngine, how: str) -> None:
    """S03."""
    with engine.start(BoxSpec(limits=TIGHT)) as box:
        result = python(box, LARGE_ALLOCATIONS[how], timeout_seconds=60)
        assert result.exit_code in (1, 137)
        assert not result.timed_out
        assert sh(box, "echo here").output == b"here\n"


SLEEPS = {
    "thirty days": "time.sleep(2592000)",
    "past alarms": "signal.alarm(2592000); signal.pause()",
    "on a clock of its own": "os.environ['TZ'] = 'XXX-167'; time.tzset(); time.sleep(2592000)",
    "stopped": "os.kill(os.getpid(), signal.SIGSTOP)",
}


@pytest.mark.parametrize("how", first_of(SLEEPS, always=2))
def test_a_command_sleeps_no_longer_than_its_time_out(box: Sandbox, how: str) -> None:
    """S12."""
    began = time.monotonic()
    result = python(box, f"import os, signal, time\n{SLEEPS[how]}", timeout_seconds=3)
    assert (result.exit_code, result.timed_out) == (124, True)
    assert 3 <= result.seconds < 30
    assert time.monotonic() - began < 30


CLOCKS = {
    "set": "time.clock_settime(time.CLOCK_REALTIME, 0)",
    "stepped": "print(ctypes.CDLL(None).settimeofday((ctypes.c_long * 2)(0, 0), None)); raise PermissionError",
    "in a namespace of its own": "assert ctypes.CDLL(None).unshare(0x80) == -1; raise PermissionError",
}


@pytest.mark.parametrize("how", CLOCKS)
def test_no_command_moves_the_clock(box: Sandbox, how: str) -> None:
    """S12."""
    before = time.time()
    result = python(box, f"import ctypes, time\n{CLOCKS[how]}")
    assert b"PermissionError" in result.output
    assert b"\n0\n" not in b"\n" + result.output
    assert 0 <= time.time() - before < 60
