"""A box and a command in it, on both engines, beside `docker run -d` with the same flags, `docker exec` and SWE-ReX.

The engine is called over its interface, without the docker program's own start, which would be in our favour.
"""

import tempfile
import time
from collections.abc import Callable
from contextlib import ExitStack
from functools import partial
from pathlib import Path

import docker
from docker.models.containers import Container

from bench.engine import engine_host
from bench.swerex import SweRexPeer
from bench.table import PeerMissingError, Row, compared, without_peer
from repo_tools.sandbox.bubblewrap import BubblewrapEngine
from repo_tools.sandbox.contract import BoxSpec, Sandbox, SandboxEngine
from repo_tools.sandbox.docker import DockerEngine
from repo_tools.sandbox.docker_policy import container_options

BOXES, COMMANDS, SESSION_COMMANDS = 7, 100, 30
IN_A_ROW = 10
READY_TARGET, COMMAND_TARGET, SESSION_TARGET = 1.3, 0.05, 0.05
SPEC = BoxSpec()


def measure() -> list[Row]:
    """Milliseconds; boxes are medians of `BOXES`, commands of `COMMANDS`. Ours and the peer's take turns."""
    with tempfile.TemporaryDirectory() as folder, ExitStack() as stack:
        bubblewrap = BubblewrapEngine(Path(folder))
        try:
            peer = stack.enter_context(DockerPeer())
        except PeerMissingError as missing:
            return [*rows_alone(bubblewrap, missing), session_row(bubblewrap)]
        engines: tuple[SandboxEngine, ...] = (peer.engine, bubblewrap)
        return [row for engine in engines for row in (*rows_beside(engine, peer), session_row(engine))]


class DockerPeer:
    """The engine as one would use it by hand. PeerMissingError where there is none, or no image."""

    def __init__(self) -> None:
        host = engine_host()
        self.engine = DockerEngine(docker_host=host)
        self._client = docker.DockerClient(host)

    def __enter__(self) -> "DockerPeer":
        self._container = self.run()
        return self

    def __exit__(self, *_error: object) -> None:
        self._container.remove(force=True)
        self._client.close()
        self.engine.close()

    def run(self) -> Container:
        options = container_options(SPEC, runtime=None, installation="bench")
        return self._client.containers.run(self.engine.image, ["sleep", "1000"], detach=True, **options)

    def run_once(self) -> Callable[[], None]:
        container = self.run()
        return lambda: container.remove(force=True)

    def command(self) -> None:
        self._container.exec_run(["true"])


def rows_beside(engine: SandboxEngine, peer: DockerPeer) -> list[Row]:
    ready, run = in_turns(BOXES, lambda: start_once(engine), peer.run_once)
    with engine.start(SPEC) as box:
        command = partial(box.exec, ["true"], timeout_seconds=10)
        ours, theirs = in_turns(COMMANDS, command, peer.command)
        ours_in_a_row, theirs_in_a_row = in_turns(COMMANDS // IN_A_ROW, in_a_row(command), in_a_row(peer.command))
    row = f"{IN_A_ROW} commands in a row in a {engine.name} box, beside as many `docker exec`"
    return [
        compared(f"{engine.name} box ready, beside `docker run -d`", ready, run, READY_TARGET, "ms"),
        compared(f"command in a {engine.name} box, beside `docker exec`", ours, theirs, COMMAND_TARGET, "ms"),
        compared(row, ours_in_a_row, theirs_in_a_row, COMMAND_TARGET, "ms"),
    ]


def rows_alone(engine: SandboxEngine, missing: PeerMissingError) -> list[Row]:
    ready, _ = in_turns(BOXES, lambda: start_once(engine), lambda: None)
    with engine.start(SPEC) as box:
        ours, _ = in_turns(COMMANDS, lambda: box.exec(["true"], timeout_seconds=10), lambda: None)
    return [
        without_peer(f"{engine.name} box ready", ready, READY_TARGET, "ms", missing),
        without_peer(f"command in a {engine.name} box", ours, COMMAND_TARGET, "ms", missing),
    ]


def in_a_row(command: Callable[[], object]) -> Callable[[], None]:
    """As a run has them: one that follows the other side's pays for what that one left of the processors' caches."""

    def several() -> None:
        for _ in range(IN_A_ROW):
            command()

    return several


def session_row(engine: SandboxEngine) -> Row:
    what = f"command in a {engine.name} box, beside SWE-ReX's run_in_session"
    with engine.start(SPEC) as box:
        try:
            with SweRexPeer() as peer:
                rounds = [(command_milliseconds(box), peer.milliseconds("true")) for _ in range(SESSION_COMMANDS)]
        except PeerMissingError as missing:
            ours = [command_milliseconds(box) for _ in range(SESSION_COMMANDS)]
            return without_peer(what, ours, SESSION_TARGET, "ms", missing)
    return compared(what, [ours for ours, _ in rounds], [theirs for _, theirs in rounds], SESSION_TARGET, "ms")


def command_milliseconds(box: Sandbox) -> float:
    began = time.perf_counter()
    box.exec(["true"], timeout_seconds=10)
    return 1000 * (time.perf_counter() - began)


def start_once(engine: SandboxEngine) -> Callable[[], None]:
    return engine.start(SPEC).close


def in_turns(rounds: int, ours: Callable[[], object], theirs: Callable[[], object]) -> tuple[list[float], list[float]]:
    """Milliseconds of each call. What a call returns, if that can be called, is called afterwards, untimed."""
    times: tuple[list[float], list[float]] = ([], [])
    for _ in range(rounds):
        for work, taken in zip((ours, theirs), times, strict=True):
            began = time.perf_counter()
            clean_up = work()
            taken.append(1000 * (time.perf_counter() - began))
            if callable(clean_up):
                clean_up()
    return times


if __name__ == "__main__":
    for row in measure():
        print(row)
