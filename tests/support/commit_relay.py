"""A way to a PostgreSQL server on which a COMMIT gets lost: the question or its answer, and the connection with it.

https://www.postgresql.org/docs/current/protocol-message-formats.html
"""

import select
import socket
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from enum import StrEnum
from pathlib import Path

COMMIT = b"Q\0\0\0\x0bCOMMIT\0"
SOCKET = ".s.PGSQL.5432"
PIECE = 1 << 16
LOOK_SECONDS = 0.1


class Lost(StrEnum):
    """What of a commit is lost."""

    QUESTION = "question"  # it takes no effect
    ANSWER = "answer"  # it took effect


class CommitRelay:
    """Carries everything, until it is told to lose a commit."""

    def __init__(self, folder: Path, server: Path) -> None:
        self.folder = folder  # the `host` of a database URL
        self._server = server
        self._lock = threading.Lock()
        self._to_lose: tuple[int, Lost] | None = None
        self._over = threading.Event()

    def lose(self, what: Lost, number: int = 1) -> None:
        """Of the commit of this number, counted from here."""
        with self._lock:
            self._to_lose = (number, what)

    @property
    def waits(self) -> bool:
        """For a commit to lose."""
        return self._to_lose is not None

    def accept_all(self, listener: socket.socket) -> None:
        threads = []
        listener.settimeout(LOOK_SECONDS)
        while not self._over.is_set():
            with suppress(TimeoutError):
                client, _ = listener.accept()
                threads.append(threading.Thread(target=self._carry, args=(client,), daemon=True))
                threads[-1].start()
        for thread in threads:
            thread.join()

    def close(self) -> None:
        self._over.set()

    def _carry(self, client: socket.socket) -> None:
        """One connection, both ways, until either side ends or a commit of it gets lost."""
        with client, socket.socket(socket.AF_UNIX) as server, suppress(OSError):
            client.settimeout(None)
            server.connect(str(self._server))
            while not self._over.is_set():
                for source in select.select([client, server], [], [], LOOK_SECONDS)[0]:
                    data = source.recv(PIECE)
                    lost = self._lost() if source is client and data == COMMIT else None
                    if lost is Lost.ANSWER:
                        server.sendall(data)
                        server.recv(PIECE)
                    if lost or not data:
                        return
                    (server if source is client else client).sendall(data)

    def _lost(self) -> Lost | None:
        with self._lock:
            if self._to_lose is None:
                return None
            number, what = self._to_lose
            self._to_lose = (number - 1, what) if number > 1 else None
            return what if number == 1 else None


@contextmanager
def commit_relay(server: Path) -> Iterator[CommitRelay]:
    """To the server whose socket is in that folder."""
    with tempfile.TemporaryDirectory(prefix="relay-") as name, socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(Path(name) / SOCKET))
        listener.listen(64)
        relay = CommitRelay(Path(name), server / SOCKET)
        thread = threading.Thread(target=relay.accept_all, args=(listener,))
        thread.start()
        try:
            yield relay
        finally:
            relay.close()
            thread.join()
