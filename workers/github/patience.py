"""Looking again for what GitHub may not show yet: its lists lag behind its writes."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

T = TypeVar("T")


@dataclass(frozen=True)
class Patience:
    """How long something that may be there is looked for, more and more rarely."""

    seconds: float = 10.0
    first_wait_seconds: float = 0.25
    sleep: Callable[[float], None] = time.sleep

    def until(self, look: Callable[[], T | None]) -> T | None:
        """The first answer that is not None; None once `seconds` have been waited."""
        wait, left = self.first_wait_seconds, self.seconds
        while (found := look()) is None and left > 0:
            self.sleep(min(wait, left))
            left -= wait
            wait *= 2
        return found
