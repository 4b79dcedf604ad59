"""One command: started, watched, ended, and with it everything that it left running."""

from __future__ import annotations

import os
import pwd
import selectors
import time
from collections import deque
from contextlib import suppress
from functools import lru_cache
from typing import Any

from repo_tools.sandbox.box import children
from repo_tools.sandbox.box.output import Output

READ_BYTES = 1 << 16
MOST_PIPE_BYTES = 1 << 20
"""What a pipe holds at most, pipe(7)."""
TIMED_OUT = 124
NOT_EXECUTABLE = 126
NOT_FOUND = 127
VOLUMES = ("/workspace", "/env", "/tmp", "/var/tmp", "/box", "/dev/shm")  # noqa: S108 - the box's own
MOST_FILES = 262_144
"""Files and directories that a volume may hold; a large repository with its environment has some 100,000."""
CHECK_SECONDS = 0.25
NAMELESS = "sandbox"


class Watch:
    """Waits for the end of one command while the selector's other descriptors are served."""

    def __init__(
        self, selector: selectors.BaseSelector, processes: children.Children, child: int, pipe: int, output: Output
    ) -> None:
        self._selector = selector
        self._processes = processes
        self._child = child
        self._pipe = pipe
        self._output = output
        self.exit_code: int | None = None
        self._files = FileCount()

    def run(self, deadline: float) -> bool:
        """False where the time was up first."""
        self._selector.register(self._pipe, selectors.EVENT_READ, self._drain_some)
        try:
            while self.exit_code is None:
                now = time.monotonic()
                if now >= deadline:
                    return False
                for key, mask in self._selector.select(max(0.0, min(deadline, self._files.next_look) - now)):
                    key.data(mask)
                self._reap()
                if self.exit_code is None and self._files.is_passed(now):
                    self._output.add(b"\nkilled: more than %d files on one volume\n" % MOST_FILES)
                    self.exit_code = children.KILLED
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
        for pid, code in self._processes.reap():
            if pid == self._child:
                self.exit_code = code

    def finish(self) -> None:
        """After the end of all that could write it: what is still in the pipe, and not what a kept process, which may
        have opened it by its name in /proc, goes on to write."""
        os.set_blocking(self._pipe, False)
        left = MOST_PIPE_BYTES
        with suppress(BlockingIOError):
            while left > 0 and (data := os.read(self._pipe, READ_BYTES)):
                self._output.add(data)
                left -= len(data)


class FileCount:
    """Volumes have sizes, but not on every engine a number of files, each of which takes kernel memory."""

    def __init__(self) -> None:
        self._most = {volume: max(MOST_FILES, files_on(volume)) for volume in own_volumes()}
        self.next_look = time.monotonic() + CHECK_SECONDS

    def is_passed(self, now: float) -> bool:
        """Looked at now and then."""
        if now < self.next_look:
            return False
        self.next_look = now + CHECK_SECONDS
        return any(files_on(volume) > most for volume, most in self._most.items())


@lru_cache
def own_volumes() -> tuple[str, ...]:
    """Those that this box has for itself and can write; that stays as it is. gVisor tells of neither by the flags, but
    counts the host's files in its root."""
    return tuple(volume for volume in VOLUMES if is_own_volume(volume))


def is_own_volume(volume: str) -> bool:
    try:
        of_root = os.stat(volume).st_dev == os.stat("/").st_dev
        return not of_root and not os.statvfs(volume).f_flag & os.ST_RDONLY
    except OSError:
        return False


def files_on(volume: str) -> int:
    """Files and directories of the whole volume."""
    state = os.statvfs(volume)
    return state.f_files - state.f_ffree


class Feed:
    """Writes a command's standard input as far as it is taken; a command that reads none of it is as good."""

    def __init__(self, selector: selectors.BaseSelector, sink: int, content: list[bytes]) -> None:
        self._selector = selector
        self._sink = sink
        self._content = deque(content)
        if content:
            os.set_blocking(sink, False)
            selector.register(sink, selectors.EVENT_WRITE, self._write)
        else:
            os.close(sink)
            self._sink = -1

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
    call: dict[str, Any], stdin: list[bytes], processes: children.Children, selector: selectors.BaseSelector
) -> Any:
    """(result for the host, parts of the output)."""
    began = time.monotonic()
    output = Output(call["max_output_bytes"])
    code = attend(call, stdin, processes, selector, output)
    seconds = time.monotonic() - began
    result = {"exit_code": TIMED_OUT if code is None else code, "timed_out": code is None, "seconds": seconds}
    return result, output.parts()


def attend(
    call: dict[str, Any],
    stdin: list[bytes],
    processes: children.Children,
    selector: selectors.BaseSelector,
    output: Output,
) -> int | None:
    """The exit code; None where the time was up first."""
    deadline = time.monotonic() + call["timeout_seconds"]
    output_reader, output_writer = os.pipe2(os.O_CLOEXEC)
    input_reader, input_writer = os.pipe2(os.O_CLOEXEC)
    feed = Feed(selector, input_writer, stdin)
    try:
        try:
            child = children.start(program(call), input_reader, output_writer)
        except (OSError, ValueError) as error:
            return failed_to_start(call["argv"][0], error, output)
        finally:
            os.close(input_reader)
            os.close(output_writer)
        watch = Watch(selector, processes, child, output_reader, output)
        in_time = watch.run(deadline)
        processes.end_others()
        watch.finish()
        return watch.exit_code if in_time else None
    finally:
        feed.close()
        os.close(output_reader)


def program(call: dict[str, Any]) -> children.Program:
    return children.Program(call["argv"], call["cwd"], {**own_name(), **call["environment"]})


@lru_cache
def own_name() -> dict[str, str]:
    """The variables by which a session knows its user; an image that somebody made may know no name for it."""
    try:
        name = pwd.getpwuid(os.getuid()).pw_name
    except KeyError:
        name = NAMELESS
    return {"USER": name, "LOGNAME": name}


def failed_to_start(name: str, error: Exception, output: Output) -> int:
    """A command that is not there, or is none, is a command that failed, as a shell would tell it."""
    problem = error.strerror if isinstance(error, OSError) else str(error)
    output.add(os.fsencode(f"{name}: {problem}\n"))
    return NOT_FOUND if isinstance(error, FileNotFoundError) else NOT_EXECUTABLE
