"""Facts by children: each reads contents from a pipe and answers with facts, within limits of time and memory.

Not multiprocessing: its children import the program's main module again, and a pool waits for ever for a child that
was killed. What a hostile file does to a grammar happens in a child alone: the kernel ends it at the limit, which costs
ordinary files nothing, and its batch is read again file by file, so that the one file is known by its words alone.
"""

import marshal
import selectors
import subprocess
import sys
import weakref
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO, Self, cast

from repo_tools.repo_map.facts import Detail, Facts, detail, extract

Entry = tuple[str, str, bytes]
"""(key, language, content) of one file."""

Extracted = tuple[str, Facts | None, Detail | None]
"""The key, and what was asked for."""

BATCH_SECONDS, FILE_SECONDS = 10, 3
"""Processor time for a batch, and for a file on its own: twenty times what ordinary ones take, and more."""

MAX_SLOW = 10
"""So many files that took too long, and no grammar reads any more in this run: the time is bounded as a whole."""

_HEADER_BYTES = 8
_PROGRAM = """\
import sys
sys.path[:] = sys.argv[1:]
from repo_tools.repo_map.extracting import main
main()
"""
_ROOT = str(Path(__file__).parents[2])
_WITHOUT_GRAMMAR = ""


def read_here(entry: Entry, in_detail: bool) -> Extracted:
    """In this process, without limits."""
    key, language, content = entry
    return (key, None, detail(language, content)) if in_detail else (key, *extract(language, content))


class Extractors:
    """At most `processes` children at once, each started when there is work for it at the latest. They wait for more
    until `end`, after which others are started. The limits are whole seconds of processor time, rounded up."""

    def __init__(
        self,
        processes: int,
        *,
        batch_seconds: int = BATCH_SECONDS,
        file_seconds: int = FILE_SECONDS,
    ) -> None:
        self._processes = processes
        self._batch_seconds = batch_seconds
        self._file_seconds = file_seconds
        self._idle: list[_Child] = []
        self._working: dict[_Child, Sequence[Entry]] = {}
        self._slow = 0
        self._in_detail = False
        self._last = weakref.finalize(self, _end_all, self._idle, self._working)

    def start(self) -> None:
        """All of the children, before there is work for them: they import while it is read."""
        while len(self._idle) + len(self._working) < self._processes:
            self._idle.append(_Child())

    def extract(self, batches: Iterable[Sequence[Entry]], *, in_detail: bool = False) -> Iterator[list[Extracted]]:
        """The facts of each batch, or the details, in the order in which they are ready."""
        rest = iter(batches)
        self._in_detail, self._slow = in_detail, 0
        answers: list[list[Extracted]] = []
        with selectors.DefaultSelector() as ready:
            upcoming = next(rest, None)
            while upcoming is not None or self._working:
                while upcoming is not None and len(self._working) < self._processes:
                    self._give(upcoming, ready)
                    upcoming = next(rest, None)
                yield from answers  # stored while the children work
                answers = [self._answer(key.fileobj, key.data, ready) for key, _ in ready.select()]
        yield from answers

    def _give(self, batch: Sequence[Entry], ready: selectors.BaseSelector) -> None:
        child = self._idle.pop() if self._idle else _Child()
        self._working[child] = batch
        ready.register(child.output, selectors.EVENT_READ, child)
        child.give(self._batch_seconds, self._in_detail, batch)

    def _answer(self, output: object, child: "_Child", ready: selectors.BaseSelector) -> list[Extracted]:
        ready.unregister(cast(IO[bytes], output))
        batch = self._working.pop(child)
        found = child.answer()
        if found is not None:
            self._idle.append(child)
            return found
        child.end()
        return [self._alone(entry) for entry in batch]

    def _alone(self, entry: Entry) -> Extracted:
        if self._slow < MAX_SLOW:
            child = _Child()
            child.give(self._file_seconds, self._in_detail, [entry])
            found = child.answer()
            child.end()
            if found is not None:
                return found[0]
            self._slow += 1
        return _without_grammar(entry, self._in_detail)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self.end()

    def end(self) -> None:
        """Of the children. Idempotent."""
        _end_all(self._idle, self._working)


def _end_all(idle: list["_Child"], working: dict["_Child", Sequence[Entry]]) -> None:
    for child in (*idle, *working):
        child.end()
    idle.clear()
    working.clear()


def _without_grammar(entry: Entry, in_detail: bool) -> Extracted:
    key, _, content = entry
    facts = None if in_detail else extract(_WITHOUT_GRAMMAR, content)[0]
    return key, facts, detail(_WITHOUT_GRAMMAR, content)._replace(is_slow=True)


class _Child:
    """A process of `extracting`. It has no interest in site-packages' start-up files: they take longer than a batch."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-S", "-E", "-c", _PROGRAM, _ROOT, *sys.path],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,  # what a grammar's allocator says before it aborts
            cwd="/",
        )
        self._input = cast(IO[bytes], self._process.stdin)
        self.output = cast(IO[bytes], self._process.stdout)

    def give(self, seconds: int, in_detail: bool, batch: Sequence[Entry]) -> None:
        message = marshal.dumps((seconds, in_detail, list(batch)))
        with suppress(BrokenPipeError):  # its output ends too: there is no answer
            self._input.write(len(message).to_bytes(_HEADER_BYTES, "big") + message)
            self._input.flush()

    def answer(self) -> list[Extracted] | None:
        """None where it died."""
        header = self.output.read(_HEADER_BYTES)
        size = int.from_bytes(header, "big")
        answer = self.output.read(size)
        if not header or len(answer) < size:
            return None
        rows = marshal.loads(answer)  # noqa: S302 - our own child's
        return [(key, facts and Facts(*facts), found and Detail(*found)) for key, facts, found in rows]

    def end(self) -> None:
        self._process.kill()
        self._process.wait()
        for stream in (self._input, self.output):
            with suppress(BrokenPipeError):
                stream.close()
