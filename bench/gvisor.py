"""A pytest run under gVisor beside the same run under runc, in boxes of the same layer on the same engine."""

import tempfile
import time
from contextlib import ExitStack, closing
from pathlib import Path

from bench.known import FILES
from bench.table import PeerMissingError, Row, compared, missing
from repo_tools.checkout import Checkout
from repo_tools.environment.contract import PreparedEnvironment
from repo_tools.environment.run import run_tests
from repo_tools.errors import SandboxError
from repo_tools.fresh_box import fresh_box
from repo_tools.sandbox.contract import SandboxEngine
from repo_tools.sandbox.docker import DockerEngine
from repo_tools.sandbox.docker_policy import GVISOR
from scripts.engine import running_host
from tests.support.laboratory import checkout_of, prepared_for

ROUNDS = 3
TARGET = 1.5
WHAT = f"{len(FILES) // 2 - 1} tests with pytest, under gVisor beside runc"
RUN_SECONDS = 300.0


def measure() -> list[Row]:
    try:
        return [_row()]
    except PeerMissingError as why:
        return [missing(WHAT, TARGET, "s", why)]


def _row() -> Row:
    host = running_host()
    if host is None:
        raise PeerMissingError("no container engine answers")
    with tempfile.TemporaryDirectory() as folder, ExitStack() as stack:
        try:
            gvisor = stack.enter_context(closing(DockerEngine(docker_host=host, runtime=GVISOR)))
        except SandboxError as error:
            raise PeerMissingError(str(error)) from error
        runc = stack.enter_context(closing(DockerEngine(docker_host=host, runtime="runc")))
        checkout = checkout_of(Path(folder), FILES)
        prepared = prepared_for(runc, checkout)
        rounds = [(_seconds(gvisor, checkout, prepared), _seconds(runc, checkout, prepared)) for _ in range(ROUNDS)]
    ours, theirs = zip(*rounds, strict=True)
    return compared(WHAT, ours, theirs, TARGET, "s")


def _seconds(engine: SandboxEngine, checkout: Checkout, prepared: PreparedEnvironment) -> float:
    with fresh_box(engine, checkout, prepared) as box:
        began = time.monotonic()
        report = run_tests(box, prepared.environment, timeout_seconds=RUN_SECONDS)
        seconds = time.monotonic() - began
    if report.problem or report.red:
        raise RuntimeError(f"the suite is not green: {report.problem} {report.output[-1000:]}")
    return seconds
