"""The interpreter as one run uses it: code beside the work tree, and which of the files that it made are kept."""

from collections.abc import Container
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Protocol

from repo_tools.changes import ChangeSet
from repo_tools.errors import RepoError
from repo_tools.interpreter.contract import Interpreter, Step

MAX_FILE_BYTES = 4_000_000
MAX_KEPT_BYTES = 12_000_000
MAX_KEPT_FILES = 100
_CACHE_FOLDERS = frozenset({"__pycache__", ".pytest_cache", ".ipynb_checkpoints", "joblib"})


@dataclass(frozen=True)
class Noted:
    """A step and its files: `kept` are part of the work from now on, `removed` no longer, `left` (path -> why) are as
    they were."""

    step: Step
    kept: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    left: dict[str, str] = field(default_factory=dict)


class Work(Protocol):
    """What of a `repo_tools.workspace.Workspace` is needed here."""

    @property
    def change(self) -> ChangeSet: ...

    def write(self, path: str, content: bytes) -> None: ...

    def delete(self, path: str) -> None: ...


class Notebook:
    """Runs code on a copy of `workspace`. With `keeps_files`, the files that it makes below the work tree become part
    of the workspace's change, within bounds, and those that it removes leave it; without, the copy is thrown away with
    all that is in it."""

    def __init__(
        self, interpreter: Interpreter, workspace: Work, *, keeps_files: bool, given: Container[str] = ()
    ) -> None:
        """`given`: paths that stay as they are."""
        self._interpreter = interpreter
        self._workspace = workspace
        self.keeps_files = keeps_files
        self._given = given
        self._told: dict[str, str] = {}
        self._kept: set[str] = set()

    def run(self, code: str, *, timeout_seconds: float) -> Noted:
        """SandboxError where no box can be had."""
        step = self._interpreter.run(code, self._workspace.change, timeout_seconds=timeout_seconds)
        if not self.keeps_files:
            return Noted(step)
        altered = self._interpreter.altered()
        kept: list[str] = []
        left: dict[str, str] = {}
        removed = [path for path in altered.removed if self._remove(path, left)]
        for path in altered.made:
            if not _CACHE_FOLDERS.isdisjoint(path.split("/")):
                continue
            why = self._keep(path)
            if not why:
                kept.append(path)
            elif self._told.get(path) != why or path in self._kept:
                left[path] = why + self._without_older(path)
            self._told[path] = why
        self._kept.update(kept)
        return Noted(step, tuple(kept), tuple(removed), left)

    def close(self) -> None:
        self._interpreter.close()

    def _remove(self, path: str, left: dict[str, str]) -> bool:
        """Whether it leaves the work; where it does not, `left` says why, once."""
        self._kept.discard(path)
        why = "given files stay as they are; it is gone in the interpreter's copy only" if path in self._given else ""
        try:
            if not why:
                self._workspace.delete(path)
        except (OSError, RepoError) as error:
            why = str(error)
        if why and self._told.get(path) != why:
            left[path] = why
        self._told[path] = why
        return not why

    def _without_older(self, path: str) -> str:
        """A version of before must not be taken for the file as it is now."""
        if path not in self._kept:
            return ""
        self._kept.remove(path)
        with suppress(OSError, RepoError):  # it is gone already
            self._workspace.delete(path)
        self._interpreter.leave(path)
        return "; what it was before is not kept either"

    def _keep(self, path: str) -> str:
        """Why it is not kept; empty where it is."""
        if path in self._given:
            return "given files stay as they are; it is altered in the interpreter's copy only"
        files = self._workspace.change.files
        if path not in files and len(files) >= MAX_KEPT_FILES:
            return f"{MAX_KEPT_FILES} files are kept already"
        try:
            content = self._interpreter.read(path, max_bytes=MAX_FILE_BYTES + 1)
            others = sum(len(new.content) for name, new in files.items() if new is not None and name != path)
            if len(content) > MAX_FILE_BYTES or others + len(content) > MAX_KEPT_BYTES:
                return f"a file may have {MAX_FILE_BYTES:,} bytes, all of them together {MAX_KEPT_BYTES:,}"
            self._workspace.write(path, content)
        except (OSError, RepoError) as error:
            return error.strerror or "unreadable" if isinstance(error, OSError) else str(error)
        return ""
