"""Process 1 of a box against the code that it runs, and its parts by themselves."""

import ast
from pathlib import Path

import pytest

from repo_tools.sandbox import box as box_package
from repo_tools.sandbox.box import children
from repo_tools.sandbox.box.output import Output
from repo_tools.sandbox.contract import Sandbox
from repo_tools.sandbox.source import MODULES, boot_message
from tests.support.boxes import process_count, python, sh

ATTACKS = {
    "write to its channel": "open('/proc/1/fd/1', 'wb').write(b'forged')",
    "write to a copy of its channel": "[open(f'/proc/1/fd/{n}', 'wb') for n in range(3, 20)]",
    "list its descriptors": "import os; os.listdir('/proc/1/fd')",
    "read its memory": "open('/proc/1/mem', 'rb')",
    "read its variables": "open('/proc/1/environ', 'rb').read()",
    "see its memory map": "open('/proc/1/maps', 'rb').read()",
    "enter its root": "import os; os.listdir('/proc/1/root')",
    "enter its folder": "import os; os.listdir('/proc/1/cwd')",
    "take its descriptors away": "import resource; resource.prlimit(1, resource.RLIMIT_NOFILE, (3, 3))",
    "trace it": "import os, ctypes; libc = ctypes.CDLL(None, use_errno=True)\n"
    "if libc.ptrace(16, 1, 0, 0): raise PermissionError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))",
    "seize it": "import os, ctypes; libc = ctypes.CDLL(None, use_errno=True)\n"
    "if libc.ptrace(0x4206, 1, 0, 0): raise PermissionError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))",
    "steal a descriptor": "import os, ctypes; libc = ctypes.CDLL(None, use_errno=True); one = os.pidfd_open(1)\n"
    "if libc.syscall(438, one, 3, 0) < 0: raise PermissionError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))",
}


@pytest.mark.parametrize("attack", ATTACKS)
def test_a_command_cannot_reach_into_process_1(box: Sandbox, attack: str) -> None:
    result = python(box, ATTACKS[attack])
    assert result.exit_code == 1
    assert b"PermissionError" in result.output
    assert sh(box, "echo alive").output == b"alive\n"


@pytest.mark.parametrize("number", ["KILL", "TERM", "INT", "STOP", "HUP", "SEGV", "CHLD", "USR1", "XCPU"])
def test_a_command_cannot_signal_process_1(box: Sandbox, number: str) -> None:
    sh(box, f"kill -{number} 1")
    assert sh(box, "echo alive").output == b"alive\n"


def test_a_command_that_kills_everything_kills_itself_alone(box: Sandbox) -> None:
    sh(box, "sleep 100 & kill -9 -1; kill -9 $$")
    assert sh(box, "echo alive").output == b"alive\n"


def test_a_command_has_no_descriptor_but_its_own_three(box: Sandbox) -> None:
    program = "import os\nfor n in range(3, 300):\n  try: print(n, os.fstat(n))\n  except OSError: pass"
    assert python(box, program).output == b""


def test_a_command_that_talks_like_the_channel_is_only_output(box: Sandbox) -> None:
    forged = b"\x04\0\0\0\0\0\0\0\x12" + b'{"exit_code": 1234}'
    result = box.exec(["cat"], timeout_seconds=30, stdin=forged)
    assert (result.exit_code, result.output) == (0, forged)


def test_a_command_cannot_wait_out_its_end_in_a_tight_fork_loop(box: Sandbox) -> None:
    """Each process replaces itself at once, so that a killer that looks first comes too late."""
    program = "import os\nwhile True:\n  if os.fork(): os._exit(0)\n  os.setsid()"
    python(box, program, timeout_seconds=1)
    assert process_count(box) == 2


def test_orphans_are_reaped_while_a_command_runs(box: Sandbox) -> None:
    """More of them than the box may have processes, though not at once."""
    none_left = "until ! grep -qs '^State:.Z' /proc/[0-9]*/status; do sleep 0.1; done"
    script = f"for i in 1 2 3 4 5; do for j in $(seq 40); do (true & ) ; done; sleep 0.1; {none_left}; done; echo all"
    assert sh(box, script).output == b"all\n"


def test_the_program_runs_on_python_3_8() -> None:
    for name in MODULES:
        text = Path(str(box_package.__path__[0]), f"{name}.py").read_text()
        tree = ast.parse(text, feature_version=(3, 8))
        assert any(isinstance(node, ast.ImportFrom) and node.module == "__future__" for node in tree.body)


def test_the_program_is_complete() -> None:
    present = {path.stem for path in Path(str(box_package.__path__[0])).glob("*.py")} - {"__init__"}
    assert set(MODULES) == present
    message = boot_message()
    assert int.from_bytes(message[:4], "big") == len(message) - 4


def test_killing_everything_is_for_process_1_alone() -> None:
    with pytest.raises(RuntimeError, match="process 1"):
        children.Children().end_all()


@pytest.mark.parametrize("limit", [0, 1, 2, 7, 10, 100])
@pytest.mark.parametrize("piece", [1, 3, 100])
def test_output_keeps_both_ends_whatever_the_pieces(limit: int, piece: int) -> None:
    data = bytes(range(50))
    output = Output(limit)
    for start in range(0, len(data), piece):
        output.add(data[start : start + piece])
    kept = b"".join(output.parts())
    head = limit - limit // 2
    assert kept == (data if limit >= len(data) else data[:head] + data[len(data) - limit // 2 :])
