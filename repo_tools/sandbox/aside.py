"""Removing what is needed no more beside whatever goes on: a disk may take seconds to free many files."""

import threading
import time
from collections.abc import Callable
from contextlib import suppress

from repo_tools.errors import SandboxError

NAME = "discard"
WAIT_SECONDS = 30.0


def discard_aside(remove: Callable[[], None]) -> None:
    """Call `remove`; nobody waits for its end. What an engine that is away does not remove is reaped later."""
    threading.Thread(target=_unheard, args=(remove,), name=NAME).start()


def wait_for_discards(seconds: float = WAIT_SECONDS) -> None:
    """Until all that this process has under way have ended, `seconds` at most: whoever closes an engine takes away what
    they work with."""
    deadline = time.monotonic() + seconds
    for thread in threading.enumerate():
        if thread.name == NAME and thread is not threading.current_thread():
            thread.join(max(0.0, deadline - time.monotonic()))


def _unheard(remove: Callable[[], None]) -> None:
    with suppress(SandboxError):
        remove()
