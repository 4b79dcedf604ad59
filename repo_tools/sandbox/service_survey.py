"""Which kinds of services this installation has at hand, for its operator. Nothing is started or pulled."""

from collections.abc import Callable
from dataclasses import dataclass

from repo_tools.errors import ServiceMissingError
from repo_tools.sandbox.docker import connect
from repo_tools.sandbox.service import KINDS, Service, ServiceSources
from repo_tools.sandbox.service_images import SETTING as IMAGES
from repo_tools.sandbox.service_images import ServiceImages
from repo_tools.sandbox.service_programs import SETTING as PROGRAMS
from repo_tools.sandbox.service_programs import ServicePrograms


@dataclass(frozen=True)
class Survey:
    """`there`, `lacking`: for people, kind by kind; `remedy`: what brings those that are lacking."""

    there: tuple[str, ...]
    lacking: tuple[str, ...]
    remedy: str = ""

    @property
    def shown(self) -> str:
        there = f"at hand: {', '.join(self.there)}" if self.there else "none at hand"
        return f"{there}; not: {', '.join(self.lacking)}" if self.lacking else there


def services_at_hand(engine: str, sources: ServiceSources, docker_host: str | None = None) -> Survey:
    """For boxes of the engine of this name (``docker``, at `docker_host` or where the environment says, or
    ``bubblewrap``). SandboxError where it does not answer."""
    if engine != "docker":
        return surveyed(ServicePrograms(sources.programs).check, _packages)
    client = connect(docker_host)
    try:
        images = ServiceImages(client, sources.images)
        return surveyed(lambda service: _local(images, service), _images)
    finally:
        client.close()


def surveyed(look: Callable[[Service], str], remedy: Callable[[tuple[str, ...]], str]) -> Survey:
    """`look` says what stands in for a service (empty: nothing does), or raises ServiceMissingError; `remedy` gets the
    kinds that are lacking."""
    there: list[str] = []
    lacking: list[str] = []
    for kind, known in KINDS.items():
        try:
            stand_in = look(Service(kind))
        except ServiceMissingError:
            lacking.append(kind)
        else:
            there.append(f"{known.title} ({stand_in})" if stand_in else known.title)
    titles = tuple(KINDS[kind].title for kind in lacking)
    return Survey(tuple(there), titles, remedy(tuple(lacking)) if lacking else "")


def _local(images: ServiceImages, service: Service) -> str:
    found = images.local(service)
    if found is None:
        raise ServiceMissingError(service.kind)
    return images.stand_in(service, found)


def _images(kinds: tuple[str, ...]) -> str:
    return (
        f"Repositories that need them wait for a pull, or go without: run `agent-fix sandbox build --services "
        f"{','.join(kinds)}`, or name images in {IMAGES}."
    )


def _packages(kinds: tuple[str, ...]) -> str:
    packages = dict.fromkeys(package for kind in kinds for package in KINDS[kind].packages)
    return (
        f"Repositories that need them go without: install Debian's {', '.join(packages)}, name a folder that has the "
        f"programs in {PROGRAMS}, or use a container engine (AGENT_FIX_SANDBOX)."
    )
