"""A TLS front for a unix socket, as a remote container engine has one: both sides show certificates."""

import socket
import ssl
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.support.certificates import make_certificate
from tests.support.relay import relay_port


@contextmanager
def tls_relay(folder: Path, unix_socket: str) -> Iterator[int]:
    """The port on localhost that leads to `unix_socket`. What a client shows and trusts is written to `folder`."""
    context, trusted = make_certificate(folder)
    context.load_verify_locations(trusted)
    context.verify_mode = ssl.CERT_REQUIRED

    def dressed(connection: socket.socket) -> socket.socket:
        connection.settimeout(30)
        return context.wrap_socket(connection, server_side=True)

    with relay_port(unix_socket, dressed) as port:
        yield port
