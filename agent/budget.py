"""Limits of one run: checked before each spending, charged after it."""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from agent.errors import LimitExceeded
from agent.model import Usage
from agent.pricing import Price


@dataclass(frozen=True)
class BudgetLimits:
    """None means no limit."""

    turns: int | None = 40
    tokens: int | None = 2_000_000
    usd: Decimal | None = Decimal(3)
    seconds: int | None = 1800
    test_runs: int | None = 15


@dataclass(frozen=True)
class Spent:
    """What earlier attempts of the same run have spent: it counts, whether or not their work can be used."""

    turns: int = 0
    tokens: int = 0
    usd: Decimal = Decimal(0)
    seconds: float = 0.0
    test_runs: int = 0

    @classmethod
    def from_spend(cls, spend: Mapping[str, Any]) -> "Spent":
        """From what `Budget.spend` told; nothing where that is empty."""
        used = {kind: value["used"] for kind, value in spend.items()}
        return cls(**{**used, "usd": Decimal(str(used.get("usd", 0)))})


NOTHING = Spent()


class Budget:
    """What a run may spend and has spent. `clock` gives seconds that never go back."""

    def __init__(
        self,
        limits: BudgetLimits,
        price: Price,
        clock: Callable[[], float] = time.monotonic,
        *,
        earlier: Spent = NOTHING,
    ) -> None:
        self.limits = limits
        self.price = price
        self.turns = earlier.turns
        self.test_runs = earlier.test_runs
        self.usage = Usage()  # of this attempt
        self.reserved_seconds = 0.0
        self._earlier = earlier
        self._clock = clock
        self._started = clock()

    @property
    def tokens(self) -> int:
        return self._earlier.tokens + self.usage.total_tokens

    @property
    def usd(self) -> Decimal:
        return self._earlier.usd + self.price.cost_usd(self.usage)

    @property
    def seconds(self) -> float:
        return self._earlier.seconds + self._clock() - self._started

    @property
    def seconds_left(self) -> float | None:
        """Until the limit, the reserve included; never below 0; None without a limit."""
        return None if self.limits.seconds is None else max(0.0, self.limits.seconds - self.seconds)

    def at_most(self, seconds: float) -> float:
        """`seconds`, or what is left of them; never less than one."""
        left = self.seconds_left
        return seconds if left is None else max(1.0, min(seconds, left))

    def check_turn(self) -> None:
        """Before a model call. LimitExceeded names the limit that has been reached."""
        self._check("turns", self.turns)
        self._check("tokens", self.tokens)
        self._check("usd", self.usd)
        self._check("seconds", self.seconds, self.reserved_seconds)

    def check_test_run(self) -> None:
        """Before a test run that the model asked for."""
        self._check("test_runs", self.test_runs)
        self._check("seconds", self.seconds, self.reserved_seconds)

    def reserve(self, seconds: float) -> None:
        """Keep so much of the time for the verification: it counts as used in the checks, at most a quarter of all."""
        limit = self.limits.seconds
        self.reserved_seconds = seconds if limit is None else min(seconds, limit / 4)

    def charge_turn(self, usage: Usage) -> None:
        self.turns += 1
        self.usage += usage

    def charge_failed_call(self, usage: Usage) -> None:
        """What a call without a reply is known to have cost; no turn came of it."""
        self.usage += usage

    def charge_test_run(self) -> None:
        self.test_runs += 1

    def spend(self) -> dict[str, Any]:
        """Used and allowed of each limit, for the API, the evidence and the live view: kind -> {used, limit}."""
        used = {
            "turns": self.turns,
            "tokens": self.tokens,
            "usd": float(round(self.usd, 4)),
            "seconds": round(self.seconds, 1),
            "test_runs": self.test_runs,
        }
        limits = vars(self.limits)
        return {k: {"used": v, "limit": None if limits[k] is None else float(limits[k])} for k, v in used.items()}

    def _check(self, kind: str, used: float | Decimal, kept: float = 0) -> None:
        limit = getattr(self.limits, kind)
        if limit is not None and used >= limit - kept:
            raise LimitExceeded(kind, float(used), float(limit), kept)
