"""Whom boxes without a container engine run as outside: what the kernel counts for a user (processes, inotify
instances, memory of pipes) is then counted for one box."""

import os
import random
from contextlib import ExitStack
from pathlib import Path

from repo_tools.sandbox.layer_lock import try_lock

FIRST_HOST_USER, HOST_USERS = 60600, 500
"""Numbers that no distribution gives to anybody (https://systemd.io/UIDS-GIDS)."""


class BoxUsers:
    """Shared by the workers whose `folder` it is, which holds an empty file for each that was ever taken."""

    def __init__(self, folder: Path, count: int = HOST_USERS, effective_user: int | None = None) -> None:
        """`effective_user`: this process's own unless it is given."""
        self._folder = folder
        self._numbers = range(FIRST_HOST_USER, FIRST_HOST_USER + count)
        self._effective_user = os.geteuid() if effective_user is None else effective_user

    def take(self, held: ExitStack) -> int | None:
        """One that no other box has until `held` is closed, and any where all are taken. None for this process's own,
        which only root has to leave. The kernel frees those of a dead worker."""
        if self._effective_user != 0:
            return None
        self._folder.mkdir(parents=True, exist_ok=True)
        order = random.sample(self._numbers, len(self._numbers))
        return next((number for number in order if self._is_free(number, held)), order[0])

    def _is_free(self, number: int, held: ExitStack) -> bool:
        file = (self._folder / str(number)).open("ab")
        if try_lock(file):
            held.enter_context(file)
            return True
        file.close()
        return False
