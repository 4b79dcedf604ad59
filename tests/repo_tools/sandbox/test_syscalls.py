"""The filter of system calls in every box: what it refuses, and that it is well formed for every machine."""

import errno
import struct
from dataclasses import replace

import pytest

from repo_tools.sandbox.box.syscalls import MACHINES, program
from repo_tools.sandbox.bubblewrap import BubblewrapEngine
from repo_tools.sandbox.contract import BoxSpec, Sandbox
from tests.support.boxes import LIMITS, python

CALL = """
import ctypes, os
libc = ctypes.CDLL(None, use_errno=True)
print(libc.syscall({numbers}[os.uname().machine], *map(ctypes.c_ulong, {arguments})), ctypes.get_errno())
"""
DENIED = [{name: machine.denied[place] for name, machine in MACHINES.items()} for place in range(14)]
REFUSED = [{name: machine.refused[place] for name, machine in MACHINES.items()} for place in range(3)]
SHMGET = {name: machine.shmget for name, machine in MACHINES.items()}
SOCKET = {name: machine.socket for name, machine in MACHINES.items()}


def call(box: Sandbox, numbers: dict[str, int], *arguments: int) -> tuple[int, int]:
    """(result, error number) of a system call in the box."""
    words = python(box, CALL.format(numbers=numbers, arguments=arguments)).output.split()
    return int(words[0]), int(words[1])


@pytest.mark.parametrize("numbers", DENIED, ids=lambda numbers: str(numbers["x86_64"]))
def test_a_denied_call_is_unknown(box: Sandbox, numbers: dict[str, int]) -> None:
    assert call(box, numbers, 0, 0, 0, 0, 0, 0) == (-1, errno.ENOSYS)


def test_what_the_machine_has_once_for_everybody_is_not_to_be_had(box: Sandbox) -> None:
    """S03. Asynchronous reads and writes: eight calls of one process would leave none for a database of the host's.
    How many there are no box can be asked: gVisor does not tell, and the host's others take and give back some."""
    setup = {name: machine.denied[-1] for name, machine in MACHINES.items()}
    take = f"import ctypes, os\nnumber = {setup}[os.uname().machine]\n" + (
        "for _ in range(8): print(ctypes.CDLL(None).syscall(number, 8192, ctypes.byref(ctypes.c_ulong())))"
    )
    assert python(box, take).output.split() == [b"-1"] * 8


@pytest.mark.parametrize("numbers", REFUSED, ids=lambda numbers: str(numbers["x86_64"]))
def test_a_refused_call_is_refused_as_to_anybody_without_privileges(box: Sandbox, numbers: dict[str, int]) -> None:
    assert call(box, numbers, 0x10000000, 0, 0, 0, 0, 0) == (-1, errno.EPERM)


@pytest.mark.parametrize("flag", [0x10000000, 0x20000, 0x20000000, 0x40000000, 0x8000000, 0x4000000, 0x2000000])
def test_no_process_is_made_in_a_namespace_of_its_own(box: Sandbox, flag: int) -> None:
    clone = {name: machine.clone for name, machine in MACHINES.items()}
    assert call(box, clone, flag | 17, 0, 0, 0, 0) == (-1, errno.EPERM)


@pytest.mark.parametrize("place", range(6))
def test_process_1_can_be_sent_no_signal(box: Sandbox, place: int) -> None:
    numbers = {name: machine.signals[place] for name, machine in MACHINES.items()}
    assert call(box, numbers, 1, 1, 9, 0) == (-1, errno.EPERM)


def test_calls_of_another_architecture_are_no_way_round(box: Sandbox) -> None:
    assert call(box, dict.fromkeys(MACHINES, 1073741824 + 39)) == (-1, errno.ENOSYS)


@pytest.mark.parametrize("size", [(1 << 20) + 1, 1 << 31, 1 << 32, 1 << 40, (1 << 63) + 1])
def test_large_shared_segments_cannot_be_had(box: Sandbox, size: int) -> None:
    assert call(box, SHMGET, 0, size, 0o1600) == (-1, errno.EINVAL)


def test_small_shared_segments_can(box: Sandbox) -> None:
    assert call(box, SHMGET, 0, 4096, 0o1600)[0] >= 0


@pytest.mark.parametrize("family", [40, 38, 17, 29, 31])
def test_socket_families_that_no_network_namespace_holds_cannot_be_had(box: Sandbox, family: int) -> None:
    assert call(box, SOCKET, family, 1, 0) == (-1, errno.EAFNOSUPPORT)


@pytest.mark.parametrize("family", [1, 2, 10, 16])
def test_everyday_socket_families_can(box: Sandbox, family: int) -> None:
    kind = 3 if family == 16 else 1
    assert call(box, SOCKET, family, kind, 0)[0] >= 0


def test_threads_processes_and_pipes_work_as_ever(box: Sandbox) -> None:
    everyday = (
        "import concurrent.futures as f, multiprocessing as m, subprocess, socket\n"
        "with f.ThreadPoolExecutor(8) as pool: print(sum(pool.map(abs, range(8))))\n"
        "with m.get_context('fork').Pool(2) as pool: print(sum(pool.map(abs, range(8))))\n"
        "print(subprocess.run(['echo', 'hello'], capture_output=True).stdout, socket.socketpair() and 'pair')"
    )
    assert python(box, everyday).output == b"28\n28\nb'hello\\n' pair\n"


@pytest.mark.bubblewrap
def test_a_box_has_its_processors_and_cannot_take_more(bubblewrap: BubblewrapEngine) -> None:
    grab = (
        "import os\nprint(len(os.sched_getaffinity(0)))\n"
        "try: os.sched_setaffinity(0, range(os.cpu_count()))\nexcept OSError: print('refused')"
    )
    with bubblewrap.start(BoxSpec(limits=replace(LIMITS, processors=1.0))) as box:
        assert python(box, grab).output == b"1\nrefused\n"


@pytest.mark.parametrize("machine", MACHINES)
def test_every_jump_ends_at_an_instruction(machine: str) -> None:
    steps = list(struct.iter_unpack("=HBBI", program(MACHINES[machine])))
    assert len(steps) < 4096  # BPF_MAXINSNS
    for place, (code, if_true, if_false, _constant) in enumerate(steps):
        assert code == 0x06 or place + 1 + max(if_true, if_false) < len(steps)
    assert steps[-1][0] == 0x06
