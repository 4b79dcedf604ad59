"""What `docker inspect` shows of a box, and that nothing else would be started."""

import uuid
from collections.abc import Iterator
from copy import deepcopy
from typing import Any

import pytest
from docker import DockerClient

from repo_tools.sandbox.docker import DockerEngine
from repo_tools.sandbox.docker_policy import violations
from tests.support.containers import LIMITS, MIB, SETUP, inspection
from tests.support.engine import engine_client, require_docker

pytestmark = pytest.mark.docker


@pytest.fixture(scope="module")
def client() -> Iterator[DockerClient]:
    client = engine_client(require_docker())
    yield client
    client.close()


@pytest.fixture(scope="module")
def live_box(client: DockerClient) -> Iterator[dict[str, Any]]:
    """What `docker inspect` shows of a box that has run a command."""
    run = f"test-{uuid.uuid4().hex}"
    engine = DockerEngine(docker_host=require_docker(), run=run)
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
    sizes = {path: f"size={size}" for path, size in [("/workspace", 64 * MIB), ("/tmp", 32 * MIB), ("/env", 64 * MIB)]}
    assert volumes.keys() == sizes.keys()
    for path, options in volumes.items():
        assert {sizes[path], "nosuid", "nodev", "uid=1000", "nr_inodes=262144"} <= set(options.split(","))


def test_a_live_box_is_started_by_the_images_id_and_knows_nothing_of_the_worker(live_box: dict[str, Any]) -> None:
    assert live_box["Config"]["Image"].startswith("sha256:")
    assert {entry.split("=")[0] for entry in live_box["Config"]["Env"]} <= {"PATH", "HOSTNAME", "HOME", "LANG"} | {
        "GPG_KEY", "PYTHON_VERSION", "PYTHON_SHA256"
    }  # fmt: skip


def test_a_live_box_breaks_no_rule(live_box: dict[str, Any]) -> None:
    assert violations(live_box, LIMITS) == ()


BREACHES: dict[str, tuple[str, object]] = {
    "privileged": ("Privileged", True),
    "capabilities": ("CapAdd", ["SYS_ADMIN"]),
    "new privileges": ("SecurityOpt", ["no-new-privileges", "seccomp=unconfined"]),
    "writable root": ("ReadonlyRootfs", False),
    "network": ("NetworkMode", "host"),
    "host namespaces": ("PidMode", "host"),
    "mounts": ("Binds", ["/var/run/docker.sock:/var/run/docker.sock"]),
    "devices": ("Devices", [{"PathOnHost": "/dev/kmsg"}]),
    "unmasked /proc": ("MaskedPaths", []),
    "memory": ("MemorySwap", -1),
    "processors": ("NanoCpus", 0),
    "processes": ("PidsLimit", None),
    "volumes without a size": ("Tmpfs", {"/workspace": "rw"}),
    "restart": ("RestartPolicy", {"Name": "always"}),
}


@pytest.mark.parametrize("rule", BREACHES)
def test_each_breach_of_the_policy_is_named(live_box: dict[str, Any], rule: str) -> None:
    """S02."""
    opened = deepcopy(live_box)
    setting, value = BREACHES[rule]
    opened["HostConfig"][setting] = value
    assert violations(opened, LIMITS) == (rule,)
