"""An image comes, or it is said why not; nobody waits for a registry that has fallen silent."""

import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import SimpleNamespace
from typing import Any

import pytest
import requests
from docker import DockerClient
from docker.errors import APIError

from repo_tools.errors import SandboxUnavailableError
from repo_tools.sandbox.image_pull import pull


def engine(pulling: Any) -> Any:
    """The SDK's client of one that answers so."""
    return SimpleNamespace(api=SimpleNamespace(pull=lambda name, **_: pulling(name)))


def test_an_image_that_comes_slowly_is_waited_for() -> None:
    def pulling(name: str) -> Iterator[dict[str, str]]:
        for _ in range(4):
            threading.Event().wait(0.1)
            yield {"status": f"{name} comes"}

    assert pull(engine(pulling), "mine:1", silent_seconds=20.0) == ""


def test_a_registry_that_falls_silent_or_never_ends_is_not_waited_for() -> None:
    end = threading.Event()

    def silent(_: str) -> Iterator[dict[str, str]]:
        yield {"status": "Downloading"}
        end.wait()

    def endless(_: str) -> Iterator[dict[str, str]]:
        while not end.wait(0.01):
            yield {"status": "Downloading"}

    assert "takes too long" in pull(engine(silent), "mine:1", silent_seconds=0.1)
    assert "takes too long" in pull(engine(endless), "mine:1", silent_seconds=20.0, longest_seconds=0.1)
    end.set()


def test_what_goes_wrong_on_the_way_is_told() -> None:
    def broken(_: str) -> Iterator[dict[str, str]]:
        yield {"status": "Downloading"}
        yield {"error": "unexpected EOF"}

    def refused(_: str) -> Iterator[dict[str, str]]:
        raise APIError("404", explanation="manifest unknown")

    def away(_: str) -> Iterator[dict[str, str]]:
        raise requests.exceptions.ConnectionError

    assert pull(engine(broken), "mine:1") == "unexpected EOF"
    assert pull(engine(refused), "mine:1") == "manifest unknown"
    with pytest.raises(SandboxUnavailableError):
        pull(engine(away), "mine:1")


@pytest.mark.docker
def test_the_engine_is_not_waited_for_where_its_registry_is_silent(client: DockerClient) -> None:
    """Which it is itself: for as long as the registry holds the line."""
    asked, end = threading.Event(), threading.Event()

    class Silent(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.set()
            end.wait(60)

    registry = ThreadingHTTPServer(("127.0.0.1", 0), Silent)
    threading.Thread(target=registry.serve_forever, daemon=True).start()
    try:
        assert pull(client, f"127.0.0.1:{registry.server_address[1]}/mine:1", silent_seconds=1.0)
        assert asked.wait(30)  # a busy engine goes there a moment later
    finally:
        end.set()
        registry.shutdown()
        registry.server_close()
