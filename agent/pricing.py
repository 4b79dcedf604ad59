"""What tokens cost. Prices are US dollars for a million tokens."""

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
