"""Ringing over Redis or Valkey in a few lines: Celery and its client would be a quarter of the web process's memory.

https://redis.io/docs/latest/develop/reference/protocol-spec/
"""

import socket
from urllib.parse import unquote, urlsplit

from workers.message import ANSWER_SECONDS, QUEUE, BrokerUnavailableError, redis_message


class RedisBell:
    """Connects anew for each call: runs are rare, and no old connection can be found dead."""

    def __init__(self, url: str) -> None:
        """`redis://[USER][:PASSWORD@]HOST[:PORT][/DATABASE]` or `redis+socket:///PATH`, as Celery understands them."""
        parts = urlsplit(url)
        self._path = unquote(parts.path) if parts.scheme == "redis+socket" else None
        self._address = (parts.hostname or "localhost", parts.port or 6379)
        self._greeting: list[tuple[bytes, ...]] = []
        if parts.password:
            names = (parts.username, parts.password) if parts.username else (parts.password,)
            self._greeting.append((b"AUTH", *(unquote(name).encode() for name in names)))
        database = parts.path.strip("/")
        if self._path is None and database:
            self._greeting.append((b"SELECT", database.encode()))

    def ring(self, run_id: str) -> None:
        """Tell the workers of a run. BrokerUnavailableError after about `ANSWER_SECONDS`."""
        self._send(b"LPUSH", QUEUE.encode(), redis_message(run_id))

    def answers(self) -> bool:
        try:
            self._send(b"PING")
        except BrokerUnavailableError:
            return False
        return True

    def _send(self, *command: bytes) -> None:
        commands = [*self._greeting, command]
        try:
            with self._connect() as connection, connection.makefile("rb") as replies:
                connection.sendall(b"".join(map(_encoded, commands)))
                for _ in commands:
                    _check(replies.readline(1024))
        except OSError as error:
            raise BrokerUnavailableError(type(error).__name__) from None

    def _connect(self) -> socket.socket:
        if self._path is None:
            return socket.create_connection(self._address, ANSWER_SECONDS)
        connection = socket.socket(socket.AF_UNIX)
        connection.settimeout(ANSWER_SECONDS)
        try:
            connection.connect(self._path)
        except OSError:
            connection.close()
            raise
        return connection


def _encoded(command: tuple[bytes, ...]) -> bytes:
    words = b"".join(b"$%d\r\n%b\r\n" % (len(word), word) for word in command)
    return b"*%d\r\n%b" % (len(command), words)


def _check(reply: bytes) -> None:
    """A status or a number is an answer to all that is asked here; of an error only its code is repeated."""
    if reply[:1] not in (b"+", b":") or not reply.endswith(b"\r\n"):
        raise BrokerUnavailableError(reply[1:].partition(b" ")[0].decode("ascii", "replace").strip() or "no answer")
