"""The order of test files: those that take longest come first, so that none of them is begun when the others end."""

from pathlib import Path

import pytest

TESTS = Path(__file__).parent
FIRST = (
    "e2e/test_solve.py",
    "e2e/test_durable.py",
    "e2e/test_escalation.py",
    "e2e/test_chaos.py",
    "e2e/test_hostile_suites.py",
    "e2e/test_limits.py",
    "e2e/test_configuration.py",
    "e2e/test_draft.py",
    "repo_tools/environment/javascript/test_node_release.py",
    "repo_tools/verification/test_verify.py",
    "repo_tools/environment/test_prepare.py",
    "repo_tools/environment/test_versions_from_git.py",
    "repo_tools/verification/test_baseline.py",
    "repo_tools/sandbox/test_conformance.py",
    "repo_tools/environment/javascript/test_javascript_runs.py",
    "repo_tools/environment/test_services.py",
    "repo_tools/sandbox/test_services.py",
    "repo_tools/sandbox/test_attacks.py",
    "app/cli/test_commands.py",
)
"""On two processors each of them takes half a minute or more. (`--no-loadscope-reorder` keeps pytest-xdist from its own
order, by the number of tests.)"""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    places = {TESTS / name: place for place, name in enumerate(FIRST)}
    items.sort(key=lambda item: places.get(item.path, len(places)))
