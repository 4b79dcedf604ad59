"""`agent-fix serve`: each process gets its own secrets only, and the one that looks after them stays small."""

import subprocess
import sys
from contextlib import closing
from functools import partial
from pathlib import Path

from app.cli.serve import children, worker_works
from tests.support.processes import eventually
from workers.broker import embedded_broker
from workers.liveness import node_prefix
from workers.settings import WorkerSettings
from workers.store import open_store

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


def test_a_worker_is_looked_after_and_nothing_is_held_against_it_while_broker_or_database_are_away(
    tmp_path: Path,
) -> None:
    """Q10."""
    settings = WorkerSettings(data_dir=tmp_path)
    away = WorkerSettings(data_dir=tmp_path, database_url=f"postgresql://me@/x?host={tmp_path}")
    with embedded_broker(tmp_path) as broker, closing(open_store(settings.effective_database_url)) as store:
        process = subprocess.Popen(broker.argv)
        eventually(broker.ready, 60)
        works = partial(worker_works, settings, broker.ready)
        watched = {child.name: child.alive for child in children(broker, SHARED, "127.0.0.1", 8000, 1, works)}
        assert watched == {"broker": None, "worker": works, "web": None}
        assert not works()
        assert worker_works(away, broker.ready)
        store.worker_seen(f"{node_prefix()}1")
        assert works()
        store.worker_gone(f"{node_prefix()}1")
        assert not works()
        process.kill()
        process.wait()
        assert works()


def test_who_looks_after_the_processes_loads_neither_the_models_sdk_nor_celery() -> None:
    program = "import sys, app.cli.serve; print(any(name in sys.modules for name in ('anthropic', 'celery', 'kombu')))"
    assert subprocess.check_output([sys.executable, "-c", program], text=True) == "False\n"
