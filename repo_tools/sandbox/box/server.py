"""Process 1 of a box: answers the host's calls, one after the other, on the descriptors that it was started with."""

from __future__ import annotations

import ctypes
import errno
import os
import resource
import selectors
import signal
import sys
import time
from collections.abc import Callable, Iterator
from importlib import import_module
from typing import Any

from repo_tools.sandbox.box import commands, files, frames, syscalls

HOME = "/tmp/home"  # noqa: S108 - inside of the box
PR_SET_DUMPABLE = 4  # linux/prctl.h


def part(name: str) -> Any:
    """A module that not every box needs: what it imports would double the time until a box is ready."""
    return import_module("repo_tools.sandbox.box." + name)


class Channel:
    """Frames over two descriptors. The host's end of input is the end of the box."""

    def __init__(self, source: int, sink: int) -> None:
        self.source = source
        self._sink = sink

    def receive(self) -> frames.Frame:
        return frames.read_frame(self._read_exactly)

    def _read_exactly(self, count: int) -> bytes:
        parts: list[bytes] = []
        while count:
            part = os.read(self.source, count)
            if not part:
                os._exit(0)
            parts.append(part)
            count -= len(part)
        return parts[0] if len(parts) == 1 else b"".join(parts)

    def send(self, frame: bytes) -> None:
        files.write_all(self._sink, frame)

    def incoming(self) -> Iterator[bytes]:
        """The content that follows a call, up to its end. What still comes for old connections is dropped."""
        while True:
            frame = self.receive()
            if frame.stream == frames.CALL_STREAM:
                if frame.kind == frames.END:
                    return
                yield frame.payload


class InFile:
    """`incoming` as a file to read from."""

    def __init__(self, chunks: Iterator[bytes]) -> None:
        self._chunks = chunks
        self._rest = b""

    def read(self, size: int) -> bytes:
        parts, missing = [], size
        while missing:
            if not self._rest:
                self._rest = next(self._chunks, b"")
            if not self._rest:
                break
            part, self._rest = self._rest[:missing], self._rest[missing:]
            parts.append(part)
            missing -= len(part)
        return b"".join(parts)


class OutFile:
    """A file to write to whose content goes to the host in DATA frames of a good size."""

    def __init__(self, channel: Channel) -> None:
        self._channel = channel
        self._waiting: list[bytes] = []
        self._waiting_bytes = 0

    def write(self, data: bytes) -> int:
        self._waiting.append(data)
        self._waiting_bytes += len(data)
        if self._waiting_bytes >= frames.CHUNK_BYTES:
            self.flush()
        return len(data)

    def flush(self) -> None:
        data = memoryview(b"".join(self._waiting))
        self._waiting, self._waiting_bytes = [], 0
        for start in range(0, len(data), frames.CHUNK_BYTES):
            chunk = data[start : start + frames.CHUNK_BYTES]
            self._channel.send(frames.encode(frames.DATA, frames.CALL_STREAM, bytes(chunk)))


class Server:
    def __init__(self, channel: Channel) -> None:
        self._channel = channel
        self._trees: Any = None
        self._selector = selectors.DefaultSelector()
        self._relay: Any = None
        self._limits: dict[str, int] = {}
        self._operations: dict[str, Callable[[dict[str, Any], Iterator[bytes], OutFile], Any]] = {
            "hello": self._hello,
            "exec": self._exec,
            "read": self._read,
            "write": self._write,
            "delete": self._delete,
            "upload": self._upload,
            "download": self._download,
            "tree": self._tree,
        }

    def serve(self) -> None:
        self._wake_on_child()
        self._selector.register(self._channel.source, selectors.EVENT_READ, self._during_command)
        while True:
            frame = self._channel.receive()
            if frame.kind == frames.CALL:
                self._answer(frame.json())

    def _wake_on_child(self) -> None:
        """A child's end makes the selector return."""
        reader, writer = os.pipe2(os.O_CLOEXEC | os.O_NONBLOCK)
        signal.signal(signal.SIGCHLD, lambda _number, _frame: None)
        signal.set_wakeup_fd(writer, warn_on_full_buffer=False)
        self._selector.register(reader, selectors.EVENT_READ, lambda _mask: os.read(reader, 4096))

    def _during_command(self, _mask: int) -> None:
        """While a command runs the host sends only what is for the relay, or nothing more at all."""
        frame = self._channel.receive()
        if self._relay and frame.stream != frames.CALL_STREAM:
            self._relay.take(frame)

    def _answer(self, call: dict[str, Any]) -> None:
        content, output = self._channel.incoming(), OutFile(self._channel)
        try:
            result = self._operations[call["operation"]](call, content, output)
            answer = frames.encode_json(frames.RESULT, result)
        except OSError as error:
            problem = {"errno": error.errno or errno.EIO, "message": error.strerror or str(error)}
            answer = frames.encode_json(frames.ERROR, problem)
        except ValueError as error:
            answer = frames.encode_json(frames.ERROR, {"errno": errno.EINVAL, "message": str(error)})
        for _rest in content:
            pass
        output.flush()
        self._channel.send(answer)

    def _hello(self, call: dict[str, Any], _content: Iterator[bytes], _output: OutFile) -> Any:
        self._limits = call["limits"]
        os.makedirs(HOME, mode=0o755, exist_ok=True)
        if call["relay"]:
            self._relay = part("relay").Relay(self._selector, self._channel.send)
            self._relay.listen()
        return {"python": sys.version.split()[0], "process": os.getpid()}

    def _exec(self, call: dict[str, Any], content: Iterator[bytes], output: OutFile) -> Any:
        stdin = list(content)
        result, parts = commands.run(call, stdin, self._limits, self._selector)
        if self._relay:
            self._relay.close()
        for part in parts:
            output.write(part)
        return result

    def _read(self, call: dict[str, Any], _content: Iterator[bytes], output: OutFile) -> Any:
        for chunk in files.read(call["path"], call["offset"], call["max_bytes"]):
            output.write(chunk)

    def _write(self, call: dict[str, Any], content: Iterator[bytes], _output: OutFile) -> Any:
        files.write(call["path"], call["mode"], content)

    def _delete(self, call: dict[str, Any], _content: Iterator[bytes], _output: OutFile) -> Any:
        files.delete(call["path"])

    def _upload(self, call: dict[str, Any], content: Iterator[bytes], _output: OutFile) -> Any:
        part("archive").unpack(InFile(content), call["path"])

    def _download(self, call: dict[str, Any], _content: Iterator[bytes], output: OutFile) -> Any:
        part("archive").pack(call["path"], output)

    def _tree(self, call: dict[str, Any], _content: Iterator[bytes], output: OutFile) -> Any:
        self._trees = self._trees or part("tree").TreeReader()
        for line in self._trees.lines(call["path"], time.time_ns()):
            output.write(line)
        return {"hashed": self._trees.hashed}


def hide() -> None:
    """Commands run as the same user; they may not open or trace anything of this process (descriptors, memory)."""
    if ctypes.CDLL(None, use_errno=True).prctl(PR_SET_DUMPABLE, 0, 0, 0, 0):
        raise OSError(ctypes.get_errno(), "prctl(PR_SET_DUMPABLE)")


def own_channel() -> Channel:
    """The channel on descriptors that no command inherits; 0 and 1 become ``/dev/null``."""
    source, sink = os.dup(0), os.dup(1)
    null = os.open("/dev/null", os.O_RDWR | os.O_CLOEXEC)
    os.dup2(null, 0)
    os.dup2(null, 1)
    return Channel(source, sink)


def raise_open_files() -> None:
    _soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))


def main() -> None:
    hide()
    syscalls.restrict()
    os.umask(0o022)
    raise_open_files()
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    Server(own_channel()).serve()
