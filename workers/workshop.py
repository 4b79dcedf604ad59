"""What a worker has for every run, as values."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from agent.budget import BudgetLimits
from agent.model import Model
from agent.pricing import Price
from repo_tools.environment.solve_requirements import REQUIREMENTS
from repo_tools.repo_map.kept import kept_index
from repo_tools.sandbox.contract import Limits, SandboxEngine
from workers.configuration.contract import Allowed, Configuration


@dataclass(frozen=True)
class PricedModel:
    model: Model
    price: Price
    price_known: bool


@dataclass(frozen=True)
class Workshop:
    """What a worker has for every run: engine, model, and the operator's limits. `models` and `images` are what a
    repository may choose instead, by name; each is opened when it is chosen."""

    engine: SandboxEngine
    engine_description: str  # asked once: an escalation must not depend on an engine that answers
    model: Model
    price: Price
    price_known: bool
    budget: BudgetLimits
    allowed_hosts: tuple[str, ...]
    ca_bundle: bytes | None = None
    context_tokens: int = 200_000
    maps: Path | None = None  # the folder of the repositories' indexes; without one, each run reads anew
    limits: Limits = field(default_factory=Limits)
    run_python: bool = False  # whether a fix may try code out, on a throw-away copy
    solve_requirements: tuple[str, ...] = REQUIREMENTS  # what is installed for tasks without a repository
    models: Mapping[str, Callable[[], PricedModel]] = field(default_factory=dict)
    images: Mapping[str, Callable[[], SandboxEngine]] = field(default_factory=dict)

    def map_index(self, repository_key: str) -> Path | None:
        """The file of one repository's index; those that no run asked for longest make room for a new one."""
        return kept_index(self.maps, repository_key) if self.maps is not None else None

    @property
    def allowed(self) -> Allowed:
        """What a repository's configuration is held against."""
        names = frozenset(self.models), frozenset(self.images)
        return Allowed(self.budget, self.engine.name, self.model.name, *names)

    def chosen(self, configuration: Configuration, settled_model: str | None) -> "Workshop":
        """For a run of a repository that asks for `configuration`. A run keeps the model that an earlier attempt
        settled, while the operator allows it."""
        chosen = replace(self, budget=replace(self.budget, **configuration.limits))
        wanted = (name for name in (settled_model, configuration.model) if name is not None)
        name = next((n for n in wanted if n in self.models or n == self.model.name), self.model.name)
        if name != self.model.name:
            chosen = replace(chosen, **vars(self.models[name]()))
        if configuration.image is not None:
            engine = self.images[configuration.image]()
            chosen = replace(chosen, engine=engine, engine_description=engine.describe())
        return chosen
