"""A `Sandbox` that is a plain folder on this machine, for tests of what works on boxes. It contains nothing: only
commands of the test's own go in."""

import errno
import os
import shutil
import signal
import socket
import subprocess
import tarfile
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path, PurePosixPath
from typing import BinaryIO, Self

from repo_tools.changes import FileMode, Tree, TreeEntry, blob_id
from repo_tools.sandbox.contract import (
    ENVIRONMENT,
    UNTOLD,
    WORKSPACE,
    BoxProcess,
    BoxSpec,
    ExecResult,
    Layer,
    Making,
    Sandbox,
)


class FolderBox:
    """Paths of the box are mapped into a temporary folder; so are the words of a command that begin with one."""

    def __init__(self) -> None:
        self.root = Path(tempfile.mkdtemp(prefix="folder-box-"))
        self.closed = False
        self._processes: list[FolderProcess] = []
        for folder in (WORKSPACE, ENVIRONMENT, "/tmp"):
            (self.root / folder[1:]).mkdir()

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
        started = time.monotonic()
        words = [word.replace(WORKSPACE, str(self.root / "workspace")) for word in argv]
        given = stdin.replace(WORKSPACE.encode(), str(self.root / "workspace").encode())
        try:
            done = subprocess.run(
                words,
                cwd=self.root / cwd.lstrip("/"),
                env={"PATH": os.environ["PATH"], "HOME": "/nonexistent", **(environment or {})},
                input=given,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                timeout=timeout_seconds,
                check=False,
            )
        except subprocess.TimeoutExpired as error:
            return ExecResult(124, error.stdout or b"", time.monotonic() - started, timed_out=True)
        exit_code = done.returncode if done.returncode >= 0 else 128 - done.returncode
        return ExecResult(exit_code, done.stdout[:max_output_bytes], time.monotonic() - started)

    def open_process(
        self, argv: Sequence[str], *, cwd: str = WORKSPACE, environment: Mapping[str, str] | None = None
    ) -> BoxProcess:
        words = [word.replace(WORKSPACE, str(self.root / "workspace")) for word in argv]
        variables = {"PATH": os.environ["PATH"], "HOME": "/nonexistent", **(environment or {})}
        process = FolderProcess(words, self.root / cwd.lstrip("/"), variables)
        self._processes.append(process)
        return process

    def read(self, path: str, *, max_bytes: int) -> bytes:
        place = self._place(path)
        if not place.is_dir() and place.exists() and not place.is_file():
            raise PermissionError(errno.EACCES, "not a regular file", path)
        with place.open("rb") as file:
            return file.read(max_bytes)

    def write(self, path: str, content: bytes, mode: FileMode = FileMode.REGULAR) -> None:
        place = self._place(path, last_may_be_link=True)
        place.parent.mkdir(parents=True, exist_ok=True)
        if place.is_dir() and not place.is_symlink():
            raise IsADirectoryError(errno.EISDIR, "is a directory", path)
        place.unlink(missing_ok=True)
        if mode is FileMode.SYMLINK:
            place.symlink_to(os.fsdecode(content))
            return
        place.write_bytes(content)
        place.chmod(0o755 if mode is FileMode.EXECUTABLE else 0o644)

    def delete(self, path: str) -> None:
        place = self._place(path, last_may_be_link=True)
        if place.is_dir() and not place.is_symlink():
            shutil.rmtree(place)
        else:
            place.unlink()
        workspace = self.root / "workspace"
        for parent in place.parents:
            if parent == workspace or workspace not in parent.parents or any(parent.iterdir()):
                return
            parent.rmdir()

    def upload(self, tar: BinaryIO, to: str) -> None:
        with tarfile.open(fileobj=tar, mode="r|") as archive:
            filters = vars(tarfile)  # Python 3.11.2 has none, and extracts as this one does
            archive.extraction_filter = filters.get("fully_trusted_filter", lambda member, _: member)
            archive.extractall(self._place(to))

    def download(self, path: str, into: BinaryIO, under: str = "") -> None:
        with tarfile.open(fileobj=into, mode="w|") as archive:
            archive.add(self._place(path), arcname=under or ".")

    def tree(self, path: str = WORKSPACE) -> Tree:
        top = self._place(path)
        entries = {}
        for folder, folders, names in os.walk(top):
            if Path(folder) == top and ".git" in folders:
                folders.remove(".git")
            links = [name for name in folders if Path(folder, name).is_symlink()]
            for name in names + links:
                place = Path(folder, name)
                if entry := _entry(place):
                    entries[str(place.relative_to(top))] = entry
        return entries

    def stamps(self, paths: Sequence[str]) -> tuple[bytes, ...]:
        return tuple(map(self._stamp, paths))

    def _stamp(self, path: str) -> bytes:
        try:
            state = self._place(path, last_may_be_link=True).lstat()
        except OSError:
            return b""
        return b"%d %d %d" % (state.st_ino, state.st_ctime_ns, state.st_mtime_ns)

    def refused_hosts(self) -> tuple[str, ...]:
        return ()

    def service_notes(self) -> tuple[str, ...]:
        return ()

    def silent_services(self) -> tuple[str, ...]:
        return ()

    def close(self) -> None:
        for process in self._processes:
            process.close()
        shutil.rmtree(self.root, ignore_errors=True)
        self.closed = True

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self.close()

    def _place(self, path: str, *, last_may_be_link: bool = False) -> Path:
        parts = PurePosixPath(path).parts[1:]
        place = self.root
        for number, part in enumerate(parts, 1):
            place /= part
            if part == ".." or (place.is_symlink() and not (last_may_be_link and number == len(parts))):
                raise PermissionError(errno.EACCES, "leads through a symbolic link", path)
        return place


class FolderProcess:
    """`BoxProcess` in a session of its own."""

    def __init__(self, argv: Sequence[str], cwd: Path, environment: Mapping[str, str]) -> None:
        ours, theirs = socket.socketpair()
        with theirs:
            end = theirs.fileno()
            self._process = subprocess.Popen(
                argv, cwd=cwd, env=environment, stdin=end, stdout=end, stderr=end, start_new_session=True
            )
        self._connection = ours

    def send(self, data: bytes, *, timeout_seconds: float) -> None:
        self._connection.settimeout(timeout_seconds)
        self._connection.sendall(data)

    def receive(self, *, timeout_seconds: float) -> bytes:
        self._connection.settimeout(timeout_seconds)
        try:
            data = self._connection.recv(65_536)
        except ConnectionResetError:  # it ended without reading all
            data = b""
        if not data:
            self._process.wait(timeout_seconds)
        return data

    def exit_code(self) -> int | None:
        code = self._process.poll()
        return 128 - code if code is not None and code < 0 else code

    def close(self) -> None:
        if self.exit_code() is None:
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        self._connection.close()


class FolderEngine:
    """Starts `FolderBox`es and remembers them. `prepare` is called with each new box."""

    name = "folder"

    def __init__(self, prepare: Callable[[FolderBox], None] = lambda box: None) -> None:
        self.boxes: list[FolderBox] = []
        self.specs: list[BoxSpec] = []
        self._prepare = prepare

    def start(self, spec: BoxSpec) -> Sandbox:
        box = FolderBox()
        self.boxes.append(box)
        self.specs.append(spec)
        self._prepare(box)
        return box

    def find_layer(self, key: str) -> Layer | None:
        return None

    def forget_layer(self, layer: Layer) -> None: ...

    def making(self, key: str, wait_seconds: float) -> AbstractContextManager[None]:
        return nullcontext()

    def save_layer(self, key: str, box: Sandbox, making: Making = UNTOLD) -> Layer:
        return Layer(key, "folder", making)

    def describe(self) -> str:
        return "folders"

    def platform_key(self) -> str:
        return "folder"


def _entry(place: Path) -> TreeEntry | None:
    if place.is_symlink():
        return TreeEntry(FileMode.SYMLINK, blob_id(os.fsencode(os.readlink(place))))
    if not place.is_file():
        return None
    mode = FileMode.EXECUTABLE if place.stat().st_mode & 0o100 else FileMode.REGULAR
    return TreeEntry(mode, blob_id(place.read_bytes()))
