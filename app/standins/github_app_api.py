"""The App, its tokens, deliveries and installations (https://docs.github.com/en/rest/apps)."""

import json

from starlette.requests import Request
from starlette.routing import Route

from app.standins.github_access import mint, not_found, require_app, require_token
from app.standins.github_json import Json, Shapes
from app.standins.github_routes import Answer, page_of, route
from app.standins.github_webhooks import Attempt, Hook


class AppApi:
    def __init__(self, shapes: Shapes, hook: Hook) -> None:
        self._shapes = shapes
        self._hook = hook
        self._state = shapes.state

    def routes(self) -> list[Route]:
        tokens = "/app/installations/{installation:int}/access_tokens"
        return [
            route(self._state, "GET", "/app", self.app),
            route(self._state, "POST", tokens, self.create_token),
            route(self._state, "GET", "/installation/repositories", self.repositories),
            route(self._state, "GET", "/app/installations", self.installations),
            route(self._state, "GET", "/app/hook/config", self.hook),
            route(self._state, "GET", "/app/hook/deliveries", self.deliveries),
            route(self._state, "POST", "/app/hook/deliveries/{delivery:int}/attempts", self.redeliver),
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
        page = found[page_of(request)]
        return Answer({"total_count": len(found), "repository_selection": "selected", "repositories": page})

    def installations(self, request: Request, _: Json) -> Answer:
        require_app(self._state, request)
        there = [] if self._state.uninstalled else [self._shapes.installation()]
        return Answer(there[page_of(request)])

    def hook(self, request: Request, _: Json) -> Answer:
        require_app(self._state, request)
        return Answer({"content_type": "json", "insecure_ssl": "0", "secret": "********", "url": self._hook.url or ""})

    def deliveries(self, request: Request, _: Json) -> Answer:
        """Newest first; the cursor is the id of the last one of the page before."""
        require_app(self._state, request)
        query = request.query_params
        before, size = int(query.get("cursor", 2**53)), min(int(query.get("per_page", "30")), 100)
        wanted = {"success": (False,), "failure": (True,)}.get(query.get("status", ""), (False, True))
        older = [one for one in self._hook.attempts if one.id < before and one.failed in wanted]
        page = sorted(older, key=lambda one: -one.id)[:size]
        more = len(older) > len(page)
        following = request.url.include_query_params(cursor=page[-1].id) if more else None
        return Answer(
            [_delivery(one, self._state.installation_id) for one in page], 200, str(following) if following else None
        )

    def redeliver(self, request: Request, _: Json) -> Answer:
        """Accepted, and done beside the answer."""
        require_app(self._state, request)
        known = {one.id: one for one in self._hook.attempts}
        if request.path_params["delivery"] not in known:
            raise not_found()
        self._hook.again(known[request.path_params["delivery"]])
        return Answer({}, 202)

    def _repositories(self, ids: frozenset[int]) -> list[Json]:
        known = (self._state.repositories.get(number) for number in sorted(ids))
        return [self._shapes.repository(repository) for repository in known if repository and repository.installed]


def _delivery(attempt: Attempt, installation_id: int) -> Json:
    payload = json.loads(attempt.delivery.body)
    return {
        "id": attempt.id,
        "guid": attempt.delivery.id,
        "delivered_at": attempt.at,
        "redelivery": attempt.redelivery,
        "duration": 0.1,
        "status": "failed to connect to host" if attempt.delivery.response is None else "answered",
        "status_code": attempt.status_code,
        "event": attempt.delivery.event,
        "action": payload.get("action"),
        "installation_id": installation_id,
        "repository_id": payload.get("repository", {}).get("id"),
    }
