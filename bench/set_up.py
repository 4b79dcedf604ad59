"""A first run's set-up, all of it, beside the package manager's own commands, typed by hand in a box of the same kind.

Ours is what `prepare` takes: a box, the tree, the commands, and the layer that is kept. By hand it is the same commands
with the same index, packages, flags and proxy, nothing cached on either side, and only their own time counts: no box,
no tree, no layer. The image has pip and no uv, so by hand uv is fetched first; a worker brings its own along.
"""

import secrets
import tempfile
import threading
import time
from contextlib import ExitStack, closing
from pathlib import Path

from docker import DockerClient

from bench.engine import engine_host
from bench.known import FILES
from bench.table import PeerMissingError, Row, compared, missing
from repo_tools.box_tree import commit_tree, upload_tree
from repo_tools.checkout import Checkout
from repo_tools.environment.base_tag import TAG
from repo_tools.environment.contract import ACTIVATE, SCRATCH, Environment
from repo_tools.environment.detect import detect
from repo_tools.environment.prepare import prepare
from repo_tools.environment.ways_out import CA_BUNDLE, CA_VARIABLES
from repo_tools.sandbox.bubblewrap import BubblewrapEngine
from repo_tools.sandbox.contract import BoxSpec, Layer, SandboxEngine
from repo_tools.sandbox.docker import DockerEngine
from tests.support.laboratory import INDEX_HOSTS, ca_bundle, checkout_of

ROUNDS = 3
TARGET = 1.1
SECONDS = 900.0
FILES_TO_INSTALL = {
    **FILES,
    "pyproject.toml": FILES["pyproject.toml"].replace(
        b'["attrs"]', b'["attrs", "click", "jinja2", "packaging", "pyyaml", "requests", "rich"]'
    ),
}


def measure() -> list[Row]:
    with tempfile.TemporaryDirectory() as folder, ExitStack() as stack:
        checkout = checkout_of(Path(folder, "repository"), FILES_TO_INSTALL)
        bubblewrap = _row(BubblewrapEngine(Path(folder, "data")), checkout)
        try:
            host = engine_host()
        except PeerMissingError as why:
            return [missing(_what("docker"), TARGET, "s", why), bubblewrap]
        client = stack.enter_context(closing(DockerClient(host)))
        return [_row(stack.enter_context(closing(DockerEngine(docker_host=host))), checkout, client), bubblewrap]


def _what(engine: str) -> str:
    return f"first run's set-up on {engine}, beside the package manager's own commands"


def _row(engine: SandboxEngine, checkout: Checkout, client: DockerClient | None = None) -> Row:
    environment = detect(checkout.tree, checkout.read)
    with ExitStack() as at_the_end:  # to remove a layer is work for the disk, which would slow the next round's saving
        ours, theirs = [], []
        for _ in range(ROUNDS):
            seconds, layer = _set_up(engine, checkout, environment)
            ours.append(seconds)
            if client:
                at_the_end.callback(client.images.remove, layer.reference, force=True)
            theirs.append(_by_hand(engine, checkout, environment))
    return compared(_what(engine.name), ours, theirs, TARGET, "s")


def _set_up(engine: SandboxEngine, checkout: Checkout, environment: Environment) -> tuple[float, Layer]:
    began = time.monotonic()
    prepared = prepare(
        engine,
        checkout,
        environment,
        repository=secrets.token_hex(8),  # whose layer is not there yet
        allowed_hosts=INDEX_HOSTS,
        ca_bundle=ca_bundle(),
        timeout_seconds=SECONDS,
        report=lambda _line: None,
    )
    seconds = time.monotonic() - began
    _let_end()
    return seconds, prepared.layer


def _let_end() -> None:
    """What ours leaves to be done by and by (its box's end, the disk) is not to slow the peer's turn."""
    for thread in threading.enumerate():
        if thread.name in ("discard", "settle"):
            thread.join()


def _by_hand(engine: SandboxEngine, checkout: Checkout, environment: Environment) -> float:
    variables = {"HOME": SCRATCH, "TMPDIR": SCRATCH, **environment.variables}
    with engine.start(BoxSpec(writable_environment=True, allowed_hosts=INDEX_HOSTS)) as box:
        upload_tree(box, checkout)
        commit_tree(box, TAG)
        box.exec(["mkdir", SCRATCH], timeout_seconds=60)
        if bundle := ca_bundle():
            box.write(CA_BUNDLE, bundle)
            variables |= dict.fromkeys(CA_VARIABLES, CA_BUNDLE)
        began = time.monotonic()
        for command in environment.setup:
            result = box.exec((*ACTIVATE, *command.argv), timeout_seconds=SECONDS, environment=variables)
            if result.exit_code != 0 and command.required:
                raise RuntimeError(f"{command.argv}: {result.output.decode(errors='replace')[-2000:]}")
        return time.monotonic() - began
