"""Routes of the stand-in: JSON in, JSON out, one request at a time."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from app.standins.github_access import GitHubRefusalError
from app.standins.github_json import Json
from app.standins.github_repository import GitRefusedError
from app.standins.github_state import State


@dataclass(frozen=True)
class Answer:
    """A body (None for 204) and its status."""

    body: Any
    status: int = 200


Handler = Callable[[Request, Json], Answer]


def route(state: State, method: str, path: str, handler: Handler) -> Route:
    """`handler` under the state's lock; what it refuses in GitHub's shape."""

    def answer(request: Request, body: bytes) -> Response:
        try:
            with state.lock:
                found = handler(request, _parsed(body))
        except GitHubRefusalError as refusal:
            return refusal.response()
        except GitRefusedError as error:
            return GitHubRefusalError(422, str(error)).response()
        return Response(status_code=204) if found.body is None else JSONResponse(found.body, found.status)

    async def endpoint(request: Request) -> Response:
        return await run_in_threadpool(answer, request, await request.body())

    return Route(path, endpoint, methods=[method])


def _parsed(body: bytes) -> Json:
    try:
        value = json.loads(body or b"{}")
    except ValueError:
        raise GitHubRefusalError(400, "Problems parsing JSON") from None
    if not isinstance(value, dict):
        raise GitHubRefusalError(400, "Body should be a JSON object")
    return value
