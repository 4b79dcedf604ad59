"""GitHub's own description of its API, and exchanges held against it."""

import json
import re
import threading
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import httpx
from openapi_core import OpenAPI
from openapi_core.testing import MockRequest, MockResponse

from tests.support.npm import npm_package

VERSION = "23.0.2"


@dataclass(frozen=True)
class Exchange:
    """One request and its answer. `path` is below the API's address."""

    method: str
    path: str
    query: dict[str, str]
    body: bytes
    status: int
    answer: bytes


class RecordingTransport(httpx.BaseTransport):
    """Passes on, and keeps what was said. Outlives the clients that use it, as githubkit makes many."""

    def __init__(self, api_url: str) -> None:
        self._inner = httpx.HTTPTransport()
        self._prefix = urlsplit(api_url).path
        self._lock = threading.Lock()
        self.exchanges: list[Exchange] = []

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        response = self._inner.handle_request(request)
        answer = response.read()
        query = dict(parse_qsl(request.url.query.decode()))
        path = request.url.path.removeprefix(self._prefix)
        with self._lock:
            self.exchanges.append(Exchange(request.method, path, query, request.content, response.status_code, answer))
        return response

    def finish(self) -> None:
        """Each client closes its transport; this is for the one who made it."""
        self._inner.close()


class GitHubContract:
    """`templates` are the paths of the description that are needed; the rest of its 13 MB is left out."""

    def __init__(self, templates: Iterable[str]) -> None:
        whole = json.loads((npm_package("@octokit/openapi", VERSION) / "generated/api.github.com.json").read_bytes())
        self._paths = {template: whole["paths"][template] for template in templates}
        self._patterns = {template: _pattern(template) for template in self._paths}
        self._openapi = OpenAPI.from_dict(_slim(whole, self._paths))

    def operation(self, exchange: Exchange) -> tuple[str, str]:
        """(method, template). KeyError where the description has no such call."""
        for template, pattern in self._patterns.items():
            if pattern.fullmatch(exchange.path) and exchange.method.lower() in self._paths[template]:
                return exchange.method, template
        raise KeyError(f"{exchange.method} {exchange.path}")

    def is_described(self, exchange: Exchange) -> bool:
        """The description names this status; GitHub leaves out some of its refusals."""
        method, template = self.operation(exchange)
        return str(exchange.status) in self._paths[template][method.lower()]["responses"]

    def check(self, exchange: Exchange) -> None:
        """Raises what openapi-core does where request or answer is not as described."""
        _, template = self.operation(exchange)
        found = self._patterns[template].fullmatch(exchange.path)
        assert found is not None
        # A ref in a path holds slashes, which path templates do not match.
        path = re.sub(r"\{(\w+)\}", lambda name: found[name[1]].replace("/", "%2F"), template)
        request = MockRequest(
            "https://api.github.com", exchange.method, path, args=exchange.query, data=exchange.body or None
        )
        self._openapi.validate_request(request)
        self._openapi.validate_response(request, MockResponse(exchange.answer, exchange.status))


def _pattern(template: str) -> re.Pattern[str]:
    """A ref may hold slashes, nothing else does."""
    return re.compile(re.sub(r"\{(\w+)\}", lambda m: f"(?P<{m[1]}>{'.+' if m[1] == 'ref' else '[^/]+'})", template))


def _slim(whole: Mapping[str, Any], paths: Mapping[str, Any]) -> dict[str, Any]:
    """The description with these paths and the components that they lead to."""
    components: dict[str, dict[str, Any]] = {}
    waiting = list(_references(paths))
    while waiting:
        _, _, kind, name = waiting.pop().split("/")
        if name not in components.setdefault(kind, {}):
            components[kind][name] = whole["components"][kind][name]
            waiting.extend(_references(components[kind][name]))
    servers = [{"url": "https://api.github.com"}]
    return {
        "openapi": whole["openapi"],
        "info": whole["info"],
        "servers": servers,
        "paths": dict(paths),
        "components": components,
    }


def _references(value: object) -> Iterator[str]:
    if isinstance(value, dict):
        if isinstance(value.get("$ref"), str):
            yield value["$ref"]
        for item in value.values():
            yield from _references(item)
    elif isinstance(value, list):
        for item in value:
            yield from _references(item)
