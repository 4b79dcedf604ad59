"""`agent-fix serve`: web, worker and broker of one machine, kept running."""

import os
import sys
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from functools import partial

from app.cli.options import Concurrency, Host, Port
from app.listener import open_listener
from app.settings import WebSettings
from workers.bell import open_bell
from workers.broker import EmbeddedBroker, embedded_broker
from workers.github.host import make_github_host
from workers.liveness import worker_lives
from workers.load_settings import load_settings, make_data_dir, setting_names
from workers.prerequisites import check_prerequisites
from workers.settings import PREFIX, WorkerSettings
from workers.store import open_store
from workers.supervisor import Child, Supervisor


def serve(host: Host = "127.0.0.1", port: Port = 8000, concurrency: Concurrency = 1) -> None:
    """Run everything on one machine: web, worker, and (unless AGENT_FIX_BROKER_URL names one) a broker."""
    settings = load_settings(WorkerSettings)
    load_settings(WebSettings)
    make_data_dir(settings)
    open_listener(host, port).close()
    make_github_host(settings)  # what is wrong is said once, here, and not again and again by children
    check_prerequisites(settings)
    open_store(settings.effective_database_url).close()
    with ExitStack() as stack:
        named = settings.broker_url
        embedded = None if named else stack.enter_context(embedded_broker(settings.data_dir))
        answers = embedded.ready if embedded else open_bell(str(named)).answers
        alive = partial(worker_works, settings, answers)
        Supervisor(children(embedded, os.environ, host, port, concurrency, alive)).run()


def worker_works(settings: WorkerSettings, broker_answers: Callable[[], bool]) -> bool:
    """False where a new start may help: while the broker or the database is away, nothing is known against a worker."""
    return not broker_answers() or worker_lives(settings)


def children(
    embedded: EmbeddedBroker | None,
    environment: Mapping[str, str],
    host: str,
    port: int,
    concurrency: int,
    worker_alive: Callable[[], bool] | None = None,
) -> list[Child]:
    """The processes of one machine, in the order in which they start, each with its own secrets only."""
    command = (sys.executable, "-m", "app.cli")
    broker: list[Child] = []
    if embedded is not None:
        broker = [Child("broker", embedded.argv, {}, ready=embedded.ready)]
        environment = {**environment, f"{PREFIX}BROKER_URL": embedded.url}
    worker = (*command, "worker", "--concurrency", str(concurrency))
    return [
        *broker,
        Child("worker", worker, only_for_worker(environment), alive=worker_alive),
        Child("web", (*command, "web", "--host", host, "--port", str(port)), only_for_web(environment)),
    ]


def only_for_worker(environment: Mapping[str, str]) -> dict[str, str]:
    """`environment` without what only the web process may know: the webhook's secret, the API's token."""
    return _without(environment, setting_names(WebSettings) - setting_names(WorkerSettings))


def only_for_web(environment: Mapping[str, str]) -> dict[str, str]:
    """`environment` without what only the worker may know: the App's key and the model's."""
    return _without(environment, setting_names(WorkerSettings) - setting_names(WebSettings))


def _without(environment: Mapping[str, str], names: frozenset[str]) -> dict[str, str]:
    return {name: value for name, value in environment.items() if name.upper() not in names}
