"""The repository as the tools see it; `repo_tools.workspace.Workspace` is the real one."""

from collections.abc import Sequence
from typing import Protocol

from repo_tools.changes import ChangeSet
from repo_tools.test_report import TestReport


class Match(Protocol):
    """One line that a search found; `line_number` counts from 1."""

    @property
    def path(self) -> str: ...

    @property
    def line_number(self) -> int: ...

    @property
    def line(self) -> str: ...


class Workspace(Protocol):
    """Base commit + `change`, inside the sandbox. Paths are root-relative.

    Methods raise FileNotFoundError, IsADirectoryError, FileExistsError, PermissionError or RepoError where the model
    asked for something that cannot be, and SandboxError where the box failed.
    """

    @property
    def change(self) -> ChangeSet: ...

    def paths(self) -> tuple[str, ...]: ...

    def read(self, path: str, *, max_bytes: int) -> bytes: ...

    def write(self, path: str, content: bytes, *, executable: bool | None = None) -> None: ...

    def delete(self, path: str) -> None: ...

    def move(self, source: str, target: str) -> None: ...

    def search(self, pattern: str, path: str | None, *, max_matches: int) -> Sequence[Match]:
        """ValueError where `pattern` is no regular expression."""
        ...

    def check_selector(self, selector: str) -> None:
        """ValueError, with a sentence for whoever wrote it, where it names no tests."""
        ...

    def run_tests(self, selectors: tuple[str, ...], *, timeout_seconds: float) -> TestReport:
        """Empty `selectors`: the whole suite. ValueError where one is no selector."""
        ...
