"""The agent's own box. At each step boundary its tree is base + ChangeSet, and paths that the base ignores."""

import errno
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from functools import cached_property
from itertools import chain
from typing import Self

from repo_tools.box_search import Match, search_box
from repo_tools.changes import ChangeSet, FileChange, FileMode, TreeEntry
from repo_tools.checkout import Checkout
from repo_tools.environment.contract import Environment
from repo_tools.environment.generated import Generated, generated
from repo_tools.environment.run import choose, run_tests
from repo_tools.ignored import IgnoreRules
from repo_tools.path_rules import EVERYWHERE, PathRules
from repo_tools.paths import PathRefusedError, QuotaExceededError, check_path, check_quota, check_writable, parents
from repo_tools.put_back import put_back
from repo_tools.sandbox.contract import WORKSPACE, Sandbox
from repo_tools.test_report import TestReport


class Workspace:
    """Files of base + `change` in `box`, which holds just that when the workspace is made (see `fresh_box`); closing
    the workspace closes the box.

    Only the methods here alter `change`. Paths are root-relative; PathRefusedError says in plain words why one may not
    be used. FileNotFoundError and IsADirectoryError where the tree has no such file.
    """

    def __init__(
        self,
        box: Sandbox,
        checkout: Checkout,
        environment: Environment,
        *,
        change: ChangeSet | None = None,
        rules: PathRules = EVERYWHERE,
    ) -> None:
        self.change = change or ChangeSet(checkout.commit)
        self._box = box
        self._checkout = checkout
        self._environment = environment
        self._rules = rules
        self._ignored = IgnoreRules(checkout.tree, checkout.read)
        self._base_folders = frozenset(parent for path in checkout.tree for parent in parents(path))

    def paths(self) -> tuple[str, ...]:
        """Every file and link, sorted; submodules left out."""
        files = self.change.files
        base = [p for p, e in self._checkout.tree.items() if p not in files and e.mode is not FileMode.SUBMODULE]
        return tuple(sorted(base + [path for path, new in files.items() if new is not None]))

    def read(self, path: str, *, max_bytes: int) -> bytes:
        """The first `max_bytes` bytes of a file."""
        check_path(path)
        with _plain_words(path):
            return self._box.read(f"{WORKSPACE}/{path}", max_bytes=max_bytes)

    def write(self, path: str, content: bytes, *, executable: bool | None = None) -> None:
        """Create or replace a file. `executable` None keeps the mode it has; a new file has 0644."""
        self._check_place(path)
        mode = self._mode(path, executable)
        self._apply((path, FileChange(mode, content)))

    def delete(self, path: str) -> None:
        self._existing(check_writable(path, self._rules))
        self._apply((path, None))

    def move(self, source: str, target: str) -> None:
        """Move one file, with its mode; FileExistsError where there is something at `target`."""
        state = self._state(check_writable(source, self._rules))
        self._check_place(target)
        if self._entry(target) is not None:
            raise FileExistsError(errno.EEXIST, "there is a file already", target)
        self._apply((target, state), (source, None))

    def search(self, pattern: str, path: str | None = None, *, max_matches: int) -> tuple[Match, ...]:
        """Lines that a Python regular expression matches, in the file or the folder `path` (None: everywhere).
        ValueError, with the reason, for an invalid or endless pattern."""
        wanted = self.paths()
        if path is not None:
            folder = check_path(path.rstrip("/"))
            wanted = tuple(name for name in wanted if name == folder or name.startswith(f"{folder}/"))
            if not wanted:
                raise FileNotFoundError(errno.ENOENT, "there is no such file or folder", path)
        return search_box(self._box, pattern, wanted, max_matches=max_matches)

    def check_selector(self, selector: str) -> None:
        """ValueError, with a sentence for whoever wrote it, where it names no tests of this repository."""
        choose(self._environment, (selector,))

    def run_tests(self, selectors: tuple[str, ...] = (), *, timeout_seconds: float) -> TestReport:
        """Run the suite or a part of it. What the run leaves behind, alters or deletes is put back, and named in the
        report's `left_behind`."""
        report = run_tests(self._box, self._environment, selectors, timeout_seconds=timeout_seconds)
        left_behind = put_back(self._box, self._expected(), self._content, self._stays)
        return replace(report, left_behind=left_behind)

    def close(self) -> None:
        self._box.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self.close()

    def _stays(self, path: str) -> bool:
        """Whether a file that is not of the tree may: the base ignores it, or set-up made it."""
        return self._ignored.ignores(path) or path in self._generated

    @cached_property
    def _generated(self) -> Generated:
        return generated(self._box)

    def _expected(self) -> dict[str, TreeEntry]:
        kept = {path: entry for path, entry in self._checkout.tree.items() if path not in self.change.files}
        return kept | {path: new.entry for path, new in self.change.files.items() if new is not None}

    def _entry(self, path: str) -> TreeEntry | None:
        if path not in self.change.files:
            return self._checkout.tree.get(path)
        new = self.change.files[path]
        return new.entry if new is not None else None

    def _is_folder(self, path: str) -> bool:
        names = chain(self.change.files, self._checkout.tree if path in self._base_folders else ())
        return any(name.startswith(f"{path}/") and self._entry(name) is not None for name in names)

    def _existing(self, path: str) -> TreeEntry:
        """The entry of a file that may be changed."""
        entry = self._entry(path)
        if entry is None:
            if self._is_folder(path):
                raise IsADirectoryError(errno.EISDIR, "is a folder", path)
            raise FileNotFoundError(errno.ENOENT, "there is no such file", path)
        if entry.mode is FileMode.SUBMODULE:
            raise PathRefusedError(f"{path!r} is a submodule; those are not changed.")
        return entry

    def _state(self, path: str) -> FileChange:
        entry = self._existing(path)
        if entry.mode is FileMode.SYMLINK:
            raise PathRefusedError(f"{path!r} is a symbolic link; links are not moved.")
        return FileChange(entry.mode, self._content(path))

    def _content(self, path: str) -> bytes:
        new = self.change.files.get(path)
        return new.content if new is not None else self._checkout.read(path)

    def _mode(self, path: str, executable: bool | None) -> FileMode:
        entry = self._entry(path)
        if entry is not None and entry.mode in (FileMode.SYMLINK, FileMode.SUBMODULE):
            raise PathRefusedError(f"{path!r} is a symbolic link or a submodule; those are not changed.")
        if executable is None:
            return entry.mode if entry is not None else FileMode.REGULAR
        return FileMode.EXECUTABLE if executable else FileMode.REGULAR

    def _check_place(self, path: str) -> None:
        """A file may stand at `path`: no folder is there, and nothing but folders above it."""
        check_writable(path, self._rules)
        if self._is_folder(path):
            raise IsADirectoryError(errno.EISDIR, "is a folder", path)
        for parent in parents(path):
            if self._entry(parent) is not None:
                raise PathRefusedError(f"{path!r} cannot stand below {parent!r}, which is no folder.")

    def _apply(self, *steps: tuple[str, FileChange | None]) -> None:
        """Bring each path to its new state, in the box and in `change`. QuotaExceededError before anything is done."""
        after = self.change
        for path, state in steps:
            after = self._with(after, path, state)
        check_quota(after)
        for path, state in steps:
            with _plain_words(path):
                self._bring_to_box(path, state)
            self.change = self._with(self.change, path, state)

    def _with(self, change: ChangeSet, path: str, state: FileChange | None) -> ChangeSet:
        """What is as in the base is no change."""
        base = self._checkout.tree.get(path)
        unchanged = base is None if state is None else state.entry == base
        return change.without(path) if unchanged else change.with_change(path, state)

    def _bring_to_box(self, path: str, state: FileChange | None) -> None:
        if state is not None:
            self._box.write(f"{WORKSPACE}/{path}", state.content, state.mode)
            return
        with suppress(FileNotFoundError):
            self._box.delete(f"{WORKSPACE}/{path}")


@contextmanager
def _plain_words(path: str) -> Iterator[None]:
    """Say what the box's refusals mean."""
    try:
        yield
    except PermissionError as error:
        raise PathRefusedError(
            f"{path!r} is, or leads through, a symbolic link or something else that is no plain file."
        ) from error
    except NotADirectoryError as error:
        raise FileNotFoundError(errno.ENOENT, "there is no such file", path) from error
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise QuotaExceededError("The disk of the sandbox is full.") from error
        raise
