"""The values that a repository's configuration comes to, and what an operator lets it ask for."""

from collections.abc import Mapping, Set
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

from agent.budget import BudgetLimits
from repo_tools.environment.declared import Declared
from repo_tools.path_rules import PathRules

PATH = ".github/agent-fix.yml"


@dataclass(frozen=True)
class Allowed:
    """What a repository may choose from. `engine` is the sandbox's name; `images` and `models` are names as the
    operator wrote them; `model` is the operator's own choice, which may always be named."""

    budget: BudgetLimits
    engine: str
    model: str
    models: frozenset[str] = frozenset()
    images: frozenset[str] = frozenset()

    def budget_problem(self, kind: str, asked: float) -> str | None:
        """Why so much of one limit is not allowed, as the end of a sentence; so in the other methods."""
        most = getattr(self.budget, kind)
        if most is None or asked <= most:
            return None
        return f"is {_written(asked)}, more than the operator's {_written(most)}: write {_written(most)} or less"

    def model_problem(self, name: str) -> str | None:
        models = self.models | {self.model}
        return None if name in models else _not_listed(name, models)

    def image_problem(self, name: str) -> str | None:
        if self.engine != "docker":
            return f"cannot be chosen: the sandbox here is {self.engine}, which has no images; take the line out"
        return None if name in self.images else _not_listed(name, self.images)


def _written(number: float) -> str:
    """As the file takes it: no powers of ten, which are no whole numbers to it."""
    return f"{Decimal(str(number)):f}".removesuffix(".0")


def _not_listed(asked: str, names: Set[str]) -> str:
    listed = ", ".join(f"`{name}`" for name in sorted(names)) or "none"
    return f"is `{asked[:100]}`, which is not on the operator's list ({listed}): choose one of it"


@dataclass(frozen=True)
class Configuration:
    """What a repository says of its runs; whatever it does not say is empty. `limits` are fields of `BudgetLimits`,
    none of them looser than the operator's."""

    declared: Declared = field(default_factory=Declared)
    rules: PathRules = field(default_factory=PathRules)
    limits: Mapping[str, Any] = field(default_factory=dict)
    model: str | None = None
    image: str | None = None


class ConfigurationError(Exception):
    """The people of the repository put their file right: every problem is told, in the order of lines."""

    summary = f"`{PATH}` cannot be used."

    def __init__(self, problems: tuple[str, ...]) -> None:
        told = "; ".join(problems)
        super().__init__(f"{self.summary} {told}" if told.endswith("?") else f"{self.summary} {told}.")
        self.problems = problems
