"""Containers that outlived their worker: removed by the installation that they belong to, and by no other."""

import logging
from datetime import datetime
from typing import Any

from docker import DockerClient
from docker.errors import APIError

from repo_tools.sandbox.docker_errors import engine_call, may_be_gone
from repo_tools.sandbox.owner import INSTALLATION_LABEL, WORKER_LABEL, has_ended

log = logging.getLogger(__name__)

ENDED_FOR_SECONDS = 3600.0
"""A box ends with its worker, whatever happens to that. One that was made so long ago and does not run has no owner
any more, even where that cannot be seen from here: on another machine, or before this one was started again."""
RUNNING = frozenset({"running", "paused", "restarting", "removing"})


def reap(client: DockerClient, installation: str, now: float | None = None) -> int:
    """Remove what dead workers of `installation` left; how many containers are gone. Networks and volumes of their
    own they have none, and what a half-made layer left is `DockerLayers.sweep`'s. Harmless when several do it at once.
    One that the engine cannot remove keeps no other: it is told of, and tried again the next time.
    """
    with engine_call("remove what dead workers left"):
        moment = engine_time(client) if now is None else now
        listed = client.api.containers(all=True, filters={"label": INSTALLATION_LABEL})
        left = [container for container in listed if is_orphan(container, installation, moment)]
        return sum(is_removed(client, container["Id"]) for container in left)


def engine_time(client: DockerClient) -> float:
    """By the clock that says when containers were made: this machine's may be hours ahead of it, or have jumped."""
    return datetime.fromisoformat(client.info()["SystemTime"]).timestamp()


def is_removed(client: DockerClient, container_id: str) -> bool:
    try:
        with may_be_gone():
            client.api.remove_container(container_id, force=True, v=True)
    except APIError as error:
        log.warning("container %s, which a dead worker left, could not be removed: %s", container_id, error)
        return False
    return True


def is_orphan(container: dict[str, Any], installation: str, now: float) -> bool:
    """`container`: as the engine lists it."""
    labels = container["Labels"]
    if labels.get(INSTALLATION_LABEL) != installation:
        return False
    if has_ended(labels.get(WORKER_LABEL, "")):
        return True
    return container["State"] not in RUNNING and now - container["Created"] > ENDED_FOR_SECONDS
