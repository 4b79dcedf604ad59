"""The container engine that the parts measure on."""

from contextlib import closing

from bench.table import PeerMissingError
from repo_tools.errors import SandboxError
from repo_tools.sandbox.docker import DockerEngine
from scripts.engine import running_host


def engine_host(image: str | None = None) -> str:
    """DOCKER_HOST of the engine that answers and has `image` (the sandbox's). PeerMissingError where there is none."""
    host = running_host()
    if host is None:
        raise PeerMissingError("no container engine answers")
    try:
        with closing(DockerEngine(image, docker_host=host)):
            return host
    except SandboxError as error:
        raise PeerMissingError(str(error)) from error
