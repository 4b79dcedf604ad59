"""What the web process reads from the environment; it holds the webhook's secret and no key.

`check_environment` knows the settings of every process, because one environment file often serves all of them.
"""

from collections.abc import Mapping
from typing import Annotated

from pydantic import AfterValidator, BeforeValidator, Field, SecretStr
from pydantic_settings import NoDecode

from workers.load_settings import check_unknown, setting_names
from workers.setting_values import listed
from workers.settings import StoreSettings, WorkerSettings

MIN_SECRET_BYTES = 16


def _long_enough(secret: SecretStr) -> SecretStr:
    if len(secret.get_secret_value().encode()) < MIN_SECRET_BYTES:
        raise ValueError(f"is shorter than {MIN_SECRET_BYTES} bytes; make one with `openssl rand -hex 32`")
    return secret


def _not_empty(secrets: tuple[SecretStr, ...]) -> tuple[SecretStr, ...]:
    if not secrets:
        raise ValueError("is empty; make one with `openssl rand -hex 32` and give it to the App too")
    return secrets


def _in_ascii(secret: SecretStr) -> SecretStr:
    if not secret.get_secret_value().isascii():
        raise ValueError("has characters that no HTTP header can carry")
    return secret


Secret = Annotated[SecretStr, AfterValidator(_long_enough)]
Token = Annotated[Secret, AfterValidator(_in_ascii)]
Secrets = Annotated[tuple[Secret, ...], NoDecode, BeforeValidator(listed), AfterValidator(_not_empty)]


class WebSettings(StoreSettings):
    """Everything that the web process needs."""

    github_webhook_secret: Secrets = Field(
        description="the App's webhook secret; old and new, separated by a comma or as a JSON list, while it is rotated"
    )
    api_token: Token | None = Field(
        None,
        description="opens pages and read API to whoever is not on this machine; without it they are closed to them",
    )

    @property
    def webhook_secrets(self) -> tuple[bytes, ...]:
        return tuple(secret.get_secret_value().encode() for secret in self.github_webhook_secret)


def check_environment(environ: Mapping[str, str]) -> None:
    """ConfigError for a variable of ours that no process knows."""
    check_unknown(environ, setting_names(WorkerSettings) | setting_names(WebSettings))
