"""The worker process: Celery's pool, and a companion that reconciles.

This process forks, so it never keeps the database open; each process of the pool opens its own.
"""

import functools
import logging
import os
import signal
import sys
import warnings
from collections.abc import Callable
from dataclasses import astuple
from pathlib import Path

from celery import Celery
from celery.exceptions import SecurityWarning
from celery.signals import worker_process_init, worker_ready

from repo_tools.counted import counted
from repo_tools.errors import ConfigError
from workers.companion import Companion, CompanionConfig
from workers.leash import die_with_parent
from workers.liveness import node_prefix
from workers.patrol import patrol_argv
from workers.pulse import pulsing
from workers.queue import make_celery
from workers.settings import WorkerSettings
from workers.store import open_store
from workers.tasks import Execute, add_run_task

_log = logging.getLogger(__name__)


def run_worker(
    settings: WorkerSettings,
    build: Callable[[], Execute],
    *,
    concurrency: int = 2,
    reconcile_seconds: float = 5.0,
) -> None:
    """Work until told to stop. `build` is called in each process of the pool, at its first run. ConfigError."""
    broker_url = _broker_url(settings)
    open_store(settings.effective_database_url).close()  # migrated, and known to answer, before anything starts
    celery = make_celery(broker_url)
    add_run_task(celery, _built_after_fork(build))
    companion = Companion(companion_config(settings, broker_url, reconcile_seconds))
    try:
        _work(celery, companion, concurrency)
    finally:
        companion.close()


def companion_config(settings: WorkerSettings, broker_url: str, reconcile_seconds: float) -> CompanionConfig:
    """For the companion of this process."""
    return CompanionConfig(
        f"{node_prefix()}{os.getpid()}",
        settings.effective_database_url,
        broker_url,
        reconcile_seconds,
        # Boxes of bubblewrap end with their worker, and leave nothing.
        reap_argv=() if settings.sandbox == "bubblewrap" else reaping_argv(settings.data_dir),
        patrol_argv=patrol_argv(settings),
        patrol_seconds=settings.patrol_seconds,
        limits=astuple(settings.run_limits),
    )


def reaping_argv(data_dir: Path) -> tuple[str, ...]:
    """The program that removes what dead workers left on the container engine, of the installation whose data stand in
    `data_dir`; the environment names the engine."""
    # -P: nothing is imported from the folder that the worker was started in.
    return (sys.executable, "-P", "-m", "repo_tools.sandbox.reaper_program", str(data_dir.absolute()))


def _broker_url(settings: WorkerSettings) -> str:
    if settings.broker_url is None:
        remedy = "Name a Redis or RabbitMQ, or start `agent-fix serve`, which brings its own broker."
        raise ConfigError("AGENT_FIX_BROKER_URL", "is not set", remedy)
    return settings.broker_url


def _built_after_fork(build: Callable[[], Execute]) -> Execute:
    built = functools.cache(build)

    def execute(run_id: str) -> None:
        built()(run_id)

    return execute


def _work(celery: Celery, companion: Companion, concurrency: int) -> None:
    parent = os.getpid()

    def tell_ready(**_: object) -> None:
        _log.info("the worker is ready, for %s at a time", counted(concurrency, "run"))

    warnings.simplefilter("ignore", SecurityWarning)  # of root, and of an option that is none of ours

    def keep_to_parent(**_: object) -> None:
        die_with_parent(parent)

    # Kept by name here: Celery's signals hold their receivers weakly.
    worker_process_init.connect(keep_to_parent)
    worker_ready.connect(_stop_softly_on_sigterm)
    worker_ready.connect(tell_ready)
    celery.steps["consumer"].add(pulsing(companion.pulse))
    celery.Worker(
        concurrency=concurrency,
        # Without events, which nobody reads: Celery repeats one without end that its broker does not take, and a worker
        # that is told to stop waits for that.
        without_heartbeat=True,
        without_gossip=True,
        without_mingle=True,
        loglevel=logging.INFO,
        redirect_stdouts=False,
        quiet=True,
    ).start()


def _stop_softly_on_sigterm(**_: object) -> None:
    """SIGTERM would wait for running runs without end; Celery's SIGQUIT waits for the soft time-out."""
    signal.signal(signal.SIGTERM, signal.getsignal(signal.SIGQUIT))
