"""Process 1 of a box: answers the host's calls, one after the other, on the descriptors that it was started with."""

from __future__ import annotations

import ctypes
import errno
import os
import selectors
import signal
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from importlib import import_module
from typing import Any

from repo_tools.sandbox.box import children, commands, files, frames, syscalls
from repo_tools.sandbox.box.channel import Channel, InFile, OutFile, own_channel

PR_SET_DUMPABLE = 4  # linux/prctl.h


def part(name: str) -> Any:
    """A module that not every box needs: what it imports would double the time until a box is ready."""
    return import_module("repo_tools.sandbox.box." + name)


class Server:
    def __init__(self, channel: Channel) -> None:
        self._channel = channel
        self._trees: Any = None
        self._selector = selectors.DefaultSelector()
        self._relay: Any = None
        self._children = children.Children()
        self._processes: Any = None
        self._operations: dict[str, Callable[[dict[str, Any], Iterator[bytes], OutFile], Any]] = {
            "hello": self._hello,
            "exec": self._exec,
            "open_process": self._open_process,
            "send": self._send,
            "receive": self._receive,
            "exit_code": self._exit_code,
            "close_process": self._close_process,
            "read": self._read,
            "write": self._write,
            "delete": self._delete,
            "upload": self._upload,
            "download": self._download,
            "tree": self._tree,
            "stamps": self._stamps,
        }

    def serve(self) -> None:
        self._wake_on_child()
        self._selector.register(self._channel.source, selectors.EVENT_READ, self._during_command)
        while True:
            if self._processes:
                self._processes.watch(self._channel.source)
            frame = self._channel.receive()
            if frame.kind == frames.CALL:
                self._answer(frame.json())

    def _wake_on_child(self) -> None:
        """A child's end makes the selector return."""
        reader, writer = os.pipe2(os.O_CLOEXEC | os.O_NONBLOCK)
        signal.signal(signal.SIGCHLD, lambda _number, _frame: None)
        signal.set_wakeup_fd(writer, warn_on_full_buffer=False)
        self._selector.register(reader, selectors.EVENT_READ, lambda _mask: drain(reader))

    def _during_command(self, _mask: int) -> None:
        """While a command runs the host sends only what is for the relay, or nothing more at all."""
        frame = self._channel.receive()
        if self._relay and frame.stream != frames.CALL_STREAM:
            self._relay.take(frame)

    def _answer(self, call: dict[str, Any]) -> None:
        content, output = self._channel.incoming(), OutFile(self._channel)
        try:
            result = self._operations[call["operation"]](call, content, output)
            answer = frames.json_frame(frames.RESULT, result)
        except OSError as error:
            problem = {"errno": error.errno or errno.EIO, "message": error.strerror or str(error)}
            answer = frames.json_frame(frames.ERROR, problem)
        except ValueError as error:
            answer = frames.json_frame(frames.ERROR, {"errno": errno.EINVAL, "message": str(error)})
        for _rest in content:
            pass
        output.end(answer)

    def _hello(self, call: dict[str, Any], _content: Iterator[bytes], _output: OutFile) -> Any:
        children.limit(call["limits"])
        for path, content in call["files"].items():
            files.write(path, "100644", iter([content.encode()]))
        if call["relay"]:
            self._relay = part("relay").Relay(self._selector, self._channel.send)
            self._relay.listen()
        return {"python": sys.version.split()[0], "process": os.getpid()}

    def _exec(self, call: dict[str, Any], content: Iterator[bytes], output: OutFile) -> Any:
        stdin = list(content)
        result, parts = commands.run(call, stdin, self._children, self._selector)
        if self._relay:
            self._relay.close()
        for part in parts:
            output.write(part)
        return result

    def _opened(self) -> Any:
        self._processes = self._processes or part("processes").Processes(self._selector, self._children)
        return self._processes

    def _open_process(self, call: dict[str, Any], _content: Iterator[bytes], _output: OutFile) -> Any:
        return self._opened().open(call)

    def _send(self, call: dict[str, Any], content: Iterator[bytes], _output: OutFile) -> Any:
        self._opened().send(call, list(content))

    def _receive(self, call: dict[str, Any], content: Iterator[bytes], output: OutFile) -> Any:
        list(content)  # its end: from here on the channel is read beside the process
        output.write(self._opened().receive(call))

    def _exit_code(self, call: dict[str, Any], _content: Iterator[bytes], _output: OutFile) -> Any:
        return self._opened().exit_code(call)

    def _close_process(self, call: dict[str, Any], _content: Iterator[bytes], _output: OutFile) -> Any:
        self._opened().close(call)

    def _read(self, call: dict[str, Any], _content: Iterator[bytes], output: OutFile) -> Any:
        for chunk in files.read(call["path"], call["max_bytes"]):
            output.write(chunk)

    def _write(self, call: dict[str, Any], content: Iterator[bytes], _output: OutFile) -> Any:
        files.write(call["path"], call["mode"], content)

    def _delete(self, call: dict[str, Any], _content: Iterator[bytes], _output: OutFile) -> Any:
        files.delete(call["path"])

    def _upload(self, call: dict[str, Any], content: Iterator[bytes], _output: OutFile) -> Any:
        part("archive").unpack(InFile(content), call["path"])

    def _download(self, call: dict[str, Any], _content: Iterator[bytes], output: OutFile) -> Any:
        part("archive").pack(call["path"], output, call["under"])

    def _tree(self, call: dict[str, Any], _content: Iterator[bytes], output: OutFile) -> Any:
        self._trees = self._trees or part("tree").TreeReader()
        for line in self._trees.lines(call["path"], time.time_ns()):
            output.write(line)
        return {"hashed": self._trees.hashed}

    def _stamps(self, _call: dict[str, Any], content: Iterator[bytes], output: OutFile) -> Any:
        named = map(os.fsdecode, b"".join(content).split(b"\0")[:-1])
        for stamp in files.stamps(named):
            output.write(stamp + b"\0")


def drain(reader: int) -> None:
    with suppress(BlockingIOError):  # where a command may open it, that one can have been faster
        os.read(reader, 4096)


def hide() -> None:
    """Commands run as the same user; they may not open or trace anything of this process (descriptors, memory)."""
    if ctypes.CDLL(None, use_errno=True).prctl(PR_SET_DUMPABLE, 0, 0, 0, 0):
        raise OSError(ctypes.get_errno(), "prctl(PR_SET_DUMPABLE)")


def main() -> None:
    hide()
    syscalls.restrict()
    os.umask(0o022)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    Server(own_channel()).serve()
