"""Files, devices and processes that are not the box's."""

import os
import stat
import time

from tests.support.probes.attempts import ANYBODY, ROOT, ReachedError, call, probe

PTRACE_ATTACH = 16
NOT_EVERYWHERE = "not every kernel has it, or lets its root use it"
RISKY = "it would do harm to this machine's process 1"


@probe("finds a disk or the kernel's memory in /dev", "it depends on the machine")
def disks_and_kernel_memory(_):
    for name in os.listdir("/dev"):
        path = "/dev/" + name
        mode = os.lstat(path).st_mode
        if stat.S_ISBLK(mode) or name in ("mem", "kmem", "kmsg", "port", "kvm", "fuse", "vhost-vsock", "loop-control"):
            raise ReachedError(path)


@probe("writes to the machine's console", "it would write to this machine's console")
def console(_):
    with open("/dev/console", "wb") as file:
        file.write(b"x")
    raise ReachedError("/dev/console")


@probe("traces process 1", RISKY)
def tracing_process_1(_):
    call("ptrace", PTRACE_ATTACH, 1, None, None)


@probe("opens the memory of process 1", ROOT)
def memory_of_process_1(_):
    open("/proc/1/mem", "rb").close()
    raise ReachedError("/proc/1/mem")


@probe("reads the environment of process 1", ROOT)
def environment_of_process_1(_):
    with open("/proc/1/environ", "rb") as file:
        raise ReachedError(file.read(10))


@probe("lists the descriptors of process 1, the channel among them", ROOT)
def descriptors_of_process_1(_):
    raise ReachedError(os.listdir("/proc/1/fd"))


@probe("goes through the root of process 1", ROOT)
def root_of_process_1(_):
    raise ReachedError(os.listdir("/proc/1/root"))


@probe("goes through the folder of process 1", ROOT)
def folder_of_process_1(_):
    raise ReachedError(os.listdir("/proc/1/cwd"))


@probe("saves process 1 from the end of memory, or hands it to it", ROOT)
def priority_of_process_1(_):
    with open("/proc/1/oom_score_adj", "r+b"):
        raise ReachedError("oom_score_adj")


@probe("spares itself when memory is short", NOT_EVERYWHERE)
def sparing_itself(_):
    with open("/proc/self/oom_score_adj", "wb") as file:
        file.write(b"-500")
    raise ReachedError("oom_score_adj")


@probe("finds a variable of the worker in any environment or command line", ANYBODY)
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


@probe("has a descriptor that it did not open", ANYBODY)
def an_inherited_descriptor(_):
    extra = [number for number in os.listdir("/proc/self/fd") if int(number) > 2]
    targets = [os.readlink("/proc/self/fd/" + number) for number in extra if os.path.exists("/proc/self/fd/" + number)]
    if targets:
        raise ReachedError(targets)


@probe("climbs out by a descriptor of a folder outside (CVE-2024-21626)", ANYBODY)
def climbing_out_by_a_descriptor(configuration):
    for number in range(64):
        path = f"/proc/self/fd/{number}/" + "../" * 20 + configuration["file"].lstrip("/")
        if os.path.exists(path):
            raise ReachedError(path)


@probe("sees a process of the host", ANYBODY)
def a_process_of_the_host(configuration):
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{name}/cmdline", "rb") as file:
                command = file.read()
        except OSError:  # it has ended since, or hides itself
            continue
        if b"pytest" in command:
            raise ReachedError(name)


@probe("reads a file of the host", ANYBODY)
def a_file_of_the_host(configuration):
    with open(configuration["file"], "rb") as file:
        raise ReachedError(file.read())


@probe("reads a file of the host through the root of any process", ANYBODY)
def a_file_of_the_host_through_another_process(configuration):
    for name in os.listdir("/proc"):
        path = f"/proc/{name}/root{configuration['file']}"
        if os.access(path, os.R_OK):
            raise ReachedError(path)


@probe("reads a file of the host through a link of its own", ANYBODY)
def a_file_of_the_host_through_a_link(configuration):
    link = f"/tmp/link-{os.getpid()}"
    os.symlink(configuration["file"], link)
    try:
        with open(link, "rb") as file:
            raise ReachedError(file.read())
    finally:
        os.unlink(link)


@probe("changes a file of the host", ANYBODY)
def changing_a_file_of_the_host(configuration):
    with open(configuration["file"], "ab") as file:
        file.write(b"!")
    raise ReachedError(configuration["file"])


@probe("lists the folder that the worker keeps its data in", ANYBODY)
def the_data_folder(configuration):
    raise ReachedError(os.listdir(configuration["folder"]))


@probe("reads what is in the host's shared memory", ANYBODY)
def shared_memory_of_the_host(configuration):
    with open(configuration["shared"], "rb") as file:
        raise ReachedError(file.read())


def first_byte(path):
    with open(path, "rb") as file:
        return file.read(1)


def reads(*paths):
    for path in paths:
        try:
            found = os.listdir(path) if os.path.isdir(path) else first_byte(path)
        except OSError:
            continue
        if found:
            raise ReachedError(path)


@probe("reads the homes of people", ROOT)
def homes(_):
    reads("/root", "/home")


@probe("reads the host's passwords", ROOT)
def passwords(_):
    reads("/etc/shadow", "/etc/gshadow")


@probe("reads the kernel's memory and tables", ROOT)
def tables_of_the_kernel(_):
    reads("/proc/kcore", "/proc/sched_debug", "/proc/timer_list", "/proc/latency_stats", "/proc/kpagecount")


@probe("reads the kernel's keys of everybody", "it depends on the machine")
def keys_of_others(_):
    with open("/proc/keys") as file:
        foreign = [line for line in file if line.split()[5] != str(os.getuid()) and line.split()[5] != "65534"]
    if foreign:
        raise ReachedError(foreign[0])


@probe("reads the machine's firmware", "it depends on the machine")
def firmware(_):
    reads("/sys/firmware/dmi", "/sys/firmware/acpi", "/sys/firmware/efi/efivars", "/sys/kernel/debug")


@probe("writes outside of the volumes", ROOT)
def writing_outside_of_the_volumes(_):
    for directory in ("/", "/etc", "/usr", "/usr/bin", "/dev", "/var", "/run", "/opt", "/sys", "/proc"):
        try:
            with open(os.path.join(directory, "planted"), "wb"):
                os.unlink(os.path.join(directory, "planted"))
                raise ReachedError(directory)
        except OSError:
            continue


def writable(*paths):
    """Opened, and not written."""
    for path in paths:
        try:
            open(path, "wb" if path.endswith("trigger") else "r+b").close()
        except OSError:
            continue
        raise ReachedError(path)


@probe("says what the host runs when a program dumps core", ROOT)
def core_pattern(_):
    writable("/proc/sys/kernel/core_pattern")


@probe("says what the host runs for modules and events", NOT_EVERYWHERE)
def helpers_of_the_kernel(_):
    writable("/proc/sys/kernel/modprobe", "/sys/kernel/uevent_helper", "/proc/sys/kernel/hotplug")


@probe("registers what runs the host's programs", "it is mounted on few machines")
def binary_formats(_):
    writable("/proc/sys/fs/binfmt_misc/register")


@probe("changes settings of the kernel", ROOT)
def kernel_settings(_):
    writable(
        "/proc/sys/vm/drop_caches", "/proc/sys/vm/overcommit_memory", "/proc/sys/kernel/hostname",
        "/proc/sys/net/ipv4/ip_forward", "/proc/sys/kernel/randomize_va_space",
    )  # fmt: skip


@probe("presses the machine's emergency keys", NOT_EVERYWHERE)
def emergency_keys(_):
    writable("/proc/sysrq-trigger")


@probe("frees its control group of limits, or leaves it", ROOT)
def control_groups(_):
    for directory, _names, files in os.walk("/sys/fs/cgroup"):
        for name in files:
            if os.access(os.path.join(directory, name), os.W_OK):
                raise ReachedError(os.path.join(directory, name))


@probe("names a release agent, which the host would run", "only old control groups have one")
def release_agent(_):
    for directory, _names, files in os.walk("/sys/fs/cgroup"):
        if "release_agent" in files:
            writable(os.path.join(directory, "release_agent"))


@probe("kills process 1", RISKY)
def killing_process_1(_):
    os.kill(1, 9)  # the kernel keeps process 1 from signals out of its own namespace
    time.sleep(0.2)
    os.kill(1, 0)


@probe("stops process 1", RISKY)
def stopping_process_1(_):
    os.kill(1, 19)
    time.sleep(0.2)
    with open("/proc/1/status") as file:
        if "State:\tT" in file.read():
            raise ReachedError("stopped")
