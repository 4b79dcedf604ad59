"""Connections from this machine to a name that was allowed, never to this machine itself."""

import math
import socket
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from ipaddress import ip_address
from typing import Any

from repo_tools.sandbox.egress_policy import is_reachable

DIAL_SECONDS = 20.0
KEPT_SECONDS = 60.0
"""How long a name's addresses are believed; what a box may reach has few names."""

MOST_NAMES = 1_000

Dial = Callable[[str, int], socket.socket]
"""Opens a connection to (host, port). OSError where that fails, PermissionError where it may not be."""
Addresses = list[tuple[Any, ...]]
Resolve = Callable[[str, int], Addresses]


def resolve_stream(host: str, port: int) -> Addresses:
    return [info[4] for info in socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)]


class Names:
    """`Resolve` that asks once for all who want the same name. An installer opens hundreds of connections to one host
    within seconds, and a resolver that is asked as often answers late or not at all. A failure is not kept."""

    def __init__(self, ask: Resolve = resolve_stream, clock: Callable[[], float] = time.monotonic) -> None:
        self._ask = ask
        self._clock = clock
        self._lock = threading.Lock()
        self._answers: dict[tuple[str, int], tuple[Future[Addresses], float]] = {}

    def __call__(self, host: str, port: int) -> Addresses:
        name = host, port
        with self._lock:
            answer, asked_at = self._answers.get(name, (Future[Addresses](), -math.inf))
            stale = self._clock() - asked_at > KEPT_SECONDS
            if stale:
                if len(self._answers) >= MOST_NAMES:  # a whole domain may be allowed
                    self._answers.clear()
                answer = Future()
                self._answers[name] = answer, self._clock()
        if stale:
            self._find(name, answer)
        return answer.result()

    def _find(self, name: tuple[str, int], answer: Future[Addresses]) -> None:
        try:
            answer.set_result(self._ask(*name))
        except (OSError, ValueError) as error:  # ValueError: no name at all
            with self._lock:
                self._answers.pop(name, None)
            answer.set_exception(error)


names = Names()
"""Of this process: its boxes fetch from the same few hosts."""


def dial_outside(host: str, port: int, resolve: Resolve = names) -> socket.socket:
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
