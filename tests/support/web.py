"""The web process for tests: the application on a real socket."""

import http.client
import socket
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import uvicorn
from starlette.types import ASGIApp

from app.main import create_app
from app.server import server_config
from app.settings import WebSettings
from tests.support import deliveries
from tests.support.processes import eventually
from workers.store import RunStore


@dataclass
class Ringer:
    """A broker that notes what was rung, or does something else."""

    rung: list[str] = field(default_factory=list)
    act: Callable[[str], object] = lambda run_id: None
    alive: bool = True

    def __call__(self, run_id: str) -> None:
        self.act(run_id)
        self.rung.append(run_id)


def web_settings(tmp_path: Path, **settings: Any) -> WebSettings:
    return WebSettings(**{"data_dir": tmp_path, "github_webhook_secret": deliveries.SECRET, **settings})


def make_app(settings: WebSettings, store: RunStore, ringer: Ringer | None = None) -> ASGIApp:
    ringer = ringer or Ringer()
    return create_app(settings, store, ringer, lambda: ringer.alive, bound_to_loopback=True)


@contextmanager
def serving(app: Any) -> Iterator[int]:
    """The application behind a real uvicorn with our bounds; the port."""
    listener = socket.create_server(("127.0.0.1", 0))
    server = uvicorn.Server(server_config(app))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
    thread.start()
    try:
        eventually(lambda: server.started, what="uvicorn")
        yield listener.getsockname()[1]
    finally:
        server.should_exit = True
        thread.join()
        listener.close()


def request(
    port: int, method: str, path: str, body: bytes | None = None, headers: Mapping[str, str] | None = None
) -> tuple[int, bytes]:
    """One request on a connection of its own: status and body."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    try:
        connection.request(method, path, body, dict(headers or {}))
        response = connection.getresponse()
        return response.status, response.read()
    finally:
        connection.close()


def raw_answer(port: int, *parts: bytes, timeout_seconds: float = 30) -> bytes:
    """What comes back for these bytes until the server closes the connection."""
    with socket.create_connection(("127.0.0.1", port), timeout=timeout_seconds) as connection:
        for part in parts:
            connection.sendall(part)
        answer = b""
        while chunk := connection.recv(65536):
            answer += chunk
        return answer
