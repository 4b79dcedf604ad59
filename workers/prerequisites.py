"""What a worker cannot do without, each with the remedy where it is missing or wrong. Nothing here loads the model's
SDK, which takes longer than all the rest: whoever only looks does not wait for it, nor hold it in memory."""

from repo_tools.errors import ConfigError
from workers.sandbox import open_sandbox
from workers.settings import WorkerSettings


def check_prerequisites(settings: WorkerSettings) -> None:
    """ConfigError where the model's key is missing, the CA bundle cannot be read, or no sandbox works."""
    open_sandbox(settings).describe()
    model_key(settings)
    read_ca_bundle(settings)


def model_key(settings: WorkerSettings) -> str:
    """ConfigError where it is missing."""
    if settings.anthropic_api_key is None:
        raise ConfigError("ANTHROPIC_API_KEY", "is not set", "Set the key of the model's provider.")
    return settings.anthropic_api_key.get_secret_value()


def read_ca_bundle(settings: WorkerSettings) -> bytes | None:
    """What the network of set-up is trusted by, besides the image's own. ConfigError where it cannot be read."""
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
