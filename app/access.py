"""Who may read runs: whoever sits at this machine, and whoever has the token.

A request is from this machine only if the socket is bound to loopback *and* nothing about it says otherwise: a tunnel
or a proxy connects from loopback too, but says for whom; a page that resolves its own name to 127.0.0.1 (DNS rebinding)
connects from loopback too, but names itself in `Host`.
"""

import base64
import binascii
import hmac
import re
from collections.abc import Sequence
from ipaddress import ip_address

from fastapi import HTTPException, Request
from pydantic import SecretStr

FORWARDING_HEADERS = frozenset(
    {
        "client-ip",
        "fastly-client-ip",
        "forwarded",
        "forwarded-for",
        "proxy-connection",
        "true-client-ip",
        "via",
        "wl-proxy-client-ip",
    }
)
FORWARDING_PREFIXES = (
    "cdn-",
    "cf-",
    "fly-",
    "ngrok-",
    "tailscale-",
    "x-amzn-",
    "x-appengine-",
    "x-azure-",
    "x-client-",
    "x-cluster-",
    "x-envoy-",
    "x-forwarded",
    "x-ms-",
    "x-original-",
    "x-proxy",
    "x-real-",
    "x-vercel-",
)
"""What tunnels, load balancers and proxies add; a browser or curl at this machine sends none of these."""

HOST = re.compile(r"(?:\[(?P<address>[0-9A-Fa-f:.]+)\]|(?P<name>[A-Za-z0-9.-]+))(?::\d{1,5})?")
"""`Host` of RFC 9110, section 7.2, as far as a name or an address of this machine can stand in it."""

Headers = Sequence[tuple[bytes, bytes]]
"""As ASGI gives them: names in lower case."""


class Access:
    """The rule for one server, as a FastAPI dependency: 401 or nothing."""

    def __init__(self, token: SecretStr | None, *, bound_to_loopback: bool) -> None:
        self._token = token.get_secret_value().encode() if token else None
        self._bound_to_loopback = bound_to_loopback

    def __call__(self, request: Request) -> None:
        headers = request.headers.raw
        if not (self._bound_to_loopback and is_local(headers)) and not has_token(headers, self._token):
            raise HTTPException(401, "a token is needed here", {"WWW-Authenticate": 'Basic realm="agent-fix"'})


def is_loopback(host: str) -> bool:
    """Whether a name or address, without a port, can only be this machine."""
    if host.lower() == "localhost":
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False


def is_local(headers: Headers) -> bool:
    """Whether nothing in `headers` speaks against a client at this machine."""
    hosts = [value for name, value in headers if name == b"host"]
    return len(hosts) == 1 and _names_loopback(hosts[0]) and not any(_forwards(name) for name, _ in headers)


def has_token(headers: Headers, token: bytes | None) -> bool:
    """`Authorization: Bearer TOKEN`, or Basic with the token as password, which is what a browser can send."""
    credentials = [value for name, value in headers if name == b"authorization"]
    if token is None or len(credentials) != 1:
        return False
    scheme, _, value = credentials[0].partition(b" ")
    given = _password(value) if scheme.lower() == b"basic" else value if scheme.lower() == b"bearer" else b""
    return hmac.compare_digest(given.strip(), token)


def _names_loopback(host: bytes) -> bool:
    found = HOST.fullmatch(host.decode("latin-1"))
    return found is not None and is_loopback(found["address"] or found["name"])


def _forwards(name: bytes) -> bool:
    text = name.decode("latin-1")
    return text in FORWARDING_HEADERS or text.startswith(FORWARDING_PREFIXES)


def _password(value: bytes) -> bytes:
    try:
        return base64.b64decode(value.strip(), validate=True).partition(b":")[2]
    except binascii.Error:
        return b""
