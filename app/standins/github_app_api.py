"""The App, its tokens, and what a token reaches (https://docs.github.com/en/rest/apps)."""

from starlette.requests import Request
from starlette.routing import Route

from app.standins.github_access import mint, require_app, require_token
from app.standins.github_json import Json, Shapes
from app.standins.github_routes import Answer, route


class AppApi:
    def __init__(self, shapes: Shapes) -> None:
        self._shapes = shapes
        self._state = shapes.state

    def routes(self) -> list[Route]:
        tokens = "/app/installations/{installation:int}/access_tokens"
        return [
            route(self._state, "GET", "/app", self.app),
            route(self._state, "POST", tokens, self.create_token),
            route(self._state, "GET", "/installation/repositories", self.repositories),
        ]

    def app(self, request: Request, _: Json) -> Answer:
        require_app(self._state, request)
        return Answer(self._shapes.app())

    def create_token(self, request: Request, body: Json) -> Answer:
        require_app(self._state, request)
        token, expires_at = mint(self._state, request.path_params["installation"], body)
        selected = {"repositories": self._repositories(token.repository_ids)} if body.get("repository_ids") else {}
        answer = {
            "token": token.text,
            "expires_at": expires_at,
            "permissions": dict(token.permissions),
            "repository_selection": "selected" if selected else "all",
            **selected,
        }
        return Answer(answer, 201)

    def repositories(self, request: Request, _: Json) -> Answer:
        token = require_token(self._state, request)
        found = self._repositories(token.repository_ids)
        return Answer({"total_count": len(found), "repository_selection": "selected", "repositories": found})

    def _repositories(self, ids: frozenset[int]) -> list[Json]:
        known = (self._state.repositories.get(number) for number in sorted(ids))
        return [self._shapes.repository(repository) for repository in known if repository and repository.installed]
