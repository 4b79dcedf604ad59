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
    """A body (None for 204), its status, and the address of the page after it."""

    body: Any
    status: int = 200
    following: str | None = None


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
        link = {"Link": f'<{found.following}>; rel="next"'} if found.following else None
        return Response(status_code=204) if found.body is None else JSONResponse(found.body, found.status, link)

    async def endpoint(request: Request) -> Response:
        return await run_in_threadpool(answer, request, await request.body())

    return Route(path, endpoint, methods=[method])


def page_of(request: Request) -> slice:
    """The part of a list that is asked for."""
    size = min(int(request.query_params.get("per_page", "30")), 100)
    start = (int(request.query_params.get("page", "1")) - 1) * size
    return slice(start, start + size)


def _parsed(body: bytes) -> Json:
    try:
        value = json.loads(body or b"{}")
    except ValueError:
        raise GitHubRefusalError(400, "Problems parsing JSON") from None
    if not isinstance(value, dict):
        raise GitHubRefusalError(400, "Body should be a JSON object")
    return value
