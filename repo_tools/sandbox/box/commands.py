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

from repo_tools.sandbox.box import bounds, children
from repo_tools.sandbox.box.output import Output

READ_BYTES = 1 << 16
MOST_PIPE_BYTES = 1 << 20
"""What a pipe holds at most, pipe(7)."""
TIMED_OUT = 124
NOT_EXECUTABLE = 126
NOT_FOUND = 127
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
        self._bounds = bounds.Bounds()

    def run(self, deadline: float) -> bool:
        """False where the time was up first."""
        self._selector.register(self._pipe, selectors.EVENT_READ, self._drain_some)
        try:
            while self.exit_code is None:
                now = time.monotonic()
                if now >= deadline:
                    return False
                for key, mask in self._selector.select(max(0.0, min(deadline, self._bounds.next_look) - now)):
                    key.data(mask)
                self._reap()
                if self.exit_code is None and (passed := self._bounds.passed(now)):
                    self._output.add(b"\nkilled: %s\n" % passed)
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
