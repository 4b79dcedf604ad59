"""The TCP front of a PostgreSQL server that listens on a unix socket alone."""

import select
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from tests.support.commit_relay import SOCKET

PIECE = 1 << 16
LOOK_SECONDS = 0.1


@contextmanager
def tcp_relay(server: Path) -> Iterator[int]:
    """The port of 127.0.0.1 where one connection to the server whose socket is in that folder can be made."""
    over = threading.Event()
    with socket.create_server(("127.0.0.1", 0)) as listener:
        listener.settimeout(60)
        thread = threading.Thread(target=_carry_one, args=(listener, str(server / SOCKET), over))
        thread.start()
        try:
            yield listener.getsockname()[1]
        finally:
            over.set()
            thread.join()


def _carry_one(listener: socket.socket, unix_socket: str, over: threading.Event) -> None:
    """Both ways, until either side ends."""
    with suppress(OSError), listener.accept()[0] as client, socket.socket(socket.AF_UNIX) as server:
        client.settimeout(None)
        server.connect(unix_socket)
        while not over.is_set():
            for source in select.select([client, server], [], [], LOOK_SECONDS)[0]:
                data = source.recv(PIECE)
                if not data:
                    return
                (server if source is client else client).sendall(data)
