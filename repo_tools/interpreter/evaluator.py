"""Runs inside a box (Python 3.8 or later, standard library only): the interpreter that steps of code are given to.

`keeper` makes it by a fork, watches it, and makes another one where it ends.
"""

from __future__ import annotations

import ast
import json
import linecache
import mmap
import os
import resource
import signal
import sys
import traceback
import types
from contextlib import suppress
from typing import Any, TextIO

MOST_FRAMES = 100


class Evaluator:
    """One `__main__`, kept from step to step. `requests` and `answers` are descriptors: a line of JSON for each step,
    and an empty one once it has ended. What code prints goes to descriptors 1 and 2."""

    def __init__(self, requests: int, answers: int) -> None:
        self._requests = os.fdopen(requests, "rb")
        self._answers = answers
        self._process = os.getpid()
        self._main = types.ModuleType("__main__")
        self._running = False
        self._streams = (open_stream(1), open_stream(2))
        sys.modules["__main__"] = self._main
        signal.signal(signal.SIGINT, self._interrupted)

    def serve(self) -> None:
        """Until the keeper is gone. An interrupt that comes as a step ends is that step's."""
        for number, line in enumerate(iter(self._requests.readline, b""), 1):
            try:
                self._step(json.loads(line)["code"], f"<step {number}>")
            except KeyboardInterrupt:
                self._running = False
            os.write(self._answers, b"\n")

    def _step(self, code: str, name: str) -> None:
        """An exception that ends it is printed."""
        linecache.cache[name] = (len(code), None, code.splitlines(True), name)
        self._put_streams_back()
        try:
            self._running = True
            self._evaluate(code, name)
        except BaseException:  # noqa: BLE001 - whatever ends a step, the interpreter goes on
            self._running = False
            self._show_exception()
        self._running = False
        flush_streams()
        if os.getpid() != self._process:  # the code forked, and this is the child
            os._exit(0)

    def _evaluate(self, code: str, name: str) -> None:
        """As at the prompt: the value of a last expression is shown, and kept as ``_``."""
        tree = ast.parse(code, name)
        last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
        exec(compile(tree, name, "exec", dont_inherit=True), self._main.__dict__)  # noqa: S102 - what a box is for
        if isinstance(last, ast.Expr):
            value = eval(compile(ast.Expression(last.value), name, "eval", dont_inherit=True), self._main.__dict__)  # noqa: S307
            sys.displayhook(value)

    def _put_streams_back(self) -> None:
        """The step before may have put others in their place, or closed them."""
        out, err = self._streams
        self._streams = (open_stream(1) if out.closed else out, open_stream(2) if err.closed else err)
        sys.stdout, sys.stderr = self._streams

    def _show_exception(self) -> None:
        """Where people read it, whatever the code made of its streams and of its exceptions."""
        flush_streams()
        self._put_streams_back()
        try:
            print_exception()
        except BaseException:  # noqa: BLE001 - it may run the code's own methods, or find no memory
            os.write(2, b"[an exception that cannot be shown]\n")

    def _interrupted(self, _number: int, _frame: Any) -> None:
        if self._running:
            raise KeyboardInterrupt


def print_exception() -> None:
    """The traceback, without the frames of this file; its last ones, where there are very many."""
    kind, error, trace = sys.exc_info()
    while trace is not None and not trace.tb_frame.f_code.co_filename.startswith("<step "):
        trace = trace.tb_next
    last = trace
    while last is not None and last.tb_next is not None:
        if last.tb_next.tb_frame.f_code is Evaluator._interrupted.__code__:
            last.tb_next = None
        last = last.tb_next
    traceback.print_exception(kind, error, trace, limit=-MOST_FRAMES)


def open_stream(descriptor: int) -> TextIO:
    return open(descriptor, "w", encoding="utf-8", errors="backslashreplace", buffering=1, closefd=False)


def flush_streams() -> None:
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except Exception:  # noqa: BLE001, S112 - they may be the code's own
            continue


def limit_memory(most_bytes: int) -> None:
    """Of what is written to; where the kernel counts that for no mapping, as gVisor's, of all that is mapped."""
    resource.setrlimit(resource.RLIMIT_DATA, (most_bytes, most_bytes))
    with suppress(OSError):
        mmap.mmap(-1, most_bytes, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS).close()
        resource.setrlimit(resource.RLIMIT_AS, (most_bytes, most_bytes))


def be_interpreter(requests: int, answers: int, output: int, memory_bytes: int) -> None:
    """In the keeper's child: never returns. Whoever asks for more than `memory_bytes` gets a MemoryError."""
    os.setsid()
    os.dup2(output, 1)
    os.dup2(output, 2)
    limit_memory(memory_bytes)
    sys.dont_write_bytecode = True
    sys.argv = [""]
    sys.path.insert(0, os.getcwd())
    Evaluator(requests, answers).serve()
    os._exit(0)
