"""Processes that go on between the calls: opened, written to, read, closed."""

from __future__ import annotations

import errno
import os
import select
import selectors
import time
from contextlib import suppress
from typing import Any

from repo_tools.sandbox.box import bounds, children, commands

MOST_PROCESSES = 8
LAST_SECONDS = 0.5
"""How long after the end of its output a process may take to end, to be known as ended."""


class OpenProcess:
    """One of them, by its descriptors; neither blocks."""

    def __init__(self, program: children.Program) -> None:
        """OSError, ValueError where it cannot be started."""
        input_reader, self.input = os.pipe2(os.O_CLOEXEC)
        self.output, output_writer = os.pipe2(os.O_CLOEXEC)
        try:
            self.pid = children.start(program, input_reader, output_writer)
        except BaseException:
            self.close()
            raise
        finally:
            os.close(input_reader)
            os.close(output_writer)
        os.set_blocking(self.input, False)
        os.set_blocking(self.output, False)

    def close(self) -> None:
        os.close(self.input)
        os.close(self.output)


class Processes:
    """The answers to the host's calls about them. While one is waited for, the selector's descriptors are served."""

    def __init__(self, selector: selectors.BaseSelector, everyone: children.Children) -> None:
        self._selector = selector
        self._children = everyone
        self._open: dict[int, OpenProcess] = {}
        self._last = 0
        self._bounds = bounds.Bounds()

    def watch(self, source: int) -> None:
        """Until there is something to read from `source`, the host's next call."""
        while self._open and not select.select([source], [], [], bounds.CHECK_SECONDS)[0]:
            self._settle()

    def open(self, call: dict[str, Any]) -> int:
        """Its number for the other calls."""
        if len(self._open) >= MOST_PROCESSES:
            raise OSError(errno.EMFILE, f"more than {MOST_PROCESSES} open processes")
        process = OpenProcess(commands.program(call))
        self._bounds = bounds.Bounds()  # of those that are there it may keep all
        self._children.keep(process.pid)
        self._last += 1
        self._open[self._last] = process
        return self._last

    def send(self, call: dict[str, Any], content: list[bytes]) -> None:
        sink = self._open[call["process"]].input
        deadline = time.monotonic() + call["timeout_seconds"]
        for chunk in content:
            rest = memoryview(chunk)
            while rest:
                try:
                    rest = rest[os.write(sink, rest) :]
                except BlockingIOError:
                    self._wait(sink, selectors.EVENT_WRITE, deadline)

    def receive(self, call: dict[str, Any]) -> bytes:
        process = self._open[call["process"]]
        deadline = time.monotonic() + call["timeout_seconds"]
        while True:
            self._settle()
            with suppress(BlockingIOError):
                data = os.read(process.output, commands.READ_BYTES)
                if not data:
                    self._await_end(process)
                return data
            self._wait(process.output, selectors.EVENT_READ, deadline)

    def exit_code(self, call: dict[str, Any]) -> int | None:
        self._settle()
        return self._children.exit_code_of(self._open[call["process"]].pid)

    def close(self, call: dict[str, Any]) -> None:
        process = self._open.pop(call["process"], None)
        if process:
            self._children.forget(process.pid)
            self._children.end_others()
            process.close()

    def _settle(self) -> None:
        """Where a process has ended, what descended from it ends too; where a bound was passed, all ends."""
        if self._bounds.passed(time.monotonic()):
            self._children.end_all()
        if any(self._children.exit_code_of(pid) is not None for pid, _code in self._children.reap()):
            self._children.end_others()

    def _await_end(self, process: OpenProcess) -> None:
        deadline = time.monotonic() + LAST_SECONDS
        while self._children.exit_code_of(process.pid) is None and time.monotonic() < deadline:
            time.sleep(children.PAUSE_SECONDS)
            self._settle()

    def _wait(self, descriptor: int, event: int, deadline: float) -> None:
        """Until `descriptor` is ready or a process ended. TimeoutError after the deadline."""
        remaining = deadline - time.monotonic()
        if remaining <= 0:
            raise OSError(errno.ETIMEDOUT, "the process was silent")
        self._selector.register(descriptor, event, lambda _mask: None)
        try:
            for key, mask in self._selector.select(min(remaining, bounds.CHECK_SECONDS)):
                key.data(mask)
        finally:
            self._selector.unregister(descriptor)
