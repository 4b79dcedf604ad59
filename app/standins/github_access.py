"""Who may do what: the App's JWT, installation tokens, and GitHub's refusals."""

import base64
import binascii
import secrets
from datetime import UTC, datetime, timedelta
from typing import Any

import jwt
from starlette.requests import Request
from starlette.responses import JSONResponse

from app.standins.github_state import Repository, State, Token

DOCUMENTATION = "https://docs.github.com/rest"


class GitHubRefusalError(Exception):
    """An answer that is not 2xx, in GitHub's shape."""

    def __init__(self, status: int, message: str, errors: list[dict[str, Any]] | None = None, **headers: str) -> None:
        super().__init__(message)
        self.status = status
        self.message = message
        self.errors = errors
        self.headers = {name.replace("_", "-"): value for name, value in headers.items()}

    def response(self) -> JSONResponse:
        errors = {"errors": self.errors} if self.errors is not None else {}
        body = {"message": self.message, **errors, "documentation_url": DOCUMENTATION, "status": str(self.status)}
        return JSONResponse(body, self.status, self.headers)


def not_found() -> GitHubRefusalError:
    return GitHubRefusalError(404, "Not Found")


def invalid(resource: str, field: str, code: str = "invalid", message: str | None = None) -> GitHubRefusalError:
    error = {"resource": resource, "field": field, "code": code} | ({"message": message} if message else {})
    return GitHubRefusalError(422, "Validation Failed", [error])


def authorization(request: Request) -> str:
    """The credential of a request, in whichever of GitHub's three forms."""
    scheme, _, value = request.headers.get("authorization", "").partition(" ")
    if scheme.lower() != "basic":
        return value.strip()
    try:
        return base64.b64decode(value).decode().partition(":")[2]
    except (binascii.Error, UnicodeDecodeError):
        return ""


def require_app(state: State, request: Request) -> None:
    """A JWT of the App itself (https://docs.github.com/en/apps/creating-github-apps/authenticating-with-a-github-app)."""
    try:
        claims = jwt.decode(
            authorization(request), state.public_key, algorithms=["RS256"], options={"require": ["iat", "exp", "iss"]}
        )
    except jwt.InvalidTokenError as error:
        raise GitHubRefusalError(401, "A JSON web token could not be decoded") from error
    if str(claims["iss"]) != state.app_id:
        raise GitHubRefusalError(404, "Integration not found")
    if claims["exp"] - claims["iat"] > 660:
        raise GitHubRefusalError(401, "'Expiration time' claim ('exp') is too far in the future")


def mint(state: State, installation_id: int, wanted: dict[str, Any]) -> tuple[Token, str]:
    """A token and when it expires."""
    if installation_id != state.installation_id or state.uninstalled:
        raise not_found()
    if state.suspended:
        raise GitHubRefusalError(403, "This installation has been suspended")
    installed = {repository.id for repository in state.repositories.values() if repository.installed}
    ids = frozenset(wanted.get("repository_ids") or installed)
    if not ids <= installed:
        raise GitHubRefusalError(
            422, "There is at least one repository that does not exist or is not accessible to the parent installation."
        )
    permissions = wanted.get("permissions") or state.permissions
    if any(state.permissions.get(name) not in (level, "write") for name, level in permissions.items()):
        raise GitHubRefusalError(422, "The permissions requested are not granted to this installation.")
    # As long as the real ones, dots, dashes and underscores included.
    token = Token(f"ghs_{state.app_id}_{secrets.token_urlsafe(380)}", ids, {"metadata": "read", **permissions})
    state.tokens[token.text] = token
    return token, (datetime.now(UTC) + timedelta(hours=1)).strftime("%Y-%m-%dT%H:%M:%SZ")


def require_token(state: State, request: Request) -> Token:
    credential = authorization(request)
    if not credential:
        raise GitHubRefusalError(401, "Requires authentication")
    token = state.tokens.get(credential)
    if token is None:
        raise GitHubRefusalError(401, "Bad credentials")
    if state.uninstalled:
        raise GitHubRefusalError(401, "Bad credentials")
    if state.suspended:
        raise GitHubRefusalError(403, "This installation has been suspended")
    return token


def require_repository(state: State, request: Request, **needed: str) -> Repository:
    """The repository of the path, where the token reaches it and holds the `needed` permissions."""
    token = require_token(state, request)
    try:
        repository = state.repository(f"{request.path_params['owner']}/{request.path_params['name']}")
    except KeyError:
        raise not_found() from None
    if repository.id not in token.repository_ids or not repository.installed:
        raise not_found()
    for name, level in needed.items():
        if token.permissions.get(name) not in (level, "write") or state.permissions.get(name) not in (level, "write"):
            raise GitHubRefusalError(403, "Resource not accessible by integration")
    if repository.archived and request.method != "GET":
        raise GitHubRefusalError(403, "Repository was archived so is read-only.")
    return repository
