"""Memory that belongs to no process, as a box's process 1 counts it."""

import socket
import struct
from collections.abc import Iterator

import pytest

from repo_tools.sandbox.box import unowned
from repo_tools.sandbox.box.unowned import Unowned, answers, sent_by_unix_sockets, system_v

MANY = 5_000


@pytest.fixture
def orphans(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many closed sockets the kernel counts, look by look, beside none that is open."""
    each: list[int] = []
    told = iter_twice(each)
    monkeypatch.setattr(unowned, "unix_sockets", lambda: next(told))
    monkeypatch.setattr(unowned, "sent_by_unix_sockets", lambda: [])
    return each


def iter_twice(each: list[int]) -> Iterator[int]:
    """A look counts at its beginning and at its end."""
    for number in each:
        yield from (number, number)


def test_sockets_whose_closed_ends_stay_are_too_many(orphans: list[int]) -> None:
    orphans += [MANY, MANY]
    bound = Unowned()
    assert bound.passed() == b""
    assert b"unix sockets were closed" in bound.passed()


def test_clients_that_ended_a_moment_ago_are_let_be(orphans: list[int]) -> None:
    orphans += [MANY, 0, MANY, 0]
    bound = Unowned()
    assert [bound.passed() for _ in orphans] == [b""] * 4


@pytest.mark.parametrize("counts", [(MANY, 0), (0, MANY)])
def test_sockets_that_close_or_open_while_they_are_counted_are_no_orphans(
    counts: tuple[int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    told = iter(counts * 3)
    monkeypatch.setattr(unowned, "unix_sockets", lambda: next(told))
    monkeypatch.setattr(unowned, "sent_by_unix_sockets", lambda: [])
    bound = Unowned()
    assert [bound.passed() for _ in range(3)] == [b""] * 3


def test_where_the_kernel_names_no_sockets_none_is_taken_for_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    """A kernel without sock_diag for unix sockets tells their number all the same."""
    monkeypatch.setattr(unowned, "unix_sockets", lambda: MANY)
    monkeypatch.setattr(unowned, "UNIX", 200)  # a family that no kernel has
    assert sent_by_unix_sockets() is None
    bound = Unowned()
    assert [bound.passed() for _ in range(3)] == [b""] * 3


def test_what_waits_in_open_sockets_is_counted() -> None:
    ours, theirs = socket.socketpair()
    with ours, theirs:
        before = sent_by_unix_sockets()
        ours.send(bytes(100_000))
        after = sent_by_unix_sockets()
    assert before is not None
    assert after is not None
    assert max(after) >= 100_000


def test_messages_of_one_answer_are_parted() -> None:
    data = struct.pack("=IHHII3s", 19, 20, 0, 0, 0, b"abc") + b"\0" + struct.pack("=IHHII", 16, 3, 0, 0, 0)
    assert list(answers(data)) == [(20, b"abc"), (3, b"")]


def test_a_table_that_is_written_otherwise_tells_nothing() -> None:
    """Process 1 would end with an error, and the box with it."""
    assert system_v("../meminfo", "shmid", "rss", nattch=0) == {}
    assert system_v("none", "shmid", "rss") == {}
