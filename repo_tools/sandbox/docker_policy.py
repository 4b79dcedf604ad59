"""The options that a box's container is created with. What the engine makes of them is checked before each start, by
`docker_violations`."""

from typing import Any

from repo_tools.sandbox.box.bounds import MOST_FILES
from repo_tools.sandbox.contract import (
    ENVIRONMENT,
    HOME,
    OWN_ADDRESS,
    SHARED_MEMORY_BYTES,
    VAR_TMP_BYTES,
    WORKSPACE,
    BoxSpec,
)
from repo_tools.sandbox.owner import owner_labels
from repo_tools.sandbox.service import host_names

USER_ID = 1000
HOSTNAME = "sandbox"
GVISOR, RUNC = "runsc", "runc"
"""OCI runtimes, by the names that an engine has for them."""
GVISOR_PROCESSES = 256


def container_options(spec: BoxSpec, *, runtime: str | None, installation: str) -> dict[str, Any]:
    """Arguments of the SDK's `containers.create`, apart from image, command and name.

    The volumes live in memory and count in the container's memory limit, like everything its processes use.
    """
    limits = spec.limits
    return {
        "user": f"{USER_ID}:{USER_ID}",
        "hostname": HOSTNAME,
        "working_dir": WORKSPACE,
        "labels": owner_labels(installation),
        "stdin_open": True,
        "network_mode": "none",
        "read_only": True,
        "cap_drop": ["ALL"],
        "security_opt": ["no-new-privileges"],
        "tmpfs": volumes(spec),
        "ipc_mode": "private",
        "cgroupns": "private",
        "shm_size": SHARED_MEMORY_BYTES,
        "mem_limit": limits.memory_bytes,
        "memswap_limit": limits.memory_bytes,
        "nano_cpus": int(limits.processors * 1_000_000_000),
        "pids_limit": host_processes(limits.processes, runtime),
        "ulimits": ulimits(spec),
        "healthcheck": {"test": ["NONE"]},
        "log_config": {"Type": "none"},
        "extra_hosts": own_names(spec),
        **({"runtime": runtime} if runtime else {}),
    }


def own_names(spec: BoxSpec) -> dict[str, str]:
    """What the box is called, by itself and as its services."""
    return {HOSTNAME: OWN_ADDRESS, **dict.fromkeys(host_names(spec.services), "127.0.0.1")}


def host_processes(processes: int, runtime: str | None) -> int:
    """gVisor's kernel is a process with threads of its own, and each process in it is one or more of the host's: with
    the box's own number as their limit it would abort in the middle of a test suite."""
    return GVISOR_PROCESSES + 4 * processes if runtime == GVISOR else processes


def ulimits(spec: BoxSpec) -> list[dict[str, Any]]:
    """No dump of memory leaves the box: core_pattern, which says where to, is the host's."""
    files = spec.limits.open_files
    return [{"Name": "nofile", "Soft": files, "Hard": files}, {"Name": "core", "Soft": 0, "Hard": 0}]


def volumes(spec: BoxSpec) -> dict[str, str]:
    limits = spec.limits
    sized = {
        WORKSPACE: _volume(limits.workspace_bytes, "0755"),
        "/tmp": _volume(limits.temporary_bytes, "1777"),  # noqa: S108  (the box's own)
        "/var/tmp": _volume(VAR_TMP_BYTES, "1777"),  # noqa: S108
        HOME: _volume(limits.home_bytes, "0755"),
    }
    if spec.writable_environment:
        sized[ENVIRONMENT] = _volume(limits.environment_bytes, "0755")
    return sized


def _volume(size: int, mode: str) -> str:
    owner = f"uid={USER_ID},gid={USER_ID}"
    return f"rw,exec,nosuid,nodev,size={size},nr_inodes={MOST_FILES},mode={mode},{owner}"
