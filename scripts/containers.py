"""Containers for the tests and the benchmarks: an engine, where there can be one, with the product's images."""

import os
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager

import docker

from repo_tools.errors import SandboxError
from repo_tools.sandbox.image import build_image, find_image
from repo_tools.sandbox.service import Service
from repo_tools.sandbox.service_images import ServiceImages, build_service_images
from scripts.engine import EngineStaysError, ensure, kill, say, stop
from scripts.tries import THREE, tried

SERVICES = ("postgresql", "redis", "mariadb", "rabbitmq")


@contextmanager
def containers() -> Iterator[str]:
    """DOCKER_HOST of an engine with the images of the sandbox and of its services. One that this starts ends with it.

    EngineMissingError or SandboxError, with what would help, where there can be none."""
    host, started = ensure()
    try:
        _prepare(host)
        yield host
    finally:
        if started:
            _end()


def _prepare(host: str) -> None:
    """The images that are not there yet are made. SandboxError where they cannot be."""
    client = docker.DockerClient.from_env(timeout=600, environment={**os.environ, "DOCKER_HOST": host})
    with closing(client):
        tried(lambda: _make_images(client), SandboxError, THREE, say=say)


def _make_images(client: docker.DockerClient) -> None:
    """Beside each other: most of it is one process that unpacks packages. What one lacks does not stop the other."""
    with ThreadPoolExecutor() as pool:
        made = [pool.submit(make, client) for make in (_make_sandbox, _make_services)]
    for each in made:
        each.result()


def _make_sandbox(client: docker.DockerClient) -> None:
    try:
        find_image(client)
    except SandboxError:
        build_image(client, say=say)


def _make_services(client: docker.DockerClient) -> None:
    images = ServiceImages(client, {})
    build_service_images(client, [kind for kind in SERVICES if images.local(Service(kind)) is None], say=say)


def _end() -> None:
    """Ours, whatever that takes: what was run has the say of how it ended."""
    try:
        stop()
    except EngineStaysError as error:
        say(f"{error}: it is killed")
        kill()
