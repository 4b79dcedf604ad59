"""Small boxes for the tests of the Docker backend, and what the engine says of them."""

from typing import Any

from docker import DockerClient
from docker.models.containers import Container

from repo_tools.sandbox.contract import BoxSpec, Limits
from repo_tools.sandbox.owner import INSTALLATION_LABEL

MIB = 1 << 20
LIMITS = Limits(
    memory_bytes=256 * MIB,
    processors=1.5,
    processes=64,
    open_files=128,
    workspace_bytes=64 * MIB,
    environment_bytes=64 * MIB,
    temporary_bytes=32 * MIB,
    home_bytes=24 * MIB,
)
SPEC = BoxSpec(limits=LIMITS)
SETUP = BoxSpec(limits=LIMITS, writable_environment=True)


def containers(client: DockerClient, installation: str) -> list[Container]:
    wanted: dict[str, str | list[str] | bool] = {"label": f"{INSTALLATION_LABEL}={installation}"}
    found: list[Container] = client.containers.list(all=True, filters=wanted, ignore_removed=True)
    return found


def inspection(client: DockerClient, installation: str) -> dict[str, Any]:
    (container,) = containers(client, installation)
    inspected: dict[str, Any] = client.api.inspect_container(container.id)
    return inspected
