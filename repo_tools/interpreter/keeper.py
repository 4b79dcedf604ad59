"""Runs inside a box (Python 3.8 or later, standard library only): keeps an interpreter, and outlives it.

It reads lines of JSON from its standard input: first the settings, then steps; each step is answered by one line on its
standard output. What code prints goes through a pipe of its own: the first and the last half of the limit are kept. A
step that takes too long is interrupted as by Ctrl-C, again each second, and killed where that does not help.
"""

from __future__ import annotations

import json
import os
import selectors
import signal
import sys
import time
from collections import deque
from typing import Any

READ_BYTES = 1 << 16
DRAIN_BYTES = 1 << 20
CHECK_SECONDS = 0.05
INTERRUPT_SECONDS = 1.0


class Kept:
    """The first and the last half of `limit` bytes."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._head = b""
        self._tail: deque[bytes] = deque()
        self._tail_bytes = 0
        self._dropped = 0

    def add(self, data: bytes) -> None:
        room = self._limit - self._limit // 2 - len(self._head)
        self._head += data[:room]
        if rest := data[room:]:
            self._tail.append(rest)
            self._tail_bytes += len(rest)
        while self._tail and self._tail_bytes - len(self._tail[0]) > self._limit // 2:
            self._drop(len(self._tail[0]))

    def take(self) -> str:
        """All of it as text, with a note of what was cut from the middle; empty from here on."""
        self._drop(max(0, self._tail_bytes - self._limit // 2))
        note = b"\n[... %d bytes cut here ...]\n" % self._dropped if self._dropped else b""
        text = (self._head + note + b"".join(self._tail)).decode("utf-8", "replace")
        self.__init__(self._limit)  # type: ignore[misc]
        return text

    def _drop(self, count: int) -> None:
        while count:
            first = self._tail.popleft()
            cut = min(count, len(first))
            if cut < len(first):
                self._tail.appendleft(first[cut:])
            self._tail_bytes -= cut
            self._dropped += cut
            count -= cut


class Interpreter:
    """The child and its pipes. `ended` is its exit code (128 + signal number), None while it lives."""

    def __init__(self, settings: dict[str, Any], own: tuple[int, ...]) -> None:
        """`own`: the keeper's descriptors, which code does not get."""
        requests, self.requests = os.pipe()
        self.answers, answers = os.pipe()
        self.output, output = os.pipe()
        self.ended: int | None = None
        self._process = os.fork()
        if not self._process:
            namespace: dict[str, Any] = {"__name__": "evaluator"}
            exec(compile(settings["evaluator"], "<evaluator>", "exec"), namespace)  # noqa: S102 - ours
            for descriptor in (self.requests, self.answers, self.output, *own):
                os.close(descriptor)
            namespace["be_interpreter"](requests, answers, output, settings["memory_bytes"])
        for descriptor in (requests, answers, output):
            os.close(descriptor)
        os.set_blocking(self.output, False)

    def look(self) -> None:
        if self.ended is None:
            process, status = os.waitpid(self._process, os.WNOHANG)
            if process:
                self.ended = 128 + os.WTERMSIG(status) if os.WIFSIGNALED(status) else os.WEXITSTATUS(status)

    def signal(self, number: int) -> None:
        """To it and to what it started in its own group, which may outlive it."""
        try:
            os.killpg(self._process, number)
        except ProcessLookupError:
            if self.ended is None:  # it has not come to make its group
                os.kill(self._process, number)

    def kill(self) -> None:
        self.signal(signal.SIGKILL)
        while self.ended is None:
            self.look()
            time.sleep(CHECK_SECONDS / 10)

    def close(self) -> None:
        for descriptor in (self.requests, self.answers, self.output):
            os.close(descriptor)


class Keeper:
    def __init__(self, source: int, sink: int) -> None:
        self._source = os.fdopen(source, "rb", buffering=0)
        self._sink = sink
        self._settings = json.loads(self._source.readline())
        self._kept = Kept(self._settings["max_output_bytes"])
        self._interpreter: Interpreter | None = None

    def serve(self) -> None:
        while True:
            self._wait_for_request()
            line = self._source.readline()
            if not line:
                return
            answer = json.dumps(self._step(json.loads(line))).encode("ascii") + b"\n"
            while answer:
                answer = answer[os.write(self._sink, answer) :]

    def _wait_for_request(self) -> None:
        """What threads print between two steps is taken meanwhile, so that they do not stand still."""
        with selectors.DefaultSelector() as selector:
            selector.register(self._source, selectors.EVENT_READ)
            if self._interpreter is not None:
                selector.register(self._interpreter.output, selectors.EVENT_READ)
            while True:
                ready = [key.fileobj for key, _ in selector.select()]
                if self._source in ready:
                    return
                if self._interpreter is not None and not self._drain(self._interpreter):
                    selector.unregister(self._interpreter.output)

    def _step(self, request: dict[str, Any]) -> dict[str, Any]:
        if self._interpreter is not None:
            self._interpreter.look()
            if self._interpreter.ended is not None:
                self._drain(self._interpreter)
                self._forget()
        fresh = self._interpreter is None
        if self._interpreter is None:
            self._interpreter = Interpreter(self._settings, (self._source.fileno(), self._sink))
        interpreter = self._interpreter
        timed_out = self._run(interpreter, request)
        self._drain(interpreter)
        ended = interpreter.ended
        if ended is not None:
            self._forget()
        return {"output": self._kept.take(), "timed_out": timed_out, "fresh": fresh, "ended": ended}

    def _run(self, interpreter: Interpreter, request: dict[str, Any]) -> bool:
        """Until the step or the interpreter ends; whether the time was up."""
        deadline = time.monotonic() + request["timeout_seconds"]
        kill_at = deadline + self._settings["grace_seconds"]
        interrupt_at, timed_out = deadline, False
        send(interpreter.requests, json.dumps({"code": request["code"]}).encode("ascii") + b"\n")
        with selectors.DefaultSelector() as selector:
            selector.register(interpreter.answers, selectors.EVENT_READ)
            selector.register(interpreter.output, selectors.EVENT_READ)
            while interpreter.ended is None:
                ready = [key.fd for key, _ in selector.select(CHECK_SECONDS)]
                if interpreter.output in ready and not self._drain(interpreter):
                    selector.unregister(interpreter.output)
                if interpreter.answers in ready:
                    if os.read(interpreter.answers, READ_BYTES):
                        return timed_out
                    selector.unregister(interpreter.answers)
                interpreter.look()
                now = time.monotonic()
                if now >= kill_at:
                    interpreter.kill()
                elif now >= interrupt_at:
                    timed_out, interrupt_at = True, now + INTERRUPT_SECONDS
                    interpreter.signal(signal.SIGINT)
        return timed_out

    def _drain(self, interpreter: Interpreter) -> bool:
        """Take what was printed, but not for ever; False where nobody can print any more."""
        taken = 0
        while taken < DRAIN_BYTES:
            try:
                data = os.read(interpreter.output, READ_BYTES)
            except BlockingIOError:
                return True
            if not data:
                return False
            self._kept.add(data)
            taken += len(data)
        return True

    def _forget(self) -> None:
        if self._interpreter is not None:
            self._interpreter.signal(signal.SIGKILL)
            self._interpreter.close()
            self._interpreter = None


def send(descriptor: int, data: bytes) -> None:
    try:
        while data:
            data = data[os.write(descriptor, data) :]
    except BrokenPipeError:  # it died just now, which `look` finds
        pass


def own_channel() -> tuple[int, int]:
    """Standard input and output, on descriptors that no code inherits; 0 to 2 lead nowhere."""
    source, sink = os.dup(0), os.dup(1)
    null = os.open(os.devnull, os.O_RDWR)
    for standard in (0, 1, 2):
        os.dup2(null, standard)
    return source, sink


def main() -> None:
    signal.signal(signal.SIGPIPE, signal.SIG_IGN)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    sys.dont_write_bytecode = True
    Keeper(*own_channel()).serve()


if __name__ == "__main__":
    main()
