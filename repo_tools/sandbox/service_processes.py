"""Services of a bubblewrap box: each in a sandbox of its own, like the box's, that shares its network namespace.

They do not run inside of the box, because the end of each command there kills whatever else runs; what must survive
that would be a place for repository code to hide in. A network namespace is made for box and services together, around
all of them: a first ``bwrap`` makes it, a small program within (`service_pod_program`) starts the sandboxes.
"""

import json
import os
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, replace
from importlib.resources import files
from typing import BinaryIO

from repo_tools.sandbox.box_root import ETC_FILES
from repo_tools.sandbox.bwrap_command import BoxCommand, EnvironmentFolder
from repo_tools.sandbox.bwrap_network import network_stage, shared, split, staged_python
from repo_tools.sandbox.bwrap_policy import STAGE
from repo_tools.sandbox.contract import WORKSPACE, BoxSpec, Limits, Sandbox
from repo_tools.sandbox.service import Offer, Service, host_names, offered, port_of, variables_of
from repo_tools.sandbox.service_filter import filtered_by_python
from repo_tools.sandbox.service_health import ServiceWatch
from repo_tools.sandbox.service_limits import SERVICE_LIMITS
from repo_tools.sandbox.service_pod_program import ENDED, HOSTS
from repo_tools.sandbox.service_programs import ServicePrograms
from repo_tools.sandbox.service_scripts import script_of, told

LOG_BYTES = 70_000


@dataclass(frozen=True)
class PodCommand:
    """Makes the command line of a box with services out of those that are checked: the box's as it would be alone,
    and one for each service, which is a box of another program."""

    command: BoxCommand
    programs: ServicePrograms

    def offered(self, services: tuple[Service, ...]) -> Offer:
        """Those that can be had. ServiceError where one is missing that is required."""
        return offered(services, self.programs.check)

    def argv(
        self, spec: BoxSpec, environment: EnvironmentFolder | None, user: int | None, logs: Mapping[int, int]
    ) -> list[str]:
        """`logs`: for each service's port the descriptor of a file. SandboxError."""
        box = split(self.command.argv(spec, environment, user))
        sides = [(self._side(service, user), logs[port_of(service)]) for service in spec.services]
        plan = {
            "box": shared(box.box, ["--ro-bind-data", HOSTS, "/etc/hosts"]),
            "hosts": hosts(spec),
            "services": sides,
            "processes": pod_limits(spec).processes,
            "open_files": SERVICE_LIMITS.open_files,
        }
        program = files(__package__).joinpath("service_pod_program.py").read_text("utf-8")
        folders = self.programs.shown().items()
        binds = [word for place, folder in folders for word in ("--ro-bind", str(folder), staged(place))]
        stage = network_stage(self.command, box, user, binds)
        return [*stage, *box.become, staged_python(self.command, user), "-I", "-S", "-c", program, json.dumps(plan)]

    def _side(self, service: Service, user: int | None) -> list[str]:
        """The command of an empty box, with the server instead of the box's own program."""
        alone = split(self.command.argv(BoxSpec(limits=SERVICE_LIMITS), None, user)).box
        alone = [word for word in alone[: alone.index("--")] if word != "--as-pid-1"]
        alone[alone.index("--chdir") + 1] = WORKSPACE
        added = ["--die-with-parent"]
        for place, folder in self.programs.shown().items():
            added += ["--ro-bind", staged(place) if user is not None else str(folder), place]
        for name, value in self._environment(service).items():
            added += ["--setenv", name, value]
        server = [*filtered_by_python(self.command.interpreter.executable), "sh", "-c", script_of(service.kind)]
        return [*shared([*alone, "--"], added), *server]

    def _environment(self, service: Service) -> dict[str, str]:
        own = {"PATH": self.programs.path(), "HOME": WORKSPACE, "LANG": "C.UTF-8"}
        return {**variables_of(service), **own, **told(service)}


def staged(place: str) -> str:
    return f"{STAGE}{place.replace('/', '-')}"


def hosts(spec: BoxSpec) -> str:
    return ETC_FILES["hosts"] + "".join(f"127.0.0.1 {name}\n" for name in host_names(spec.services))


def pod_limits(spec: BoxSpec) -> Limits:
    """What box and services may use together."""
    count = len(spec.services)
    return replace(
        spec.limits,
        memory_bytes=spec.limits.memory_bytes + count * SERVICE_LIMITS.memory_bytes,
        processes=spec.limits.processes + count * SERVICE_LIMITS.processes,
    )


class ServiceLogs:
    """The files that the services of one box write to."""

    def __init__(self, services: tuple[Service, ...]) -> None:
        self._files: dict[int, BinaryIO] = {
            port_of(service): tempfile.TemporaryFile()  # noqa: SIM115 - closed by `close`
            for service in services
        }

    def descriptors(self) -> dict[int, int]:
        return {port: file.fileno() for port, file in self._files.items()}

    def read(self, service: Service) -> str:
        """Without moving to where the pod writes next: it has the same open file."""
        return os.pread(self._files[port_of(service)].fileno(), LOG_BYTES, 0).decode("utf-8", "replace")

    def ended(self, service: Service) -> bool:
        return ENDED.partition(b"%")[0].decode() in self.read(service)

    def wait_until_healthy(self, box: Sandbox, watch: ServiceWatch) -> None:
        """ServiceError, with what a service that does not come up said last."""
        watch.wait_until_healthy(box, self.ended, self.read)

    def close(self) -> None:
        for file in self._files.values():
            file.close()
