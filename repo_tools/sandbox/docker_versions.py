"""How old the programs may be that a container rests on."""

from dataclasses import dataclass

from docker import DockerClient

from repo_tools.sandbox.docker_errors import engine_call
from repo_tools.sandbox.docker_policy import GVISOR
from repo_tools.versions import has_fixes

OLDEST_ENGINE = ("20.10.0",)
"""The first with private cgroup namespaces (API 1.41); older ones ignore that option without a word."""
FIRST_FIXED_RUNC = ("1.2.8", "1.3.3", "1.4.0-rc.3")
"""The first of each series that a container does not get out of by masked paths, /dev/console or procfs writes
(CVE-2025-31133, -52565, -52881; all have the fix of CVE-2024-21626, /proc/self/fd, too)."""
ACCEPT_RUNC = "AGENT_FIX_ACCEPT_RUNC"


@dataclass(frozen=True)
class EngineVersions:
    """As the engine says them. `runc_build` is exact where a distribution's package says so."""

    engine: str
    runc: str
    runc_build: str
    seccomp: bool
    """Whether the engine filters system calls of every container."""


def versions_of(client: DockerClient) -> EngineVersions:
    with engine_call("describe itself"):
        told, info = client.version(), client.info()
    parts = {part["Name"]: part["Version"] for part in told.get("Components") or ()}
    options = [str(option).split(",") for option in info.get("SecurityOptions") or ()]
    filters = [option for option in options if option[0] == "name=seccomp"]
    return EngineVersions(
        engine=str(parts.get("Engine") or told.get("Version", "")),
        runc=str(parts.get("runc", "")),
        runc_build=str((info.get("RuncCommit") or {}).get("ID", "")),
        seccomp=any("profile=unconfined" not in option for option in filters),
    )


def version_problem(found: EngineVersions, runtime: str, accepted_runc: str | None) -> str:
    """Why no box may rest on this, and what helps; empty where all is well. `accepted_runc`: a runc, exactly as the
    engine names it, of which the operator says that its distribution has the fixes. gVisor has a kernel of its own
    and does without runc."""
    if not has_fixes(found.engine, OLDEST_ENGINE):
        return f"engine {found.engine or 'of no known version'} is older than {OLDEST_ENGINE[0]}: update it"
    if runtime == GVISOR:
        return ""
    if not found.seccomp:
        return "the engine starts containers without a seccomp filter: start it with its default profile"
    if has_fixes(found.runc, FIRST_FIXED_RUNC) or (accepted_runc and accepted_runc in (found.runc, found.runc_build)):
        return ""
    first, *others = FIRST_FIXED_RUNC
    name = found.runc_build or found.runc
    return (
        f"a container may get out of runc {found.runc or 'of no known version'} (CVE-2025-31133, CVE-2025-52565,"
        f" CVE-2025-52881): take {first}, {' or '.join(others)}, or install gVisor (runsc)"
        + (f", or, if your distribution's package has the fixes, set {ACCEPT_RUNC}={name}" if name else "")
    )
