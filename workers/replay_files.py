"""The files of a past run, in memory: what the file tools would do to them again."""

from collections.abc import Sequence
from typing import NoReturn

from agent.budget import Budget, BudgetLimits
from agent.model import ToolCall
from agent.pricing import price_of
from agent.tools.editing import DELETE_FILE, EDIT_FILE, MOVE_FILE, WRITE_FILE
from agent.tools.tool import Desk
from agent.tools.toolbox import Result, Toolbox
from agent.workspace import Match
from repo_tools.changes import ChangeSet, FileChange, FileMode
from repo_tools.checkout import Checkout
from repo_tools.test_report import TestReport

EDITING = Toolbox((WRITE_FILE, EDIT_FILE, DELETE_FILE, MOVE_FILE))


class ReplayedFiles:
    """`agent.workspace.Workspace` over a base commit, as far as changing files needs it."""

    def __init__(self, base: Checkout) -> None:
        self._base = base
        self.change = ChangeSet(base.commit)

    def execute(self, call: ToolCall) -> Result | None:
        """What the call says and does here; None where it is no file tool's."""
        if call.name not in EDITING.by_name:
            return None
        price, _ = price_of("")
        return EDITING.execute(call, Desk(self, Budget(BudgetLimits(), price), _no_finish))

    def paths(self) -> tuple[str, ...]:
        left = {path for path in self._base.tree if self.change.files.get(path, ...) is not None}
        return tuple(sorted(left | {path for path, now in self.change.files.items() if now is not None}))

    def read(self, path: str, *, max_bytes: int) -> bytes:
        return self._now(path).content[:max_bytes]

    def write(self, path: str, content: bytes, *, executable: bool | None = None) -> None:
        mode = self._now(path).mode if path in self.paths() else FileMode.REGULAR
        if executable is not None:
            mode = FileMode.EXECUTABLE if executable else FileMode.REGULAR
        self._set(path, FileChange(mode, content))

    def delete(self, path: str) -> None:
        self._now(path)
        self._set(path, None)

    def move(self, source: str, target: str) -> None:
        moved = self._now(source)
        if target in self.paths():
            raise FileExistsError(target)
        self._set(target, moved)
        self._set(source, None)

    def search(self, pattern: str, path: str | None, *, max_matches: int) -> Sequence[Match]:
        raise NotImplementedError("results of searches are the journal's")

    def check_selector(self, selector: str) -> None:
        raise NotImplementedError("no tests are run here")

    def run_tests(self, selectors: tuple[str, ...], *, timeout_seconds: float) -> TestReport:
        raise NotImplementedError("no tests are run here")

    def _now(self, path: str) -> FileChange:
        if path in self.change.files:
            change = self.change.files[path]
            if change is None:
                raise FileNotFoundError(path)
            return change
        if path not in self._base.tree:
            raise FileNotFoundError(path)
        return FileChange(self._base.tree[path].mode, self._base.read(path))

    def _set(self, path: str, now: FileChange | None) -> None:
        """As in the base is no change."""
        entry = self._base.tree.get(path)
        same = (now.entry if now else None) == entry
        self.change = self.change.without(path) if same else self.change.with_change(path, now)


def _no_finish(summary: str) -> NoReturn:
    raise NotImplementedError("nothing is judged here")
