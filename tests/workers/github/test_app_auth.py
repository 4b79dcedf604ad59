"""The App's key and the tokens made with it."""

import os
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import httpx
import pytest
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from pydantic import SecretStr

from app.standins.github import GitHubStandIn
from repo_tools.errors import ConfigError
from tests.support.github import FILES, REPOSITORY, settings_for
from workers.github.app_auth import PERMISSIONS, InstallationTokens, check_scope, load_credentials
from workers.github.errors import ForbiddenError, NotFoundError, SuspendedError, TokenScopeError, UnauthorizedError
from workers.github.rest import Connection
from workers.settings import WorkerSettings


@pytest.fixture
def settings(github: GitHubStandIn, tmp_path: Path) -> WorkerSettings:
    return settings_for(github, tmp_path)


def changed(settings: WorkerSettings, **values: Any) -> WorkerSettings:
    return settings.model_copy(update=values)


def test_a_key_may_come_with_escapes_or_with_crlf(github: GitHubStandIn, settings: WorkerSettings) -> None:
    """K05."""
    pem = github.private_key_pem
    for text in (pem, pem.replace("\n", "\\n"), pem.replace("\n", "\r\n"), f"\n{pem}\n\n"):
        credentials = load_credentials(changed(settings, github_private_key=SecretStr(text)))
        assert credentials.private_key == pem


def test_the_key_is_loaded_once_for_all_that_is_signed_with_it(settings: WorkerSettings) -> None:
    signing = [load_credentials(settings).strategy.private_key for _ in range(2)]
    assert isinstance(signing[0], rsa.RSAPrivateKey)
    assert signing[0] is signing[1]


def test_a_key_file_must_be_its_owners_alone(github: GitHubStandIn, settings: WorkerSettings, tmp_path: Path) -> None:
    """K05."""
    file = tmp_path / "key.pem"
    file.write_text(github.private_key_pem)
    from_file = changed(settings, github_private_key=None, github_private_key_file=file)
    for mode in (0o644, 0o640, 0o604):
        file.chmod(mode)
        with pytest.raises(ConfigError, match="others can read it"):
            load_credentials(from_file)
    file.chmod(0o600)
    assert load_credentials(from_file).private_key == github.private_key_pem


def elliptic_key() -> str:
    key = ec.generate_private_key(ec.SECP256R1())
    return key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()).decode()


def broken(pem: str) -> list[str]:
    return [pem[:-200], pem.replace("BEGIN RSA", "BEGIN"), "not a key", "", elliptic_key(), "\udcff"]


def test_a_wrong_key_stops_the_start_and_is_never_printed(github: GitHubStandIn, settings: WorkerSettings) -> None:
    """K05."""
    for text in broken(github.private_key_pem):
        with pytest.raises(ConfigError) as error:
            load_credentials(changed(settings, github_private_key=SecretStr(text)))
        assert error.value.setting == "AGENT_FIX_GITHUB_PRIVATE_KEY"
        assert github.private_key_pem[100:140] not in str(error.value)
        assert error.value.__cause__ is None


@pytest.mark.parametrize("app_id", [None, "", "a b", "../1"])
def test_an_app_id_is_needed(settings: WorkerSettings, app_id: str | None) -> None:
    with pytest.raises(ConfigError, match="AGENT_FIX_GITHUB_APP_ID"):
        load_credentials(changed(settings, github_app_id=app_id))


@pytest.mark.parametrize("name", ["github_api_url", "github_server_url"])
def test_of_an_enterprise_server_both_addresses_are_needed(settings: WorkerSettings, name: str) -> None:
    """K06: else the tokens of one server would be sent to the other one."""
    key = {"github_app_id": settings.github_app_id, "github_private_key": settings.github_private_key}
    alone = WorkerSettings(**key, **{name: "https://ghe.example.org"})  # type: ignore[arg-type] # whatever is read
    with pytest.raises(ConfigError, match=f"is not set beside AGENT_FIX_{name.upper()}"):
        load_credentials(alone)
    assert load_credentials(WorkerSettings(**key))  # type: ignore[arg-type] # on github.com neither is
    written_out = {name: WorkerSettings.model_fields[name].default}
    assert load_credentials(WorkerSettings(**key, **written_out))  # type: ignore[arg-type] # which changes nothing


def test_both_key_and_file_or_neither_is_an_error(settings: WorkerSettings, tmp_path: Path) -> None:
    for values in ({"github_private_key_file": tmp_path / "key"}, {"github_private_key": None}):
        with pytest.raises(ConfigError):
            load_credentials(changed(settings, **values))


def test_a_missing_key_file_is_named(settings: WorkerSettings, tmp_path: Path) -> None:
    missing = changed(settings, github_private_key=None, github_private_key_file=tmp_path / os.fsdecode(b"n\xff"))
    with pytest.raises(ConfigError, match="FileNotFoundError"):
        load_credentials(missing)


def test_the_key_is_in_no_representation(settings: WorkerSettings) -> None:
    """K04."""
    assert "PRIVATE KEY" not in repr(load_credentials(settings))


def tokens_for(settings: WorkerSettings, *, days_later: int = 0) -> InstallationTokens:
    later = timedelta(days=days_later)
    connection = Connection(settings.github_api_url)
    return InstallationTokens(connection, load_credentials(settings), lambda: datetime.now(UTC) + later)


def test_a_token_is_for_one_repository_and_few_permissions(github: GitHubStandIn, settings: WorkerSettings) -> None:
    """K06."""
    wanted = github.create_repository(REPOSITORY, FILES)
    github.create_repository("acme/other", FILES)
    github.state.permissions["administration"] = "write"
    text = tokens_for(settings).token(github.state.installation_id, wanted.id)
    token = github.state.tokens[text]
    assert token.repository_ids == {wanted.id}
    assert token.permissions == PERMISSIONS


def test_a_token_is_kept_until_shortly_before_it_expires(github: GitHubStandIn, settings: WorkerSettings) -> None:
    repository = github.create_repository(REPOSITORY, FILES)
    key = (github.state.installation_id, repository.id)
    tokens = tokens_for(settings)
    assert tokens.token(*key) == tokens.token(*key)
    late = tokens_for(settings, days_later=1)
    assert late.token(*key) != late.token(*key)


ANSWER = {
    "token": "t",
    "expires_at": "2026-11-21T12:00:00.123Z",
    "repository_selection": "selected",
    "repositories": [{"id": 1}],
    "permissions": dict(PERMISSIONS),
}


@pytest.mark.parametrize(
    "changes",
    [
        {"repository_selection": "all"},
        {"repositories": [{"id": 1}, {"id": 2}]},
        {"repositories": [{"id": 2}]},
        {"repositories": []},
        {"repositories": None},
        {"permissions": {**PERMISSIONS, "administration": "read"}},
        {"permissions": {**PERMISSIONS, "metadata": "write"}},
        {"permissions": {**PERMISSIONS, "contents": "admin"}},
    ],
)
def test_a_token_that_reaches_further_is_refused(changes: dict[str, Any]) -> None:
    """K06."""
    check_scope(ANSWER, 1)
    with pytest.raises(TokenScopeError):
        check_scope(ANSWER | changes, 1)


def test_an_expiry_with_milliseconds_is_understood(settings: WorkerSettings) -> None:
    transport = httpx.MockTransport(lambda _: httpx.Response(201, json=ANSWER))
    tokens = InstallationTokens(
        Connection("https://ghes.example/api/v3", transport=transport), load_credentials(settings)
    )
    assert tokens.token(4242, 1) == "t"


def test_what_was_not_granted_is_said(github: GitHubStandIn, settings: WorkerSettings) -> None:
    repository = github.create_repository(REPOSITORY, FILES)
    del github.state.permissions["pull_requests"]
    with pytest.raises(ForbiddenError, match="pull_requests: write"):
        tokens_for(settings).token(github.state.installation_id, repository.id)


def test_each_way_of_not_being_installed_has_its_error(github: GitHubStandIn, settings: WorkerSettings) -> None:
    repository = github.create_repository(REPOSITORY, FILES)
    with pytest.raises(NotFoundError):
        tokens_for(settings).token(1, repository.id)
    with pytest.raises(NotFoundError):
        tokens_for(settings).token(github.state.installation_id, 1)
    github.state.suspended = True
    with pytest.raises(SuspendedError):
        tokens_for(settings).token(github.state.installation_id, repository.id)


def test_another_apps_key_is_refused(github: GitHubStandIn, settings: WorkerSettings) -> None:
    repository = github.create_repository(REPOSITORY, FILES)
    key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    pem = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()).decode()
    wrong = changed(settings, github_private_key=SecretStr(pem))
    with pytest.raises(UnauthorizedError, match="clock"):
        tokens_for(wrong).token(github.state.installation_id, repository.id)
