"""The processes of one machine, as `agent-fix serve` starts them, but with several workers and started again at once:
`python -m bench.chaos.site --workers N --port P`.
"""

import argparse
import os
from contextlib import ExitStack

from app.cli.serve import children
from workers.broker import embedded_broker
from workers.load_settings import load_settings, make_data_dir
from workers.settings import WorkerSettings
from workers.store import open_store
from workers.supervisor import Backoff, Supervisor

AT_ONCE = Backoff(first_seconds=0.2, longest_seconds=1.0)
"""Processes die here more often than anywhere else."""


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, required=True)
    parser.add_argument("--port", type=int, required=True)
    arguments = parser.parse_args()
    settings = load_settings(WorkerSettings)
    make_data_dir(settings)
    open_store(settings.effective_database_url).close()
    with ExitStack() as stack:
        named = settings.broker_url is not None
        embedded = None if named else stack.enter_context(embedded_broker(settings.data_dir))
        *broker, worker, web = children(embedded, os.environ, "127.0.0.1", arguments.port, 1)
        Supervisor([*broker, *[worker] * arguments.workers, web], AT_ONCE).run()


if __name__ == "__main__":
    main()
