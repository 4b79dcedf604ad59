"""A way to a server on a unix socket: what comes to a listener is carried there and back."""

import select
import socket
import ssl
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

PIECE = 1 << 16
LOOK_SECONDS = 0.1


@contextmanager
def relayed(
    listener: socket.socket,
    unix_socket: Path | str,
    dressed: Callable[[socket.socket], socket.socket] = lambda client: client,
    ends_with: Callable[[bytes, socket.socket], bool] = lambda _piece, _server: False,
) -> Iterator[None]:
    """Every connection, `dressed` first, until either side ends or the client sends a piece that it `ends_with`: the
    server, which is handed over, gets no more of that than it is sent there."""
    over = threading.Event()

    def carry(client: socket.socket) -> None:
        with suppress(OSError), dressed(client) as outside, socket.socket(socket.AF_UNIX) as inside:
            inside.connect(str(unix_socket))
            while not over.is_set():
                for source in _readable(outside, inside):
                    piece = source.recv(PIECE)
                    if not piece or (source is outside and ends_with(piece, inside)):
                        return
                    (inside if source is outside else outside).sendall(piece)

    def accept_all() -> None:
        threads = []
        listener.settimeout(LOOK_SECONDS)
        while not over.is_set():
            with suppress(TimeoutError):
                threads.append(threading.Thread(target=carry, args=(listener.accept()[0],), daemon=True))
                threads[-1].start()
        for thread in threads:
            thread.join()

    accepting = threading.Thread(target=accept_all)
    accepting.start()
    try:
        yield
    finally:
        over.set()
        accepting.join()


def _readable(outside: socket.socket, inside: socket.socket) -> list[socket.socket]:
    if isinstance(outside, ssl.SSLSocket) and outside.pending():
        return [outside]
    return select.select([outside, inside], [], [], LOOK_SECONDS)[0]


@contextmanager
def relay_port(
    unix_socket: Path | str, dressed: Callable[[socket.socket], socket.socket] = lambda client: client
) -> Iterator[int]:
    """The port of 127.0.0.1 that leads there."""
    with socket.create_server(("127.0.0.1", 0)) as listener, relayed(listener, unix_socket, dressed):
        yield listener.getsockname()[1]
