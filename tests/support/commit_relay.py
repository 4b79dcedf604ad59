"""A way to a PostgreSQL server on which a COMMIT gets lost: the question or its answer, and the connection with it.

https://www.postgresql.org/docs/current/protocol-message-formats.html
"""

import socket
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path

from tests.support.relay import PIECE, relayed

COMMIT = b"Q\0\0\0\x0bCOMMIT\0"
SOCKET = ".s.PGSQL.5432"


class Lost(StrEnum):
    """What of a commit is lost."""

    QUESTION = "question"  # it takes no effect
    ANSWER = "answer"  # it took effect


class CommitRelay:
    """Carries everything, until it is told to lose a commit."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder  # the `host` of a database URL
        self._lock = threading.Lock()
        self._to_lose: tuple[int, Lost] | None = None

    def lose(self, what: Lost, number: int = 1) -> None:
        """Of the commit of this number, counted from here."""
        with self._lock:
            self._to_lose = (number, what)

    @property
    def waits(self) -> bool:
        """For a commit to lose."""
        return self._to_lose is not None

    def ends_with(self, piece: bytes, server: socket.socket) -> bool:
        """Whether a commit gets lost with this piece of a client's, and the connection with it."""
        lost = self._lost() if piece == COMMIT else None
        if lost is Lost.ANSWER:
            server.sendall(piece)
            server.recv(PIECE)
        return lost is not None

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
        relay = CommitRelay(Path(name))
        with relayed(listener, server / SOCKET, ends_with=relay.ends_with):
            yield relay
