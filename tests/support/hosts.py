"""A host that fails, or not, as it is told; and a workshop without anything in it."""

from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from decimal import Decimal

from agent.budget import BudgetLimits
from agent.pricing import Price
from agent.scripted import ScriptedModel
from repo_tools.checkout import Checkout
from repo_tools.repo_map.history import Change
from repo_tools.sandbox.contract import UNTOLD, BoxSpec, Layer, Making, Sandbox
from workers.host import Evidence, RunRefusedError, RunRequest
from workers.outcomes import Outcome, OutcomeKind
from workers.workshop import Workshop


@dataclass
class FailingHost:
    """Raises `error` when a run asks to be admitted; keeps what it was told to publish."""

    error: Exception
    published: list[Evidence] = field(default_factory=list)
    labelled: int | None = None

    def labelling(self, run: RunRequest) -> int | None:
        return self.labelled

    def admit(self, run: RunRequest) -> None:
        raise self.error

    def checkout(self, run: RunRequest) -> Checkout:
        raise AssertionError("no run is admitted here")

    def recent_changes(self, run: RunRequest, checkout: Checkout) -> Sequence[Change]:
        raise AssertionError("no run is admitted here")

    def repository_key(self, run: RunRequest) -> str:
        raise AssertionError("no run is admitted here")

    def folder(self, run: RunRequest) -> str:
        raise AssertionError("no run is admitted here")

    def check_wanted(self, run: RunRequest, *, at_once: bool = False) -> None: ...

    def publish_draft(self, evidence: Evidence) -> Outcome:
        raise AssertionError("no run is admitted here")

    def publish_escalation(self, evidence: Evidence) -> Outcome:
        self.published.append(evidence)
        return Outcome(OutcomeKind.ESCALATION, evidence.reason, evidence.detail, url="comment")

    def publish_cancellation(self, evidence: Evidence) -> Outcome:
        self.published.append(evidence)
        return Outcome(OutcomeKind.CANCELLED, evidence.reason, evidence.detail, url="comment")

    def publish_refusal(self, run: RunRequest, refusal: RunRefusedError) -> Outcome:
        return Outcome(OutcomeKind.REFUSED, refusal.reason, str(refusal), url="comment")


class NoEngine:
    """Describes itself and starts nothing."""

    name = "none"

    def start(self, spec: BoxSpec) -> Sandbox:
        raise AssertionError("no box is wanted here")

    def find_layer(self, key: str) -> Layer | None:
        return None

    def forget_layer(self, layer: Layer) -> None: ...

    def making(self, key: str, wait_seconds: float) -> AbstractContextManager[None]:
        return nullcontext()

    def save_layer(self, key: str, box: Sandbox, making: Making = UNTOLD) -> Layer:
        raise AssertionError("no layer is wanted here")

    def describe(self) -> str:
        return "no engine"

    def platform_key(self) -> str:
        return "none"


def empty_workshop() -> Workshop:
    price = Price(*[Decimal(1)] * 4)
    return Workshop(NoEngine(), "no engine", ScriptedModel([]), price, True, BudgetLimits(), ())
