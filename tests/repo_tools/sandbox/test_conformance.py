"""The contract of `Sandbox` on every engine: commands, limits, layers. Files are in test_conformance_files.py."""

import os
import signal
import time
from pathlib import Path

import pytest

from repo_tools.changes import FileMode
from repo_tools.errors import SandboxError
from repo_tools.sandbox.contract import VAR_TMP_BYTES, BoxSpec, Sandbox, SandboxEngine
from tests.support.boxes import LIMITS, MIB, process_count, python, sh
from tests.support.engine import CONTRACTORS

ENGINES = CONTRACTORS


# Commands


def test_a_command_gives_its_exit_code_and_both_outputs_in_order(box: Sandbox) -> None:
    began = time.monotonic()
    result = sh(box, "echo one; echo two >&2; echo three; exit 3")
    assert (result.exit_code, result.output) == (3, b"one\ntwo\nthree\n")
    assert not result.timed_out
    assert 0 < result.seconds < time.monotonic() - began


def test_a_command_that_a_signal_ended_gives_128_and_the_number(box: Sandbox) -> None:
    assert sh(box, "kill -SEGV $$").exit_code == 128 + signal.SIGSEGV


def test_a_program_that_is_not_there_is_127_and_one_that_is_none_is_126(box: Sandbox) -> None:
    assert box.exec(["no-such-program"], timeout_seconds=30).exit_code == 127
    assert box.exec(["/usr"], timeout_seconds=30).exit_code == 126


def test_a_folder_that_is_not_there_fails_the_command_and_not_the_box(box: Sandbox) -> None:
    result = box.exec(["true"], timeout_seconds=30, cwd="/workspace/none")
    assert result.exit_code in (126, 127)
    assert sh(box, "true").exit_code == 0


def test_arguments_are_passed_as_they_are(box: Sandbox) -> None:
    words = ["$(id)", "a b", "", "*", "-n", "ö\udcff", "new\nline"]
    result = box.exec(["printf", "%s\\0", *words], timeout_seconds=30)
    assert result.output.split(b"\0")[:-1] == [os.fsencode(word) for word in words]


def test_standard_input_arrives_whole(box: Sandbox) -> None:
    content = os.urandom(3 * MIB)
    result = box.exec(["sha1sum"], timeout_seconds=30, stdin=content)
    expected = box.exec(["sha1sum"], timeout_seconds=30, stdin=b"")
    assert result.output != expected.output
    assert box.exec(["cat"], timeout_seconds=30, stdin=content, max_output_bytes=4 * MIB).output == content


def test_a_command_sees_a_fixed_environment_and_what_it_is_given(box: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "canary")
    lines = sh(box, "env", environment={"GIVEN": "yes"}).output.decode().splitlines()
    names = {line.split("=", 1)[0] for line in lines}
    assert names == {"PATH", "HOME", "LANG", "PWD", "USER", "LOGNAME", "GIVEN"}
    assert any(line.startswith("PATH=/env/venv/bin:") for line in lines)


def test_commands_start_in_the_workspace_without_open_descriptors(box: Sandbox) -> None:
    assert sh(box, "pwd").output == b"/workspace\n"
    assert sh(box, "cd /proc/self/fd; echo *").output.split()[:3] == [b"0", b"1", b"2"]
    assert python(box, "import os; print(os.listdir('/proc/self/fd'))").output == b"['0', '1', '2', '3']\n"


def test_long_output_is_cut_in_the_middle(box: Sandbox) -> None:
    result = sh(box, "echo begin; head -c 1000000 /dev/zero | tr '\\0' x; echo end", max_output_bytes=1000)
    assert len(result.output) == 1000
    assert result.output.startswith(b"begin\nx")
    assert result.output.endswith(b"xend\n")


def test_endless_output_costs_no_memory(engine: SandboxEngine, box: Sandbox) -> None:
    size = 5_000_000_000 if engine.name == "bubblewrap" else 200_000_000  # `make bench` has the large one on both
    result = sh(box, f"head -c {size} /dev/zero", max_output_bytes=1000, timeout_seconds=600)
    assert (result.exit_code, len(result.output)) == (0, 1000)
    status = sh(box, "grep -m1 -E 'VmHWM|VmRSS' /proc/1/status").output.split()
    assert int(status[1]) < 64 * 1024


def test_output_is_whole_at_its_limit(box: Sandbox) -> None:
    assert sh(box, "printf 12345", max_output_bytes=5).output == b"12345"


def test_the_time_out_ends_a_command_and_keeps_what_it_said(box: Sandbox) -> None:
    began = time.monotonic()
    result = sh(box, "trap '' TERM INT HUP; echo before; while :; do sleep 0.1; done", timeout_seconds=3)
    assert (result.exit_code, result.timed_out, result.output) == (124, True, b"before\n")
    assert time.monotonic() - began < 30


LEAVE_DAEMON = """
import os, signal, sys, time
for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT): signal.signal(number, signal.SIG_IGN)
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        sys.stdout.flush()
        time.sleep(1000)
    os._exit(0)
os.wait()
"""


def test_nothing_that_a_command_leaves_running_outlives_it(box: Sandbox) -> None:
    """S04."""
    began = time.monotonic()
    assert python(box, LEAVE_DAEMON).exit_code == 0
    assert sh(box, "sleep 1000 & nohup sleep 1000 >/dev/null 2>&1 &").exit_code == 0
    assert time.monotonic() - began < 30, "a daemon that holds the output open does not hold the command up"
    assert process_count(box) == 2


def test_an_end_by_time_out_leaves_no_process_either(box: Sandbox) -> None:
    python(box, LEAVE_DAEMON.replace("os.wait()", "time.sleep(1000)"), timeout_seconds=0.5)
    assert process_count(box) == 2


def test_commands_are_nobody_and_may_nothing(box: Sandbox) -> None:
    status = sh(box, "cat /proc/self/status").output.decode()
    fields = dict(line.split(":\t", 1) for line in status.splitlines() if ":\t" in line)
    assert "0" not in fields["Uid"].split()
    assert int(fields["CapEff"], 16) == int(fields["CapPrm"], 16) == int(fields["CapBnd"], 16) == 0
    program = "import ctypes; print(ctypes.CDLL(None).prctl(39, 0, 0, 0, 0))"  # PR_GET_NO_NEW_PRIVS
    assert python(box, program).output == b"1\n"


def test_only_the_volumes_can_be_written(box: Sandbox) -> None:
    for path in ("/x", "/usr/x", "/etc/x", "/env/x", "/dev/x", "/proc/x", "/home/x"):
        assert sh(box, f"touch {path}").exit_code != 0, path
    for path in ("/workspace/x", "/tmp/x", "/tmp/home/x", "/var/tmp/x", "/box/x"):
        assert sh(box, f"mkdir -p $(dirname {path}); touch {path}").exit_code == 0, path


def test_the_home_folder_is_not_below_the_temporary_one(box: Sandbox) -> None:
    """Suites tell by their paths whether a configuration is the user's own or a test's."""
    program = "import os, tempfile; print(os.path.expanduser('~'), tempfile.gettempdir(), os.environ['HOME'])"
    home, temporary, told = python(box, program).output.decode().split()
    assert home == told
    assert not Path(home).is_relative_to(temporary)
    assert sh(box, "stat -c %u ~").output == sh(box, "id -u").output


def test_there_is_no_network(box: Sandbox) -> None:
    assert sh(box, "tail -n +3 /proc/net/dev | cut -d: -f1 | grep -v lo").output == b""
    program = "import socket; socket.create_connection(('1.1.1.1', 53), 2)"
    said = python(box, program).output
    assert b"unreachable" in said or b"No route to host" in said


# Limits


def test_a_full_volume_is_enospc_for_the_host_and_for_the_box(box: Sandbox) -> None:
    """F08."""
    assert b"No space left" in sh(box, "head -c 100000000 /dev/zero > full").output
    with pytest.raises(OSError, match="No space left") as caught:
        box.write("/workspace/more", b"x" * MIB)
    assert not isinstance(caught.value, SandboxError)
    assert "more" not in box.tree()
    box.delete("/workspace/full")
    box.write("/workspace/more", b"x" * MIB)


@pytest.mark.parametrize(
    ("path", "size"),
    [
        ("/workspace", LIMITS.workspace_bytes),
        ("/tmp", LIMITS.temporary_bytes),
        ("/var/tmp", VAR_TMP_BYTES),
        ("/box", LIMITS.home_bytes),
    ],
)
def test_volumes_have_their_size(box: Sandbox, path: str, size: int) -> None:
    total = python(box, f"import os; s = os.statvfs({path!r}); print(s.f_blocks * s.f_frsize)").output
    assert int(total) == size


def test_open_files_and_cores_are_limited(box: Sandbox) -> None:
    assert sh(box, "ulimit -n; ulimit -c").output.split() == [str(LIMITS.open_files).encode(), b"0"]


def test_a_fork_bomb_ends_with_its_command(fresh_box: Sandbox, gvisor: bool) -> None:
    bomb = "import os\nwhile True:\n  try: os.fork()\n  except OSError: pass"
    if gvisor:  # its kernel is a process of the host's, and the limit is that one's
        with pytest.raises(SandboxError):
            python(fresh_box, bomb, timeout_seconds=20)
        return
    assert python(fresh_box, bomb, timeout_seconds=2).exit_code == 124
    assert process_count(fresh_box) == 2


def test_a_memory_bomb_is_killed_and_nothing_else(fresh_box: Sandbox, gvisor: bool) -> None:
    bomb = "x = []\nwhile True: x.append(bytearray(b'x' * 10_000_000))"
    died = (1, 137) if gvisor else (137,)  # there Python may be told before the kernel kills
    assert python(fresh_box, bomb, timeout_seconds=60).exit_code in died
    assert sh(fresh_box, "echo alive").output == b"alive\n"


# Layers and ends


def test_a_layer_shows_what_set_up_left_and_cannot_be_written(engine: SandboxEngine) -> None:
    key = os.urandom(20).hex()
    assert engine.find_layer(key) is None
    with engine.start(BoxSpec(limits=LIMITS, writable_environment=True)) as setup:
        setup.write("/env/venv/bin/greet", b"#!/bin/sh\necho hello", FileMode.EXECUTABLE)
        layer = engine.save_layer(key, setup)
        sh(setup, "echo changed > /env/later")
        assert engine.save_layer(key, setup) == layer, "the first maker's stays"
    assert engine.find_layer(key) == layer
    with engine.start(BoxSpec(limits=LIMITS, layer=layer)) as box:
        assert box.exec(["greet"], timeout_seconds=30).output == b"hello\n"
        assert sh(box, "cd /env; ls; touch /env/x").output.startswith(b"venv\n")
        assert sh(box, "touch /env/x /env/venv/bin/x; rm /env/venv/bin/greet; cd /env/venv/bin; ls -A").output.endswith(
            b"greet\n"
        )


def test_a_layer_that_is_forgotten_is_made_anew_and_its_boxes_go_on(engine: SandboxEngine) -> None:
    key = os.urandom(20).hex()
    with engine.start(BoxSpec(limits=LIMITS, writable_environment=True)) as setup:
        setup.write("/env/number", b"one")
        first = engine.save_layer(key, setup)
        with engine.start(BoxSpec(limits=LIMITS, layer=first)) as box:
            engine.forget_layer(first)
            assert engine.find_layer(key) is None
            setup.write("/env/number", b"two")
            second = engine.save_layer(key, setup)
            engine.forget_layer(first)  # as who else found it does
            assert engine.find_layer(key) == second
            assert box.read("/env/number", max_bytes=10) == b"one"
    with engine.start(BoxSpec(limits=LIMITS, layer=second)) as box:
        assert box.read("/env/number", max_bytes=10) == b"two"
    engine.forget_layer(second)
    assert engine.find_layer(key) is None


def test_a_closed_box_answers_no_more(engine: SandboxEngine) -> None:
    box = engine.start(BoxSpec(limits=LIMITS))
    box.close()
    box.close()
    with pytest.raises(SandboxError, match="closed"):
        box.exec(["true"], timeout_seconds=5)


def test_boxes_do_not_see_each_other(engine: SandboxEngine, box: Sandbox) -> None:
    with engine.start(BoxSpec(limits=LIMITS)) as other:
        other.write("/workspace/mine", b"")
        other.write("/tmp/mine", b"")
        assert sh(box, "find /workspace /tmp").output.count(b"mine") == 0


def test_the_evidence_names_engine_and_version(engine: SandboxEngine) -> None:
    assert engine.describe().startswith(f"{engine.name} ")
    assert any(c.isdigit() for c in engine.describe())
    assert engine.platform_key() == engine.platform_key()
