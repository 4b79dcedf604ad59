"""Boxes in containers, on any Docker engine that a client can reach, this machine's or a remote one.

Nothing of the host is mounted or named: code goes in and results come out over the attached streams of the container's
first process, and layers are images on the engine. The engine's socket is this process's alone.
"""

import tempfile
import uuid
from contextlib import ExitStack
from http import HTTPStatus
from typing import Any

import docker
from docker import DockerClient
from docker.errors import APIError, ImageNotFound
from docker.models.containers import Container

from repo_tools.errors import SandboxError
from repo_tools.sandbox.contract import ENVIRONMENT, BoxSpec, Layer, Sandbox
from repo_tools.sandbox.docker_channel import ContainerChannel, discard
from repo_tools.sandbox.docker_errors import engine_call
from repo_tools.sandbox.docker_policy import RUN_LABEL, container_options, violations
from repo_tools.sandbox.image import find_image
from repo_tools.sandbox.session import BoxSession
from repo_tools.sandbox.source import box_argv

LAYER_REPOSITORY = "agent-fix-layer"
BASE_LABEL = "agent-fix.base"
"""On a layer: the id of the image that it stands on. A layer of another base is never found."""
ENDED_FOR = "1h"
"""A box that ended and is that old belongs to a worker that was killed."""
CALL_SECONDS = 120
"""How long the engine may be silent within one call; a large layer takes it a while."""


class DockerEngine:
    """`SandboxEngine` on containers.

    `image` overrides the base image; `docker_host` the engine (default: DOCKER_HOST, DOCKER_TLS_VERIFY and
    DOCKER_CERT_PATH as the docker command reads them). `runtime`: an OCI runtime that the engine has, ``runsc`` for
    gVisor; default is the engine's own. `run` labels the containers, so that those of a killed worker can be removed.
    """

    name = "docker"
    image: str
    """The base image's id: boxes are started by it, because a tag may move."""

    def __init__(
        self,
        image: str | None = None,
        docker_host: str | None = None,
        *,
        runtime: str | None = None,
        run: str = "",
    ) -> None:
        self._client = connect(docker_host)
        self._run = run
        try:
            self._runtime = self._known_runtime(runtime)
            self.image = find_image(self._client, image)
            remove_ended(self._client, RUN_LABEL, ENDED_FOR)
        except SandboxError:
            self.close()
            raise

    def _known_runtime(self, runtime: str | None) -> str | None:
        with engine_call("describe itself"):
            known = self._client.info()["Runtimes"]
        if runtime and runtime not in known:
            raise SandboxError(f"the container engine has no runtime {runtime}; it has {', '.join(sorted(known))}")
        return runtime

    def close(self) -> None:
        self._client.close()

    def start(self, spec: BoxSpec) -> Sandbox:
        with ExitStack() as on_failure:
            container = self._create(spec)
            on_failure.callback(discard, container)
            self._check(container, spec)
            channel = ContainerChannel(container)
            on_failure.callback(channel.close)
            with engine_call("start a container"):
                container.start()
            box = BoxSession(channel, spec)
            on_failure.pop_all()
        return box

    def _create(self, spec: BoxSpec) -> Container:
        image = spec.layer.reference if spec.layer else self.image
        options = container_options(spec, run=self._run, runtime=self._runtime)
        with engine_call("create a container"):
            return self._client.containers.create(image, box_argv(), name=f"agent-fix-{uuid.uuid4().hex}", **options)

    def _check(self, container: Container, spec: BoxSpec) -> None:
        with engine_call("describe a container"):
            container.reload()
        if found := violations(container.attrs, spec.limits):
            raise SandboxError(f"the engine made a container that no box may be: {', '.join(found)}")

    def find_layer(self, key: str) -> Layer | None:
        with engine_call("look up a layer"):
            try:
                image = self._client.images.get(f"{LAYER_REPOSITORY}:{key}")
            except ImageNotFound:
                return None
        return Layer(key, str(image.id)) if image.labels.get(BASE_LABEL) == self.image else None

    def save_layer(self, key: str, box: Sandbox) -> Layer:
        if layer := self.find_layer(key):
            return layer
        with tempfile.TemporaryFile(prefix="agent-fix-layer-") as archive:
            box.download(ENVIRONMENT, archive)
            archive.seek(0)
            with engine_call("save a layer"):
                return Layer(key, self._commit(key, archive))

    def _commit(self, key: str, archive: Any) -> str:
        """The base image with `archive` below ENVIRONMENT, made in a container that never runs."""
        labels = {RUN_LABEL: self._run}
        container = self._client.containers.create(self.image, "true", network_mode="none", labels=labels)
        try:
            container.put_archive(ENVIRONMENT, archive)
            image = container.commit(LAYER_REPOSITORY, key, changes=f"LABEL {BASE_LABEL}={self.image}")
            return str(image.id)
        finally:
            discard(container)

    def describe(self) -> str:
        with engine_call("describe itself"):
            components = self._client.version().get("Components", ())
        versions = {part["Name"]: part["Version"] for part in components}
        engine = versions.get("Engine") or next(iter(versions.values()), "unknown")
        runtime = self._runtime or f"runc {versions.get('runc', 'unknown')}"
        return f"docker {engine}, {runtime}, image {self.image}"

    def platform_key(self) -> str:
        with engine_call("describe itself"):
            version = self._client.version()
        return f"docker-{version['Os']}-{version['Arch']}-{self.image}"

    def remove_boxes(self, run: str) -> int:
        """Remove every container of `run`, whoever made it; how many there were."""
        with engine_call("list containers"):
            wanted: dict[str, str | list[str] | bool] = {"label": f"{RUN_LABEL}={run}"}
            left = self._client.containers.list(all=True, filters=wanted, ignore_removed=True)
        for container in left:
            discard(container)
        return len(left)


def connect(docker_host: str | None) -> DockerClient:
    """SandboxUnavailableError where no engine answers."""
    with engine_call("answer"):
        if docker_host is None:
            return docker.from_env(timeout=CALL_SECONDS)
        return DockerClient(docker_host, timeout=CALL_SECONDS)


def remove_ended(client: DockerClient, label: str, older_than: str) -> None:
    """Remove the containers with `label` that have ended and were made so long ago (``10m``, ``1h``). A box ends with
    its worker, whatever happens to that; its container, which then costs next to nothing, waits for this."""
    with engine_call("remove ended containers"):
        try:
            client.containers.prune(filters={"label": label, "until": older_than})
        except APIError as error:
            if error.status_code != HTTPStatus.CONFLICT:  # somebody else is at it
                raise
