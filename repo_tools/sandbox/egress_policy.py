"""Where the set-up phase may go: decisions about names, ports and addresses, and the reading of a request."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network
from urllib.parse import urlsplit

WEB_PORTS = frozenset({80, 443})
"""The ports of an allow-list entry that names none."""
METADATA = frozenset(
    ip_address(text)
    for text in (
        *("169.254.169.254", "fd00:ec2::254", "100.100.100.200", "168.63.129.16"),
        *("fd20:ce::254", "fd00:c1::a9fe:a9fe", "fd00:42::42"),
    )
)
"""Instance metadata: AWS and most others, AWS over IPv6, Alibaba Cloud, Azure; Google, Oracle, Scaleway over IPv6."""
NOWHERE = ip_network("0.0.0.0/8")
HOST = re.compile(r"[A-Za-z0-9_-]{1,63}(\.[A-Za-z0-9_-]{1,63})*\.?|\[[0-9A-Fa-f:.]+\]")
_PORT = re.compile(r"[0-9]{1,5}")
_WITH_IPV4 = tuple(ip_network(text) for text in ("::/96", "64:ff9b::/96", "::ffff:0:0:0/96"))
"""Addresses that end with one of IPv4: RFC 4291, 2.5.5.1; RFC 6052, 2.1; RFC 2765, 2.1."""
_TRANSLATED_48 = ip_network("64:ff9b:1::/48")
"""Translators' own (RFC 8215), with one of IPv4 around the octet at bit 64 (RFC 6052, 2.2) or, of a longer prefix
within it, at the end."""
MOST_HOST_CHARACTERS = 253  # RFC 1035, 2.3.4

Address = IPv4Address | IPv6Address


class AllowList:
    """Entries are host names, ``*.`` before a domain for every name below it, or an address; ``:port`` after any of
    them allows that port instead of 80 and 443. Everything else is refused."""

    def __init__(self, entries: Iterable[str]) -> None:
        self._rules = [split_port(entry.lower()) for entry in entries]

    def allows(self, host: str, port: int) -> bool:
        name = host.lower().rstrip(".")
        return any(
            matches(pattern, name) and (port == only if only else port in WEB_PORTS) for pattern, only in self._rules
        )


def is_entry(text: str) -> bool:
    """Whether an `AllowList` understands it: a URL, a path or a lone ``*`` would silently allow nothing."""
    host, port = split_port(text)
    name = host.removeprefix("*.")
    in_range = port is None or 0 < port < 65536
    return in_range and (is_address(name) if ":" in name else HOST.fullmatch(name) is not None)


def split_port(entry: str) -> tuple[str, int | None]:
    host, colon, port = entry.rpartition(":")
    if colon and _PORT.fullmatch(port) and (":" not in host or host.endswith("]")):
        return host.strip("[]"), int(port)
    return entry.strip("[]"), None


def join_port(host: str, port: int) -> str:
    """As an `AllowList` has it."""
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


def matches(pattern: str, name: str) -> bool:
    if pattern.startswith("*."):
        return name.endswith(pattern[1:]) and not is_address(name)
    return name == pattern


def is_address(name: str) -> bool:
    try:
        ip_address(name)
    except ValueError:
        return False
    return True


def is_reachable(address: Address) -> bool:
    """False for this machine, its links and cloud metadata, whatever name led there. Private ranges are reachable:
    operators have package mirrors there, and only listed names are ever resolved."""
    if isinstance(address, IPv6Address):
        if inner := _ipv4s_within(address):
            return all(map(is_reachable, inner))
    elif address in NOWHERE or address.is_reserved:
        return False
    local = address.is_loopback or address.is_link_local or address.is_unspecified
    return not (local or address.is_multicast or address in METADATA)


def _ipv4s_within(address: IPv6Address) -> tuple[IPv4Address, ...]:
    """Where a packet for `address` may end."""
    number = int(address)
    last = IPv4Address(number & 0xFFFFFFFF)
    if address in _TRANSLATED_48:
        around = IPv4Address((number >> 48 & 0xFFFF0000) | (number >> 40 & 0xFFFF))
        return tuple(each for each in (around, last) if int(each)) or (last,)
    if any(address in network for network in _WITH_IPV4):
        return (last,)
    teredo = address.teredo
    inner = address.ipv4_mapped or address.sixtofour or (teredo[1] if teredo else None)
    return (inner,) if inner else ()


class BadRequestError(Exception):
    """Not a request that this proxy understands."""


@dataclass(frozen=True)
class ProxyRequest:
    """`head` is what goes on to the server: empty for a tunnel."""

    host: str
    port: int
    head: bytes = b""


def parse_request(head: bytes) -> ProxyRequest:
    """``CONNECT host:port`` or ``GET http://host/path`` with its header lines, up to and without the empty line."""
    line, *headers = head.decode("latin-1").split("\r\n")
    words = line.split(" ")
    if len(words) != 3 or not words[2].startswith("HTTP/1."):
        raise BadRequestError(line[:100])
    method, target, _version = words
    if method == "CONNECT":
        return checked(ProxyRequest(*split_authority(target)))
    return checked(plain_request(method, target, headers))


def split_authority(target: str) -> tuple[str, int]:
    host, port = split_port(target)
    if port is None:
        raise BadRequestError("no port")
    return host, port


def plain_request(method: str, target: str, headers: list[str]) -> ProxyRequest:
    """One request to one server: `Host` is what the URL says, and the connection ends after the answer."""
    try:
        url = urlsplit(target)
        host, port = url.hostname or "", url.port or 80
    except ValueError as error:
        raise BadRequestError(target[:100]) from error
    if url.scheme != "http" or url.username:
        raise BadRequestError(target[:100])
    place = target.split("/", 3)[3] if target.count("/") > 2 else ""
    kept = [h for h in headers if h.split(":", 1)[0].strip().lower() not in HOP_HEADERS]
    lines = [f"{method} /{place} HTTP/1.1", f"Host: {url.netloc}", *kept, "Connection: close"]
    return ProxyRequest(host, port, "\r\n".join(lines).encode("latin-1") + b"\r\n\r\n")


HOP_HEADERS = frozenset({"host", "connection", "proxy-connection", "proxy-authorization", "keep-alive"})


def checked(request: ProxyRequest) -> ProxyRequest:
    literal = f"[{request.host}]" if ":" in request.host else request.host
    if len(request.host) > MOST_HOST_CHARACTERS or not HOST.fullmatch(literal):
        raise BadRequestError("not a host name")
    return request
