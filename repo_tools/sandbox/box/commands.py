"""One command: started, watched, ended, and with it everything that it left running."""

from __future__ import annotations

import errno
import os
import resource
import selectors
import signal
import time
from collections import deque
from contextlib import suppress
from typing import Any

READ_BYTES = 1 << 16
TIMED_OUT = 124
NOT_EXECUTABLE = 126
NOT_FOUND = 127
VOLUMES = ("/workspace", "/env", "/tmp", "/dev/shm")  # noqa: S108 - the box's own
MOST_FILES = 262_144
"""Files and directories that a volume may hold; a large repository with its environment has some 100,000."""
CHECK_SECONDS = 0.25
LIMITS = {
    "open_files": resource.RLIMIT_NOFILE,
    "processes": resource.RLIMIT_NPROC,
    "file_bytes": resource.RLIMIT_FSIZE,
    "core_bytes": resource.RLIMIT_CORE,
}


class Output:
    """The first and the last half of `limit` bytes of a stream of any length."""

    def __init__(self, limit: int) -> None:
        self._head_room = limit - limit // 2
        self._tail_limit = limit // 2
        self._head: list[bytes] = []
        self._tail: deque[bytes] = deque()
        self._tail_bytes = 0
        self.dropped = 0

    def add(self, data: bytes) -> None:
        if self._head_room:
            self._head.append(data[: self._head_room])
            data = data[self._head_room :]
            self._head_room -= len(self._head[-1])
        if data:
            self._tail.append(data)
            self._tail_bytes += len(data)
            self._trim()

    def _trim(self) -> None:
        while self._tail_bytes > self._tail_limit:
            excess = self._tail_bytes - self._tail_limit
            first = self._tail.popleft()
            if len(first) > excess:
                self._tail.appendleft(first[excess:])
            cut = min(len(first), excess)
            self._tail_bytes -= cut
            self.dropped += cut

    def parts(self) -> list[bytes]:
        return self._head + list(self._tail)


def start(call: dict[str, Any], stdin: int, output: int, limits: dict[str, int]) -> int:
    """Fork and execute; the child's failure to start is its exit code and a line of its output."""
    child = os.fork()
    if child:
        return child
    try:
        prepare(call["cwd"], stdin, output, limits)
        os.execvpe(call["argv"][0], call["argv"], call["environment"])  # noqa: S606
    except OSError as error:
        os.write(2, os.fsencode(f"{call['argv'][0]}: {error.strerror}\n"))
        os._exit(NOT_FOUND if error.errno == errno.ENOENT else NOT_EXECUTABLE)
    finally:
        os._exit(NOT_EXECUTABLE)


def prepare(cwd: str, stdin: int, output: int, limits: dict[str, int]) -> None:
    """In the child: a session, descriptors and limits of its own; none of the server's."""
    os.setsid()
    os.dup2(stdin, 0)
    os.dup2(output, 1)
    os.dup2(output, 2)
    signal.set_wakeup_fd(-1)
    for number in (signal.SIGPIPE, signal.SIGXFSZ, signal.SIGCHLD, signal.SIGINT):
        signal.signal(number, signal.SIG_DFL)
    for name, value in limits.items():
        resource.setrlimit(LIMITS[name], (value, value))
    os.chdir(cwd)


class Watch:
    """Waits for the end of one command while the selector's other descriptors are served."""

    def __init__(self, selector: selectors.BaseSelector, child: int, pipe: int, output: Output) -> None:
        self._selector = selector
        self._child = child
        self._pipe = pipe
        self._output = output
        self.status: int | None = None
        self._most_files = {volume: max(MOST_FILES, files_on(volume)) for volume in VOLUMES}

    def run(self, deadline: float) -> bool:
        """False where the time was up first."""
        self._selector.register(self._pipe, selectors.EVENT_READ, self._drain_some)
        try:
            while self.status is None:
                remaining = deadline - time.monotonic()
                if remaining <= 0:
                    return False
                for key, mask in self._selector.select(min(remaining, CHECK_SECONDS)):
                    key.data(mask)
                self._reap()
                self._check_files()
        finally:
            if self._pipe in self._selector.get_map():
                self._selector.unregister(self._pipe)
        return True

    def _drain_some(self, _mask: int) -> None:
        data = os.read(self._pipe, READ_BYTES)
        if data:
            self._output.add(data)
        else:
            self._selector.unregister(self._pipe)

    def _reap(self) -> None:
        for pid, status in reaped():
            if pid == self._child:
                self.status = exit_code(status)

    def _check_files(self) -> None:
        """Volumes have sizes, but not on every engine a number of files, each of which takes kernel memory."""
        if self.status is None and any(files_on(volume) > most for volume, most in self._most_files.items()):
            self._output.add(b"\nkilled: more than %d files on one volume\n" % MOST_FILES)
            self.status = 128 + signal.SIGKILL

    def finish(self) -> None:
        """After `kill_all`: what is still in the pipe."""
        data = os.read(self._pipe, READ_BYTES)
        while data:
            self._output.add(data)
            data = os.read(self._pipe, READ_BYTES)


def files_on(volume: str) -> int:
    """Files and directories of the whole volume; 0 where nothing can be written."""
    try:
        state = os.statvfs(volume)
    except OSError:
        return 0
    return 0 if state.f_flag & os.ST_RDONLY else state.f_files - state.f_ffree


def reaped() -> list[tuple[int, int]]:
    """(pid, status) of every child that has ended."""
    ended: list[tuple[int, int]] = []
    while True:
        try:
            pid, status = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return ended
        if not pid:
            return ended
        ended.append((pid, status))


def exit_code(status: int) -> int:
    return 128 + os.WTERMSIG(status) if os.WIFSIGNALED(status) else os.WEXITSTATUS(status)


def kill_all() -> None:
    """Kill every process of the box but this one, process 1, to which all orphans fall; reap until none is left."""
    if os.getpid() != 1:
        raise RuntimeError("not process 1 of a box")
    while True:
        with suppress(ProcessLookupError):
            os.kill(-1, signal.SIGKILL)
        try:
            os.waitpid(-1, 0)
        except ChildProcessError:
            return


class Feed:
    """Writes a command's standard input as far as it is taken; a command that reads none of it is as good."""

    def __init__(self, selector: selectors.BaseSelector, sink: int, content: list[bytes]) -> None:
        self._selector = selector
        self._sink = sink
        self._content = deque(content)
        os.set_blocking(sink, False)
        selector.register(sink, selectors.EVENT_WRITE, self._write)

    def _write(self, _mask: int) -> None:
        if not self._content:
            self.close()
            return
        try:
            written = os.write(self._sink, self._content[0])
        except BrokenPipeError:
            self.close()
            return
        rest = self._content.popleft()[written:]
        if rest:
            self._content.appendleft(rest)

    def close(self) -> None:
        if self._sink >= 0:
            self._selector.unregister(self._sink)
            os.close(self._sink)
            self._sink = -1


def run(
    call: dict[str, Any],
    stdin: list[bytes],
    limits: dict[str, int],
    selector: selectors.BaseSelector,
) -> Any:
    """(result for the host, parts of the output)."""
    began = time.monotonic()
    output = Output(call["max_output_bytes"])
    output_reader, output_writer = os.pipe2(os.O_CLOEXEC)
    input_reader, input_writer = os.pipe2(os.O_CLOEXEC)
    feed = Feed(selector, input_writer, stdin)
    try:
        try:
            child = start(call, input_reader, output_writer, limits)
        finally:
            os.close(input_reader)
            os.close(output_writer)
        watch = Watch(selector, child, output_reader, output)
        in_time = watch.run(began + call["timeout_seconds"])
        kill_all()
        watch.finish()
    finally:
        feed.close()
        os.close(output_reader)
    code = watch.status if in_time else TIMED_OUT
    result = {"exit_code": code, "seconds": time.monotonic() - began, "timed_out": not in_time}
    return dict(result, truncated_bytes=output.dropped), output.parts()
