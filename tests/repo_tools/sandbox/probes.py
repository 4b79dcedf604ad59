"""Attempts to get out of a box, run inside of it: `probes.py < CONFIGURATION`, one JSON object on standard output.

Each probe tries one thing and says ``blocked: why`` or ``REACHED: what``; a silent time-out counts as reached. The same
file runs outside of any box too, to show that what it tries can be reached from there.
"""

import ctypes
import errno
import json
import os
import socket
import stat
import struct
import sys
import time

TIMEOUT_SECONDS = 3
LIBC = ctypes.CDLL(None, use_errno=True)
CLONE_NEWUSER = 0x10000000
PTRACE_ATTACH = 16
CALLS = {
    "x86_64": {"init_module": 175, "keyctl": 250, "perf_event_open": 298, "bpf": 321, "io_uring_setup": 425},
    "aarch64": {"init_module": 105, "keyctl": 219, "perf_event_open": 241, "bpf": 280, "io_uring_setup": 425},
}[os.uname().machine]
PROBES = {}


class ReachedError(Exception):
    """The probe got somewhere."""


def probe(function):
    PROBES[function.__name__] = function
    return function


def run(function, configuration):
    try:
        function(configuration)
    except (TimeoutError, ConnectionResetError) as error:
        return f"REACHED: somebody, who does not answer: {error}"
    except ReachedError as found:
        return f"REACHED: {found}"
    except OSError as error:
        return "blocked: %s" % (errno.errorcode.get(error.errno) or error)
    return "blocked: nothing there"


def call(name, *arguments):
    """A system call by its C function; OSError where it fails."""
    ctypes.set_errno(0)
    if getattr(LIBC, name)(*arguments) == -1:
        raise OSError(ctypes.get_errno(), name)
    raise ReachedError(name)


def connect(family, address):
    with socket.socket(family, socket.SOCK_STREAM) as connection:
        connection.settimeout(TIMEOUT_SECONDS)
        connection.connect(address)
        raise ReachedError(address)


def ask_name_server(family, address):
    query = b"\x12\x34\x01\x00\x00\x01\x00\x00\x00\x00\x00\x00\x04pypi\x03org\x00\x00\x01\x00\x01"
    with socket.socket(family, socket.SOCK_DGRAM) as connection:
        connection.settimeout(TIMEOUT_SECONDS)
        connection.sendto(query, (address, 53))
        connection.recvfrom(512)
        raise ReachedError(address)


@probe
def tcp_to_a_public_address(_):
    connect(socket.AF_INET, ("1.1.1.1", 443))


@probe
def tcp_to_a_public_ipv6_address(_):
    connect(socket.AF_INET6, ("2606:4700:4700::1111", 443))


@probe
def tcp_to_the_metadata_address(_):
    connect(socket.AF_INET, ("169.254.169.254", 80))


@probe
def tcp_to_the_bridge_gateway(configuration):
    for port in (2375, 2376, 22, configuration["port"]):
        connect(socket.AF_INET, ("172.17.0.1", port))


@probe
def tcp_to_a_service_on_the_hosts_loopback(configuration):
    connect(socket.AF_INET, ("127.0.0.1", configuration["port"]))


@probe
def tcp_to_a_service_on_the_hosts_ipv6_loopback(configuration):
    connect(socket.AF_INET6, ("::1", configuration["port6"]))


@probe
def tcp_to_a_service_on_the_hosts_address(configuration):
    connect(socket.AF_INET, (configuration["address"], configuration["port"]))


@probe
def abstract_unix_socket_of_the_host(configuration):
    connect(socket.AF_UNIX, "\0" + configuration["abstract"])


@probe
def unix_socket_of_the_host(configuration):
    connect(socket.AF_UNIX, configuration["unix"])


@probe
def engine_socket_of_the_host(configuration):
    for path in configuration["engine_sockets"]:
        if os.path.exists(path):
            raise ReachedError(path)


@probe
def any_socket_file(_):
    for directory, _names, files in os.walk("/"):
        if directory.startswith("/proc"):
            continue
        for name in files:
            path = os.path.join(directory, name)
            if stat.S_ISSOCK(os.lstat(path).st_mode):
                raise ReachedError(path)


@probe
def virtual_machine_socket(_):
    connect(socket.AF_VSOCK, (2, 1024))


@probe
def name_server_over_udp(configuration):
    for address in configuration["name_servers"]:
        ask_name_server(socket.AF_INET, address)


@probe
def name_server_over_udp_on_a_public_address(_):
    ask_name_server(socket.AF_INET, "8.8.8.8")


@probe
def name_lookup(_):
    try:
        raise ReachedError(socket.getaddrinfo("pypi.org", 443))
    except socket.gaierror as error:
        raise PermissionError(errno.EACCES, str(error)) from error


@probe
def ping(_):
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM, socket.IPPROTO_ICMP) as connection:
        connection.settimeout(TIMEOUT_SECONDS)
        connection.sendto(struct.pack("!BBHHH", 8, 0, 0xF7FF, 0, 0), ("1.1.1.1", 0))
        connection.recvfrom(512)
        raise ReachedError("1.1.1.1")


@probe
def raw_socket(_):
    socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_ICMP).close()
    raise ReachedError("raw socket")


@probe
def packet_socket(_):
    socket.socket(socket.AF_PACKET, socket.SOCK_RAW, 0).close()
    raise ReachedError("packet socket")


@probe
def another_network_interface(_):
    others = [name for _number, name in socket.if_nameindex() if name != "lo" and is_up(name)]
    if others:
        raise ReachedError(others)


def is_up(name):
    with open("/proc/net/dev") as table, open("/proc/net/route") as routes:
        return name in table.read() and name in routes.read()


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


@probe
def disks_and_kernel_memory(_):
    for name in os.listdir("/dev"):
        path = "/dev/" + name
        mode = os.lstat(path).st_mode
        if stat.S_ISBLK(mode) or name in ("mem", "kmem", "kmsg", "port", "kvm", "fuse", "vhost-vsock"):
            raise ReachedError(path)


@probe
def tracing_process_1(_):
    call("ptrace", PTRACE_ATTACH, 1, None, None)


@probe
def memory_of_process_1(_):
    open("/proc/1/mem", "rb").close()
    raise ReachedError("/proc/1/mem")


@probe
def environment_of_process_1(_):
    with open("/proc/1/environ", "rb") as file:
        raise ReachedError(file.read())


@probe
def descriptors_of_process_1(_):
    raise ReachedError(os.listdir("/proc/1/fd"))


@probe
def root_of_process_1(_):
    raise ReachedError(os.listdir("/proc/1/root"))


@probe
def a_variable_of_the_worker_in_any_environment(configuration):
    wanted = configuration["canary"].encode()
    texts = [repr(dict(os.environ)).encode()]
    for name in os.listdir("/proc"):
        for part in ("environ", "cmdline"):
            try:
                with open(f"/proc/{name}/{part}", "rb") as file:
                    texts.append(file.read())
            except OSError:
                continue
    if any(wanted in text for text in texts):
        raise ReachedError("the canary")


@probe
def an_inherited_descriptor(_):
    extra = [number for number in os.listdir("/proc/self/fd") if int(number) > 2]
    targets = [os.readlink("/proc/self/fd/" + number) for number in extra if os.path.exists("/proc/self/fd/" + number)]
    if targets:
        raise ReachedError(targets)


@probe
def a_process_of_the_host(configuration):
    for name in os.listdir("/proc"):
        if name.isdigit():
            with open(f"/proc/{name}/cmdline", "rb") as file:
                if b"pytest" in file.read():
                    raise ReachedError(name)


@probe
def a_file_of_the_host(configuration):
    with open(configuration["file"], "rb") as file:
        raise ReachedError(file.read())


def first_byte(path):
    with open(path, "rb") as file:
        return file.read(1)


@probe
def the_hosts_secrets(_):
    for path in ("/root", "/home", "/etc/shadow", "/proc/kcore", "/proc/sched_debug", "/sys/kernel/debug"):
        try:
            found = os.listdir(path) if os.path.isdir(path) else first_byte(path)
        except OSError:
            continue
        if found:
            raise ReachedError(path)


@probe
def writing_outside_of_the_volumes(_):
    for directory in ("/", "/etc", "/usr", "/usr/bin", "/dev", "/var", "/run", "/opt", "/sys", "/proc"):
        try:
            with open(os.path.join(directory, "planted"), "wb"):
                raise ReachedError(directory)
        except OSError:
            continue


@probe
def kernel_settings(_):
    for path in (
        "kernel/core_pattern",
        "vm/drop_caches",
        "vm/overcommit_memory",
        "kernel/hostname",
        "net/ipv4/ip_forward",
    ):
        try:
            with open("/proc/sys/" + path, "r+b"):
                raise ReachedError(path)
        except OSError:
            continue
    with open("/proc/sysrq-trigger", "wb"):
        raise ReachedError("sysrq")


@probe
def control_groups(_):
    for directory, _names, files in os.walk("/sys/fs/cgroup"):
        for name in files:
            if os.access(os.path.join(directory, name), os.W_OK):
                raise ReachedError(os.path.join(directory, name))


@probe
def killing_process_1(_):
    os.kill(1, 9)  # the kernel keeps process 1 from signals out of its own namespace
    time.sleep(0.2)
    os.kill(1, 0)


def main():
    configuration = json.load(sys.stdin)
    wanted = configuration.get("only") or PROBES
    print(json.dumps({name: run(PROBES[name], configuration) for name in wanted}))


if __name__ == "__main__":
    main()
