"""Connections from this machine to a name that was allowed, never to this machine itself."""

import socket
from collections.abc import Callable
from ipaddress import ip_address
from typing import Any

from repo_tools.sandbox.egress_policy import is_reachable

DIAL_SECONDS = 20.0

Dial = Callable[[str, int], socket.socket]
"""Opens a connection to (host, port). OSError where that fails, PermissionError where it may not be."""
Resolve = Callable[[str, int], list[tuple[Any, ...]]]


def resolve_stream(host: str, port: int) -> list[tuple[Any, ...]]:
    return [info[4] for info in socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)]


def dial_outside(host: str, port: int, resolve: Resolve = resolve_stream) -> socket.socket:
    """The name is resolved once, and what was checked is what is connected to."""
    addresses = [place for place in resolve(host, port) if may_dial(place[0])]
    if not addresses:
        raise PermissionError(f"{host} is this machine, its links or its metadata service")
    problem: OSError = OSError(f"{host} has no address")
    for place in addresses:
        try:
            return socket.create_connection(place[:2], timeout=DIAL_SECONDS)
        except OSError as error:
            problem = error
    raise problem


def may_dial(text: str) -> bool:
    address = ip_address(text.split("%", 1)[0])
    return is_reachable(address) and not is_own(str(address))


def is_own(address: str) -> bool:
    """Only an address of this machine can be bound to."""
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    with socket.socket(family, socket.SOCK_DGRAM) as probe:
        try:
            probe.bind((address, 0))
        except OSError:
            return False
    return True
