"""Build what a worker has for every run from its settings. The edge: here the environment becomes objects."""

from collections.abc import Callable, Mapping
from functools import cache, partial

from agent.anthropic_model import AnthropicModel
from agent.pricing import price_of
from repo_tools.sandbox.contract import SandboxEngine
from workers.prerequisites import model_key, read_ca_bundle
from workers.sandbox import open_sandbox, open_with_image
from workers.settings import WorkerSettings
from workers.workshop import PricedModel, Workshop


def build_workshop(settings: WorkerSettings) -> Workshop:
    """ConfigError where the model's key is missing, the CA bundle cannot be read, or no sandbox works."""
    price, price_known = price_of(settings.model, settings.price.price() if settings.price else None)
    engine = open_sandbox(settings)
    return Workshop(
        engine=engine,
        engine_description=engine.describe(),
        model=open_model(settings),
        price=price,
        price_known=price_known,
        budget=settings.budget.limits(),
        allowed_hosts=tuple(sorted(settings.allowed_hosts)),
        ca_bundle=read_ca_bundle(settings),
        context_tokens=settings.context_tokens,
        maps=settings.data_dir / "maps",
        run_python=settings.run_python,
        solve_requirements=settings.solve_requirements,
        models={name: cache(partial(priced_model, settings, name)) for name in settings.allowed_models},
        images=_images(settings, engine),
    )


def priced_model(settings: WorkerSettings, name: str) -> PricedModel:
    """Another model than the settings' own; a price that the operator set is of that one alone."""
    price, known = price_of(name)
    return PricedModel(open_model(settings, name), price, known)


def _images(settings: WorkerSettings, engine: SandboxEngine) -> Mapping[str, Callable[[], SandboxEngine]]:
    """Only containers have images."""
    if engine.name != "docker":
        return {}
    names = settings.allowed_images | ({settings.sandbox_image} if settings.sandbox_image else set())
    return {name: cache(partial(open_with_image, settings, name)) for name in names}


def open_model(settings: WorkerSettings, name: str | None = None) -> AnthropicModel:
    """The model of the settings, or the one of that name. ConfigError where its key is missing; nothing is sent yet."""
    return AnthropicModel(name or settings.model, model_key(settings), settings.anthropic_base_url)
