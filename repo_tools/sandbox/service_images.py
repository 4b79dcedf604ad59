"""The images of services: the operator's, a registry's, or one that is made from Debian's packages."""

import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace

from docker import DockerClient
from docker.errors import ImageNotFound
from docker.models.images import Image

from repo_tools.errors import ServiceMissingError
from repo_tools.sandbox.docker_errors import engine_call
from repo_tools.sandbox.image import Say, can_pull, import_from_packages
from repo_tools.sandbox.image_pull import pull
from repo_tools.sandbox.service import KINDS, Service, label_of, plain_server

REPOSITORY = "agent-fix-service"
REFUSED_SECONDS = 600.0
RECIPE = "1"
"""Raised with each change of what is in the images."""
SETTING = "AGENT_FIX_SERVICE_IMAGES"
HOOKS = (
    '--essential-hook=mkdir -p "$1/etc/postgresql-common"'
    ' && echo create_main_cluster=false > "$1/etc/postgresql-common/createcluster.conf"',
)
"""No data in the image: each service makes its own."""


@dataclass(frozen=True)
class ServiceImage:
    """`own`: made from packages, and started by a script of `service_scripts`. `entrypoint`, `volumes`: what another
    image declares. `name`: what it was found by."""

    id: str
    own: bool
    entrypoint: tuple[str, ...] = ()
    volumes: tuple[str, ...] = ()
    name: str = ""


class ServiceImages:
    """`chosen`: the operator's image for a kind, instead of the registry's official one."""

    def __init__(
        self, client: DockerClient, chosen: Mapping[str, str], clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._client = client
        self._chosen = chosen
        self._clock = clock
        self._refused: dict[str, float] = {}

    def find(self, service: Service) -> ServiceImage:
        """The operator's image; else the official one of the wanted version or our own, whichever is there; else the
        official one from its registry; for what was only found, of another version if need be. ServiceMissingError,
        SandboxError."""
        chosen = self._chosen.get(service.kind)
        names = (chosen,) if chosen else official_names(service)
        given = (self._here(name) or self._pulled(name) for name in names)
        found = self.local(service) or next(filter(None, given), None)
        if found is None:
            raise ServiceMissingError(missing(service, chosen))
        return found

    def stand_in(self, service: Service, found: ServiceImage) -> str:
        """What `found` is, where that is not what was asked for; else empty."""
        if chosen := self._chosen.get(service.kind):
            return f"the operator's image {chosen}" if service.version else ""
        if found.own and service.kind == "mysql":
            return "Debian's MariaDB"
        packaged = f"Debian's {KINDS[service.kind].title}, of its own version" if service.version else ""
        other = found.name if found.name != official_name(service) else ""
        return plain_server(service, packaged if found.own else other)

    def local(self, service: Service) -> ServiceImage | None:
        """What needs no registry."""
        if chosen := self._chosen.get(service.kind):
            return self._here(chosen)
        return self._here(official_name(service)) or self._here(own_name(service.kind), own=True)

    def _here(self, name: str, *, own: bool = False) -> ServiceImage | None:
        with engine_call(f"look up the image {name}"):
            try:
                return described(self._client.images.get(name), name, own=own)
            except ImageNotFound:
                return None

    def _pulled(self, name: str) -> ServiceImage | None:
        """A registry that did not give it is not asked again for a while, which is longer than a run's boxes take to
        be made, and no longer: a worker lives for weeks."""
        if name in self._refused and self._clock() < self._refused[name]:
            return None
        if pull(self._client, name):
            self._refused[name] = self._clock() + REFUSED_SECONDS
            return None
        return self._here(name)


def described(image: Image, name: str, *, own: bool) -> ServiceImage:
    config = image.attrs["Config"]
    entrypoint, volumes = tuple(config.get("Entrypoint") or ()), tuple(sorted(config.get("Volumes") or ()))
    return ServiceImage(str(image.id), own, entrypoint, volumes, name)


def official_name(service: Service) -> str:
    image = KINDS[service.kind].image
    return f"{image.partition(':')[0]}:{service.version}" if service.version else image


def official_names(service: Service) -> tuple[str, ...]:
    """Of one that was only found, others too, the nearest first: whose tag it was may number its images in another way
    (Bitnami's ``15.4.0``, Valkey's ``9``)."""
    if service.required or not service.version:
        return (official_name(service),)
    parts = service.version.split(".")
    versions = (".".join(parts[:count]) for count in range(len(parts), -1, -1))
    return tuple(official_name(replace(service, version=version)) for version in versions)


def own_name(kind: str) -> str:
    """Debian's MySQL is MariaDB."""
    return f"{REPOSITORY}-{'mariadb' if kind == 'mysql' else kind}:{RECIPE}"


def missing(service: Service, chosen: str | None) -> str:
    if chosen:
        return f"{label_of(service)}: {SETTING} names {chosen}, which the container engine has not and cannot pull."
    return (
        f"The tests need {label_of(service)}. The container engine neither has {official_name(service)} nor can pull "
        f"it: run `agent-fix sandbox build --services {service.kind}`, or name an image in {SETTING}."
    )


def build_service_images(client: DockerClient, kinds: Iterable[str], *, say: Say = lambda _: None) -> None:
    """Have an image for each kind: the official one where a registry gives it; for all others one image, made from
    Debian's packages. SandboxError."""
    wanted = list(dict.fromkeys(kinds))
    packaged = [kind for kind in wanted if not can_pull(client, KINDS[kind].image, say)]
    if packaged:
        packages = tuple(dict.fromkeys(package for kind in packaged for package in KINDS[kind].packages))
        names = list(dict.fromkeys(map(own_name, packaged)))
        import_from_packages(client, names[0], packages, HOOKS, say)
        for name in names[1:]:
            with engine_call(f"name the image {name}"):
                client.images.get(names[0]).tag(*name.split(":"))
        say(f"built {', '.join(names)}")
