"""Privileges, and system calls that need some or that no box needs."""

import ctypes
import errno
import fcntl
import os
import resource
import socket
import stat
import struct
import time

from tests.support.probes.attempts import ANYBODY, LIBC, ROOT, ReachedError, call, permitted, probe

CLONE_NEWNS, CLONE_NEWUSER, CLONE_NEWPID, CLONE_NEWNET = 0x20000, 0x10000000, 0x20000000, 0x40000000
MS_REMOUNT, MS_BIND = 32, 4096
CALLS = {
    "x86_64": {
        "init_module": 175, "delete_module": 176, "finit_module": 313, "keyctl": 250, "add_key": 248,
        "perf_event_open": 298, "bpf": 321, "io_uring_setup": 425, "userfaultfd": 323, "clone": 56, "pivot_root": 155,
        "open_by_handle_at": 304, "fsopen": 430, "pidfd_open": 434, "pidfd_getfd": 438, "process_vm_readv": 310,
        "reboot": 169, "memfd_secret": 447, "syslog": 103,
    },
    "aarch64": {
        "init_module": 105, "delete_module": 106, "finit_module": 273, "keyctl": 219, "add_key": 217,
        "perf_event_open": 241, "bpf": 280, "io_uring_setup": 425, "userfaultfd": 282, "clone": 220, "pivot_root": 41,
        "open_by_handle_at": 265, "fsopen": 430, "pidfd_open": 434, "pidfd_getfd": 438, "process_vm_readv": 270,
        "reboot": 142, "memfd_secret": 447, "syslog": 116,
    },
}[os.uname().machine]  # fmt: skip
NOT_EVERYWHERE = "not every kernel has it, or lets its root use it"


@probe("is the superuser already", ROOT)
def being_root(_):
    if 0 in os.getresuid() + os.getresgid() or 0 in os.getgroups():
        raise ReachedError(os.getresuid())


@probe("becomes the superuser", ROOT)
def becoming_root(_):
    call("setuid", 0)


@probe("joins the superuser's group", ROOT)
def joining_roots_group(_):
    os.setgroups([0])
    raise ReachedError("setgroups")


@probe("holds capabilities", ROOT)
def capabilities(_):
    held = [line for line in status() if line.startswith("Cap") and int(line.split()[1], 16)]
    if held:
        raise ReachedError(held)


@probe("could gain privileges by a setuid program", ANYBODY)
def new_privileges(_):
    if LIBC.prctl(39, 0, 0, 0, 0) != 1:  # PR_GET_NO_NEW_PRIVS
        raise ReachedError("no_new_privs is off")


def status():
    with open("/proc/self/status") as file:
        return file.read().splitlines()


@probe("makes a user namespace, with every capability in it", ROOT)
def user_namespace(_):
    call("unshare", CLONE_NEWUSER)


@probe("makes a user namespace by clone", ROOT)
def user_namespace_by_clone(_):
    ctypes.set_errno(0)
    child = LIBC.syscall(CALLS["clone"], ctypes.c_ulong(CLONE_NEWUSER | 17), 0, 0, 0, 0)
    if child == 0:
        os._exit(0)
    if child == -1:
        raise OSError(ctypes.get_errno(), "clone")
    os.waitpid(child, 0)
    raise ReachedError("clone")


@probe("makes a mount namespace", ROOT)
def mount_namespace(_):
    call("unshare", CLONE_NEWNS)


@probe("makes a network namespace", ROOT)
def network_namespace(_):
    call("unshare", CLONE_NEWNET)


@probe("makes a process namespace", ROOT)
def process_namespace(_):
    call("unshare", CLONE_NEWPID)


@probe("enters a namespace of process 1", ROOT)
def namespace_of_process_1(_):
    descriptor = os.open("/proc/1/ns/uts", os.O_RDONLY)
    try:
        call("setns", descriptor, 0)
    finally:
        os.close(descriptor)


@probe("mounts a file system", ROOT)
def mount(_):
    call("mount", b"none", b"/tmp", b"tmpfs", 0, None)


@probe("mounts a control group, whose release agent the host would run", NOT_EVERYWHERE)
def mount_of_control_groups(_):
    for kind, options in ((b"cgroup", b"memory"), (b"cgroup", b"rdma"), (b"cgroup2", None)):
        if LIBC.mount(b"none", b"/tmp", kind, 0, options) == 0:
            raise ReachedError(kind)
    call("mount", b"none", b"/tmp", b"cgroup2", 0, None)


@probe("mounts /proc anew, without what is hidden in it", ROOT)
def mount_of_processes(_):
    call("mount", b"proc", b"/tmp", b"proc", 0, None)


@probe("mounts the disk that the host's files are on", ROOT)
def mount_of_the_disk(_):
    permitted("mount", b"/dev/no-such-disk", b"/tmp", b"ext4", 0, None)


@probe("makes the root writable by mounting it again", ROOT)
def remount(_):
    call("mount", None, b"/", None, MS_REMOUNT | MS_BIND, None)


@probe("opens a file system without mounting it", ROOT)
def unmounted_file_system(_):
    call("syscall", CALLS["fsopen"], b"tmpfs", 0)


@probe("unmounts what hides something", ROOT)
def unmount(_):
    call("umount2", b"/proc", 2)


@probe("changes its root, from where one can climb out", ROOT)
def change_of_root(_):
    call("chroot", b"/tmp")


@probe("exchanges the root", ROOT)
def exchange_of_root(_):
    permitted("syscall", CALLS["pivot_root"], b"/tmp/none", b"/tmp/none")


@probe("makes a device node of the disk", ROOT)
def device_node(_):
    os.mknod("/tmp/disk", 0o600 | stat.S_IFBLK, os.makedev(254, 0))
    os.unlink("/tmp/disk")
    raise ReachedError("mknod")


@probe("opens any file of a file system by its handle", ROOT)
def file_by_handle(_):
    handle = struct.pack("IiQQ", 8, 1, 2, 0)
    root = os.open("/", os.O_RDONLY)
    try:
        permitted("syscall", CALLS["open_by_handle_at"], root, handle, os.O_RDONLY)
    finally:
        os.close(root)


@probe("loads a kernel module", NOT_EVERYWHERE)
def kernel_module(_):
    permitted("syscall", CALLS["init_module"], b"", 0, b"")


@probe("loads a kernel module from a file", NOT_EVERYWHERE)
def kernel_module_from_a_file(_):
    permitted("syscall", CALLS["finit_module"], -1, b"", 0)


@probe("unloads a kernel module", NOT_EVERYWHERE)
def unloading_a_kernel_module(_):
    permitted("syscall", CALLS["delete_module"], b"no_such_module", 0)


@probe("reads the kernel's keyring", ANYBODY)
def kernel_keyring(_):
    call("syscall", CALLS["keyctl"], 0, -4, 1)


@probe("adds to the kernel's keyring, which no namespace divides", ANYBODY)
def adding_a_key(_):
    call("syscall", CALLS["add_key"], b"user", b"agent-fix-probe", b"x", 1, -2)


@probe("loads a program into the kernel", NOT_EVERYWHERE)
def kernel_programs(_):
    call("syscall", CALLS["bpf"], 0, (ctypes.c_uint * 16)(1, 4, 4, 1), 64)


@probe("reads performance counters", NOT_EVERYWHERE)
def performance_counters(_):
    call("syscall", CALLS["perf_event_open"], (ctypes.c_uint * 32)(1, 128), 0, -1, -1, 0)


@probe("handles its page faults itself, which helps in exploits", ROOT)
def page_faults(_):
    call("syscall", CALLS["userfaultfd"], 0)


@probe("sets up io_uring, which goes past filters", NOT_EVERYWHERE)
def io_uring(_):
    call("syscall", CALLS["io_uring_setup"], 1, (ctypes.c_uint * 30)())


@probe("hides memory from whoever counts it", NOT_EVERYWHERE)
def secret_memory(_):
    call("syscall", CALLS["memfd_secret"], 0)


@probe("uses the kernel's cryptography", NOT_EVERYWHERE)
def kernel_cryptography_socket(_):
    socket.socket(socket.AF_ALG, socket.SOCK_SEQPACKET).close()
    raise ReachedError("AF_ALG")


@probe("reads the kernel's log", ROOT)
def kernel_log(_):
    call("syscall", CALLS["syslog"], 3, ctypes.create_string_buffer(4096), 4096)


@probe("changes the machine's name", ROOT)
def host_name(_):
    call("sethostname", b"mine", 4)


@probe("sets the clock", "it would set this machine's clock")
def clock(_):
    time.clock_settime(time.CLOCK_REALTIME, time.time())
    raise ReachedError("clock_settime")


@probe("starts the machine again", ROOT)
def reboot(_):
    permitted("syscall", CALLS["reboot"], 0, 0, 0, 0)


@probe("swaps to a file", ROOT)
def swapping(_):
    permitted("swapon", b"/tmp/none", 0)


@probe("has every process accounted in a file", ROOT)
def accounting(_):
    permitted("acct", b"/tmp/none")


@probe("asks for a scheduling before everybody else's", ROOT)
def real_time_scheduling(_):
    os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))
    raise ReachedError("SCHED_FIFO")


@probe("raises its own limits", NOT_EVERYWHERE)
def raising_limits(_):
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    try:
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard + 1, hard + 1))
    except ValueError as error:  # Python's own word for a refusal
        raise PermissionError(errno.EPERM, str(error)) from error
    raise ReachedError("RLIMIT_NOFILE")


@probe("gives a file to the superuser", ROOT)
def giving_files_to_root(_):
    with open("/tmp/mine", "w"):
        pass
    try:
        os.chown("/tmp/mine", 0, 0)
    finally:
        os.unlink("/tmp/mine")
    raise ReachedError("chown")


@probe("types into the terminal that started it", "there may be no terminal")
def typing_into_a_terminal(_):
    for name in ("/dev/tty", "/dev/console", "/dev/stdin"):
        try:
            with open(name, "rb", buffering=0) as terminal:
                fcntl.ioctl(terminal, 0x5412, b"x")  # TIOCSTI
        except OSError:
            continue
        raise ReachedError(name)


@probe("takes a descriptor of process 1", ROOT)
def descriptor_of_process_1(_):
    process = LIBC.syscall(CALLS["pidfd_open"], 1, 0)
    if process >= 0:
        try:
            call("syscall", CALLS["pidfd_getfd"], process, 0, 0)
        finally:
            os.close(process)


@probe("reads the memory of process 1 by a system call", ROOT)
def memory_of_process_1_by_a_call(_):
    vector = (ctypes.c_ulong * 2)(0x400000, 8)
    permitted("syscall", CALLS["process_vm_readv"], 1, vector, 1, vector, 1, 0)
