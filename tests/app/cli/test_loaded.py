"""What a command loads before it does anything: a second and more of each start."""

import subprocess
import sys

import pytest

SERVERS = {"fastapi", "celery"}


@pytest.mark.parametrize(
    ("command", "unneeded"),
    [("environment", {"anthropic", *SERVERS}), ("runs", {"anthropic", *SERVERS}), ("fix", SERVERS)],
)
def test_a_command_loads_neither_a_models_sdk_nor_servers_that_it_does_not_use(
    command: str, unneeded: set[str]
) -> None:
    program = f"import sys, app.cli.{command}; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert unneeded.isdisjoint(loaded.stdout.split())
