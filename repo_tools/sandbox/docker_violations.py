"""What `docker inspect` of a container shows that no box may have.

The check is not the test suite's alone: it runs before each start, because an image may declare volumes, a health check
or a program of its own, and an engine may have defaults, or ignore options, that would open the box without any error.
Whatever is not known here has to be unset: a setting that a later engine brings is refused until somebody looked at it.
"""

from collections.abc import Mapping
from typing import Any

from repo_tools.sandbox.contract import SHARED_MEMORY_BYTES, BoxSpec
from repo_tools.sandbox.docker_policy import (
    GVISOR,
    RUNC,
    USER_ID,
    host_processes,
    own_names,
    ulimits,
    volumes,
)
from repo_tools.sandbox.source import box_argv

RUNTIMES = (RUNC, GVISOR)
PRIVATE_NAMESPACES = {"PidMode": "", "IpcMode": "private", "UTSMode": "", "UsernsMode": "", "CgroupnsMode": "private"}
"""An empty one is the container's own, or for users what the engine has set for all containers (userns-remap)."""
MASKED = frozenset(
    f"/proc/{name}" for name in ("acpi", "kcore", "keys", "latency_stats", "timer_list", "timer_stats", "sched_debug")
) | {"/sys/firmware"}
READ_ONLY = frozenset(f"/proc/{name}" for name in ("bus", "fs", "irq", "sys", "sysrq-trigger"))
"""What every engine since 19.03 hides (moby, oci/defaults.go); a later one may hide more."""


def violations(inspection: Mapping[str, Any], spec: BoxSpec, runtime: str) -> tuple[str, ...]:
    """The rules that are broken; empty for a good one."""
    demands = rules(inspection, spec, runtime)
    broken = [name for name, holds in demands.items() if not holds]
    return (*broken, *(f"unknown setting {name}" for name in _unknown(inspection["HostConfig"])))


def rules(inspection: Mapping[str, Any], spec: BoxSpec, runtime: str) -> dict[str, bool]:
    """Each rule's name, and whether it is kept."""
    return {**_privileges(inspection), **_reach(inspection, spec), **_limits(inspection, spec, runtime)}


def _privileges(inspection: Mapping[str, Any]) -> dict[str, bool]:
    host, config = inspection["HostConfig"], inspection["Config"]
    return {
        "privileged": not host["Privileged"],
        "capabilities": host["CapDrop"] == ["ALL"] and not host["CapAdd"],
        "new privileges": _security_options(host) == {"no-new-privileges"},
        "unconfined": inspection.get("AppArmorProfile") != "unconfined",
        "root user": config["User"] == f"{USER_ID}:{USER_ID}" and not host["GroupAdd"],
        "another program": config["Cmd"] == box_argv() and not config["Entrypoint"],
        "health check": (config.get("Healthcheck") or NO_CHECK)["Test"] == ["NONE"],
        "kernel settings": not host.get("Sysctls"),
        "runtime": host["Runtime"] in RUNTIMES,
    }


NO_CHECK = {"Test": ["NONE"]}


def _reach(inspection: Mapping[str, Any], spec: BoxSpec) -> dict[str, bool]:
    host, config = inspection["HostConfig"], inspection["Config"]
    return {
        "writable root": host["ReadonlyRootfs"] is True,
        "network": host["NetworkMode"] == "none" and set(inspection["NetworkSettings"]["Networks"]) <= {"none"},
        "ports": not host["PortBindings"] and not host["PublishAllPorts"],
        "names of hosts": set(host["ExtraHosts"] or ()) == told_names(spec) and not (host["Dns"] or host["Links"]),
        "host namespaces": all(host[name] == wanted for name, wanted in PRIVATE_NAMESPACES.items()),
        "control groups": not host["CgroupParent"] and not host.get("Cgroup"),
        "mounts": not host["Binds"] and not inspection["Mounts"] and not host.get("Mounts"),
        "volumes of others": not host["VolumesFrom"] and not config.get("Volumes"),
        "devices": not (host["Devices"] or host.get("DeviceRequests") or host.get("DeviceCgroupRules")),
        "unmasked /proc": set(host["MaskedPaths"] or ()) >= MASKED and set(host["ReadonlyPaths"] or ()) >= READ_ONLY,
        "log on the host": host["LogConfig"]["Type"] == "none",
        "terminal": not config["Tty"],
    }


def told_names(spec: BoxSpec) -> set[str]:
    return {f"{name}:{address}" for name, address in own_names(spec).items()}


def _limits(inspection: Mapping[str, Any], spec: BoxSpec, runtime: str) -> dict[str, bool]:
    host, limits = inspection["HostConfig"], spec.limits
    return {
        "another runtime": host["Runtime"] == runtime,
        "memory": host["Memory"] == host["MemorySwap"] == limits.memory_bytes and not host["OomKillDisable"],
        "spared when memory is short": host["OomScoreAdj"] >= 0,
        "processors": host["NanoCpus"] == int(limits.processors * 1_000_000_000),
        "processes": host["PidsLimit"] == host_processes(limits.processes, runtime),
        "open files or core dumps": sorted(host["Ulimits"] or (), key=_name) == sorted(ulimits(spec), key=_name),
        "volumes without their size": (host["Tmpfs"] or {}) == volumes(spec),
        "shared memory": host["ShmSize"] == SHARED_MEMORY_BYTES,
        "restart": host["RestartPolicy"]["Name"] in ("", "no"),
    }


def _name(limit: Mapping[str, Any]) -> str:
    return str(limit["Name"])


def _security_options(host: Mapping[str, Any]) -> set[str]:
    return {str(option).removesuffix(":true").removesuffix("=true") for option in host["SecurityOpt"] or ()}


KNOWN = {
    *("Binds", "CapAdd", "CapDrop", "Cgroup", "CgroupParent", "CgroupnsMode", "DeviceCgroupRules"),
    *("DeviceRequests", "Devices", "Dns", "ExtraHosts", "GroupAdd", "IpcMode", "Links", "LogConfig"),
    *("MaskedPaths", "Memory", "MemorySwap", "Mounts", "NanoCpus", "NetworkMode", "OomKillDisable"),
    *("OomScoreAdj", "PidMode", "PidsLimit", "PortBindings", "Privileged", "PublishAllPorts", "ReadonlyPaths"),
    *("ReadonlyRootfs", "RestartPolicy", "Runtime", "SecurityOpt", "ShmSize", "Sysctls", "Tmpfs", "UTSMode"),
    *("Ulimits", "UsernsMode", "VolumesFrom"),
}
"""Settings that a rule above looks at."""
HARMLESS = frozenset({"ConsoleSize", "Isolation"})
"""Of terminals, and of Windows, where it may say ``default``."""


def _unknown(host: Mapping[str, Any]) -> list[str]:
    return [name for name, value in host.items() if value and name not in KNOWN | HARMLESS]
