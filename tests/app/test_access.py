"""Who may read runs. The rule as a function, then on real sockets."""

import base64
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from app.access import Headers, has_token, is_local, is_loopback
from tests.support.deliveries import encoded, headers, labeled
from tests.support.web import make_app, raw_answer, request, serving, web_settings
from tests.support.web_process import web_process
from workers.store import IssueSnapshot, NewDelivery, RunStore

TOKEN = "a token of sixteen or more bytes"
CLOSED = ("/", "/runs/{run}", "/runs/unknown", "/api/runs", "/api/runs?limit=x", "/api/runs/{run}", "/api/runs/unknown")


def with_host(*hosts: bytes) -> Headers:
    return [(b"accept", b"*/*"), *((b"host", host) for host in hosts)]


@pytest.mark.parametrize(
    "host",
    [
        b"localhost",
        b"LocalHost",
        b"localhost:8000",
        b"127.0.0.1",
        b"127.0.0.1:8000",
        b"127.8.9.1",
        b"[::1]",
        b"[::1]:80",
    ],
)
def test_a_loopback_name_is_local(host: bytes) -> None:
    assert is_local(with_host(host))


@pytest.mark.parametrize(
    "host",
    [
        b"",
        b"evil.example",
        b"evil.example:8000",
        b"localhost.evil.example",
        b"127.0.0.1.nip.io",
        b"localhost.",
        b"localhost@evil.example",
        b"[::1]evil.example",
        b"127.0.0.1:80:evil.example",
        b"localhost:@evil",
        b"localhost:123456",
        b"0.0.0.0",
        b"10.0.0.1",
        b"192.168.1.1:8000",
        b"2130706433",
        b"0x7f000001",
        b"127.1",
        b"[::]",
        b"[::ffff:10.0.0.1]",
        b"[fe80::1%25eth0]",
        b"[",
        b"\xff\xfe",
    ],
)
def test_any_other_name_is_not(host: bytes) -> None:
    """A page whose name resolves to 127.0.0.1 sends its own name: DNS rebinding."""
    assert not is_local(with_host(host))


def test_no_host_or_two_are_not_local() -> None:
    assert not is_local(with_host())
    assert not is_local(with_host(b"localhost", b"localhost"))


@pytest.mark.parametrize(
    "name",
    [
        "forwarded",
        "x-forwarded-for",
        "x-forwarded-host",
        "x-forwarded-proto",
        "x-forwarded-anything-new",
        "x-real-ip",
        "via",
        "cf-connecting-ip",
        "cf-ray",
        "ngrok-skip-browser-warning",
        "true-client-ip",
        "x-client-ip",
        "x-original-host",
        "x-envoy-external-address",
        "x-amzn-trace-id",
        "tailscale-user-login",
        "fly-client-ip",
    ],
)
def test_a_request_that_was_forwarded_is_not_local(name: str) -> None:
    assert not is_local([*with_host(b"localhost"), (name.encode(), b"203.0.113.9")])


@pytest.mark.parametrize("address", ["127.0.0.1", "127.3.2.1", "::1", "localhost"])
def test_loopback_addresses(address: str) -> None:
    assert is_loopback(address)


@pytest.mark.parametrize("address", ["0.0.0.0", "::", "192.168.1.2", "example.org", ""])
def test_addresses_that_others_reach(address: str) -> None:
    assert not is_loopback(address)


def basic(password: str) -> bytes:
    return b"Basic " + base64.b64encode(f"anyone:{password}".encode())


@pytest.mark.parametrize("value", [f"Bearer {TOKEN}".encode(), f"bearer {TOKEN}".encode(), basic(TOKEN)])
def test_the_token_opens(value: bytes) -> None:
    assert has_token([(b"authorization", value)], TOKEN.encode())


@pytest.mark.parametrize(
    "value",
    [
        b"",
        b"Bearer",
        b"Bearer ",
        TOKEN.encode(),
        f"Bearer {TOKEN}x".encode(),
        f"Bearer {TOKEN[:-1]}".encode(),
        f"Token {TOKEN}".encode(),
        basic(""),
        basic(TOKEN + "x"),
        b"Basic ***",
        b"Basic " + base64.b64encode(TOKEN.encode()),
        b"Bearer \xff\xfe",
    ],
)
def test_nothing_else_opens(value: bytes) -> None:
    assert not has_token([(b"authorization", value)], TOKEN.encode())


def test_without_a_configured_token_none_opens() -> None:
    for value in (b"Bearer ", b"Bearer None", basic("")):
        assert not has_token([(b"authorization", value)], None)


def test_two_authorizations_open_nothing() -> None:
    right = (b"authorization", f"Bearer {TOKEN}".encode())
    assert not has_token([right, right], TOKEN.encode())


@pytest.fixture
def run_id(store: RunStore) -> str:
    issue = IssueSnapshot(1, 2, "octo/private", 3, "the secret plan", "body", "octocat", None)
    return store.create_run_once(NewDelivery("d", "issues", "labeled"), issue).run_id


@pytest.fixture
def port(tmp_path: Path, store: RunStore) -> Iterator[int]:
    with serving(make_app(web_settings(tmp_path, api_token=TOKEN), store)) as port:
        yield port


@pytest.mark.parametrize("path", CLOSED)
def test_at_this_machine_everything_is_open(port: int, run_id: str, path: str) -> None:
    assert request(port, "GET", path.format(run=run_id))[0] in (200, 404, 422)


@pytest.mark.parametrize("path", CLOSED)
@pytest.mark.parametrize(
    "sent", [{"Host": "rebound.evil.example"}, {"X-Forwarded-For": "203.0.113.9"}, {"Via": "1.1 tunnel"}]
)
def test_through_a_tunnel_or_by_a_rebound_name_nothing_is(
    port: int, run_id: str, path: str, sent: dict[str, str]
) -> None:
    status, body = request(port, "GET", path.format(run=run_id), headers=sent)
    assert status == 401
    assert b"secret plan" not in body


@pytest.mark.parametrize("path", CLOSED)
def test_through_a_tunnel_the_token_opens(port: int, run_id: str, path: str) -> None:
    sent = {"X-Forwarded-For": "203.0.113.9", "Authorization": f"Bearer {TOKEN}"}
    assert request(port, "GET", path.format(run=run_id), headers=sent)[0] in (200, 404, 422)


def test_an_absolute_address_in_the_request_line_does_not_stand_for_the_host(port: int) -> None:
    answer = raw_answer(
        port, b"GET http://localhost/api/runs HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n"
    )
    assert b" 200 " not in answer.split(b"\r\n")[0]


def test_http_1_0_without_a_host_is_not_local(port: int) -> None:
    assert b" 401 " in raw_answer(port, b"GET /api/runs HTTP/1.0\r\n\r\n").split(b"\r\n")[0]


def test_no_other_site_may_read(port: int) -> None:
    """D07."""
    answer = raw_answer(
        port,
        b"GET /api/runs HTTP/1.1\r\nHost: localhost\r\nOrigin: https://evil.example\r\nConnection: close\r\n\r\n",
    )
    assert b"access-control" not in answer.lower()


@pytest.mark.parametrize("method", [b"POST", b"PUT", b"PATCH", b"DELETE"])
def test_nothing_can_be_written_through_a_page(port: int, run_id: str, method: bytes) -> None:
    """D07: a form of another site finds nothing to send to."""
    for path in (b"/", b"/api/runs", b"/runs/" + run_id.encode(), b"/api/runs/" + run_id.encode()):
        request = (
            method + b" " + path + b" HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
        )
        assert raw_answer(port, request).startswith(b"HTTP/1.1 405 ")


@pytest.mark.parametrize("path", ["/livez", "/readyz", "/static/style.css"])
def test_health_and_style_are_open_to_probes(port: int, path: str) -> None:
    assert request(port, "GET", path, headers={"Host": "10.1.2.3:8000"})[0] in (200, 503)


def test_the_webhook_is_open_to_github_through_a_tunnel(port: int) -> None:
    body = encoded(labeled())
    sent = {**headers(body), "Host": "abc.tunnel.example", "X-Forwarded-For": "140.82.112.1"}
    assert request(port, "POST", "/webhooks/github", body, sent)[0] == 202


@pytest.mark.parametrize("token", ["", TOKEN])
def test_a_socket_that_others_reach_is_never_open_without_the_token(tmp_path: Path, token: str) -> None:
    """D04."""
    settings: dict[str, Any] = {"api_token": token} if token else {}
    with web_process(tmp_path, host="0.0.0.0", **settings) as web:
        for path in ("/", "/api/runs"):
            assert request(web.port, "GET", path, headers={"Host": "localhost"})[0] == 401
            sent = {"Authorization": f"Bearer {token}"}
            assert request(web.port, "GET", path, headers=sent)[0] == (200 if token else 401)


def test_localhost_by_name_is_loopback(tmp_path: Path) -> None:
    with web_process(tmp_path, host="localhost") as web:
        assert request(web.port, "GET", "/api/runs")[0] == 200
