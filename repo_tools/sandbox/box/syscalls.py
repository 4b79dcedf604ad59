"""System calls that code in a box does without: on both engines the same, whatever the engine's own filter is.

Network namespaces confine neither sockets to a virtual machine's host (AF_VSOCK) nor some other families, so only the
families that programs need are left. io_uring goes because it makes sockets past any filter; memory that belongs to no
process (memfd, large System V segments) because nobody could count it, the choice of processors because it is made from
outside; the others are kernel surface that needs no privilege. See seccomp(2), linux/filter.h, linux/audit.h.
"""

from __future__ import annotations

import ctypes
import errno
import os
import struct
from typing import NamedTuple

PR_SET_NO_NEW_PRIVS = 38
PR_SET_SECCOMP = 22
SECCOMP_MODE_FILTER = 2
ALLOW = 0x7FFF0000
ERROR = 0x00050000  # plus the number
X32_BIT = 0x40000000

LOAD, EQUAL, AT_LEAST, ANY_BIT, RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
NUMBER_OFFSET, ARCHITECTURE_OFFSET, FIRST_ARGUMENT_OFFSET, SECOND_ARGUMENT_OFFSET = 0, 4, 16, 24

MOST_SEGMENT_BYTES = 1 << 20
"""Of System V shared memory; PostgreSQL needs a small segment. The kernel allows 4,096 of them."""
NEW_NAMESPACES = 0x7E020000
"""Flags of clone(2): a user namespace gives capabilities over the kernel's less tested parts."""
FAMILIES = (1, 2, 10, 16)
"""AF_UNIX, AF_INET, AF_INET6, AF_NETLINK (linux/socket.h)."""


class Machine(NamedTuple):
    """`denied`: add_key, request_key, keyctl, perf_event_open, bpf, userfaultfd, io_uring_setup, _enter, _register,
    memfd_create, memfd_secret, sched_setaffinity, clone3 (whose flags no filter can read; C libraries use clone then),
    io_setup (one process can take all that the whole machine has, fs.aio-max-nr; who uses it can do without).
    `refused`, as to somebody without privileges: unshare, setns, open_by_handle_at.
    `signals`, refused for process 1, which not every kernel keeps from them: kill, tkill, tgkill, rt_sigqueueinfo,
    rt_tgsigqueueinfo, pidfd_open; and prlimit64, which takes descriptors and memory away from it."""

    architecture: int
    socket: int
    shmget: int
    clone: int
    denied: tuple[int, ...]
    refused: tuple[int, ...]
    signals: tuple[int, ...]


MACHINES = {
    "x86_64": Machine(
        0xC000003E,
        41,
        29,
        56,
        (248, 249, 250, 298, 321, 323, 425, 426, 427, 319, 447, 203, 435, 206),
        (272, 308, 304),
        (62, 200, 234, 129, 297, 434, 302),
    ),
    "aarch64": Machine(
        0xC00000B7,
        198,
        194,
        220,
        (217, 218, 219, 241, 280, 282, 425, 426, 427, 279, 447, 122, 435, 0),
        (97, 268, 265),
        (129, 130, 131, 138, 240, 434, 261),
    ),
}
"""Numbers from asm/unistd_64.h and asm-generic/unistd.h. A box on another machine has its engine's filter alone."""


def instruction(code: int, value: int, if_true: int = 0, if_false: int = 0) -> bytes:
    return struct.pack("=HBBI", code, if_true, if_false, value)


def refuse_unless(value: int, error: int) -> bytes:
    return instruction(EQUAL, value, 1, 0) + instruction(RETURN, ERROR | error)


def refuse_if(test: int, value: int, error: int) -> bytes:
    return instruction(test, value, 0, 1) + instruction(RETURN, ERROR | error)


def program(machine: Machine) -> bytes:
    """Programs of another architecture have other numbers for the same calls, so they get none."""
    lines = [
        instruction(LOAD, ARCHITECTURE_OFFSET),
        refuse_unless(machine.architecture, errno.ENOSYS),
        instruction(LOAD, NUMBER_OFFSET),
        refuse_if(AT_LEAST, X32_BIT, errno.ENOSYS),
    ]
    lines += [refuse_if(EQUAL, number, errno.ENOSYS) for number in machine.denied]
    lines += [refuse_if(EQUAL, number, errno.EPERM) for number in machine.refused]
    lines += [refuse_first_argument(machine.clone, ANY_BIT, NEW_NAMESPACES)]
    lines += [refuse_first_argument(number, EQUAL, 1) for number in machine.signals]
    small = small_segment()
    lines += [instruction(EQUAL, machine.shmget, 0, len(small) // 8), small]
    lines += [instruction(EQUAL, machine.socket, 1, 0), instruction(RETURN, ALLOW)]
    lines += [instruction(LOAD, FIRST_ARGUMENT_OFFSET)]
    for family in FAMILIES:
        lines += [instruction(EQUAL, family, 0, 1), instruction(RETURN, ALLOW)]
    return b"".join([*lines, instruction(RETURN, ERROR | errno.EAFNOSUPPORT)])


def refuse_first_argument(number: int, test: int, value: int) -> bytes:
    """Call `number` with such a first argument; with any other it is allowed."""
    lines = [instruction(EQUAL, number, 0, 4), instruction(LOAD, FIRST_ARGUMENT_OFFSET)]
    return b"".join([*lines, refuse_if(test, value, errno.EPERM), instruction(RETURN, ALLOW)])


def small_segment() -> bytes:
    """The second argument, in its two halves (both machines are little-endian), is at most MOST_SEGMENT_BYTES."""
    lines = [
        instruction(LOAD, SECOND_ARGUMENT_OFFSET + 4),
        refuse_unless(0, errno.EINVAL),
        instruction(LOAD, SECOND_ARGUMENT_OFFSET),
        refuse_if(AT_LEAST, MOST_SEGMENT_BYTES + 1, errno.EINVAL),
        instruction(RETURN, ALLOW),
    ]
    return b"".join(lines)


class Filter(ctypes.Structure):
    """struct sock_fprog"""

    _fields_ = (("length", ctypes.c_ushort), ("instructions", ctypes.c_char_p))


def restrict() -> None:
    """From here on for this process and all that it starts; there is no way back."""
    machine = MACHINES.get(os.uname().machine)
    if machine is None:
        return
    code = program(machine)
    filter_program = Filter(len(code) // 8, code)
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0):
        raise OSError(ctypes.get_errno(), "prctl(PR_SET_NO_NEW_PRIVS)")
    if libc.prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, ctypes.byref(filter_program)):
        raise OSError(ctypes.get_errno(), "prctl(PR_SET_SECCOMP)")
