"""Boxes in containers, on any Docker engine that a client can reach, this machine's or a remote one.

Nothing of the host is mounted or named: code goes in and results come out over the attached streams of the container's
first process, and layers are images on the engine. The engine's socket is this process's alone.
"""

import uuid
from collections.abc import Mapping
from contextlib import AbstractContextManager, ExitStack, nullcontext
from dataclasses import replace
from pathlib import Path

import docker
from docker import DockerClient
from docker.errors import APIError, ImageNotFound
from docker.models.containers import Container

from repo_tools.errors import LayerGoneError, SandboxError
from repo_tools.sandbox.aside import wait_for_discards
from repo_tools.sandbox.contract import UNTOLD, BoxSpec, Layer, Making, Sandbox
from repo_tools.sandbox.docker_channel import ContainerChannel, discard
from repo_tools.sandbox.docker_errors import engine_call
from repo_tools.sandbox.docker_layers import UNDER, DockerLayers
from repo_tools.sandbox.docker_policy import container_options
from repo_tools.sandbox.docker_reaper import reap
from repo_tools.sandbox.docker_versions import version_problem, versions_of
from repo_tools.sandbox.docker_violations import violations
from repo_tools.sandbox.image import find_image
from repo_tools.sandbox.layer_lock import one_maker
from repo_tools.sandbox.layer_stream import EnvironmentStream
from repo_tools.sandbox.layers import LayerLimits
from repo_tools.sandbox.service_containers import ContainerServices, Pod
from repo_tools.sandbox.service_health import GivenUp
from repo_tools.sandbox.service_images import ServiceImages
from repo_tools.sandbox.session import BoxSession
from repo_tools.sandbox.source import box_argv

CALL_SECONDS = 120
"""How long the engine may be silent within one call; a large layer takes it a while."""
OTHER_RUNTIME = "Services cannot be had under {}: the sandboxes of the tests that need them ran under {}."


class DockerEngine:
    """`SandboxEngine` on containers.

    `image` overrides the base image; `docker_host` the engine (default: DOCKER_HOST, DOCKER_TLS_VERIFY and
    DOCKER_CERT_PATH as the docker command reads them). `runtime`: an OCI runtime that the engine has, ``runsc`` for
    gVisor; default is the engine's own. `locks`: a folder of this machine in which its workers agree who makes a layer;
    None: they do not. `service_images`: the image for a kind of service (``postgresql``), instead of the official one.
    `installation`: whose containers these are; those that its dead workers left are removed.
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
        layer_limits: LayerLimits | None = None,
        locks: Path | None = None,
        service_images: Mapping[str, str] | None = None,
        installation: str = "",
    ) -> None:
        self._client = connect(docker_host)
        self._installation = installation
        self._locks = locks
        self._given_up = GivenUp()
        try:
            self._runtime = self._known_runtime(runtime)
            self.image = find_image(self._client, image)
            self._service_images = ServiceImages(self._client, service_images or {})
            self._services = self._services_under(self._runtime)
            reap(self._client, installation)
            self._layers = DockerLayers(
                self._client, self.image, layer_limits or LayerLimits(), installation=installation
            )
            self._layers.sweep()
        except SandboxError:
            self.close()
            raise

    def _known_runtime(self, runtime: str | None) -> str:
        with engine_call("describe itself"):
            engine = self._client.info()
        known = engine["Runtimes"]
        if runtime and runtime not in known:
            raise SandboxError(f"the container engine has no runtime {runtime}; it has {', '.join(sorted(known))}")
        return runtime or str(engine["DefaultRuntime"])

    def check_versions(self, accepted_runc: str | None = None) -> None:
        """SandboxError where no box may rest on engine or runtime; `accepted_runc` as for `version_problem`."""
        if problem := version_problem(versions_of(self._client), self._runtime, accepted_runc):
            raise SandboxError(problem)

    def serve_under(self, runtime: str, accepted_runc: str | None = None) -> None:
        """From here on, boxes with services are under this runtime; their `service_notes` say so. Where it is not there
        or too old, the services are refused with the reason."""
        try:
            self._known_runtime(runtime)
            problem = version_problem(versions_of(self._client), runtime, accepted_runc)
        except SandboxError as error:
            problem = str(error)
        self._services = self._services_under(self._runtime if problem else runtime, problem)

    def _services_under(self, runtime: str, problem: str = "") -> ContainerServices:
        return ContainerServices(
            self._client, self._service_images, runtime, self._installation, no_other_runtime=problem
        )

    def reap(self) -> int:
        """Remove what dead workers of this installation left; how much there was."""
        return reap(self._client, self._installation)

    def close(self) -> None:
        wait_for_discards()
        self._client.close()

    def start(self, spec: BoxSpec) -> Sandbox:
        offer = self._services.offered(spec.services)
        if offer.services and self._services.runtime != self._runtime:
            offer = replace(offer, notes=(*offer.notes, OTHER_RUNTIME.format(self._runtime, self._services.runtime)))
        watch = self._given_up.watch(spec.layer, offer)
        spec = replace(spec, services=watch.services)
        with ExitStack() as on_failure:
            container = self._create(spec)
            on_failure.callback(discard, container)
            self._check(container, spec)
            pod = Pod(ContainerChannel(container))
            on_failure.callback(pod.close)
            with engine_call("start a container"):
                container.start()
            self._services.start(spec.services, pod, str(container.id))
            box = BoxSession(pod, spec, watch=watch)
            pod.wait_until_healthy(box, watch)
            on_failure.pop_all()
        return box

    def _runtime_of(self, spec: BoxSpec) -> str:
        return self._services.runtime if spec.services else self._runtime

    def _create(self, spec: BoxSpec) -> Container:
        image = spec.layer.reference if spec.layer else self.image
        options = container_options(spec, runtime=self._runtime_of(spec), installation=self._installation)
        with engine_call("create a container"):
            try:
                return self._client.containers.create(
                    image, box_argv(), name=f"agent-fix-{uuid.uuid4().hex}", **options
                )
            except ImageNotFound as error:
                if spec.layer is None:
                    raise
                raise LayerGoneError("a layer was removed before a box could be started with it") from error
            except APIError as error:
                if spec.layer is None:
                    raise
                discard(self._create(replace(spec, layer=None)))  # SandboxError: it is not the layer's fault
                self.forget_layer(spec.layer)
                raise LayerGoneError("a layer was damaged on the container engine, and is made anew") from error

    def _check(self, container: Container, spec: BoxSpec) -> None:
        with engine_call("describe a container"):
            container.reload()
        if found := violations(container.attrs, spec, self._runtime_of(spec)):
            raise SandboxError(f"the engine made a container that no box may be: {', '.join(found)}")

    def find_layer(self, key: str) -> Layer | None:
        return self._layers.find(key)

    def forget_layer(self, layer: Layer) -> None:
        self._layers.forget(layer)

    def making(self, key: str, wait_seconds: float) -> AbstractContextManager[None]:
        return one_maker(self._locks, key, wait_seconds) if self._locks else nullcontext()

    def save_layer(self, key: str, box: Sandbox, making: Making = UNTOLD) -> Layer:
        if found := self._layers.find(key):
            return found
        with EnvironmentStream(box, under=UNDER) as stream:
            return self._layers.keep(key, stream, making)

    def describe(self) -> str:
        with engine_call("describe itself"):
            components = self._client.version().get("Components", ())
        versions = {part["Name"]: part["Version"] for part in components}
        engine = versions.get("Engine") or next(iter(versions.values()), "unknown")
        runtime = f"runc {versions.get('runc', 'unknown')}" if self._runtime == "runc" else self._runtime
        return f"docker {engine}, {runtime}, image {self.image}"

    def platform_key(self) -> str:
        with engine_call("describe itself"):
            version = self._client.version()
        return f"docker-{version['Os']}-{version['Arch']}-{self.image}"


def connect(docker_host: str | None) -> DockerClient:
    """SandboxUnavailableError where no engine answers."""
    with engine_call("answer"):
        if docker_host is None:
            return docker.from_env(timeout=CALL_SECONDS)
        return DockerClient(docker_host, timeout=CALL_SECONDS)
