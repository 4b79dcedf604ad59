"""The contract of `BoxProcess` on every engine: it goes on between calls, and is as bounded as a command."""

import time
from dataclasses import replace

import pytest

from repo_tools.errors import SandboxError
from repo_tools.sandbox.contract import BoxProcess, BoxSpec, Sandbox, SandboxEngine
from tests.support.boxes import LIMITS, MIB, box_peak_bytes, process_count, python, sh

ECHO = """
import sys
for count, line in enumerate(sys.stdin, 1):
    print(count, line.strip(), flush=True)
"""
WITH_DESCENDANTS = """
import os, signal, time
for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT): signal.signal(number, signal.SIG_IGN)
mine = os.getpid()
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        print(mine, flush=True)
    time.sleep(1000)
time.sleep(1000)
"""
TIGHT_FORKS = "import os\nwhile True:\n  if os.fork(): os._exit(0)\n  os.setsid()"
TREE_OF_FORKS = "import os\nwhile True:\n  try: os.fork()\n  except OSError: pass"


def opened(box: Sandbox, program: str) -> BoxProcess:
    return box.open_process(["python3", "-u", "-c", program])


def asked(process: BoxProcess, line: bytes) -> bytes:
    process.send(line + b"\n", timeout_seconds=60)
    return received(process, line + b"\n")


def received(process: BoxProcess, ending: bytes) -> bytes:
    output = b""
    while not output.endswith(ending):
        part = process.receive(timeout_seconds=60)
        assert part, output
        output += part
    return output


def test_it_keeps_its_state_between_the_other_calls_of_its_box(box: Sandbox) -> None:
    process = opened(box, ECHO)
    assert asked(process, b"one") == b"1 one\n"
    assert sh(box, "echo beside > file; sleep 100 &").exit_code == 0
    assert box.read("/workspace/file", max_bytes=10) == b"beside\n"
    assert asked(process, b"two") == b"2 two\n"
    assert process.exit_code() is None
    process.close()
    assert process_count(box) == 2


def test_what_a_command_leaves_running_ends_beside_it_too(box: Sandbox) -> None:
    process = opened(box, ECHO)
    sh(box, "sleep 1000 & nohup setsid sleep 1000 >/dev/null 2>&1 & (setsid sh -c 'sleep 1000' &)")
    assert process_count(box) == 3
    assert asked(process, b"still") == b"1 still\n"
    process.close()


def test_a_command_that_forks_faster_than_one_looks_leaves_nothing_either(engine: SandboxEngine, gvisor: bool) -> None:
    """The process may end with it: better none than one too many. On a busy machine what has ended is freed later than
    more is forked, which must not be the end of the box."""
    with engine.start(BoxSpec(limits=replace(LIMITS, memory_bytes=2 * LIMITS.memory_bytes))) as box:
        process = opened(box, ECHO)
        for program in (TIGHT_FORKS,) if gvisor else (TIGHT_FORKS, TREE_OF_FORKS):  # a bomb ends gVisor's boxes
            python(box, program, timeout_seconds=1)
            assert process_count(box) == (3 if process.exit_code() is None else 2)
        process.close()
        assert process_count(box) == 2


def test_silence_is_a_time_out_and_it_goes_on(box: Sandbox) -> None:
    process = opened(box, ECHO)
    began = time.monotonic()
    with pytest.raises(TimeoutError):
        process.receive(timeout_seconds=0.3)
    assert time.monotonic() - began < 30
    assert asked(process, b"after") == b"1 after\n"
    process.close()


def test_its_end_is_told_after_all_it_said(box: Sandbox) -> None:
    process = opened(box, "import sys; print('last words'); print('x' * 100000, file=sys.stderr); sys.exit(7)")
    output = b""
    while part := process.receive(timeout_seconds=60):
        output += part
    assert output.startswith(b"last words\n")
    assert len(output) == 100_012
    assert process.exit_code() == 7
    with pytest.raises(BrokenPipeError):
        process.send(b"more", timeout_seconds=60)
    process.close()


def test_an_end_by_a_signal_is_128_and_its_number(box: Sandbox) -> None:
    process = opened(box, "import os; os.kill(os.getpid(), 11)")
    assert process.receive(timeout_seconds=60) == b""
    assert process.exit_code() == 139
    process.close()


@pytest.mark.parametrize("how", ["close", "death"])
def test_its_descendants_end_with_it(box: Sandbox, how: str) -> None:
    process = opened(box, WITH_DESCENDANTS)
    pid = int(received(process, b"\n"))
    assert process_count(box) == 5, "they live as long as it does"
    if how == "death":
        sh(box, f"kill -9 {pid}")
        assert process.receive(timeout_seconds=60) == b""
        assert process.exit_code() == 137
    process.close()
    assert process_count(box) == 2


def test_endless_output_waits_and_costs_no_memory(box: Sandbox) -> None:
    """F07."""
    process = opened(box, "import sys\nwhile True: sys.stdout.buffer.write(b'x' * 1000000)")
    total = 0
    while total < 64 * MIB:
        part = process.receive(timeout_seconds=60)
        assert 0 < len(part) <= 65_536
        total += len(part)
    assert box_peak_bytes(box) < 64 * MIB
    process.close()


def test_input_that_nobody_takes_is_a_time_out(box: Sandbox) -> None:
    process = opened(box, "import time; time.sleep(1000)")
    with pytest.raises(TimeoutError):
        process.send(bytes(4 * MIB), timeout_seconds=0.3)
    assert sh(box, "echo alive").output == b"alive\n"
    process.close()


def test_large_input_arrives_whole(box: Sandbox) -> None:
    process = opened(box, "import sys; print(len(sys.stdin.buffer.read(3000000)))")
    process.send(bytes(3_000_000), timeout_seconds=60)
    assert received(process, b"\n") == b"3000000\n"
    process.close()


def test_it_is_nobody_and_has_no_descriptor_but_its_three(box: Sandbox) -> None:
    beside = opened(box, ECHO)
    process = opened(box, "import os; print(os.getuid() != 0, os.listdir('/proc/self/fd'), os.getcwd())")
    assert received(process, b"\n") == b"True ['0', '1', '2', '3'] /workspace\n"
    program = "import os\nfor n in range(3, 250):\n  try: print(n, os.fstat(n))\n  except OSError: pass"
    assert python(box, program).output == b""
    process.close()
    beside.close()


def test_it_has_the_limits_of_a_command(box: Sandbox) -> None:
    process = box.open_process(["sh", "-c", "ulimit -n; ulimit -c"])
    output = received(process, b"0\n")
    assert output.split() == [str(LIMITS.open_files).encode(), b"0"]
    process.close()


def test_a_memory_bomb_in_it_ends_it_alone(fresh_box: Sandbox, gvisor: bool) -> None:
    """S03."""
    process = opened(fresh_box, "x = []\nwhile True: x.append(bytearray(b'x' * 10_000_000))")
    if gvisor:
        with pytest.raises(SandboxError, match="out of memory"):
            process.receive(timeout_seconds=60)
        return
    assert process.receive(timeout_seconds=60) == b""
    assert process.exit_code() == 137
    process.close()
    assert sh(fresh_box, "echo alive").output == b"alive\n"


def test_writing_into_the_output_of_a_command_does_not_hold_the_command_up(box: Sandbox) -> None:
    """It may: they are the same user's. The command's end is its end all the same."""
    intruder = opened(
        box,
        "import glob, os\nprint('up')\nheld = []\nwhile True:\n"
        "  for name in set(glob.glob('/proc/[0-9]*/fd/1')) - {f'/proc/{os.getpid()}/fd/1'}:\n"
        "    try: held.append(os.open(name, os.O_WRONLY | os.O_NONBLOCK))\n    except OSError: pass\n"
        "  for one in held:\n    try: os.write(one, b'x' * 60000)\n    except OSError: pass\n",
    )
    assert received(intruder, b"up\n")
    result = sh(box, "sleep 0.5; exit 3", timeout_seconds=60)
    assert (result.exit_code, result.timed_out) == (3, False)
    intruder.close()


def test_a_program_that_is_not_there_cannot_be_opened(box: Sandbox) -> None:
    with pytest.raises(FileNotFoundError):
        box.open_process(["no-such-program"])
    with pytest.raises(PermissionError):
        box.open_process(["/usr"])
    assert process_count(box) == 2


def test_there_are_not_more_than_eight(box: Sandbox) -> None:
    processes = [box.open_process(["cat"]) for _ in range(8)]
    with pytest.raises(OSError, match="more than 8"):
        box.open_process(["cat"])
    for process in processes:
        process.close()
        process.close()
    assert process_count(box) == 2


def test_a_closed_one_answers_no_more(box: Sandbox) -> None:
    process = box.open_process(["cat"])
    process.close()
    with pytest.raises(SandboxError, match="closed"):
        process.receive(timeout_seconds=1)


def test_opening_and_closing_leaks_no_descriptor_of_the_box(box: Sandbox) -> None:
    """Each takes two; the limit of open files would be reached."""
    for _ in range(LIMITS.open_files):
        box.open_process(["true"]).close()
    assert sh(box, "echo alive").output == b"alive\n"


def test_it_ends_with_its_box(engine: SandboxEngine) -> None:
    with engine.start(BoxSpec(limits=LIMITS)) as box:
        process = opened(box, ECHO)
        assert asked(process, b"one") == b"1 one\n"
    with pytest.raises(SandboxError):
        process.receive(timeout_seconds=1)
    process.close()
