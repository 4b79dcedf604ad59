"""The allow-listing proxy at the host's end of a box's relay: the only way out that the set-up phase has."""

import socket
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from threading import Lock

from repo_tools.sandbox.box import frames, relay
from repo_tools.sandbox.egress_dial import Dial, dial_outside
from repo_tools.sandbox.egress_policy import WEB_PORTS, AllowList, ProxyRequest, join_port
from repo_tools.sandbox.egress_tunnel import Tunnel

MOST_REFUSED_HOSTS = 200
MOST_UNDER_WAY = 2 * relay.MOST_CONNECTIONS
"""Connections that are served, or were given up by the box while a server was still being waited for."""


class Egress:
    """One box's connections. `send` may block; `handle` never does (ValueError where the box
    breaks the rules of its relay)."""

    def __init__(
        self, allowed_hosts: tuple[str, ...], send: Callable[[frames.Frame], None], dial: Dial = dial_outside
    ) -> None:
        self._allowed = AllowList(allowed_hosts)
        self._send = send
        self._dial = dial
        self._tunnels: dict[int, Tunnel] = {}
        self._refused: dict[str, None] = {}
        self._waiting: deque[Tunnel] = deque()
        self._under_way = 0
        self._lock = Lock()

    def handle(self, frame: frames.Frame) -> None:
        tunnel = self._tunnels.get(frame.stream)
        if frame.kind == frames.OPEN and tunnel is None:
            self._open(frame.stream)
        elif tunnel and frame.kind == frames.CLOSE:
            del self._tunnels[frame.stream]
            with self._lock, suppress(ValueError):  # it was under way
                self._waiting.remove(tunnel)
            tunnel.abort()
        elif tunnel:
            tunnel.deliver(frame)

    def refused_hosts(self) -> tuple[str, ...]:
        return tuple(self._refused)

    def close(self) -> None:
        with self._lock:
            self._waiting.clear()
        for tunnel in self._tunnels.values():
            tunnel.abort()
        self._tunnels.clear()

    def _open(self, stream: int) -> None:
        if len(self._tunnels) >= relay.MOST_CONNECTIONS:
            raise ValueError("more connections than the box's relay takes")
        self._tunnels[stream] = tunnel = Tunnel(stream, self._send, self._connect, self._ended)
        with self._lock:
            self._waiting.append(tunnel)
        self._start_waiting()

    def _start_waiting(self) -> None:
        """Those whose turn it is: each takes threads of this process until its server answers or is given up."""
        with self._lock:
            while self._waiting and self._under_way < MOST_UNDER_WAY:
                try:
                    self._waiting[0].start()
                except RuntimeError:  # no thread is left: its turn comes when one of the others ends
                    if not self._under_way:
                        raise
                    return
                self._waiting.popleft()
                self._under_way += 1

    def _ended(self) -> None:
        with self._lock:
            self._under_way -= 1
        self._start_waiting()

    def _connect(self, request: ProxyRequest) -> socket.socket:
        """PermissionError where the request's host is refused, which is kept."""
        try:
            if not self._allowed.allows(request.host, request.port):
                raise PermissionError(f"{join_port(request.host, request.port)} is not an allowed host")
            return self._dial(request.host, request.port)
        except PermissionError:
            if len(self._refused) < MOST_REFUSED_HOSTS:
                self._refused[_shown(request)] = None
            raise


def _shown(request: ProxyRequest) -> str:
    """With the port where that may be what is refused."""
    return request.host if request.port in WEB_PORTS else join_port(request.host, request.port)
