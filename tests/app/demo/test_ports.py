"""A port that is kept for a process still to start."""

import socket

import pytest

from app.demo.ports import held_port

MANY = 5000  # of some thirty thousand ports: each of fifty would be met once in six times


def test_a_process_that_is_told_of_a_held_port_listens_there() -> None:
    with held_port() as held:
        with pytest.raises(ConnectionRefusedError):
            socket.create_connection(held.getsockname())
        with socket.create_server(held.getsockname()) as server:
            socket.create_connection(held.getsockname()).close()
            assert server.getsockname() == held.getsockname()


def test_whoever_asks_for_any_port_is_given_another() -> None:
    held = [held_port() for _ in range(50)]
    given = {any_port() for _ in range(MANY)}
    assert given.isdisjoint(one.getsockname()[1] for one in held)
    for one in held:
        one.close()


def any_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port: int = server.getsockname()[1]
        return port
