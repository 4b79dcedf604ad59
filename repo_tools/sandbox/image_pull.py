"""Fetching an image from its registry. Neither the engine nor its SDK ends that where a registry falls silent."""

import time
from queue import Empty, SimpleQueue
from threading import Thread

from docker import DockerClient
from docker.errors import APIError

from repo_tools.sandbox.docker_errors import FOREIGN, engine_call

SILENT_SECONDS = 60.0
"""How long nothing may come."""
LONGEST_SECONDS = 900.0


def pull(
    client: DockerClient, name: str, silent_seconds: float = SILENT_SECONDS, longest_seconds: float = LONGEST_SECONDS
) -> str:
    """Why the engine does not get the image; empty where it has it. One that takes too long is left to the engine:
    should it come after all, it is there the next time. SandboxError where the engine is away."""
    told: SimpleQueue[str | Exception | None] = SimpleQueue()
    Thread(target=_pull, args=(client, name, told), name="pull", daemon=True).start()
    deadline = time.monotonic() + longest_seconds
    answer = None
    try:
        while answer is None:
            answer = told.get(timeout=max(0.0, min(silent_seconds, deadline - time.monotonic())))
    except Empty:
        return "its registry takes too long"
    with engine_call(f"pull {name}"):
        if isinstance(answer, Exception):
            raise answer
    return answer


def _pull(client: DockerClient, name: str, told: "SimpleQueue[str | Exception | None]") -> None:
    """None for each step forward, then how it ended."""
    problem = ""
    try:
        for step in client.api.pull(name, stream=True, decode=True):
            problem = step.get("error", problem)  # after the engine's first word it is no error of the call
            told.put(None)
        told.put(problem)
    except APIError as error:
        told.put(str(error.explanation))
    except FOREIGN as error:
        told.put(error)
