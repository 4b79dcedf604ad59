"""Boxes without a container engine: namespaces by ``bwrap``, the system's or the wheel's."""

import os
import platform
import secrets
import socket
import subprocess
import tempfile
from pathlib import Path

from repo_tools.errors import SandboxError
from repo_tools.sandbox.box_root import BOX_USER, find_interpreter, root_arguments, write_etc
from repo_tools.sandbox.bwrap_program import find_bwrap
from repo_tools.sandbox.contract import BoxSpec, Layer, Sandbox
from repo_tools.sandbox.process_channel import ProcessChannel
from repo_tools.sandbox.session import SYSTEM_PATH, BoxSession
from repo_tools.sandbox.source import box_argv

FIRST_HOST_USER, HOST_USERS = 60600, 500
"""Numbers that no distribution gives to anybody (https://systemd.io/UIDS-GIDS)."""
NO_VARIABLES: dict[str, str] = {}
STAGE = "/tmp"  # noqa: S108 - in a mount namespace of its own
ISOLATION = (
    *("--unshare-user", "--unshare-ipc", "--unshare-pid", "--unshare-net", "--unshare-uts", "--unshare-cgroup-try"),
    *("--disable-userns", "--cap-drop", "ALL", "--new-session", "--as-pid-1", "--clearenv", "--hostname", "box"),
    *("--uid", str(BOX_USER), "--gid", str(BOX_USER), "--chdir", "/"),
)


class BubblewrapEngine:
    """`SandboxEngine` on this machine's kernel alone.

    A worker that is root gives each box a user of its own outside, because process limits do not bind root; any other
    worker's boxes are its own user outside. Inside it is always the same unprivileged one.
    """

    name = "bubblewrap"

    def __init__(self, data_dir: Path) -> None:
        self._folder = data_dir.absolute() / "bubblewrap"
        self._bwrap = find_bwrap()
        self._interpreter = find_interpreter()
        write_etc(self._folder / "etc")

    def start(self, spec: BoxSpec) -> Sandbox:
        ours, theirs = socket.socketpair()
        errors = tempfile.TemporaryFile()  # noqa: SIM115 - the channel closes it
        with theirs:
            process = subprocess.Popen(
                self._command(spec),
                stdin=theirs.fileno(),
                stdout=theirs.fileno(),
                stderr=errors,
                start_new_session=True,
                env=NO_VARIABLES,
            )
        search_path = f"{SYSTEM_PATH}:{Path(self._interpreter.executable).parent}"
        return BoxSession(ProcessChannel(ours, process, errors), spec, limit_processes=True, search_path=search_path)

    def find_layer(self, key: str) -> Layer | None:
        folder = self._layer_folder(key)
        return Layer(key, str(folder)) if folder.is_dir() else None

    def save_layer(self, key: str, box: Sandbox) -> Layer:
        raise SandboxError("layers are not kept yet")

    def describe(self) -> str:
        return f"bubblewrap {self._bwrap.version}, Python {self._interpreter.version}"

    def platform_key(self) -> str:
        system = platform.freedesktop_os_release()
        release = f"{system.get('ID')} {system.get('VERSION_ID')}"
        place = f"{self._interpreter.executable} {self._interpreter.version}"
        return f"bubblewrap {platform.machine()} {release} {place}"

    def _layer_folder(self, key: str) -> Path:
        return self._folder / "layers" / key

    def _command(self, spec: BoxSpec) -> list[str]:
        sources = {"etc": self._folder / "etc"}
        if self._interpreter.prefix:
            sources["python"] = Path(self._interpreter.prefix)
        if spec.layer:
            sources["layer"] = Path(spec.layer.reference)
        if os.geteuid() == 0:
            return self._staged(sources, spec)
        return self._box_command(str(self._bwrap.executable), {n: str(p) for n, p in sources.items()}, spec)

    def _staged(self, sources: dict[str, Path], spec: BoxSpec) -> list[str]:
        """As root: first put what boxes need where any user may reach it (below /root nobody else could), in a mount
        namespace of its own; then become the box's user; then make the box."""
        sources = {**sources, **self._bwrap.folders}
        staged = {name: f"{STAGE}/{name}" for name in sources}
        binds = [word for name, path in sources.items() for word in ("--ro-bind", str(path), staged[name])]
        user = str(FIRST_HOST_USER + secrets.randbelow(HOST_USERS))
        become = ["setpriv", "--reuid", user, "--regid", user, "--clear-groups"]
        stage = [str(self._bwrap.executable), "--dev-bind", "/", "/", "--tmpfs", STAGE, *binds]
        return [*stage, *become, *self._box_command(self._bwrap.below(STAGE), staged, spec)]

    def _box_command(self, bwrap: str, places: dict[str, str], spec: BoxSpec) -> list[str]:
        prefix = self._interpreter.prefix
        root = root_arguments(
            spec,
            interpreter_prefix=(places["python"], prefix) if prefix else None,
            etc=places["etc"],
            layer=places.get("layer"),
        )
        return [bwrap, *ISOLATION, *root, "--", *box_argv(self._interpreter.executable)]
