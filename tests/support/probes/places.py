"""Files, devices and processes that are not the box's."""

import os
import stat
import time

from tests.support.probes.attempts import ReachedError, call, probe

PTRACE_ATTACH = 16


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
