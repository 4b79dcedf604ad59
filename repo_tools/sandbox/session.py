"""One box, as a `Sandbox`, over the channel to its process 1. Backends differ only in how they start it.

A backend starts ``box_argv()`` as process 1 and gives a `Channel` to its standard input and output.
"""

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, BinaryIO, Self

from repo_tools.changes import FileMode, Tree, TreeEntry
from repo_tools.errors import SandboxError
from repo_tools.sandbox.box import frames, relay
from repo_tools.sandbox.contract import (
    ENVIRONMENT,
    HOME,
    SYSTEM_PATH,
    WORKSPACE,
    BoxProcess,
    BoxSpec,
    ExecResult,
)
from repo_tools.sandbox.egress import Egress
from repo_tools.sandbox.egress_dial import Dial, dial_outside
from repo_tools.sandbox.sealed_channel import Channel, SealedChannel
from repo_tools.sandbox.service_health import ServiceWatch
from repo_tools.sandbox.session_process import SessionProcess, chunks
from repo_tools.sandbox.source import boot_message

START_SECONDS = 60.0
FILE_SECONDS = 120.0
"""Longest silence while a file operation is under way."""
GRACE_SECONDS = 60.0

OWN_FILES = {f"{HOME}/.gitconfig": "[user]\n\tname = sandbox\n\temail = sandbox@localhost\n"}
"""Of the box's user, from the beginning: suites commit, as somebody who has told git a name once."""

PROXY = "http://{}:{}".format(*relay.ADDRESS)
PROXY_ENVIRONMENT = {
    name: PROXY for word in ("http_proxy", "https_proxy", "all_proxy") for name in (word, word.upper())
}


class BoxSession:
    """`Sandbox` over a `Channel`; ready for its first command when the constructor returns."""

    def __init__(
        self,
        channel: Channel,
        spec: BoxSpec,
        *,
        limit_processes: bool = False,
        search_path: str = SYSTEM_PATH,
        dial: Dial = dial_outside,
        grace_seconds: float = GRACE_SECONDS,
        watch: ServiceWatch | None = None,
    ) -> None:
        """`limit_processes`: set RLIMIT_NPROC, where the box's user is nobody else's. `search_path`: where the system's
        programs are in this box. `dial`: how the set-up phase's connections leave this machine.
        `grace_seconds`: how long the box may take beyond a command's time-out to kill it and answer. `watch`: over its
        services."""
        self._watch = watch or ServiceWatch()
        self._channel = SealedChannel(channel)
        self._closed = False
        self._grace_seconds = grace_seconds
        self._environment = {
            "PATH": f"{ENVIRONMENT}/venv/bin:{search_path}",
            "HOME": HOME,
            "LANG": "C.UTF-8",
        }
        self._egress = Egress(spec.allowed_hosts, self._channel.send, dial) if spec.allowed_hosts else None
        if self._egress:
            self._environment |= PROXY_ENVIRONMENT
        self._start(relay=self._egress is not None, limits=process_limits(spec, limit_processes))

    def _start(self, **settings: Any) -> None:
        try:
            self._channel.start(boot_message())
        except OSError as error:
            raise self._failed("at its start", error) from error
        self._call("hello", START_SECONDS, files=OWN_FILES, **settings)

    def exec(
        self,
        argv: Sequence[str],
        *,
        timeout_seconds: float,
        cwd: str = WORKSPACE,
        environment: Mapping[str, str] | None = None,
        stdin: bytes = b"",
        max_output_bytes: int = 200_000,
    ) -> ExecResult:
        output: list[bytes] = []
        result = self._call(
            "exec",
            timeout_seconds + self._grace_seconds,
            content=chunks(stdin),
            receive=output.append,
            argv=list(argv),
            cwd=cwd,
            environment={**self._environment, **(environment or {})},
            timeout_seconds=timeout_seconds,
            max_output_bytes=max_output_bytes,
        )
        return ExecResult(output=b"".join(output), **result)

    def open_process(
        self, argv: Sequence[str], *, cwd: str = WORKSPACE, environment: Mapping[str, str] | None = None
    ) -> BoxProcess:
        number = self._call(
            "open_process",
            FILE_SECONDS,
            argv=list(argv),
            cwd=cwd,
            environment={**self._environment, **(environment or {})},
        )
        return SessionProcess(self._call, number, self._grace_seconds)

    def read(self, path: str, *, max_bytes: int) -> bytes:
        content: list[bytes] = []
        self._call("read", FILE_SECONDS, receive=content.append, path=path, max_bytes=max_bytes)
        return b"".join(content)

    def write(self, path: str, content: bytes, mode: FileMode = FileMode.REGULAR) -> None:
        self._call("write", FILE_SECONDS, content=chunks(content), path=path, mode=str(mode))

    def delete(self, path: str) -> None:
        self._call("delete", FILE_SECONDS, path=path)

    def upload(self, tar: BinaryIO, to: str) -> None:
        content = iter(lambda: tar.read(frames.CHUNK_BYTES), b"")
        self._call("upload", FILE_SECONDS, content=content, path=to)

    def download(self, path: str, into: BinaryIO, under: str = "") -> None:
        self._call("download", FILE_SECONDS, receive=into.write, path=path, under=under)

    def tree(self, path: str = WORKSPACE) -> Tree:
        reader = TreeLines()
        self._call("tree", FILE_SECONDS, receive=reader.add, path=path)
        return reader.tree

    def stamps(self, paths: Sequence[str]) -> tuple[bytes, ...]:
        told: list[bytes] = []
        named = b"".join(os.fsencode(path) + b"\0" for path in paths)
        self._call("stamps", FILE_SECONDS, content=chunks(named), receive=told.append)
        return tuple(b"".join(told).split(b"\0")[:-1])

    def refused_hosts(self) -> tuple[str, ...]:
        return self._egress.refused_hosts() if self._egress else ()

    def service_notes(self) -> tuple[str, ...]:
        return self._watch.notes

    def silent_services(self) -> tuple[str, ...]:
        return self._watch.silent(self)

    def close(self) -> None:
        self._closed = True
        if self._egress:
            self._egress.close()
        self._channel.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self.close()

    def _call(
        self,
        operation: str,
        silence_seconds: float,
        *,
        content: Iterable[bytes] = (),
        receive: Callable[[bytes], object] | None = None,
        **arguments: Any,
    ) -> Any:
        """One question and its answer. OSError as the box reports it; SandboxError where the box itself failed, which
        then is closed."""
        if self._closed:
            raise SandboxError("the box is closed")
        try:
            self._ask(frames.json_frame(frames.CALL, {"operation": operation, **arguments}), content)
            answer = self._pump(silence_seconds, receive)
            value = answer.json()
        except (OSError, ValueError) as error:
            raise self._failed(f"during {operation}", error) from error
        if answer.kind == frames.ERROR:
            raise reported_error(value, arguments.get("path"))
        return value

    def _ask(self, call: frames.Frame, content: Iterable[bytes]) -> None:
        """Each frame goes with the one before it: pieces, not bytes, are what a channel makes one wait for."""
        last = call
        for chunk in content:
            self._channel.send(last)
            last = frames.Frame(frames.DATA, frames.CALL_STREAM, chunk)
        self._channel.send(last, frames.Frame(frames.END))

    def _failed(self, when: str, error: Exception) -> SandboxError:
        """What to raise for a box that broke; nothing is left of it."""
        try:
            return SandboxError(f"the box failed {when}: {self._channel.reason(error)}")
        finally:
            self.close()

    def _pump(self, silence_seconds: float, receive: Callable[[bytes], object] | None) -> frames.Frame:
        """Everything that the box sends until the call's answer."""
        while True:
            frame = self._channel.receive(silence_seconds)
            if frame.stream != frames.CALL_STREAM:
                self._relayed(frame)
            elif frame.kind in (frames.RESULT, frames.ERROR):
                return frame
            elif frame.kind == frames.DATA and receive is not None:
                receive(frame.payload)

    def _relayed(self, frame: frames.Frame) -> None:
        if self._egress is None:
            raise ValueError("a connection from a box that has no network")
        self._egress.handle(frame)


class TreeLines:
    """Collects what the box lists, in pieces that end anywhere."""

    def __init__(self) -> None:
        self.tree: dict[str, TreeEntry] = {}
        self._rest = b""

    def add(self, data: bytes) -> None:
        *lines, self._rest = (self._rest + data).split(b"\0")
        for line in lines:
            mode, blob, path = line.split(b" ", 2)
            self.tree[os.fsdecode(path)] = TreeEntry(FileMode(mode.decode()), blob.decode())


def process_limits(spec: BoxSpec, limit_processes: bool) -> dict[str, int]:
    """What each command gets as resource limits, by the names of `repo_tools.sandbox.box.children.LIMITS`."""
    limits = spec.limits
    largest = max(limits.workspace_bytes, limits.environment_bytes, limits.temporary_bytes)
    bounds = {"open_files": limits.open_files, "core_bytes": 0, "file_bytes": largest}
    return {**bounds, "processes": limits.processes} if limit_processes else bounds


def reported_error(problem: Mapping[str, Any], path: str | None) -> OSError:
    """OSError picks its subclass (FileNotFoundError, PermissionError, ...) by the number."""
    return OSError(problem["errno"], problem["message"], *([path] if path else []))
