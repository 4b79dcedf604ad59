"""Privileges, and system calls that need some or that no box needs."""

import ctypes
import os
import socket
import stat
import time

from tests.support.probes.attempts import ReachedError, call, probe

CLONE_NEWUSER = 0x10000000
CALLS = {
    "x86_64": {"init_module": 175, "keyctl": 250, "perf_event_open": 298, "bpf": 321, "io_uring_setup": 425},
    "aarch64": {"init_module": 105, "keyctl": 219, "perf_event_open": 241, "bpf": 280, "io_uring_setup": 425},
}[os.uname().machine]


@probe
def being_root(_):
    if 0 in os.getresuid() + os.getresgid() or 0 in os.getgroups():
        raise ReachedError(os.getresuid())


@probe
def becoming_root(_):
    call("setuid", 0)


@probe
def capabilities(_):
    held = [line for line in status() if line.startswith("Cap") and int(line.split()[1], 16)]
    if held:
        raise ReachedError(held)


@probe
def new_privileges(_):
    if "NoNewPrivs:\t1" not in status():
        raise ReachedError("no_new_privs is off")


def status():
    with open("/proc/self/status") as file:
        return file.read().splitlines()


@probe
def user_namespace(_):
    call("unshare", CLONE_NEWUSER)


@probe
def mount(_):
    call("mount", b"none", b"/tmp", b"tmpfs", 0, None)


@probe
def unmount(_):
    call("umount2", b"/proc", 2)


@probe
def change_of_root(_):
    call("chroot", b"/tmp")


@probe
def device_node(_):
    os.mknod("/tmp/disk", 0o600 | stat.S_IFBLK, os.makedev(254, 0))
    raise ReachedError("mknod")


@probe
def kernel_module(_):
    call("syscall", CALLS["init_module"], b"", 0, b"")


@probe
def kernel_keyring(_):
    call("syscall", CALLS["keyctl"], 0, -4, 1)


@probe
def kernel_programs(_):
    call("syscall", CALLS["bpf"], 0, (ctypes.c_uint * 16)(1, 4, 4, 1), 64)


@probe
def performance_counters(_):
    call("syscall", CALLS["perf_event_open"], (ctypes.c_uint * 32)(1, 128), 0, -1, -1, 0)


@probe
def io_uring(_):
    call("syscall", CALLS["io_uring_setup"], 1, (ctypes.c_uint * 30)())


@probe
def kernel_cryptography_socket(_):
    socket.socket(socket.AF_ALG, socket.SOCK_SEQPACKET).close()
    raise ReachedError("AF_ALG")


@probe
def host_name(_):
    call("sethostname", b"mine", 4)


@probe
def clock(_):
    time.clock_settime(time.CLOCK_REALTIME, time.time())
    raise ReachedError("clock_settime")
