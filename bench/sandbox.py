"""A box and a command in it, against a container with the same flags and a `docker exec` in that.

The peer's side is what `docker run -d` and `docker exec` ask of the engine, without the start of the command line's own
program, which would only make it slower.
"""

import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager

from docker import DockerClient
from docker.models.containers import Container

from bench.table import Row, compared
from repo_tools.errors import SandboxError
from repo_tools.sandbox.contract import BoxSpec
from repo_tools.sandbox.docker import DockerEngine, connect
from repo_tools.sandbox.docker_policy import container_options
from scripts.engine import EngineMissingError, ensure, stop

ROUNDS = 15
COMMANDS = 10
SPEC = BoxSpec()
READY, COMMAND = "box ready for its first command / docker run -d", "a command in it / docker exec"
READY_AT_MOST, COMMAND_AT_MOST = 1.3, 0.3


def measure() -> list[Row]:
    """Medians of rounds in which the two take turns. Rows without figures where no container engine can be had."""
    try:
        with engine_host() as host, closing(DockerEngine(docker_host=host)) as engine, closing(connect(host)) as client:
            return compare(engine, client)
    except (EngineMissingError, SandboxError) as error:
        return [Row(what, None, None, None, None, "ms", str(error)) for what in (READY, COMMAND)]


@contextmanager
def engine_host() -> Iterator[str]:
    """DOCKER_HOST of the engine that runs, or of one for the time of the measurement."""
    host, started = ensure()
    try:
        yield host
    finally:
        if started:
            stop()


def compare(engine: DockerEngine, client: DockerClient) -> list[Row]:
    ready: tuple[list[float], list[float]] = ([], [])
    command: tuple[list[float], list[float]] = ([], [])
    for _ in range(ROUNDS):
        for side, (starts, commands) in enumerate(zip(ready, command, strict=True)):
            open_one = started_box(engine) if side == 0 else started_container(client, engine.image)
            began = time.perf_counter()
            with open_one as run_one:
                starts.append(milliseconds_since(began))
                commands += [timed(run_one) for _ in range(COMMANDS)]
    return [
        compared(READY, *ready, READY_AT_MOST, "ms"),
        compared(COMMAND, *command, COMMAND_AT_MOST, "ms"),
    ]


@contextmanager
def started_box(engine: DockerEngine) -> Iterator[Callable[[], object]]:
    """Something that runs one command."""
    with engine.start(SPEC) as box:
        yield lambda: box.exec(["true"], timeout_seconds=10)


@contextmanager
def started_container(client: DockerClient, image: str) -> Iterator[Callable[[], object]]:
    options = container_options(SPEC, run="bench", runtime=None)
    container: Container = client.containers.run(image, ["sleep", "600"], detach=True, **options)
    try:
        yield lambda: container.exec_run(["true"])
    finally:
        container.remove(force=True)


def timed(run_one: Callable[[], object]) -> float:
    began = time.perf_counter()
    run_one()
    return milliseconds_since(began)


def milliseconds_since(began: float) -> float:
    return (time.perf_counter() - began) * 1000
