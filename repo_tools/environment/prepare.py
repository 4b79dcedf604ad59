"""Make an environment once, in a set-up box, and keep it as a layer."""

import time
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import replace

from repo_tools.checkout import Checkout
from repo_tools.environment.contract import Environment, PreparedEnvironment
from repo_tools.environment.dated import commit_day
from repo_tools.environment.generated import copied_files
from repo_tools.environment.layer_key import LayerKeys, layer_keys
from repo_tools.environment.set_up import SetUp
from repo_tools.sandbox.aside import discard_aside
from repo_tools.sandbox.contract import DEFAULT_LIMITS, BoxSpec, Layer, Limits, Making, SandboxEngine
from repo_tools.test_report import TestReport

MADE_ANEW = "In an environment that was found the tests gave no result: it is made anew."
NOTHING_COLLECTED = 5
"""https://docs.pytest.org/en/stable/reference/exit-codes.html"""


def prepare(  # noqa: PLR0913 - four have defaults
    engine: SandboxEngine,
    checkout: Checkout,
    environment: Environment,
    *,
    repository: str = "",
    allowed_hosts: tuple[str, ...],
    ca_bundle: bytes | None = None,
    limits: Limits = DEFAULT_LIMITS,
    timeout_seconds: float = 900.0,
    report: Callable[[str], None],
    instead_of: Layer | None = None,
) -> PreparedEnvironment:
    """The environment's layer: found, or made from the base commit within `timeout_seconds` in all. `repository` is
    whose layer it is, a name that no other repository has. `instead_of`: a layer that was found and is no good.

    Only the base commit is ever set up with network; what a change does to manifests never reaches a layer.
    SetupFailedError, ToolMissingError, SandboxError.
    """
    deadline = time.monotonic() + timeout_seconds
    packages = commit_day(checkout.committed_seconds, time.time()) if environment.dated else None
    keys = layer_keys(engine.platform_key(), checkout, environment, repository, allowed_hosts, packages)
    if instead_of is not None:
        engine.forget_layer(instead_of)
    if found := _find(engine, environment, keys):
        return found
    with engine.making(keys.of_manifests, timeout_seconds):
        if found := _find(engine, environment, keys):
            return found
        spec = BoxSpec(_room(limits), writable_environment=True, allowed_hosts=allowed_hosts)
        return _make(engine, spec, SetUp(checkout, environment, ca_bundle, deadline, report, packages, limits), keys)


def _room(limits: Limits) -> Limits:
    """Some package managers can install into the work tree only; from there it goes to the environment."""
    return replace(limits, workspace_bytes=max(limits.workspace_bytes, limits.environment_bytes))


def may_be_damaged(prepared: PreparedEnvironment, found: TestReport) -> bool:
    """Whether the environment may be at fault that `found` is no result: it was not made just now, and not one test
    was seen. It may have lost files since, or been made on a day when an index had a part of it only."""
    others_fault = found.timed_out or found.service_ended or found.exit_code == NOTHING_COLLECTED
    return prepared.seconds == 0.0 and found.problem is not None and not found.cases and not others_fault


def _find(engine: SandboxEngine, environment: Environment, keys: LayerKeys) -> PreparedEnvironment | None:
    for key in (keys.of_manifests, keys.of_commit):
        if layer := engine.find_layer(key):
            return _prepared(environment, layer, 0.0)
    return None


def _make(engine: SandboxEngine, spec: BoxSpec, set_up: SetUp, keys: LayerKeys) -> PreparedEnvironment:
    started = time.monotonic()
    with ExitStack() as on_failure:
        box = on_failure.enter_context(engine.start(spec))
        done = set_up.carry_out(box)
        built = done.generated.without(copied_files(set_up.environment.setup)).comes_from_sources
        key = keys.of_commit if built else keys.of_manifests
        making = Making(time.monotonic() - started, box.refused_hosts(), done.log, notes=done.notes)
        layer = engine.save_layer(key, box, making)
        on_failure.pop_all()
    discard_aside(box.close)
    return _prepared(set_up.environment, layer, time.monotonic() - started, making)


def _prepared(
    environment: Environment, layer: Layer, seconds: float, made: Making | None = None
) -> PreparedEnvironment:
    making = made or layer.making
    told = replace(environment, evidence=(*environment.evidence, *making.notes))
    return PreparedEnvironment(told, layer, seconds, making.refused_hosts, making.log)
