"""The App's identity: its private key, and installation tokens for one repository with the few permissions needed."""

import stat
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from pathlib import Path
from typing import Any

from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey
from cryptography.hazmat.primitives.asymmetric.types import PrivateKeyTypes
from cryptography.hazmat.primitives.serialization import load_pem_private_key
from githubkit import AppAuthStrategy

from repo_tools.errors import ConfigError
from workers.github.errors import ForbiddenError, InvalidError, NotFoundError, TokenScopeError
from workers.github.rest import Connection
from workers.settings import WorkerSettings

PERMISSIONS: Mapping[str, str] = {
    "contents": "write",  # branch, commit, transcript
    "issues": "write",  # read the issue, comment, react
    "metadata": "read",  # GitHub gives it with every token
    "pull_requests": "write",  # the draft
}
READING: Mapping[str, str] = {"issues": "read", "metadata": "read"}
"""Of the sweep alone, which looks at all repositories of an installation."""
EVENTS = ("issues",)
RENEW_BEFORE = timedelta(minutes=10)
APP_ID = "AGENT_FIX_GITHUB_APP_ID"
KEY = "AGENT_FIX_GITHUB_PRIVATE_KEY"
KEY_FILE = "AGENT_FIX_GITHUB_PRIVATE_KEY_FILE"
ADDRESSES = {"github_api_url": "AGENT_FIX_GITHUB_API_URL", "github_server_url": "AGENT_FIX_GITHUB_SERVER_URL"}
NEW_KEY = "Download a private key from the App's settings page"


@dataclass(frozen=True)
class AppCredentials:
    """The App's id and its private key as PEM."""

    app_id: str
    private_key: str = field(repr=False)

    @property
    def strategy(self) -> AppAuthStrategy:
        return AppAuthStrategy(self.app_id, _loaded(self.private_key))  # type: ignore[arg-type] # PyJWT takes either


def load_credentials(settings: WorkerSettings) -> AppCredentials:
    """From the settings. ConfigError where id or key is missing or wrong; the key is never part of the text.

    Likewise where one of the server's two addresses is: tokens of one server would be sent to the other one.
    """
    given, missing = sorted(ADDRESSES, key=settings.model_fields_set.__contains__, reverse=True)
    elsewhere = getattr(settings, given) != WorkerSettings.model_fields[given].default
    if elsewhere and missing not in settings.model_fields_set:
        raise ConfigError(ADDRESSES[missing], f"is not set beside {ADDRESSES[given]}", "Set both, or neither")
    if not settings.github_app_id or not settings.github_app_id.isalnum():
        raise ConfigError(APP_ID, "is not set, or not an id", "It stands on the App's settings page")
    setting, text = _key_text(settings)
    pem = text.replace("\\n", "\n").replace("\r\n", "\n").strip() + "\n"
    _check_key(setting, pem)
    return AppCredentials(settings.github_app_id, pem)


def _key_text(settings: WorkerSettings) -> tuple[str, str]:
    key, file = settings.github_private_key, settings.github_private_key_file
    if key and file:
        raise ConfigError(KEY, f"is set beside {KEY_FILE}", "Set one of the two")
    if key:
        return KEY, key.get_secret_value()
    if file:
        return KEY_FILE, _read_private(file)
    raise ConfigError(KEY, f"is not set, and neither is {KEY_FILE}", NEW_KEY)


def _read_private(file: Path) -> str:
    try:
        mode = stat.S_IMODE(file.stat().st_mode)
        if mode & 0o077:
            raise ConfigError(KEY_FILE, f"has mode {mode:04o}: others can read it", f"Run: chmod 600 {file}")
        return file.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(KEY_FILE, f"cannot be read ({type(error).__name__})", NEW_KEY) from None


def _check_key(setting: str, pem: str) -> None:
    try:
        key = _loaded(pem)
    except (ValueError, TypeError):  # TypeError: the key wants a password
        raise ConfigError(setting, "is not a private key in PEM form", NEW_KEY) from None
    if not isinstance(key, RSAPrivateKey):
        raise ConfigError(setting, "is not an RSA key", NEW_KEY)


@lru_cache(maxsize=1)
def _loaded(pem: str) -> PrivateKeyTypes:
    """ValueError, TypeError. To load a key is to check its numbers: 50 ms, a hundred times what signing takes."""
    return load_pem_private_key(pem.encode(), password=None)


@dataclass(frozen=True)
class _Token:
    text: str = field(repr=False)
    expires_at: datetime


class InstallationTokens:
    """Tokens, each for one repository, kept until shortly before they expire."""

    def __init__(
        self,
        connection: Connection,
        credentials: AppCredentials,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self._connection = connection
        self._credentials = credentials
        self._now = now
        self._kept: dict[tuple[int, int], _Token] = {}

    def token(self, installation_id: int, repository_id: int) -> str:
        """NotFoundError where the App is not installed there, SuspendedError, ForbiddenError where a permission was
        not granted, TokenScopeError where the answer reaches further than asked."""
        key = (installation_id, repository_id)
        kept = self._kept.get(key)
        if kept is None or kept.expires_at - RENEW_BEFORE <= self._now():
            kept = self._kept[key] = self._mint(installation_id, repository_id)
        return kept.text

    def reading_token(self, installation_id: int) -> str:
        """For all repositories of an installation, to read issues and nothing else; not kept. The same errors."""
        path = f"/app/installations/{installation_id}/access_tokens"
        with self._connection.open(self._credentials.strategy) as rest:
            answer = rest.post(path, {"permissions": dict(READING)})
        _check_permissions(answer, READING)
        return str(answer["token"])

    def forget(self, installation_id: int, repository_id: int) -> None:
        """GitHub no longer takes it."""
        self._kept.pop((installation_id, repository_id), None)

    def _mint(self, installation_id: int, repository_id: int) -> _Token:
        path = f"/app/installations/{installation_id}/access_tokens"
        with self._connection.open(self._credentials.strategy) as rest:
            try:
                answer = rest.post(path, {"repository_ids": [repository_id], "permissions": dict(PERMISSIONS)})
            except InvalidError as error:
                raise _not_granted(error) from error
        check_scope(answer, repository_id)
        return _Token(answer["token"], datetime.fromisoformat(answer["expires_at"]))


def _not_granted(error: InvalidError) -> ForbiddenError | NotFoundError:
    if "permission" in error.message.lower():
        needed = ", ".join(f"{name}: {level}" for name, level in PERMISSIONS.items())
        return ForbiddenError(
            error.what, 422, error.message, f"The App needs {needed}; an owner accepts them in the installation"
        )
    return NotFoundError(error.what, 422, error.message)


def check_scope(answer: Mapping[str, Any], repository_id: int) -> None:
    """TokenScopeError unless the token is for this one repository and holds no permission that was not asked for."""
    reached = [repository["id"] for repository in answer.get("repositories") or []]
    if answer.get("repository_selection") != "selected" or reached != [repository_id]:
        raise TokenScopeError("installation token", None, "it is not for the one repository alone")
    _check_permissions(answer, PERMISSIONS)


def _check_permissions(answer: Mapping[str, Any], asked: Mapping[str, str]) -> None:
    granted = answer.get("permissions") or {}
    more = sorted(name for name, level in granted.items() if level not in _allowed(asked.get(name, "")))
    if more:
        raise TokenScopeError("installation token", None, f"it may more than was asked for: {', '.join(more)}")


def _allowed(level: str) -> tuple[str, ...]:
    return {"write": ("read", "write"), "read": ("read",)}.get(level, ())
