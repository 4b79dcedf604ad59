"""Threads of this process that go on when the test that began them has ended."""

import threading
import time

LASTING = ("settle", "discard", "egress-")
"""What layers and boxes leave behind for a moment: each ends by itself."""


def wait_for_threads(*names: str, seconds: float = 120.0) -> None:
    """Until those whose names begin so have ended, `seconds` at most."""
    deadline = time.monotonic() + seconds
    for thread in threading.enumerate():
        if thread.name.startswith(names):
            thread.join(max(0.0, deadline - time.monotonic()))
