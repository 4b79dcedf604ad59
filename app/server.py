"""The web process on its socket: uvicorn, within bounds."""

import asyncio
import logging
import socket
from typing import Any

import uvicorn
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from app.access import is_loopback
from app.body import MAX_BYTES
from app.listener import open_listener
from app.main import create_app
from app.settings import WebSettings
from repo_tools.errors import ConfigError
from workers.bell import open_bell
from workers.store import open_store
from workers.triggers import WEBHOOK_PATH

log = logging.getLogger(__name__)

MAX_CONNECTIONS = 200
HEADER_SECONDS = 10.0
MAX_HEADER_BYTES = 64 * 1024
MAX_REQUEST_BYTES = 2 * MAX_BYTES  # headers, chunk sizes and trailers included
IDLE_SECONDS = 5
SHUTDOWN_SECONDS = 5


class BoundedHttpProtocol(HttpToolsProtocol):
    """uvicorn's protocol, with the bounds that it lacks: time and size of a request's head, size of the whole."""

    _head_bytes = 0
    _request_bytes = 0
    _head_deadline: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as uvicorn has it
        super().connection_made(transport)
        self._await_head()

    def connection_lost(self, exc: Exception | None) -> None:
        self._head_has_come()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        self._request_bytes += len(data)
        super().data_received(data)
        if self._head_deadline is not None:
            self._head_bytes += len(data)
        if self._head_bytes > MAX_HEADER_BYTES or self._request_bytes > MAX_REQUEST_BYTES:
            self.transport.abort()

    def on_message_begin(self) -> None:
        super().on_message_begin()
        self._request_bytes = 0
        self._await_head()

    def on_headers_complete(self) -> None:
        self._head_has_come()
        super().on_headers_complete()

    def _await_head(self) -> None:
        self._head_has_come()
        self._head_bytes = 0
        self._head_deadline = self.loop.call_later(HEADER_SECONDS, self.transport.abort)

    def _head_has_come(self) -> None:
        if self._head_deadline is not None:
            self._head_deadline.cancel()
            self._head_deadline = None


def run_web(settings: WebSettings, host: str, port: int) -> None:
    """Serve until SIGTERM or SIGINT. ConfigError, StoreUnavailableError."""
    if settings.broker_url is None:
        raise ConfigError(
            "AGENT_FIX_BROKER_URL",
            "is not set",
            "Name the workers' broker, or use `agent-fix serve`, which brings one.",
        )
    listener = open_listener(host, port)
    bell = open_bell(settings.broker_url)
    store = open_store(settings.effective_database_url)
    app = create_app(
        settings,
        store,
        bell.ring,
        bell.answers,
        bound_to_loopback=is_loopback(listener.getsockname()[0]),
    )
    log.info("listening on http://%s; deliveries go to %s", _authority(listener), WEBHOOK_PATH)
    try:
        uvicorn.Server(server_config(app)).run(sockets=[listener])
    finally:
        listener.close()
        store.close()


def _authority(listener: socket.socket) -> str:
    host, port = listener.getsockname()[:2]
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


def server_config(app: Any) -> uvicorn.Config:
    """No access log: a path can hold what should not be kept, and the webhook logs its own deliveries.

    No proxy headers: what a client says of its own address decides nothing here.
    """
    return uvicorn.Config(
        app,
        http=BoundedHttpProtocol,
        ws="none",
        access_log=False,
        log_config=None,
        proxy_headers=False,
        server_header=False,
        limit_concurrency=MAX_CONNECTIONS,
        timeout_keep_alive=IDLE_SECONDS,
        timeout_graceful_shutdown=SHUTDOWN_SECONDS,
    )
