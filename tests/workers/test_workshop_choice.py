"""What a repository chooses holds for its run alone, and a run keeps the model that it has."""

import os
from dataclasses import replace
from decimal import Decimal
from pathlib import Path

from agent.budget import BudgetLimits
from agent.pricing import Price
from agent.scripted import ScriptedModel
from repo_tools.repo_map.kept import MOST
from repo_tools.sandbox.contract import SandboxEngine
from tests.support.hosts import NoEngine, empty_workshop
from workers.configuration.contract import Configuration
from workers.workshop import PricedModel, Workshop


class NamedModel(ScriptedModel):
    def __init__(self, name: str) -> None:
        super().__init__([])
        self.name = name


class OtherEngine(NoEngine):
    def describe(self) -> str:
        return "an engine with the image"


def workshop() -> Workshop:
    """The operator's own model is `scripted`; `small` and `large` may be chosen."""
    price = Price(*[Decimal(2)] * 4)
    models = {name: lambda name=name: PricedModel(NamedModel(name), price, False) for name in ("small", "large")}
    images: dict[str, type[SandboxEngine]] = {"image:1": OtherEngine}
    return replace(empty_workshop(), models=models, images=images)


def test_what_is_not_asked_for_is_the_operators() -> None:
    shop = workshop()
    assert shop.chosen(Configuration(), None) == shop


def test_a_limit_of_the_repository_stands_in_the_place_of_the_operators() -> None:
    chosen = workshop().chosen(Configuration(limits={"turns": 3, "usd": Decimal("0.5")}), None)
    assert chosen.budget == replace(BudgetLimits(), turns=3, usd=Decimal("0.5"))


def test_a_chosen_model_comes_with_its_own_price() -> None:
    chosen = workshop().chosen(Configuration(model="small"), None)
    assert (chosen.model.name, chosen.price.input, chosen.price_known) == ("small", Decimal(2), False)


def test_a_resumed_run_keeps_its_model_while_the_operator_allows_it() -> None:
    shop = workshop()
    own = shop.model.name
    assert shop.chosen(Configuration(model="small"), "large").model.name == "large"
    assert shop.chosen(Configuration(model="small"), own).model.name == own
    assert shop.chosen(Configuration(model="small"), "withdrawn").model.name == "small"
    assert shop.chosen(Configuration(), "withdrawn").model.name == own


def test_a_chosen_image_is_named_in_the_evidence() -> None:
    assert workshop().chosen(Configuration(image="image:1"), None).engine_description == "an engine with the image"


def test_what_may_be_chosen_is_what_the_configuration_is_held_against() -> None:
    allowed = workshop().allowed
    assert allowed.models == {"small", "large"}
    assert (allowed.images, allowed.engine) == (frozenset({"image:1"}), "none")


def test_of_the_repositories_indexes_those_are_kept_that_were_used_last(tmp_path: Path) -> None:
    shop = replace(empty_workshop(), maps=tmp_path)
    for age in range(MOST + 1):
        index = shop.map_index(f"repository-{age}")
        assert index is not None
        index.touch()
        os.utime(index, (10**9 + age, 10**9 + age))
    kept = {index.name for index in tmp_path.iterdir()}
    names = [index.name for age in range(MOST + 1) if (index := shop.map_index(f"repository-{age}"))]
    assert kept == {*names[1:]}
