"""Looking again for what GitHub may not show yet: its lists lag behind its writes."""

import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import TypeVar

T = TypeVar("T")


@dataclass(frozen=True)
class Patience:
    """How long something that may be there is looked for, more and more rarely."""

    seconds: float = 10.0
    first_wait_seconds: float = 0.25
    sleep: Callable[[float], None] = time.sleep

    def until(self, look: Callable[[], T | None], despite: tuple[type[Exception], ...] = ()) -> T | None:
        """The first answer that is not None; None once `seconds` have been waited. A refusal of the kinds `despite` is
        no answer either, unless it is the last."""
        wait, left = self.first_wait_seconds, self.seconds
        while left > 0:
            with suppress(*despite):
                if (found := look()) is not None:
                    return found
            self.sleep(min(wait, left))
            left -= wait
            wait *= 2
        return look()
