"""Memory that belongs to no process, so that whoever adds up processes does not see it: what waits in unix sockets (for
TCP and UDP the kernel has bounds), System V's messages, and its segments that nobody has attached.

See sock_diag(7), linux/unix_diag.h, sysvipc(7), proc_sysvipc(5).
"""

from __future__ import annotations

import _socket  # what socket offers; importing that takes longer than a short command
import ctypes
import struct
from collections.abc import Iterator
from contextlib import suppress

MOST_BYTES = 256 << 20
MOST_SOCKETS = 65_536
"""Each takes some 2 KiB by itself."""
FEWEST_ORPHANS = 512
"""That may be in any case, however much each could hold: the outputs of children that have ended."""
USUAL_MOST_SENT = 212_992
"""net.core.wmem_max where it is not shown; a sender may have twice as much under way (socket(7), SO_SNDBUF)."""
NETLINK, RAW, SOCK_DIAG = 16, 3, 4
BY_FAMILY, DONE, DUMP, UNIX, QUEUES_TOO = 20, 3, 0x301, 1, 0x10
LISTENS, QUEUES = 10, 4
HEADER = struct.Struct("=IHHII")
QUESTION = struct.Struct("=BBHIIIII")
ANSWER = struct.Struct("=BBBBIII")
ATTRIBUTE = struct.Struct("=HHII")
ANSWER_BYTES = 1 << 16
REMOVE = 0  # IPC_RMID
UNTOLD = (OSError, LookupError, ValueError)
"""A kernel that is none of Linux's own may have no such file, or one that is written otherwise."""


class Unowned:
    """Looked at again and again."""

    def __init__(self) -> None:
        self._were_orphans = False

    def passed(self) -> bytes:
        """What was passed, in words for an output; empty where nothing was. What would outlive its makers goes then."""
        every = unix_sockets()
        sent = sent_by_unix_sockets()
        if sent is not None:
            if len(sent) > MOST_SOCKETS:
                return b"more than %d unix sockets" % MOST_SOCKETS
            # of those that a process closes meanwhile the first number has more, of those that it opens the last
            orphans = min(every, unix_sockets()) - len(sent)
            were, self._were_orphans = self._were_orphans, orphans > most_orphans()
            if were and self._were_orphans:  # clients that ended a moment ago have servers that read
                return b"more than %d unix sockets were closed whose data nobody takes" % most_orphans()
        return too_much(sum(sent or ()))


def too_much(waiting: int) -> bytes:
    messages = system_v("msg", "msqid", "cbytes")
    segments = system_v("shm", "shmid", "rss", nattch=0)
    if waiting + sum(messages.values()) + sum(segments.values()) <= MOST_BYTES:
        return b""
    for removing, found in (("msgctl", messages), ("shmctl", segments)):
        for number in found:
            getattr(ctypes.CDLL(None), removing)(number, REMOVE, None)
    return b"more than %d MiB in unix sockets and System V's messages and segments" % (MOST_BYTES >> 20)


def unix_sockets() -> int:
    """Of this network, with those that were closed while somebody may still take what they sent. 0 where the kernel
    does not tell."""
    with suppress(*UNTOLD), open("/proc/net/protocols", "rb") as file:
        return sum(int(line.split()[2]) for line in file if line.startswith(b"UNIX"))
    return 0


def most_orphans() -> int:
    most_sent = USUAL_MOST_SENT
    with suppress(*UNTOLD), open("/proc/sys/net/core/wmem_max", "rb") as file:
        most_sent = max(1, int(file.read()))
    return max(FEWEST_ORPHANS, MOST_BYTES // (2 * most_sent))


def sent_by_unix_sockets() -> list[int] | None:
    """For each open one the bytes that wait to be taken, no more of them than counts. None where the kernel does not
    tell: one without sock_diag for these, or one that refuses the question."""
    found: list[int] = []
    with suppress(OSError):
        asking = _socket.socket(NETLINK, RAW, SOCK_DIAG)
        try:
            asking.setblocking(False)
            body = QUESTION.pack(UNIX, 0, 0, 0xFFFFFFFF, 0, QUEUES_TOO, 0xFFFFFFFF, 0xFFFFFFFF)
            asking.send(HEADER.pack(HEADER.size + len(body), BY_FAMILY, DUMP, 1, 0) + body)
            while len(found) <= MOST_SOCKETS:
                for kind, answer in answers(asking.recv(ANSWER_BYTES)):
                    if kind != BY_FAMILY:
                        return found if kind == DONE else None
                    found.append(0 if ANSWER.unpack_from(answer)[2] == LISTENS else sent(answer[ANSWER.size :]))
            return found
        finally:
            asking.close()
    return None


def answers(data: bytes) -> Iterator[tuple[int, bytes]]:
    """(kind, content) of each in one piece of the kernel's."""
    start = 0
    while start + HEADER.size <= len(data):
        length, kind = HEADER.unpack_from(data, start)[:2]
        yield kind, data[start + HEADER.size : start + length]
        start += (max(length, HEADER.size) + 3) & ~3


def sent(attributes: bytes) -> int:
    start = 0
    while start + ATTRIBUTE.size <= len(attributes):
        length, kind, _taken, waiting = ATTRIBUTE.unpack_from(attributes, start)
        if kind == QUEUES:
            return int(waiting)
        start += (max(length, 4) + 3) & ~3
    return 0


def system_v(kind: str, number: str, size: str, **wanted: int) -> dict[int, int]:
    """Number -> bytes of each of this kind that the box has and is as `wanted`."""
    found: dict[int, int] = {}
    with suppress(*UNTOLD), open(f"/proc/sysvipc/{kind}", encoding="ascii") as file:
        names = file.readline().split()
        for line in file:
            each = dict(zip(names, line.split()))  # noqa: B905 - Python 3.9
            if all(int(each[name]) == value for name, value in wanted.items()):
                found[int(each[number])] = int(each[size])
    return found
