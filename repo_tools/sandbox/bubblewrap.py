"""Boxes without a container engine: namespaces by ``bwrap``, the system's or the wheel's."""

import math
import os
import platform
import random
import socket
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, closing, contextmanager
from dataclasses import replace
from pathlib import Path

from repo_tools.errors import SandboxError
from repo_tools.sandbox.box_root import Interpreter, find_interpreter, write_etc
from repo_tools.sandbox.box_users import BoxUsers
from repo_tools.sandbox.bwrap_command import BoxCommand, EnvironmentFolder
from repo_tools.sandbox.bwrap_network import networked
from repo_tools.sandbox.bwrap_program import find_bwrap
from repo_tools.sandbox.contract import SYSTEM_PATH, UNTOLD, BoxSpec, Layer, Limits, Making, Sandbox
from repo_tools.sandbox.egress_dial import Dial, dial_outside
from repo_tools.sandbox.layer_folders import LayerFolders, copy_environment
from repo_tools.sandbox.layer_lock import one_maker
from repo_tools.sandbox.layers import LayerLimits
from repo_tools.sandbox.process_channel import ProcessChannel
from repo_tools.sandbox.pythons import pythons_below
from repo_tools.sandbox.service_health import GivenUp, ServiceWatch
from repo_tools.sandbox.service_processes import PodCommand, ServiceLogs, pod_limits
from repo_tools.sandbox.service_programs import ServicePrograms
from repo_tools.sandbox.session import BoxSession

NO_VARIABLES: dict[str, str] = {}
MOUNTS_MOVED = "Unable to apply mount flags"
"""What bwrap says where a mount of this machine (a container's, say) went while it copied all of them for its stage."""
MOST_STARTS = 4


class BubblewrapEngine:
    """`SandboxEngine` on this machine's kernel alone.

    A worker that is root gives each box a user of its own outside, because process limits do not bind root; any other
    worker's boxes are its own user outside. Inside it is always the same unprivileged one.
    """

    name = "bubblewrap"

    def __init__(
        self,
        data_dir: Path,
        dial: Dial = dial_outside,
        interpreter: Interpreter | None = None,
        layer_limits: LayerLimits | None = None,
        service_programs: Path | None = None,
    ) -> None:
        """`data_dir`: layers are kept below it. `dial`: how the set-up phase's connections leave this machine.
        `interpreter`: what boxes use instead of `find_interpreter()`. `service_programs`: a folder with servers."""
        folder = data_dir.absolute() / "bubblewrap"
        write_etc(folder / "etc")
        self._dial = dial
        self._layers = LayerFolders(folder / "layers", layer_limits)
        self._layers.sweep()
        self._locks = folder / "locks"
        self._users = BoxUsers(folder / "users")
        self._command = BoxCommand(find_bwrap(), interpreter or find_interpreter(), folder / "etc")
        self._given_up = GivenUp()
        self._pod_command = PodCommand(self._command, ServicePrograms(service_programs))

    def start(self, spec: BoxSpec) -> Sandbox:
        return unless_mounts_moved(lambda: self._start_with_layer(spec))

    def _start_with_layer(self, spec: BoxSpec) -> BoxSession:
        environment = None
        with ExitStack() as on_failure:
            held = on_failure.enter_context(ExitStack())
            if spec.layer is not None:
                held.enter_context(self._layers.hold(spec.layer))
                environment = EnvironmentFolder(Path(spec.layer.reference))
            box = self._start(spec, environment, self._users.take(held), held)
            on_failure.pop_all()
        return box

    def find_layer(self, key: str) -> Layer | None:
        return self._layers.find(key)

    def forget_layer(self, layer: Layer) -> None:
        self._layers.forget(layer)

    def making(self, key: str, wait_seconds: float) -> AbstractContextManager[None]:
        return one_maker(self._locks, key, wait_seconds)

    def save_layer(self, key: str, box: Sandbox, making: Making = UNTOLD) -> Layer:
        return self._layers.keep(key, lambda folder: self._fill(folder, box), making)

    def describe(self) -> str:
        return f"bubblewrap {self._command.bwrap.version}"

    def platform_key(self) -> str:
        system = platform.freedesktop_os_release()
        release = f"{system.get('ID')} {system.get('VERSION_ID')}"
        interpreter = self._command.interpreter
        others = " ".join(pythons_below(Path("/usr")))
        return f"bubblewrap {platform.machine()} {release} {interpreter.executable} {interpreter.version} {others}"

    def _start(
        self, spec: BoxSpec, environment: EnvironmentFolder | None, user: int | None, held: ExitStack | None = None
    ) -> BoxSession:
        """`held` is closed with the box."""
        offer = self._pod_command.offered(spec.services)
        watch = self._given_up.watch(spec.layer, offer)
        spec = replace(spec, services=watch.services)
        if spec.services:
            return self._start_pod(spec, environment, user, held, watch)
        return self._session(launch(networked(self._command, spec, environment, user), spec.limits, held), spec, watch)

    def _start_pod(
        self,
        spec: BoxSpec,
        environment: EnvironmentFolder | None,
        user: int | None,
        held: ExitStack | None,
        watch: ServiceWatch,
    ) -> BoxSession:
        with closing(ServiceLogs(spec.services)) as logs, ExitStack() as on_failure:
            argv = self._pod_command.argv(spec, environment, user, logs.descriptors())
            channel = launch(argv, pod_limits(spec), held, tuple(logs.descriptors().values()))
            on_failure.callback(channel.close)
            box = self._session(channel, spec, watch)
            logs.wait_until_healthy(box, watch)
            on_failure.pop_all()
        return box

    def _session(self, channel: ProcessChannel, spec: BoxSpec, watch: ServiceWatch) -> BoxSession:
        interpreter = self._command.interpreter
        programs = f"{interpreter.prefix}/bin:" if interpreter.prefix else ""
        path = programs + SYSTEM_PATH
        return BoxSession(channel, spec, limit_processes=True, search_path=path, dial=self._dial, watch=watch)

    def _fill(self, folder: Path, box: Sandbox) -> int:
        """The archive, which repository code could write, is unpacked inside of another box."""
        folder.chmod(0o755)
        shown = EnvironmentFolder(folder, writable=True)
        with ExitStack() as held:
            if (user := self._users.take(held)) is not None:
                os.chown(folder, user, user)
            unpacking = held.enter_context(unless_mounts_moved(lambda: self._start(BoxSpec(), shown, user)))
            return copy_environment(box, unpacking)


@contextmanager
def on_processors(count: float) -> Iterator[None]:
    """What this thread starts meanwhile has so many whole processors, and in a box nobody can take others."""
    every = os.sched_getaffinity(0)
    os.sched_setaffinity(0, random.sample(sorted(every), min(len(every), max(1, math.ceil(count)))))
    try:
        yield
    finally:
        os.sched_setaffinity(0, every)


def unless_mounts_moved(start: Callable[[], BoxSession]) -> BoxSession:
    """The box that `start` makes, asked for again where bwrap met a mount that was just being taken away."""
    for _ in range(MOST_STARTS - 1):
        try:
            return start()
        except SandboxError as error:
            if MOUNTS_MOVED not in str(error):
                raise
    return start()


def launch(
    argv: list[str], limits: Limits, held: ExitStack | None = None, inherited: tuple[int, ...] = ()
) -> ProcessChannel:
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
            pass_fds=inherited,
        )
    return ProcessChannel(ours, process, errors, limits, held)
