"""Runs inside of a box, as text that is given to its Python: waits until the servers on its loopback interface answer,
each in its own protocol, and writes what is still missing after the last look as JSON.

Its arguments: ``[[kind, port], ...]`` as JSON, and for how many seconds to look.
"""

import json
import socket
import struct
import sys
import time

STEP_SECONDS = 0.02
ANSWER_SECONDS = 2.0
STARTUP = b"user\0agent-fix\0database\0postgres\0\0"
GREETINGS = {
    "postgresql": struct.pack("!ii", 8 + len(STARTUP), 196608) + STARTUP,
    "mysql": b"",
    "mariadb": b"",
    "redis": b"PING\r\n",
    "rabbitmq": b"AMQP\0\0\x09\x01",
}
"""What a client says first."""


def is_ready(kind: str, answer: bytes) -> bool:
    """PostgreSQL: protocol 3.0, a request for a password, or any refusal but "starting up" (57P03). MySQL: an initial
    handshake, whose fifth byte is the protocol's version, 10. Redis: anything but that it still loads its data.
    RabbitMQ: AMQP 0-9-1, a method frame."""
    if kind == "postgresql":
        return answer[:1] == b"R" or (answer[:1] == b"E" and b"C57P03\0" not in answer)
    if kind in ("mysql", "mariadb"):
        return answer[4:5] == b"\x0a"
    if kind == "redis":
        return answer[:5] in (b"+PONG", b"-NOAU")
    return answer[:1] == b"\x01"


def problem(kind: str, port: int) -> str:
    """Why the server does not answer yet; empty where it does."""
    try:
        with socket.create_connection(("127.0.0.1", port), ANSWER_SECONDS) as connection:
            connection.settimeout(ANSWER_SECONDS)
            connection.sendall(GREETINGS[kind])
            answer = connection.recv(4096)
    except OSError as error:
        return error.strerror or str(error)
    return "" if is_ready(kind, answer) else f"does not answer as {kind} does: {answer[:80]!r}"


def look(wanted: "list[tuple[str, int]]", seconds: float) -> "dict[int, str]":
    """Port -> problem, of those that do not answer in time."""
    deadline = time.monotonic() + seconds
    while True:
        problems = {port: problem(kind, port) for kind, port in wanted}
        wanted = [(kind, port) for kind, port in wanted if problems[port]]
        if not wanted or time.monotonic() > deadline:
            return {port: problems[port] for _kind, port in wanted}
        time.sleep(STEP_SECONDS)


def main(arguments: "list[str]") -> None:
    sys.stdout.write(json.dumps(look(json.loads(arguments[0]), float(arguments[1]))))


if __name__ == "__main__":
    main(sys.argv[1:])
