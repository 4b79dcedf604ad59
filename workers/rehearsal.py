"""A repository up to where a model would begin: what is detected, set up, and what its suite says. Nothing is spent."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from repo_tools.checkout import Checkout
from repo_tools.environment.contract import Environment, TestCommand
from repo_tools.environment.declared import declared_environment
from repo_tools.environment.detect import detect
from repo_tools.environment.prepare import MADE_ANEW, may_be_damaged, prepare
from repo_tools.local import LocalRepository
from repo_tools.repo_map.store import IndexStore
from repo_tools.sandbox.contract import Limits, SandboxEngine
from repo_tools.verification.baseline import MeasuredSuite, baseline, baseline_of_some, cut_baseline
from workers.case import SETUP_SECONDS, map_of
from workers.configuration.contract import Allowed
from workers.configuration.read import read_configuration
from workers.prerequisites import read_ca_bundle
from workers.sandbox import open_with_image
from workers.settings import WorkerSettings
from workers.suite_steps import BASELINE_SECONDS


@dataclass(frozen=True)
class Rehearsal:
    """`environment` as it was planned; `suite` as it was set up and run, None where only the plan was asked for."""

    commit: str
    environment: Environment
    suite: MeasuredSuite | None = None

    def to_json(self) -> dict[str, Any]:
        prepared, report = self.suite or (None, None)
        plan = prepared.environment if prepared else self.environment
        return {
            "commit": self.commit,
            "detector": plan.detector,
            "evidence": list(plan.evidence),
            "setup": [list(command.argv) for command in plan.setup],
            "tests": list(map(_shown, plan.tests)),
            "left_out": list(plan.left_out),
            "tools": [f"{tool.program} {tool.versions}".strip() for tool in plan.tools],
            "services": [service.kind for service in plan.services],
            "setup_seconds": round(prepared.seconds, 1) if prepared else None,
            "refused_hosts": list(prepared.refused_hosts) if prepared else None,
            "baseline": report.to_json() if report else None,
        }


def _shown(command: TestCommand) -> dict[str, Any]:
    return {
        "runner": command.runner,
        "command": list(command.argv),
        "directory": command.directory or ".",
        "variables": dict(command.variables),
    }


@dataclass(frozen=True)
class Planned:
    """How a repository of this machine would be set up and tested for an issue of this text, which may be empty;
    `image` is the repository's own choice of one."""

    checkout: Checkout
    environment: Environment
    issue: str
    image: str | None = None


def planned(path: Path, revision: str, issue: str, settings: WorkerSettings, engine: str | None = None) -> Planned:
    """For an issue of this text, in the sandbox of this name (None: whichever the settings allow). RepoError,
    NoTestsError, ConfigurationError."""
    repository = LocalRepository(path)
    checkout = repository.checkout(repository.resolve(revision))
    names = frozenset(settings.allowed_models), frozenset(settings.allowed_images)
    possible = "docker" if settings.sandbox == "auto" else settings.sandbox
    allowed = Allowed(settings.budget.limits(), engine or possible, settings.model, *names)
    asked = read_configuration(checkout, allowed)
    about = partial(detect, checkout.tree, checkout.read, issue=issue, inside=repository.below.rstrip("/"))
    detected = partial(about, likely=partial(_likely, checkout, issue))
    found = declared_environment(asked.declared, checkout.tree, detected)
    return Planned(checkout, found, issue, asked.image)


def _likely(checkout: Checkout, issue: str) -> tuple[str, ...]:
    if not issue:
        return ()
    with IndexStore() as index:
        return map_of(index, checkout).likely(issue)


def rehearse(
    plan: Planned,
    engine: SandboxEngine,
    repository: str,
    settings: WorkerSettings,
    say: Callable[[str], None],
    *,
    baseline_seconds: float = BASELINE_SECONDS,
) -> Rehearsal:
    """Set up and run the suite, as a run would. `say` is told each step. RepoError, SandboxError, ConfigError."""
    checkout, environment, limits = plan.checkout, plan.environment, Limits()
    if plan.image:
        engine = open_with_image(settings, plan.image)
    say(f"sandbox: {engine.describe()}")
    made = partial(
        prepare,
        engine,
        checkout,
        environment,
        repository=repository,
        allowed_hosts=tuple(sorted(settings.allowed_hosts)),
        ca_bundle=read_ca_bundle(settings),
        limits=limits,
        timeout_seconds=SETUP_SECONDS,
        report=say,
    )
    prepared = made()
    say(f"running the tests: {environment.shown_command}")
    report = baseline(engine, checkout, prepared, timeout_seconds=baseline_seconds, limits=limits)
    if may_be_damaged(prepared, report):
        say(MADE_ANEW)
        prepared = made(instead_of=prepared.layer)
        report = baseline(engine, checkout, prepared, timeout_seconds=baseline_seconds, limits=limits)
    suite = MeasuredSuite(prepared, report)
    left = max(1.0, baseline_seconds - report.seconds)
    suite = baseline_of_some(engine, checkout, *suite, timeout_seconds=left, limits=limits) or suite
    if suite.baseline.timed_out:
        say("the whole suite takes too long: running a part of it")
        hanging = suite.baseline.hanging
        suite = cut_baseline(engine, checkout, suite.prepared, plan.issue, hanging=hanging, limits=limits) or suite
    return Rehearsal(checkout.commit, environment, suite)
