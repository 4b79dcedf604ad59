"""Build what a worker has for every run from its settings. The edge: here the environment becomes objects."""

from agent.anthropic_model import AnthropicModel
from agent.pricing import price_of
from repo_tools.errors import ConfigError
from repo_tools.sandbox.engines import open_engine
from workers.pipeline import Workshop
from workers.settings import WorkerSettings


def build_workshop(settings: WorkerSettings) -> Workshop:
    """ConfigError where the model's key is missing, the CA bundle cannot be read, or no sandbox works."""
    price, price_known = price_of(settings.model, settings.price.price() if settings.price else None)
    engine = open_engine(settings.sandbox, settings.data_dir, settings.sandbox_image)
    return Workshop(
        engine=engine,
        engine_description=engine.describe(),
        model=open_model(settings),
        price=price,
        price_known=price_known,
        budget=settings.budget.limits(),
        allowed_hosts=tuple(sorted(settings.allowed_hosts)),
        ca_bundle=_read_ca_bundle(settings),
        context_tokens=settings.context_tokens,
    )


def open_model(settings: WorkerSettings) -> AnthropicModel:
    """The model of the settings. ConfigError where its key is missing; nothing is sent yet."""
    if settings.anthropic_api_key is None:
        raise ConfigError("ANTHROPIC_API_KEY", "is not set", "Set the key of the model's provider.")
    return AnthropicModel(settings.model, settings.anthropic_api_key.get_secret_value(), settings.anthropic_base_url)


def _read_ca_bundle(settings: WorkerSettings) -> bytes | None:
    bundle = settings.ca_bundle or settings.ssl_cert_file
    if bundle is None:
        return None
    try:
        return bundle.read_bytes()
    except OSError as error:
        raise ConfigError(
            "AGENT_FIX_CA_BUNDLE" if settings.ca_bundle else "SSL_CERT_FILE",
            f"cannot be read ({error.strerror})",
            "Name a readable PEM file.",
        ) from error
