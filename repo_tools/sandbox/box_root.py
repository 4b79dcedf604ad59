"""What a bubblewrap box sees as its file system, and the command line that makes it."""

import json
import os
import secrets
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from repo_tools.sandbox.contract import (
    ENVIRONMENT,
    HOME,
    OWN_ADDRESS,
    SHARED_MEMORY_BYTES,
    VAR_TMP_BYTES,
    WORKSPACE,
    BoxSpec,
)

BOX_USER = 1000
HOSTNAME = "box"
ETC_FILES = {
    "passwd": "root:x:0:0:root:/root:/bin/false\n"
    "daemon:x:1:1:daemon:/usr/sbin:/usr/sbin/nologin\n"
    f"box:x:{BOX_USER}:{BOX_USER}:box:{HOME}:/bin/sh\n"
    "nobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin\n",
    "group": f"root:x:0:\ndaemon:x:1:\nbox:x:{BOX_USER}:\nnogroup:x:65534:\n",
    "hosts": f"127.0.0.1 localhost\n::1 localhost\n{OWN_ADDRESS} {HOSTNAME}\n",
    "host.conf": "multi on\n",  # both lines of a name that has two
    "nsswitch.conf": "passwd: files\ngroup: files\nhosts: files\n",  # what nobody can be asked for does not exist
    "resolv.conf": "",
}
ETC_FROM_HOST = (
    *("alternatives", "debian_version", "fonts", "ld.so.cache", "localtime", "magic", "mime.types", "os-release"),
    *("pki/tls/certs", "protocols", "services", "shells", "ssl/certs", "ssl/openssl.cnf", "timezone"),
    *("java-*-openjdk", "maven/logging", "maven/m2.conf"),  # not Maven's settings, which may hold passwords
)
"""Public parts of the host's /etc that programs below /usr need, as patterns."""
FOLDERS = ("/home", "/mnt", "/opt", "/root", "/run", "/srv", "/var/cache", "/var/lib", "/var/log")
"""That every system has. Empty here."""
ROOT_LINKS = ("bin", "sbin", "lib", "lib32", "lib64", "libx32")
EVERYBODYS = "1777"
"""Permissions of folders for temporary files."""


@dataclass(frozen=True)
class Interpreter:
    """The Python that boxes use, for their process 1 and for the repository's environment."""

    executable: str
    version: str
    prefix: str | None
    """Where it stands, if not below /usr."""


PROBE = """
import json, sys, ensurepip, venv
print(json.dumps([sys.executable, sys.version.split()[0], sys.base_prefix, list(sys.version_info[:2])]))
"""


def find_interpreter() -> Interpreter:
    """The system's Python if it is recent and can make environments, else the one that runs this program."""
    return usable_interpreter("/usr/bin/python3") or own_interpreter()


def own_interpreter() -> Interpreter:
    return Interpreter(
        f"{sys.base_prefix}/bin/python{sys.version_info[0]}.{sys.version_info[1]}",
        sys.version.split()[0],
        outside_usr(sys.base_prefix),
    )


def usable_interpreter(path: str) -> Interpreter | None:
    try:
        probe = subprocess.run([path, "-I", "-c", PROBE], capture_output=True, timeout=30, check=True)
    except (OSError, subprocess.SubprocessError):
        return None
    executable, version, prefix, release = json.loads(probe.stdout)
    return Interpreter(executable, version, outside_usr(prefix)) if tuple(release) >= (3, 11) else None


def outside_usr(prefix: str) -> str | None:
    real = os.path.realpath(prefix)
    return None if Path(real).is_relative_to("/usr") else real


def write_etc(folder: Path) -> None:
    """The generated files of /etc, the same for every box. Running boxes show those that are there already: one that is
    right stays, and any other is replaced whole."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in ETC_FILES.items():
        if not holds(folder / name, content):
            written = folder / f".{name}-{secrets.token_hex(8)}"
            try:
                written.write_text(content)
                written.replace(folder / name)
            finally:
                written.unlink(missing_ok=True)


def holds(path: Path, content: str) -> bool:
    try:
        return path.read_bytes() == content.encode()
    except FileNotFoundError:
        return False


def root_arguments(spec: BoxSpec, etc: str, binds: Sequence[str], environment: tuple[str, bool] | None) -> list[str]:
    """bwrap's file system options. `etc`: the folder of `write_etc`; `binds`: further options of that kind;
    `environment`: the folder to show as `ENVIRONMENT`, and whether it may be written."""
    arguments = ["--ro-bind", "/usr", "/usr"]
    for path in ("/etc", *FOLDERS):
        arguments += ["--perms", "0755", "--dir", path]
    for name in ROOT_LINKS:
        arguments += root_link(name)
    for name in ETC_FILES:
        arguments += ["--ro-bind", f"{etc}/{name}", f"/etc/{name}"]
    for path in host_files():
        arguments += ["--ro-bind", os.path.realpath(path), path]
    arguments += [*binds, *kernel_arguments(), *volume_arguments(spec)]
    return [*arguments, *environment_arguments(spec, environment), "--remount-ro", "/"]


def root_link(name: str) -> list[str]:
    path = f"/{name}"
    if os.path.islink(path):
        return ["--symlink", os.readlink(path), path]
    return ["--ro-bind", path, path] if os.path.isdir(path) else []


def host_files(etc: Path = Path("/etc")) -> Iterator[str]:
    for pattern in ETC_FROM_HOST:
        yield from sorted(str(path) for path in etc.glob(pattern) if path.exists())


def kernel_arguments() -> list[str]:
    return [
        *("--proc", "/proc", "--dev", "/dev"),
        *volume("/dev/shm", SHARED_MEMORY_BYTES, EVERYBODYS),  # noqa: S108 - inside of the box
        *("--remount-ro", "/dev"),
    ]


def volume_arguments(spec: BoxSpec) -> list[str]:
    limits = spec.limits
    return [
        *volume(WORKSPACE, limits.workspace_bytes),
        *volume("/tmp", limits.temporary_bytes, EVERYBODYS),  # noqa: S108 - inside of the box
        *volume("/var/tmp", VAR_TMP_BYTES, EVERYBODYS),  # noqa: S108
        *volume(HOME, limits.home_bytes),
    ]


def environment_arguments(spec: BoxSpec, folder: tuple[str, bool] | None) -> list[str]:
    if folder:
        path, writable = folder
        return ["--bind" if writable else "--ro-bind", path, ENVIRONMENT]
    if spec.writable_environment:
        return volume(ENVIRONMENT, spec.limits.environment_bytes)
    return ["--perms", "0555", "--dir", ENVIRONMENT]


def volume(path: str, size_bytes: int, permissions: str = "0755") -> list[str]:
    return ["--perms", permissions, "--size", str(size_bytes), "--tmpfs", path]
