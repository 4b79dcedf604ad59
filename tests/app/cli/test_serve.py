"""`agent-fix serve`: each process gets its own secrets only, and the one that looks after them stays small."""

import subprocess
import sys
from pathlib import Path

from app.cli.serve import children
from workers.broker import embedded_broker

SECRETS = {
    "AGENT_FIX_GITHUB_WEBHOOK_SECRET": "web",
    "AGENT_FIX_API_TOKEN": "web",
    "AGENT_FIX_GITHUB_PRIVATE_KEY": "worker",
    "AGENT_FIX_GITHUB_PRIVATE_KEY_FILE": "worker",
    "ANTHROPIC_API_KEY": "worker",
}
SHARED = {"AGENT_FIX_LABEL": "both", "PATH": "/usr/bin"}


def test_secrets_go_to_the_process_that_needs_them_and_to_no_other(tmp_path: Path) -> None:
    with embedded_broker(tmp_path) as broker:
        started = children(broker, {**SECRETS, **SHARED}, "127.0.0.1", 8000, 1)
    held = {child.name: {name for name in SECRETS if name in child.environment} for child in started}
    assert held == {
        "broker": set(),
        "web": {name for name, owner in SECRETS.items() if owner == "web"},
        "worker": {name for name, owner in SECRETS.items() if owner == "worker"},
    }


def test_settings_of_both_reach_both(tmp_path: Path) -> None:
    with embedded_broker(tmp_path) as broker:
        started = children(broker, SHARED, "127.0.0.1", 8000, 1)
    for child in started[1:]:
        assert SHARED.items() <= child.environment.items()
        assert child.environment["AGENT_FIX_BROKER_URL"].startswith("redis+socket://")


def test_a_broker_of_the_operators_replaces_the_embedded_one() -> None:
    started = children(None, {"AGENT_FIX_BROKER_URL": "redis://broker:6379/0"}, "127.0.0.1", 8000, 1)
    assert [child.name for child in started] == ["worker", "web"]


def test_who_looks_after_the_processes_does_not_load_the_models_sdk() -> None:
    program = "import sys, app.cli.serve; print('anthropic' in sys.modules)"
    assert subprocess.check_output([sys.executable, "-c", program], text=True) == "False\n"
