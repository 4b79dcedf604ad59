"""Whether the workers of this machine do their work: asked by a probe from outside, and by `agent-fix serve`."""

import platform
from contextlib import closing

from workers.settings import StoreSettings
from workers.store import StoreUnavailableError, open_store


def worker_lives(settings: StoreSettings) -> bool:
    """A worker of this machine (in Kubernetes: of this pod) works on a run, or was seen so lately: reaching its broker
    and taking the runs that are its to take; its companion withdraws its row otherwise (`workers.queue_lag`).

    While the database is away nothing is known against it: killing every worker would not bring the database back.
    """
    try:
        store = open_store(settings.effective_database_url)
        with closing(store):
            return store.node_lives(60.0, node_prefix())
    except StoreUnavailableError:
        return True


def node_prefix() -> str:
    """How the names of all workers of this machine begin."""
    return f"{platform.node()}-"
