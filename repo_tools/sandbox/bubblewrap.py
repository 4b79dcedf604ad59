"""Boxes without a container engine: namespaces by ``bwrap``, the system's or the wheel's."""

import math
import os
import platform
import random
import secrets
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from repo_tools.sandbox.box_root import Interpreter, find_interpreter, write_etc
from repo_tools.sandbox.bwrap_command import BoxCommand, EnvironmentFolder
from repo_tools.sandbox.bwrap_program import find_bwrap
from repo_tools.sandbox.contract import BoxSpec, Layer, Limits, Sandbox
from repo_tools.sandbox.egress_dial import Dial, dial_outside
from repo_tools.sandbox.layers import LayerFolders, copy_environment
from repo_tools.sandbox.process_channel import ProcessChannel
from repo_tools.sandbox.session import SYSTEM_PATH, BoxSession

FIRST_HOST_USER, HOST_USERS = 60600, 500
"""Numbers that no distribution gives to anybody (https://systemd.io/UIDS-GIDS)."""
NO_VARIABLES: dict[str, str] = {}


class BubblewrapEngine:
    """`SandboxEngine` on this machine's kernel alone.

    A worker that is root gives each box a user of its own outside, because process limits do not bind root; any other
    worker's boxes are its own user outside. Inside it is always the same unprivileged one.
    """

    name = "bubblewrap"

    def __init__(self, data_dir: Path, dial: Dial = dial_outside, interpreter: Interpreter | None = None) -> None:
        """`data_dir`: layers are kept below it. `dial`: how the set-up phase's connections leave this machine.
        `interpreter`: what boxes use instead of `find_interpreter()`."""
        folder = data_dir.absolute() / "bubblewrap"
        write_etc(folder / "etc")
        self._dial = dial
        self._layers = LayerFolders(folder / "layers")
        self._command = BoxCommand(find_bwrap(), interpreter or find_interpreter(), folder / "etc")

    def start(self, spec: BoxSpec) -> Sandbox:
        environment = EnvironmentFolder(Path(spec.layer.reference)) if spec.layer else None
        return self._start(spec, environment, free_user())

    def find_layer(self, key: str) -> Layer | None:
        return self._layers.find(key)

    def save_layer(self, key: str, box: Sandbox) -> Layer:
        return self._layers.keep(key, lambda folder: self._fill(folder, box))

    def describe(self) -> str:
        return f"bubblewrap {self._command.bwrap.version}, Python {self._command.interpreter.version}"

    def platform_key(self) -> str:
        system = platform.freedesktop_os_release()
        release = f"{system.get('ID')} {system.get('VERSION_ID')}"
        interpreter = self._command.interpreter
        return f"bubblewrap {platform.machine()} {release} {interpreter.executable} {interpreter.version}"

    def _start(self, spec: BoxSpec, environment: EnvironmentFolder | None, user: int | None) -> BoxSession:
        channel = launch(self._command.argv(spec, environment, user), spec.limits)
        interpreter = self._command.interpreter
        programs = f"{interpreter.prefix}/bin:" if interpreter.prefix else ""
        return BoxSession(channel, spec, limit_processes=True, search_path=programs + SYSTEM_PATH, dial=self._dial)

    def _fill(self, folder: Path, box: Sandbox) -> None:
        """The archive, which repository code could write, is unpacked inside of another box."""
        spec, user = BoxSpec(), free_user()
        folder.chmod(0o755)
        if user is not None:
            os.chown(folder, user, user)
        with self._start(spec, EnvironmentFolder(folder, writable=True), user) as unpacking:
            copy_environment(box, unpacking, 2 * spec.limits.environment_bytes)


def free_user() -> int | None:
    """Whom a box runs as outside: None for this process's own user, which only root has to leave."""
    return FIRST_HOST_USER + secrets.randbelow(HOST_USERS) if os.geteuid() == 0 else None


@contextmanager
def on_processors(count: float) -> Iterator[None]:
    """What this thread starts meanwhile has so many whole processors, and in a box nobody can take others."""
    every = os.sched_getaffinity(0)
    os.sched_setaffinity(0, random.sample(sorted(every), min(len(every), max(1, math.ceil(count)))))
    try:
        yield
    finally:
        os.sched_setaffinity(0, every)


def launch(argv: list[str], limits: Limits) -> ProcessChannel:
    ours, theirs = socket.socketpair()
    errors = tempfile.TemporaryFile()  # noqa: SIM115 - the channel closes it
    with theirs, on_processors(limits.processors):
        process = subprocess.Popen(
            argv,
            stdin=theirs.fileno(),
            stdout=theirs.fileno(),
            stderr=errors,
            start_new_session=True,
            env=NO_VARIABLES,
        )
    return ProcessChannel(ours, process, errors, limits)
