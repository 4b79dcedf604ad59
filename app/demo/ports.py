"""A port for a process that is still to start."""

import socket


def held_port() -> socket.socket:
    """A socket on a free port of 127.0.0.1, which keeps the port from whoever asks for any until it is closed. It does
    not listen, so that a process that is told the number can: SO_REUSEADDR in socket(7)."""
    held = socket.socket()
    held.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    held.bind(("127.0.0.1", 0))
    return held
