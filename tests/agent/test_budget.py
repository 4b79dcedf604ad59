"""Limits: checked before each spending, charged after it."""

from decimal import Decimal
from typing import Any

import pytest

from agent.budget import Budget, BudgetLimits, Spent
from agent.errors import LimitExceeded
from agent.model import Usage
from tests.support.memory_workspace import PRICE


class Clock:
    now = 100.0

    def __call__(self) -> float:
        return self.now


def budget(clock: Clock | None = None, **limits: Any) -> Budget:
    none: dict[str, Any] = dict.fromkeys(("turns", "tokens", "usd", "seconds", "test_runs"))
    return Budget(BudgetLimits(**{**none, **limits}), PRICE, clock or Clock())


@pytest.mark.parametrize(
    ("limits", "kind", "used"),
    [
        ({"turns": 2}, "turns", 2),
        ({"tokens": 2_000}, "tokens", 2_000),
        ({"usd": Decimal("0.0105")}, "usd", 0.0105),
        ({"seconds": 30}, "seconds", 30),
    ],
)
def test_a_limit_that_is_reached_names_itself(limits: dict[str, Any], kind: str, used: float) -> None:
    clock = Clock()
    spent = budget(clock, **limits)
    for _ in range(2):
        spent.check_turn()
        clock.now += 15
        spent.charge_turn(Usage(750, 200, 25, 25) if kind != "usd" else Usage(1_750))
    with pytest.raises(LimitExceeded) as caught:
        spent.check_turn()
    assert caught.value.kind == kind
    assert caught.value.used == pytest.approx(used)


def test_no_limit_is_no_limit() -> None:
    spent = budget()
    spent.charge_turn(Usage(10**9, 10**9))
    spent.check_turn()
    spent.check_test_run()
    assert all(entry["limit"] is None for entry in spent.spend().values())


def test_test_runs_are_counted_by_themselves() -> None:
    spent = budget(test_runs=1)
    spent.check_test_run()
    spent.charge_test_run()
    spent.check_turn()
    with pytest.raises(LimitExceeded, match="test_runs: 1 of 1 used"):
        spent.check_test_run()


def test_the_spend_of_every_kind_is_told_with_its_limit() -> None:
    clock = Clock()
    spent = Budget(BudgetLimits(), PRICE, clock)
    spent.charge_turn(Usage(1_000, 1_000, 10_000, 2_000))
    spent.charge_failed_call(Usage(500))
    clock.now += 12.34
    assert spent.spend() == {
        "turns": {"used": 1, "limit": 40},
        "tokens": {"used": 14_500, "limit": 2_000_000},
        "usd": {"used": 0.03, "limit": 3},
        "seconds": {"used": 12.3, "limit": 1800},
        "test_runs": {"used": 0, "limit": 15},
    }


def test_what_earlier_attempts_spent_counts_against_every_limit() -> None:
    clock = Clock()
    first = budget(clock, seconds=30)
    first.charge_turn(Usage(1_000, 1_000))
    first.charge_test_run()
    clock.now += 20
    second = Budget(BudgetLimits(seconds=30), PRICE, clock, earlier=Spent.from_spend(first.spend()))
    assert [kind["used"] for kind in second.spend().values()] == [kind["used"] for kind in first.spend().values()]
    clock.now += 10
    with pytest.raises(LimitExceeded, match="seconds"):
        second.check_turn()


def test_a_run_that_spent_nothing_yet_starts_from_nothing() -> None:
    assert Spent.from_spend({}) == Spent()


def test_time_kept_for_the_verification_is_not_spent_on_the_loop() -> None:
    clock = Clock()
    spent = budget(clock, seconds=100)
    spent.reserve(20)
    clock.now += 79
    spent.check_turn()
    clock.now += 1
    for check in (spent.check_turn, spent.check_test_run):
        with pytest.raises(LimitExceeded, match="seconds: 80 of 100 used") as caught:
            check()
        assert caught.value.kept == 20
    assert spent.spend()["seconds"]["used"] == 80


def test_at_most_a_quarter_of_the_time_is_kept() -> None:
    clock = Clock()
    spent = budget(clock, seconds=100)
    spent.reserve(500)
    clock.now += 74
    spent.check_turn()


def test_the_time_that_is_left_includes_the_reserve_and_never_falls_below_nothing() -> None:
    clock = Clock()
    spent = budget(clock, seconds=100)
    spent.reserve(20)
    clock.now += 30
    assert spent.seconds_left == 70
    clock.now += 100
    assert spent.seconds_left == 0
    assert budget(clock).seconds_left is None
