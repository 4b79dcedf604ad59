"""The socket that the web process answers on."""

import socket

from repo_tools.errors import ConfigError


def open_listener(host: str, port: int) -> socket.socket:
    """Bound and listening. ConfigError where it cannot be."""
    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
        return socket.create_server((host, port), family=family, backlog=1024)
    except OSError as error:
        raise ConfigError(
            "--host and --port", f"cannot be bound: {error.strerror}", "Name a free port of this machine."
        ) from None
