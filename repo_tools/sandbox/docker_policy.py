"""What a container may have: the options it is created with, and the check of what the engine made of them.

The check is not the test suite's alone: it runs before each start, because an image may declare volumes and an
engine may have defaults, or ignore options, that would open the box without any error.
"""

from typing import Any

from repo_tools.sandbox.box.commands import MOST_FILES
from repo_tools.sandbox.contract import ENVIRONMENT, WORKSPACE, BoxSpec, Limits

USER_ID = 1000
HOSTNAME = "sandbox"
RUN_LABEL = "agent-fix.run"
"""Every container of a run carries it; what a killed worker left behind is found by it."""

SHARED_MEMORY_BYTES = 64 << 20


def container_options(spec: BoxSpec, *, run: str, runtime: str | None) -> dict[str, Any]:
    """Arguments of the SDK's `containers.create`, apart from image, command and name.

    The volumes live in memory and count in the container's memory limit, like everything its processes use.
    """
    limits = spec.limits
    return {
        "user": f"{USER_ID}:{USER_ID}",
        "hostname": HOSTNAME,
        "working_dir": WORKSPACE,
        "labels": {RUN_LABEL: run},
        "stdin_open": True,
        "network_mode": "none",
        "read_only": True,
        "cap_drop": ["ALL"],
        "security_opt": ["no-new-privileges"],
        "tmpfs": _volumes(spec),
        "ipc_mode": "private",
        "cgroupns": "private",
        "shm_size": SHARED_MEMORY_BYTES,
        "mem_limit": limits.memory_bytes,
        "memswap_limit": limits.memory_bytes,
        "nano_cpus": int(limits.processors * 1_000_000_000),
        "pids_limit": limits.processes,
        "ulimits": [
            {"Name": "nofile", "Soft": limits.open_files, "Hard": limits.open_files},
            {"Name": "core", "Soft": 0, "Hard": 0},
        ],
        "log_config": {"Type": "none"},
        **({"runtime": runtime} if runtime else {}),
    }


def _volumes(spec: BoxSpec) -> dict[str, str]:
    limits = spec.limits
    volumes = {
        WORKSPACE: _volume(limits.workspace_bytes, "0755"),
        "/tmp": _volume(limits.temporary_bytes, "1777"),  # noqa: S108  (the box's own)
    }
    if spec.writable_environment:
        volumes[ENVIRONMENT] = _volume(limits.environment_bytes, "0755")
    return volumes


def _volume(size: int, mode: str) -> str:
    owner = f"uid={USER_ID},gid={USER_ID}"
    return f"rw,exec,nosuid,nodev,size={size},nr_inodes={MOST_FILES},mode={mode},{owner}"


def violations(inspection: dict[str, Any], limits: Limits) -> tuple[str, ...]:
    """What `docker inspect` of a container shows that no box may have; empty for a good one."""
    host, config = inspection["HostConfig"], inspection["Config"]
    demands = {
        "privileged": not host["Privileged"],
        "capabilities": host["CapDrop"] == ["ALL"] and not host["CapAdd"],
        "new privileges": _security_options(host) == {"no-new-privileges"},
        "root user": config["User"] == f"{USER_ID}:{USER_ID}" and not host["GroupAdd"],
        "writable root": host["ReadonlyRootfs"],
        "network": host["NetworkMode"] == "none" and not host["PortBindings"],
        "host namespaces": not _shared_namespaces(host),
        "mounts": not host["Binds"] and not inspection["Mounts"] and not host["VolumesFrom"],
        "devices": not host["Devices"] and not host.get("DeviceRequests"),
        "unmasked /proc": bool(host["MaskedPaths"]) and bool(host["ReadonlyPaths"]),
        "memory": host["Memory"] == host["MemorySwap"] == limits.memory_bytes and not host["OomKillDisable"],
        "processors": host["NanoCpus"] == int(limits.processors * 1_000_000_000),
        "processes": host["PidsLimit"] == limits.processes,
        "volumes without a size": all("size=" in options for options in (host["Tmpfs"] or {}).values()),
        "restart": host["RestartPolicy"]["Name"] in ("", "no"),
    }
    return tuple(name for name, holds in demands.items() if not holds)


def _security_options(host: dict[str, Any]) -> set[str]:
    return {str(option).removesuffix(":true").removesuffix("=true") for option in host["SecurityOpt"] or ()}


def _shared_namespaces(host: dict[str, Any]) -> set[str]:
    shared = {host[name] for name in ("PidMode", "IpcMode", "UTSMode", "UsernsMode", "CgroupnsMode")}
    return shared - {"", "private", "shareable"}
