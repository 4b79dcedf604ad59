"""The order of test files: those that take longest come first, so that none of them is begun when the others end. No
long proof without a short form. The seed of chaos, which every log shows. And no rounds of the garbage collector over
what stays to the end anyway."""

import os
import secrets
from collections.abc import Generator
from pathlib import Path

import pytest

from app.cli.garbage import without_collections
from tests.support.long import named, without_short_form

TESTS = Path(__file__).parent
FIRST = (
    "e2e/test_solve.py",
    "e2e/test_durable.py",
    "e2e/test_escalation.py",
    "e2e/test_chaos.py",
    "e2e/test_receiver_down.py",
    "e2e/test_hostile_suites.py",
    "e2e/test_limits.py",
    "e2e/test_soft_stop.py",
    "e2e/test_configuration.py",
    "e2e/test_draft.py",
    "repo_tools/verification/test_verify.py",
    "repo_tools/sandbox/test_image_languages.py",
    "repo_tools/verification/test_verify_rust.py",
    "repo_tools/environment/javascript/test_runs.py",
    "repo_tools/sandbox/test_forgery.py",
    "workers/test_worker.py",
    "workers/github/test_draft.py",
    "repo_tools/sandbox/test_floods.py",
    "repo_tools/verification/test_baseline.py",
    "repo_tools/environment/javascript/test_pnpm_place.py",
    "repo_tools/environment/test_prepare.py",
    "app/cli/test_environment.py",
    "repo_tools/verification/test_slow_javascript.py",
    "repo_tools/verification/test_verify_javascript.py",
    "bench/test_guarantees.py",
    "repo_tools/environment/test_run.py",
    "repo_tools/environment/javascript/test_node_release.py",
    "repo_tools/sandbox/test_services.py",
    "workers/store/test_cut_commit.py",
    "app/cli/test_commands.py",
    "repo_tools/environment/test_versions_from_git.py",
    "workers/test_engine_dies.py",
    "workers/test_heartbeat.py",
)
"""On two processors each of them takes half a minute or more. (`--no-loadscope-reorder` keeps pytest-xdist from its own
order, by the number of tests.)"""

SEED = "CHAOS_SEED"


def pytest_configure() -> None:
    """The processes of pytest-xdist inherit it."""
    os.environ[SEED] = os.environ.get(SEED) or str(secrets.randbelow(10**6))


def pytest_report_header() -> str:
    return _seed()


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Said at the end too: `-q` leaves the header out."""
    terminalreporter.write_line(_seed())


def _seed() -> str:
    return f"chaos: {SEED}={os.environ[SEED]} repeats its random choices"


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_collection() -> Generator[None]:
    """Modules and items stay to the end: so they are collected in half the time (12 s of 23)."""
    with without_collections():
        yield


@pytest.hookimpl(tryfirst=True)  # before pytest takes the long ones out
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if config.option.markexpr.startswith("not long") and (alone := without_short_form(map(named, items))):
        raise pytest.UsageError(f"long proofs without a short form that is always run: {', '.join(alone)}")
    places = {TESTS / name: place for place, name in enumerate(FIRST)}
    items.sort(key=lambda item: places.get(item.path, len(places)))
