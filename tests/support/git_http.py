"""A git server for tests: `git http-backend` (git-http-backend(1)) behind a small WSGI adapter on loopback."""

import base64
import os
import ssl
import subprocess
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from socketserver import ThreadingMixIn
from typing import Any
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer, make_server

Environ = dict[str, Any]
StartResponse = Callable[[str, list[tuple[str, str]]], Any]


@dataclass
class GitServer:
    """Serves the repositories below `root`, as they are named there, to anybody, or only with `token`.

    `authorizations` holds the header of each request (None where there was none); `gate`, once cleared, holds every
    answer back until it is set again; `redirect_to` sends every request elsewhere; without `filters` whoever asks for
    fewer objects gets all.
    """

    root: Path
    token: str | None = None
    redirect_to: str | None = None
    failing: bool = False
    filters: bool = True
    url: str = ""
    authorizations: list[str | None] = field(default_factory=list)
    gate: threading.Event = field(default_factory=threading.Event)
    waiting: threading.Event = field(default_factory=threading.Event)

    def __call__(self, environ: Environ, start_response: StartResponse) -> Iterable[bytes]:
        authorization = environ.get("HTTP_AUTHORIZATION")
        self.authorizations.append(authorization)
        body = environ["wsgi.input"].read(int(environ.get("CONTENT_LENGTH") or 0))
        self.waiting.set()
        self.gate.wait(60)
        if self.failing:
            start_response("503 Service Unavailable", [])
            return [b""]
        if self.redirect_to is not None:
            query = environ["QUERY_STRING"]
            start_response("302 Found", [("Location", f"{self.redirect_to}{environ['PATH_INFO']}?{query}")])
            return [b""]
        if self.token is not None and authorization != basic(self.token):
            start_response("401 Unauthorized", [("WWW-Authenticate", 'Basic realm="git"')])
            return [b"no"]
        return self._backend(environ, body, start_response)

    def _backend(self, environ: Environ, body: bytes, start_response: StartResponse) -> Iterable[bytes]:
        variables = {key: value for key, value in environ.items() if isinstance(value, str) and "." not in key}
        variables |= {
            "PATH": os.environ["PATH"],
            "GIT_PROJECT_ROOT": str(self.root),
            "GIT_HTTP_EXPORT_ALL": "1",
            "GIT_PROTOCOL": environ.get("HTTP_GIT_PROTOCOL", ""),
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_CONFIG_COUNT": "3",
            "GIT_CONFIG_KEY_0": "uploadpack.allowAnySHA1InWant",
            "GIT_CONFIG_VALUE_0": "true",
            "GIT_CONFIG_KEY_1": "safe.directory",
            "GIT_CONFIG_VALUE_1": "*",
            "GIT_CONFIG_KEY_2": "uploadpack.allowFilter",
            "GIT_CONFIG_VALUE_2": str(self.filters).lower(),
        }
        done = subprocess.run(
            ["git", "http-backend"], env=variables, input=body, stdout=subprocess.PIPE, check=True, timeout=120
        )
        head, _, content = done.stdout.partition(b"\r\n\r\n")
        headers = [tuple(line.split(": ", 1)) for line in head.decode().split("\r\n")]
        status = next((value for name, value in headers if name == "Status"), "200 OK")
        start_response(status, [(name, value) for name, value in headers if name != "Status"])
        return [content]


def basic(token: str) -> str:
    return "Basic " + base64.b64encode(f"x-access-token:{token}".encode()).decode()


@contextmanager
def serve_git(root: Path, token: str | None = None, certificate: ssl.SSLContext | None = None) -> Iterator[GitServer]:
    """A server for the repositories below `root`; `url` has no trailing slash. https with a `certificate`."""
    application = GitServer(root, token)
    application.gate.set()
    server = make_server("127.0.0.1", 0, application, _ThreadingServer, _QuietHandler)
    application.url = f"http://127.0.0.1:{server.server_port}"
    if certificate is not None:
        server.socket = certificate.wrap_socket(server.socket, server_side=True)
        application.url = application.url.replace("http:", "https:")
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield application
    finally:
        application.gate.set()
        server.shutdown()
        thread.join()
        server.server_close()


class _ThreadingServer(ThreadingMixIn, WSGIServer):
    daemon_threads = True


class _QuietHandler(WSGIRequestHandler):
    def log_message(self, format: str, *args: Any) -> None:
        """Nothing on the tests' output."""
