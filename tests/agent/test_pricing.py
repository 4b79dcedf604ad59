"""What tokens cost."""

from decimal import Decimal

from agent.model import Usage
from agent.pricing import DEAREST, PRICES, Price, price_of


def test_a_known_model_has_its_price_with_or_without_a_date() -> None:
    assert price_of("claude-haiku-4-5") == price_of("claude-haiku-4-5-20251001") == (PRICES["claude-haiku-4-5"], True)


def test_an_unknown_model_counts_at_the_dearest_known_price() -> None:
    price, known = price_of("claude-next-9")
    assert not known
    assert all(price.output >= other.output and price.input >= other.input for other in PRICES.values())
    assert price == DEAREST


def test_the_operators_price_counts_as_known() -> None:
    mine = Price(Decimal(1), Decimal(2), Decimal(3), Decimal(4))
    assert price_of("local/llama", mine) == (mine, True)


def test_each_kind_of_token_has_its_price() -> None:
    million = Usage(1_000_000, 1_000_000, 1_000_000, 1_000_000)
    assert PRICES["claude-sonnet-4-6"].cost_usd(million) == Decimal("3") + Decimal("15") + Decimal("0.3") + Decimal(
        "3.75"
    )
    assert PRICES["claude-sonnet-5-5"].cache_read == Decimal("0.10")
