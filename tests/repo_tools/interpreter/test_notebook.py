"""Which files of the interpreter become part of the work."""

from dataclasses import dataclass, field

from repo_tools.changes import ChangeSet
from repo_tools.interpreter.contract import Altered, Step
from repo_tools.interpreter.notebook import MAX_FILE_BYTES, MAX_KEPT_BYTES, MAX_KEPT_FILES, Notebook
from tests.support.memory_workspace import MemoryWorkspace


@dataclass
class Making:
    """An interpreter whose every step makes the same files, and removes others."""

    files: dict[str, bytes]
    removed: tuple[str, ...] = ()
    codes: list[str] = field(default_factory=list)
    changes: list[ChangeSet] = field(default_factory=list)

    def run(self, code: str, change: ChangeSet, *, timeout_seconds: float) -> Step:
        self.codes.append(code)
        self.changes.append(change)
        return Step("done\n")

    def altered(self) -> Altered:
        return Altered(tuple(sorted(self.files)), self.removed)

    def read(self, path: str, *, max_bytes: int) -> bytes:
        return self.files[path][:max_bytes]

    def leave(self, path: str) -> None:
        pass

    def close(self) -> None:
        pass


def run(files: dict[str, bytes], workspace: MemoryWorkspace, given: tuple[str, ...] = ()) -> Notebook:
    return Notebook(Making(files), workspace, keeps_files=True, given=given)


def test_files_that_code_makes_become_part_of_the_work() -> None:
    workspace = MemoryWorkspace()
    noted = run({"plots/a.png": b"png"}, workspace).run("plot", timeout_seconds=1)
    assert noted.kept == ("plots/a.png",)
    assert workspace.files["plots/a.png"] == b"png"


def test_files_that_code_removes_leave_the_work_and_make_room() -> None:
    workspace = MemoryWorkspace({"data/a.csv": b"1"})
    making = Making({f"{n}.txt": b"" for n in range(MAX_KEPT_FILES)})
    notebook = Notebook(making, workspace, keeps_files=True, given=("data/a.csv",))
    notebook.run("", timeout_seconds=1)
    making.files, making.removed = {"other.txt": b""}, ("0.txt", "data/a.csv")
    noted = notebook.run("", timeout_seconds=1)
    assert (noted.removed, noted.kept) == (("0.txt",), ("other.txt",))
    assert "0.txt" not in workspace.files
    assert workspace.files["data/a.csv"] == b"1"
    assert "given files stay" in noted.left["data/a.csv"]
    making.removed = ("data/a.csv",)
    assert notebook.run("", timeout_seconds=1).left == {}


def test_a_throw_away_copy_changes_nothing() -> None:
    workspace, making = MemoryWorkspace(), Making({"plots/a.png": b"png"}, ("gone",))
    noted = Notebook(making, workspace, keeps_files=False).run("plot", timeout_seconds=1)
    assert noted.kept == ()
    assert not workspace.change
    assert making.changes == [workspace.change]


def test_given_files_and_caches_are_not_taken_over() -> None:
    workspace = MemoryWorkspace({"data/a.csv": b"1"})
    noted = run({"data/a.csv": b"2", "__pycache__/a.pyc": b""}, workspace, ("data/a.csv",)).run("", timeout_seconds=1)
    assert noted.kept == ()
    assert list(noted.left) == ["data/a.csv"]
    assert not workspace.change


def test_what_may_not_be_written_is_left_and_told_once() -> None:
    notebook = run({"../out": b""}, MemoryWorkspace())
    assert "outside" in notebook.run("", timeout_seconds=1).left["../out"]
    assert notebook.run("", timeout_seconds=1).left == {}


def test_what_was_too_large_once_is_kept_as_soon_as_it_is_not() -> None:
    workspace, making = MemoryWorkspace(), Making({"plot.png": b"x" * (MAX_FILE_BYTES + 1)})
    notebook = Notebook(making, workspace, keeps_files=True)
    assert list(notebook.run("", timeout_seconds=1).left) == ["plot.png"]
    making.files["plot.png"] = b"smaller"
    assert notebook.run("", timeout_seconds=1).kept == ("plot.png",)
    assert workspace.files["plot.png"] == b"smaller"


def test_an_older_version_of_what_became_too_large_is_not_kept() -> None:
    workspace, making = MemoryWorkspace(), Making({"r.csv": b"mean,1"})
    notebook = Notebook(making, workspace, keeps_files=True)
    notebook.run("", timeout_seconds=1)
    making.files["r.csv"] = b"x" * (MAX_FILE_BYTES + 1)
    assert notebook.run("", timeout_seconds=1).left["r.csv"].endswith("what it was before is not kept either")
    assert "r.csv" not in workspace.files
    making.files["r.csv"] = b"mean,2"
    assert notebook.run("", timeout_seconds=1).kept == ("r.csv",)
    assert workspace.files["r.csv"] == b"mean,2"


def test_size_and_number_are_bounded() -> None:
    large = run({"a": b"x" * (MAX_FILE_BYTES + 1)}, MemoryWorkspace()).run("", timeout_seconds=1)
    assert "may have 4,000,000 bytes" in large.left["a"]
    part = MAX_KEPT_BYTES // 3
    together = run(dict.fromkeys("abcd", b"x" * part), MemoryWorkspace()).run("", timeout_seconds=1)
    assert (together.kept, list(together.left)) == (("a", "b", "c"), ["d"])
    many = run({f"{n:04}": b"" for n in range(MAX_KEPT_FILES + 1)}, MemoryWorkspace()).run("", timeout_seconds=1)
    assert list(many.left) == [f"{MAX_KEPT_FILES:04}"]
