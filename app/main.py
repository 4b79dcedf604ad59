"""The web process: what GitHub posts to and people look at."""

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager

from fastapi import Depends, FastAPI, Request
from fastapi.responses import JSONResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from app.access import Access
from app.doorbell import Doorbell
from app.health import BrokerAnswers, health_routes
from app.page import page_routes, static_routes
from app.runs_api import api_routes
from app.settings import WebSettings
from app.webhook import Webhook
from workers.store import RunStore, StoreUnavailableError
from workers.triggers import WEBHOOK_PATH


def create_app(
    settings: WebSettings,
    store: RunStore,
    ring: Callable[[str], None],
    broker_answers: BrokerAnswers,
    *,
    bound_to_loopback: bool,
) -> ASGIApp:
    """`ring` tells the workers of a run, and may block or raise TransientErrors; `bound_to_loopback`: whether the
    server's socket is."""
    doorbell = Doorbell(ring)
    readers_only = [Depends(Access(settings.api_token, bound_to_loopback=bound_to_loopback))]

    app = FastAPI(title="agent-fix", openapi_url=None, lifespan=_closing(doorbell))
    app.include_router(health_routes(store, broker_answers))
    app.include_router(static_routes())
    app.include_router(api_routes(store), dependencies=readers_only)
    app.include_router(page_routes(store, settings.github_server_url), dependencies=readers_only)
    app.add_exception_handler(StoreUnavailableError, _answer_unavailable)
    return _in_front_of(app, Webhook(settings, store, doorbell.ring))


def _in_front_of(app: ASGIApp, deliveries: ASGIApp) -> ASGIApp:
    async def serve(scope: Scope, receive: Receive, send: Send) -> None:
        delivered = scope["type"] == "http" and scope["path"].rstrip("/") == WEBHOOK_PATH
        await (deliveries if delivered else app)(scope, receive, send)

    return serve


def _closing(doorbell: Doorbell) -> Callable[[FastAPI], AbstractAsyncContextManager[None]]:
    @asynccontextmanager
    async def lifespan(_app: FastAPI) -> AsyncIterator[None]:
        yield
        doorbell.close()

    return lifespan


async def _answer_unavailable(_request: Request, _error: Exception) -> JSONResponse:
    return JSONResponse({"error": "the database does not answer"}, 503)
