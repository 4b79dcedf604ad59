"""What `docker inspect` shows of a box, and that nothing else would be started."""

import uuid
from collections.abc import Iterator
from copy import deepcopy
from typing import Any

import pytest
from docker import DockerClient

from repo_tools.sandbox.docker import DockerEngine
from repo_tools.sandbox.docker_policy import host_processes
from repo_tools.sandbox.docker_violations import rules, violations
from tests.support.containers import LIMITS, MIB, SETUP, inspection
from tests.support.engine import require_docker

pytestmark = pytest.mark.docker


@pytest.fixture(scope="module")
def live_box(client: DockerClient) -> Iterator[dict[str, Any]]:
    """What `docker inspect` shows of a box that has run a command."""
    run = f"test-{uuid.uuid4().hex}"
    engine = DockerEngine(docker_host=require_docker(), installation=run)
    with engine.start(SETUP) as box:
        box.exec(["true"], timeout_seconds=10)
        yield inspection(client, run)
    engine.close()


POLICY: dict[str, tuple[str, object]] = {
    "not privileged": ("HostConfig.Privileged", False),
    "every capability dropped": ("HostConfig.CapDrop", ["ALL"]),
    "no capability added": ("HostConfig.CapAdd", None),
    "no new privileges, default seccomp": ("HostConfig.SecurityOpt", ["no-new-privileges"]),
    "unprivileged user": ("Config.User", "1000:1000"),
    "no further groups": ("HostConfig.GroupAdd", None),
    "read-only root": ("HostConfig.ReadonlyRootfs", True),
    "no network": ("HostConfig.NetworkMode", "none"),
    "no address": ("NetworkSettings.IPAddress", ""),
    "no ports": ("HostConfig.PortBindings", None),
    "no binds": ("HostConfig.Binds", None),
    "no mounts": ("Mounts", []),
    "no volumes of others": ("HostConfig.VolumesFrom", None),
    "no devices": ("HostConfig.Devices", None),
    "own process namespace": ("HostConfig.PidMode", ""),
    "own ipc namespace": ("HostConfig.IpcMode", "private"),
    "own host name namespace": ("HostConfig.UTSMode", ""),
    "own cgroup namespace": ("HostConfig.CgroupnsMode", "private"),
    "engine's user namespace": ("HostConfig.UsernsMode", ""),
    "memory": ("HostConfig.Memory", LIMITS.memory_bytes),
    "no swap": ("HostConfig.MemorySwap", LIMITS.memory_bytes),
    "processors": ("HostConfig.NanoCpus", 1_500_000_000),
    "processes": ("HostConfig.PidsLimit", LIMITS.processes),
    "no log on the host's disk": ("HostConfig.LogConfig.Type", "none"),
    "never restarted": ("HostConfig.RestartPolicy.Name", ""),
    "fixed host name": ("Config.Hostname", "sandbox"),
    "no name but its own": ("HostConfig.ExtraHosts", ["sandbox:127.0.1.1"]),
}


@pytest.mark.parametrize("rule", POLICY)
def test_a_live_box_keeps_the_policy(live_box: dict[str, Any], rule: str) -> None:
    """S02."""
    path, wanted = POLICY[rule]
    value: Any = live_box
    for name in path.split("."):
        value = value[name]
    assert value == wanted or (not wanted and not value)


def test_a_live_box_has_limits_on_files_and_core_dumps(live_box: dict[str, Any]) -> None:
    ulimits = {limit["Name"]: (limit["Soft"], limit["Hard"]) for limit in live_box["HostConfig"]["Ulimits"]}
    assert ulimits == {"nofile": (128, 128), "core": (0, 0)}


def test_every_volume_of_a_live_box_is_in_memory_with_a_size_and_an_owner(live_box: dict[str, Any]) -> None:
    volumes = live_box["HostConfig"]["Tmpfs"]
    sizes = {"/workspace": 64 * MIB, "/tmp": 32 * MIB, "/var/tmp": 64 * MIB, "/box": 24 * MIB, "/env": 64 * MIB}
    assert volumes.keys() == sizes.keys()
    for path, options in volumes.items():
        assert {f"size={sizes[path]}", "nosuid", "nodev", "uid=1000", "nr_inodes=262144"} <= set(options.split(","))


def test_a_live_box_is_started_by_the_images_id_and_knows_nothing_of_the_worker(live_box: dict[str, Any]) -> None:
    """S13."""
    assert live_box["Config"]["Image"].startswith("sha256:")
    assert {entry.split("=")[0] for entry in live_box["Config"]["Env"]} <= {"PATH", "HOSTNAME", "HOME", "LANG"} | {
        "GPG_KEY", "PYTHON_VERSION", "PYTHON_SHA256"
    }  # fmt: skip


def test_a_live_box_breaks_no_rule(live_box: dict[str, Any]) -> None:
    assert violations(live_box, SETUP, "runc") == ()


FILES, NO_DUMP = {"Name": "nofile", "Soft": 128, "Hard": 128}, {"Name": "core", "Soft": 0, "Hard": 0}
BREACHES: dict[str, list[tuple[str, object]]] = {
    "privileged": [("HostConfig.Privileged", True)],
    "capabilities": [
        ("HostConfig.CapAdd", ["SYS_ADMIN"]),
        ("HostConfig.CapDrop", None),
        ("HostConfig.CapDrop", ["NET_RAW"]),
    ],
    "new privileges": [
        ("HostConfig.SecurityOpt", ["no-new-privileges", "seccomp=unconfined"]),
        ("HostConfig.SecurityOpt", ["no-new-privileges", "apparmor=unconfined"]),
        ("HostConfig.SecurityOpt", ["no-new-privileges", "label=disable"]),
        ("HostConfig.SecurityOpt", ["no-new-privileges=false"]),
        ("HostConfig.SecurityOpt", None),
    ],
    "unconfined": [("AppArmorProfile", "unconfined")],
    "root user": [("Config.User", ""), ("Config.User", "0:0"), ("HostConfig.GroupAdd", ["docker"])],
    "another program": [("Config.Cmd", ["sh"]), ("Config.Entrypoint", ["/init"])],
    "health check": [("Config.Healthcheck", {"Test": ["CMD", "curl", "evil.example"]})],
    "kernel settings": [
        ("HostConfig.Sysctls", {"net.ipv4.ip_forward": "1"}),
    ],
    "runtime": [],
    "writable root": [("HostConfig.ReadonlyRootfs", False)],
    "network": [
        ("HostConfig.NetworkMode", "host"),
        ("HostConfig.NetworkMode", "bridge"),
        ("HostConfig.NetworkMode", "container:another"),
        ("NetworkSettings.Networks", {"none": {}, "bridge": {}}),
    ],
    "ports": [("HostConfig.PortBindings", {"80/tcp": [{}]}), ("HostConfig.PublishAllPorts", True)],
    "names of hosts": [
        ("HostConfig.ExtraHosts", ["host.docker.internal:host-gateway"]),
        ("HostConfig.Dns", ["8.8.8.8"]),
        ("HostConfig.Links", ["/other:/other"]),
    ],
    "host namespaces": [
        ("HostConfig.PidMode", "host"),
        ("HostConfig.PidMode", "container:another"),
        ("HostConfig.IpcMode", "host"),
        ("HostConfig.IpcMode", "shareable"),
        ("HostConfig.UTSMode", "host"),
        ("HostConfig.UsernsMode", "host"),
        ("HostConfig.CgroupnsMode", "host"),
    ],
    "control groups": [("HostConfig.CgroupParent", "/"), ("HostConfig.Cgroup", "container:another")],
    "mounts": [
        ("HostConfig.Binds", ["/var/run/docker.sock:/var/run/docker.sock"]),
        ("Mounts", [{"Type": "volume", "Destination": "/data"}]),
        ("HostConfig.Mounts", [{"Type": "bind", "Source": "/", "Target": "/host"}]),
    ],
    "volumes of others": [("HostConfig.VolumesFrom", ["another"]), ("Config.Volumes", {"/data": {}})],
    "devices": [
        ("HostConfig.Devices", [{"PathOnHost": "/dev/kmsg"}]),
        ("HostConfig.DeviceRequests", [{"Driver": "nvidia"}]),
        ("HostConfig.DeviceCgroupRules", ["a *:* rwm"]),
    ],
    "unmasked /proc": [
        ("HostConfig.MaskedPaths", []),
        ("HostConfig.MaskedPaths", ["/proc/kcore"]),
        ("HostConfig.ReadonlyPaths", None),
        ("HostConfig.ReadonlyPaths", ["/proc/sys"]),
    ],
    "log on the host": [("HostConfig.LogConfig", {"Type": "json-file"}), ("HostConfig.LogConfig", {"Type": "syslog"})],
    "terminal": [("Config.Tty", True)],
    "another runtime": [("HostConfig.Runtime", "runsc")],
    "memory": [("HostConfig.MemorySwap", -1), ("HostConfig.Memory", 0), ("HostConfig.OomKillDisable", True)],
    "spared when memory is short": [("HostConfig.OomScoreAdj", -1000)],
    "processors": [("HostConfig.NanoCpus", 0)],
    "processes": [("HostConfig.PidsLimit", None), ("HostConfig.PidsLimit", -1), ("HostConfig.PidsLimit", 100_000)],
    "open files or core dumps": [
        ("HostConfig.Ulimits", None),
        ("HostConfig.Ulimits", [FILES]),
        ("HostConfig.Ulimits", [{**FILES, "Hard": 1 << 20}, NO_DUMP]),
        ("HostConfig.Ulimits", [FILES, {**NO_DUMP, "Hard": -1}]),
    ],
    "volumes without their size": [
        ("HostConfig.Tmpfs", None),
        ("HostConfig.Tmpfs", {"/workspace": "rw"}),
        ("HostConfig.Tmpfs", {"/workspace": "rw,size=64m", "/tmp": "rw,size=1t", "/env": "rw,size=64m"}),
    ],
    "shared memory": [("HostConfig.ShmSize", 1 << 40)],
    "restart": [("HostConfig.RestartPolicy", {"Name": "always"})],
    "unknown setting Init": [("HostConfig.Init", True)],
    "unknown setting OpenedUp": [("HostConfig.OpenedUp", ["host"])],
    "unknown setting VolumeDriver": [("HostConfig.VolumeDriver", "nfs")],
    "unknown setting CpuRealtimeRuntime": [("HostConfig.CpuRealtimeRuntime", 950_000)],
}  # fmt: skip
EACH = [(rule, path, value) for rule, breaches in BREACHES.items() for path, value in breaches]


@pytest.mark.parametrize(("rule", "path", "value"), EACH, ids=lambda part: part if isinstance(part, str) else "")
def test_each_breach_of_the_policy_is_named(live_box: dict[str, Any], rule: str, path: str, value: object) -> None:
    """S02."""
    assert violations(opened(live_box, path, value), SETUP, "runc") == (rule,)


def opened(inspection: dict[str, Any], path: str, value: object) -> dict[str, Any]:
    """A copy with one property changed."""
    changed = deepcopy(inspection)
    *folders, name = path.split(".")
    part = changed
    for folder in folders:
        part = part[folder]
    part[name] = value
    return changed


def test_a_runtime_that_nobody_looked_at_is_refused_even_where_it_was_asked_for(live_box: dict[str, Any]) -> None:
    """S02."""
    assert violations(opened(live_box, "HostConfig.Runtime", "nvidia"), SETUP, "nvidia") == ("runtime",)


def test_every_rule_has_its_breach(live_box: dict[str, Any]) -> None:
    assert rules(live_box, SETUP, "runc").keys() == {rule for rule in BREACHES if not rule.startswith("unknown")}


def test_gvisors_own_processes_do_not_count_as_the_boxs() -> None:
    assert host_processes(100, "runsc") > host_processes(100, "runc") == 100
