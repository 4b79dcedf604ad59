"""Contents of git objects by their ids, from one ``git cat-file --batch-command``."""

import os
import select
import weakref
from collections.abc import Iterable, Iterator
from itertools import islice

from repo_tools.errors import RepoError, RepoUnavailableError
from repo_tools.git import LOCAL_SECONDS, Git, failure

_AHEAD = 256  # questions before the first answer is read: few enough never to fill the pipe
_CHUNK_BYTES = 1 << 16
MOST_READ_BYTES = 256 << 20
"""What one object may take of this process's memory. A small pack can hold one of any size."""


class ObjectReader:
    """One running ``git cat-file``, which ends with its reader at the latest. Not thread-safe. `close` is
    idempotent."""

    def __init__(self, git: Git) -> None:
        self._git = git.start("cat-file", "--batch-command", "--buffer")
        self._end = weakref.finalize(self, self._git.stop)
        self._buffer = bytearray()
        self._poll = select.poll()
        self._poll.register(self._git.stdout, select.POLLIN)

    def read(self, object_id: str) -> bytes:
        """The whole content of one object. RepoError where it is missing, damaged or larger than `MOST_READ_BYTES`."""
        self._ask("contents", [object_id])
        size = self._size()
        kept = b"".join(chunk for chunk in self._chunks(size) if size <= MOST_READ_BYTES)
        if size > MOST_READ_BYTES:
            raise RepoError(
                f"A file or a commit of the repository is larger than {MOST_READ_BYTES >> 20} MiB: it is not read."
            )
        return kept

    def stream(self, object_ids: Iterable[str]) -> Iterator[tuple[int, Iterator[bytes]]]:
        """(size, chunks) of each object in turn; the chunks are to be used up before the next one is asked for."""
        ids = iter(object_ids)
        waiting = self._ask("contents", islice(ids, _AHEAD))
        while waiting:
            size = self._size()
            yield size, self._chunks(size)
            waiting -= 1
            if waiting < _AHEAD // 2:
                waiting += self._ask("contents", islice(ids, _AHEAD // 2))

    def sizes(self, object_ids: Iterable[str]) -> Iterator[int | None]:
        """Bytes of each object, without reading it; None for one that is missing, as large ones are from some clones.
        To be used up before anything else is asked."""
        ids = iter(object_ids)
        while asked := self._ask("info", islice(ids, _AHEAD)):
            for _ in range(asked):
                words = self._header()
                yield int(words[2]) if len(words) == 3 else None

    def close(self) -> None:
        self._end()

    def _ask(self, question: str, object_ids: Iterable[str]) -> int:
        """How many were asked for."""
        asked = list(object_ids)
        try:
            self._git.stdin.write("".join(f"{question} {object_id}\n" for object_id in asked).encode() + b"flush\n")
            self._git.stdin.flush()
        except OSError as error:
            raise self._died() from error
        return len(asked)

    def _header(self) -> list[bytes]:
        """``<id> <type> <bytes>``, or ``<id> missing``."""
        while b"\n" not in self._buffer:
            self._fill()
        end = self._buffer.index(b"\n")
        words = bytes(self._buffer[:end]).split()
        del self._buffer[: end + 1]
        return words

    def _size(self) -> int:
        words = self._header()
        if len(words) != 3:
            raise RepoError(
                f"The repository has no object {words[0].decode(errors='replace')}: the clone is incomplete."
            )
        return int(words[2])

    def _chunks(self, size: int) -> Iterator[bytes]:
        left = size
        while left:
            if not self._buffer:
                self._fill()
            chunk = bytes(self._buffer[:left])
            del self._buffer[:left]
            left -= len(chunk)
            yield chunk
        while not self._buffer:
            self._fill()
        del self._buffer[:1]  # the newline after each object

    def _fill(self) -> None:
        if not self._poll.poll(LOCAL_SECONDS * 1000):
            self._git.stop()
            raise RepoUnavailableError(f"git cat-file took longer than {LOCAL_SECONDS:g} seconds.")
        chunk = os.read(self._git.stdout.fileno(), _CHUNK_BYTES)
        if not chunk:
            raise self._died()
        self._buffer += chunk

    def _died(self) -> RepoError:
        problems = b"" if self._git.stderr.closed else self._git.stderr.read()
        self._git.stop()
        return failure("cat-file", self._git.process.returncode, problems)


def exist(git: Git, object_ids: Iterable[str]) -> bool:
    """Whether the repository holds every one of `object_ids`; contents are not looked at."""
    question = "".join(f"{object_id}\n" for object_id in object_ids).encode()
    answer = git.run("cat-file", "--batch-check", "--buffer", stdin=question)
    return b" missing\n" not in answer
