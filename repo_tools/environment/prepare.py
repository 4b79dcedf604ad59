"""Make an environment once, in a set-up box, and keep it as a layer."""

import hashlib
import json
import shlex
import tempfile
import time
from collections.abc import Callable

from repo_tools.checkout import Checkout
from repo_tools.environment.contract import Environment, PreparedEnvironment, SetupCommand
from repo_tools.environment.generated import keep_generated
from repo_tools.environment.run import ACTIVATE
from repo_tools.errors import RepoError
from repo_tools.sandbox.contract import (
    DEFAULT_LIMITS,
    ENVIRONMENT,
    WORKSPACE,
    BoxSpec,
    ExecResult,
    Layer,
    Limits,
    Sandbox,
    SandboxEngine,
)

CA_BUNDLE = f"{ENVIRONMENT}/ca.pem"
CA_VARIABLES = ("SSL_CERT_FILE", "PIP_CERT", "REQUESTS_CA_BUNDLE", "NODE_EXTRA_CA_CERTS")
MAX_LOG_CHARACTERS = 20_000
_TAIL_CHARACTERS = 3_000


class SetupFailedError(RepoError):
    """A required set-up command failed. The text names it and ends with the tail of its output."""


def prepare(
    engine: SandboxEngine,
    checkout: Checkout,
    environment: Environment,
    *,
    allowed_hosts: tuple[str, ...],
    ca_bundle: bytes | None,
    limits: Limits = DEFAULT_LIMITS,
    timeout_seconds: float = 900.0,
    report: Callable[[str], None],
) -> PreparedEnvironment:
    """The environment's layer: found, or made from the base commit's manifests within `timeout_seconds` in all.

    Only the base commit is ever set up with network; what a change does to manifests never reaches a layer.
    SetupFailedError, SandboxError.
    """
    key = layer_key(engine, checkout, environment)
    found = engine.find_layer(key)
    if found is not None:
        return PreparedEnvironment(environment, found, 0.0)
    spec = BoxSpec(limits, writable_environment=True, allowed_hosts=allowed_hosts)
    started = time.monotonic()
    with engine.start(spec) as box:
        log = _set_up(box, checkout, environment, ca_bundle, started + timeout_seconds, report)
        refused = box.refused_hosts()
        layer: Layer = engine.save_layer(key, box)
    return PreparedEnvironment(environment, layer, time.monotonic() - started, refused, log)


def layer_key(engine: SandboxEngine, checkout: Checkout, environment: Environment) -> str:
    """Everything that decides what a layer holds, as hex digits."""
    parts = {
        "platform": engine.platform_key(),
        "detector": environment.detector,
        "setup": [command.argv for command in environment.setup],
        "variables": dict(sorted(environment.variables.items())),
        "manifests": {path: checkout.tree[path].blob_id for path in environment.manifests},
    }
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()


def _set_up(
    box: Sandbox,
    checkout: Checkout,
    environment: Environment,
    ca_bundle: bytes | None,
    deadline: float,
    report: Callable[[str], None],
) -> str:
    with tempfile.TemporaryFile() as tar:
        checkout.write_tar(tar)
        tar.seek(0)
        box.upload(tar, WORKSPACE)
    variables = dict(environment.variables)
    if ca_bundle:
        box.write(CA_BUNDLE, ca_bundle)
        variables |= dict.fromkeys(CA_VARIABLES, CA_BUNDLE)
    log = "".join(_run(box, command, variables, deadline, report) for command in environment.setup)
    if ca_bundle:
        box.delete(CA_BUNDLE)
    keep_generated(box, checkout.tree)
    return log[-MAX_LOG_CHARACTERS:]


def _run(
    box: Sandbox, command: SetupCommand, variables: dict[str, str], deadline: float, report: Callable[[str], None]
) -> str:
    shown = shlex.join(command.argv)
    report(shown)
    left = max(1.0, deadline - time.monotonic())
    result = box.exec((*ACTIVATE, *command.argv), timeout_seconds=left, environment=variables)
    output = result.output.decode("utf-8", "replace")
    if result.exit_code != 0:
        if command.required or result.timed_out:
            raise SetupFailedError(_failure(shown, result, output, box.refused_hosts()))
        report(f"failed, and goes on without: {shown}")
    return f"$ {shown}\n{output}[exit code {result.exit_code}, {result.seconds:.1f} s]\n"


def _failure(shown: str, result: ExecResult, output: str, refused: tuple[str, ...]) -> str:
    how = "ran out of time" if result.timed_out else f"failed with exit code {result.exit_code}"
    hosts = f"\nHosts that set-up may not reach: {', '.join(refused)}." if refused else ""
    return f"Set-up {how}: {shown}{hosts}\n{output[-_TAIL_CHARACTERS:]}"
