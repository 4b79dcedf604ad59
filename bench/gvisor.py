"""A pytest run under gVisor beside the same run under runc, in boxes of the same layer on the same engine.

The suite made for it is the hard case: hundreds of files, and next to no work in their tests. Real ones stand beside.
"""

import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path

import httpx

from bench.engine import engine_host
from bench.known import FILES
from bench.real_packages import PackageMissingError, listed, repository_of
from bench.table import PeerMissingError, Row, compared, missing
from repo_tools.checkout import Checkout
from repo_tools.environment.contract import PreparedEnvironment
from repo_tools.environment.run import run_tests
from repo_tools.errors import SandboxError
from repo_tools.fresh_box import fresh_box
from repo_tools.git_checkout import GitCheckout
from repo_tools.local import LocalRepository
from repo_tools.sandbox.contract import SandboxEngine
from repo_tools.sandbox.docker import DockerEngine
from repo_tools.sandbox.docker_policy import GVISOR
from tests.support.laboratory import checkout_of, prepared_for

ROUNDS = 3
TARGET = 1.5
MADE = f"{len(FILES) // 2 - 1} tests with pytest, under gVisor beside runc"
REAL = ("click", "jinja2", "requests-mock")
RUN_SECONDS = 300.0

Source = Callable[[Path], GitCheckout]
"""Makes a repository in a folder that is empty."""


def measure() -> list[Row]:
    suites: dict[str, Source] = {MADE: lambda folder: checkout_of(folder / "made", FILES)}
    suites |= {f"the tests of {name}, under gVisor beside runc": _real(name) for name in REAL}
    try:
        with _engines() as (gvisor, runc):
            return [_row(what, source, gvisor, runc) for what, source in suites.items()]
    except PeerMissingError as why:
        return [missing(what, TARGET, "s", why) for what in suites]


@contextmanager
def _engines() -> Iterator[tuple[SandboxEngine, SandboxEngine]]:
    host = engine_host()
    with ExitStack() as stack:
        try:
            gvisor = stack.enter_context(closing(DockerEngine(docker_host=host, runtime=GVISOR)))
        except SandboxError as error:
            raise PeerMissingError(str(error)) from error
        yield gvisor, stack.enter_context(closing(DockerEngine(docker_host=host, runtime="runc")))


def _real(name: str) -> Source:
    """The package of this name in the list of real ones."""
    package = next(package for package in listed() if package.name == name)

    def checkout(folder: Path) -> GitCheckout:
        try:
            repository = LocalRepository(repository_of(package, folder / "downloads", folder / name))
        except (PackageMissingError, httpx.HTTPError) as error:
            raise PeerMissingError(f"{package.id} cannot be fetched: {error}") from error
        return repository.checkout(repository.resolve("HEAD"))

    return checkout


def _row(what: str, source: Source, gvisor: SandboxEngine, runc: SandboxEngine) -> Row:
    with tempfile.TemporaryDirectory() as folder:
        try:
            checkout = source(Path(folder))
        except PeerMissingError as why:
            return missing(what, TARGET, "s", why)
        prepared = prepared_for(runc, checkout)
        rounds = [(_run(gvisor, checkout, prepared), _run(runc, checkout, prepared)) for _ in range(ROUNDS)]
    outcomes = [report for round_ in rounds for _, report in round_]
    if any(report != outcomes[0] for report in outcomes):
        raise RuntimeError(f"{what}: the runs do not end alike: {outcomes}")
    ours, theirs = zip(*((ours[0], theirs[0]) for ours, theirs in rounds), strict=True)
    return compared(what, ours, theirs, TARGET, "s")


def _run(engine: SandboxEngine, checkout: Checkout, prepared: PreparedEnvironment) -> tuple[float, Counter[str]]:
    """(seconds, how many tests ended how)."""
    with fresh_box(engine, checkout, prepared) as box:
        began = time.monotonic()
        report = run_tests(box, prepared.environment, timeout_seconds=RUN_SECONDS)
        seconds = time.monotonic() - began
    if report.problem or not report.cases:
        raise RuntimeError(f"the suite gives no results: {report.problem} {report.output[-1000:]}")
    return seconds, Counter(str(case.outcome) for case in report.cases)
