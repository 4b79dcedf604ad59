"""What tokens cost. Prices are US dollars for a million tokens."""

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal

from agent.model import Usage

MILLION = Decimal(1_000_000)


@dataclass(frozen=True)
class Price:
    input: Decimal
    output: Decimal
    cache_read: Decimal
    cache_write: Decimal

    def cost_usd(self, usage: Usage) -> Decimal:
        return (
            self.input * usage.input_tokens
            + self.output * usage.output_tokens
            + self.cache_read * usage.cache_read_tokens
            + self.cache_write * usage.cache_write_tokens
        ) / MILLION


def _price(input_usd: str, output_usd: str, cache_read: str = "0.1") -> Price:
    """`cache_read` is a share of the input price; writing to the cache for five minutes costs 1.25 times of it."""
    base = Decimal(input_usd)
    return Price(base, Decimal(output_usd), base * Decimal(cache_read), base * Decimal("1.25"))


# https://platform.claude.com/docs/en/about-claude/pricing, as of November 2026. Haiku 5.5 costs a fifth of this for
# prompts of up to 100,000 tokens; the dearer band is taken, because a run's budget must not be overdrawn.
PRICES: Mapping[str, Price] = {
    "claude-fable-5-1": _price("10", "50", "0.025"),
    "claude-fable-5": _price("10", "50"),
    "claude-mythos-5-1": _price("10", "50", "0.025"),
    "claude-mythos-5": _price("10", "50"),
    "claude-opus-5-5": _price("4", "20", "0.05"),
    "claude-opus-5": _price("5", "25"),
    "claude-opus-4-8": _price("5", "25"),
    "claude-opus-4-7": _price("5", "25"),
    "claude-opus-4-6": _price("5", "25"),
    "claude-opus-4-5": _price("5", "25"),
    "claude-opus-4-1": _price("15", "75"),
    "claude-sonnet-5-5": _price("2", "10", "0.05"),
    "claude-sonnet-5": _price("2", "10"),
    "claude-sonnet-4-6": _price("3", "15"),
    "claude-sonnet-4-5": _price("3", "15"),
    "claude-haiku-5-5": _price("0.5", "2.5"),
    "claude-haiku-4-5": _price("1", "5"),
}
DEAREST = max(PRICES.values(), key=lambda price: price.output)
_DATE_DIGITS = 8


def price_of(model: str, override: Price | None = None) -> tuple[Price, bool]:
    """The price that `model` counts at, and whether it is known. `override` is the operator's own and counts as known;
    a model without one counts at the dearest known price."""
    known = override or PRICES.get(_undated(model))
    return (known, True) if known else (DEAREST, False)


def _undated(model: str) -> str:
    """``claude-haiku-4-5-20251001`` is a snapshot of ``claude-haiku-4-5`` and costs the same."""
    name, _, date = model.rpartition("-")
    return name if len(date) == _DATE_DIGITS and date.isdigit() else model
