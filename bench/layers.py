"""Layers that a measurement made, and that are gone after it."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import docker

from repo_tools.sandbox.contract import Layer, SandboxEngine


@contextmanager
def removed(engine: SandboxEngine, layer: Layer) -> Iterator[None]:
    """Removes it at the end: a container engine's image, or a folder."""
    try:
        yield
    finally:
        if engine.name == "docker":
            client = docker.DockerClient.from_env()
            try:
                client.images.remove(layer.reference, force=True)
            finally:
                client.close()
        else:
            shutil.rmtree(Path(layer.reference), ignore_errors=True)
