"""The workspace keeps its tree at base + change, whatever the agent or a test run does."""

import pytest

from repo_tools.changes import ChangeSet, FileChange, FileMode
from repo_tools.git_checkout import GitCheckout
from repo_tools.paths import MAX_CHANGED_BYTES, MAX_CHANGED_FILES, PathRefusedError, QuotaExceededError
from repo_tools.sandbox.contract import Limits, SandboxEngine
from tests.repo_tools.conftest import OpenWorkspace
from tests.support.folder_box import FolderEngine

FOLDERS = FolderEngine()


def test_a_part_of_a_file_is_read(open_workspace: OpenWorkspace) -> None:
    assert open_workspace(FOLDERS).read("a.py", max_bytes=3) == b"x ="


def test_bytes_are_read_as_they_are(open_workspace: OpenWorkspace) -> None:
    workspace = open_workspace(FOLDERS)
    assert workspace.read("binary.bin", max_bytes=1000) == bytes(range(256))
    assert workspace.read("latin.txt", max_bytes=1000) == b"caf\xe9\n"


def test_a_new_file_is_in_the_change_the_list_and_the_box(open_workspace: OpenWorkspace) -> None:
    workspace = open_workspace(FOLDERS)
    workspace.write("pkg/new/c.py", b"z = 3\r\n")
    assert workspace.change.files == {"pkg/new/c.py": FileChange(FileMode.REGULAR, b"z = 3\r\n")}
    assert "pkg/new/c.py" in workspace.paths()
    assert workspace.read("pkg/new/c.py", max_bytes=100) == b"z = 3\r\n"


def test_the_list_is_sorted_and_leaves_out_what_is_deleted(open_workspace: OpenWorkspace) -> None:
    workspace = open_workspace(FOLDERS)
    workspace.delete("binary.bin")
    workspace.write("0", b"")
    listed = [".gitignore", "0", "a.py", "latin.txt", "link", "outside", "pkg/b.py", "run.sh"]
    assert workspace.paths() == tuple(listed)


def test_writing_keeps_the_mode_that_a_file_has(open_workspace: OpenWorkspace) -> None:
    workspace = open_workspace(FOLDERS)
    workspace.write("run.sh", b"#!/bin/sh\ntrue\n")
    workspace.write("run.sh", b"#!/bin/sh\nfalse\n")
    assert workspace.change.files["run.sh"] == FileChange(FileMode.EXECUTABLE, b"#!/bin/sh\nfalse\n")


def test_a_file_can_be_made_executable_and_plain(open_workspace: OpenWorkspace) -> None:
    workspace = open_workspace(FOLDERS)
    workspace.write("a.py", b"x = 1\n", executable=True)
    assert workspace.change.files == {"a.py": FileChange(FileMode.EXECUTABLE, b"x = 1\n")}
    workspace.write("a.py", b"x = 1\n", executable=False)
    assert not workspace.change


def test_writing_back_the_base_state_leaves_no_change(open_workspace: OpenWorkspace) -> None:
    workspace = open_workspace(FOLDERS)
    workspace.write("a.py", b"x = 2\n")
    workspace.delete("pkg/b.py")
    workspace.write("a.py", b"x = 1\n")
    workspace.write("pkg/b.py", b"y = 2\n")
    assert not workspace.change


def test_deleting_an_added_file_leaves_no_change(open_workspace: OpenWorkspace) -> None:
    workspace = open_workspace(FOLDERS)
    workspace.write("new.py", b"")
    workspace.delete("new.py")
    assert not workspace.change
    assert "new.py" not in workspace.paths()


def test_a_deleted_file_is_gone(open_workspace: OpenWorkspace) -> None:
    workspace = open_workspace(FOLDERS)
    workspace.delete("a.py")
    assert workspace.change.files == {"a.py": None}
    with pytest.raises(FileNotFoundError):
        workspace.read("a.py", max_bytes=1)
    with pytest.raises(FileNotFoundError):
        workspace.delete("a.py")


def test_a_link_can_be_deleted(open_workspace: OpenWorkspace) -> None:
    workspace = open_workspace(FOLDERS)
    workspace.delete("link")
    assert workspace.change.files == {"link": None}
    assert workspace.read("a.py", max_bytes=100) == b"x = 1\n"


def test_moving_takes_content_and_mode_along(open_workspace: OpenWorkspace) -> None:
    workspace = open_workspace(FOLDERS)
    workspace.move("run.sh", "bin/run")
    assert workspace.change.files == {"run.sh": None, "bin/run": FileChange(FileMode.EXECUTABLE, b"#!/bin/sh\n")}
    assert workspace.read("bin/run", max_bytes=100) == b"#!/bin/sh\n"


def test_moving_there_and_back_leaves_no_change(open_workspace: OpenWorkspace) -> None:
    workspace = open_workspace(FOLDERS)
    workspace.write("a.py", b"x = 5\n")
    workspace.move("a.py", "b.py")
    workspace.move("b.py", "a.py")
    assert workspace.change.files == {"a.py": FileChange(FileMode.REGULAR, b"x = 5\n")}


def test_moving_a_large_new_file_does_not_count_it_twice(open_workspace: OpenWorkspace) -> None:
    workspace = open_workspace(FOLDERS)
    workspace.write("big", b"x" * (MAX_CHANGED_BYTES - 10))
    workspace.move("big", "large")
    assert set(workspace.change.files) == {"large"}


def test_moving_over_a_file_or_from_nowhere_is_refused(open_workspace: OpenWorkspace) -> None:
    workspace = open_workspace(FOLDERS)
    with pytest.raises(FileExistsError):
        workspace.move("a.py", "run.sh")
    with pytest.raises(FileNotFoundError):
        workspace.move("nothing", "somewhere")
    with pytest.raises(IsADirectoryError):
        workspace.move("pkg", "package")
    with pytest.raises(PathRefusedError):
        workspace.move("link", "other")
    assert not workspace.change


def test_folders_are_neither_written_nor_deleted(open_workspace: OpenWorkspace) -> None:
    workspace = open_workspace(FOLDERS)
    with pytest.raises(IsADirectoryError):
        workspace.write("pkg", b"")
    with pytest.raises(IsADirectoryError):
        workspace.delete("pkg")


def test_nothing_is_written_below_a_file(open_workspace: OpenWorkspace) -> None:
    with pytest.raises(PathRefusedError, match=r"below 'a\.py'"):
        open_workspace(FOLDERS).write("a.py/x", b"")


def test_a_folder_takes_a_deleted_file_s_place(open_workspace: OpenWorkspace) -> None:
    workspace = open_workspace(FOLDERS)
    workspace.delete("a.py")
    workspace.write("a.py/x", b"1")
    assert workspace.read("a.py/x", max_bytes=10) == b"1"


def test_a_file_takes_an_emptied_folder_s_place(open_workspace: OpenWorkspace) -> None:
    workspace = open_workspace(FOLDERS)
    workspace.delete("pkg/b.py")
    workspace.write("pkg", b"1")
    assert workspace.read("pkg", max_bytes=10) == b"1"


@pytest.mark.parametrize(
    "path", ["../x", "a/../../x", "/etc/passwd", "~/x", "/workspace-evil/x", "", "a\0b", ".git/config"]
)
def test_paths_outside_are_refused_by_every_tool(open_workspace: OpenWorkspace, path: str) -> None:
    """F01."""
    workspace = open_workspace(FOLDERS)
    for attempt in (
        lambda: workspace.read(path, max_bytes=1),
        lambda: workspace.write(path, b""),
        lambda: workspace.delete(path),
        lambda: workspace.move(path, "b"),
        lambda: workspace.move("a.py", path),
        lambda: workspace.search("x", path, max_matches=1),
    ):
        with pytest.raises(PathRefusedError):
            attempt()
    assert not workspace.change


@pytest.mark.parametrize(
    "path", [".git/hooks/pre-commit", ".github/workflows/x.yml", ".venv/x", "a/.b/c", ".gitmodules"]
)
def test_what_steers_machines_is_not_written(open_workspace: OpenWorkspace, path: str) -> None:
    """F05."""
    with pytest.raises(PathRefusedError):
        open_workspace(FOLDERS).write(path, b"")


def test_links_are_not_written_over(open_workspace: OpenWorkspace) -> None:
    """F02."""
    workspace = open_workspace(FOLDERS)
    with pytest.raises(PathRefusedError, match="symbolic link"):
        workspace.write("link", b"x")
    with pytest.raises(PathRefusedError):
        workspace.write("outside/x", b"x")


def test_links_out_of_the_tree_are_not_followed(open_workspace: OpenWorkspace, real_engine: SandboxEngine) -> None:
    """F02, F03, T14: those of the base, and those that code in the box puts in a folder's place meanwhile."""
    workspace = open_workspace(
        real_engine, "rm -rf pkg && ln -s /etc pkg; ln -s /proc/self/environ build; mkfifo x.log"
    )
    for path in ("link", "outside/passwd"):
        with pytest.raises(PathRefusedError, match="symbolic link"):
            workspace.read(path, max_bytes=10)
    workspace._box.exec(["sh", "-c", "rm -rf pkg; ln -s /etc pkg; mkfifo x.log"], timeout_seconds=30)
    for path in ("pkg/passwd", "x.log"):
        with pytest.raises(PathRefusedError):
            workspace.read(path, max_bytes=10)
    with pytest.raises(PathRefusedError):
        workspace.write("pkg/b.py", b"through a link")


def test_large_files_are_read_in_bounded_parts(open_workspace: OpenWorkspace, real_engine: SandboxEngine) -> None:
    """F07."""
    workspace = open_workspace(real_engine)
    workspace._box.exec(["sh", "-c", "truncate -s 2G big.log; printf end >> big.log"], timeout_seconds=30)
    assert workspace.read("big.log", max_bytes=10) == b"\0" * 10


def test_too_many_files_are_refused(open_workspace: OpenWorkspace) -> None:
    """F08."""
    files = {f"f{number}": FileChange(FileMode.REGULAR, b"") for number in range(MAX_CHANGED_FILES)}
    workspace = open_workspace(FOLDERS, change=ChangeSet("0" * 40, files))
    with pytest.raises(QuotaExceededError):
        workspace.write("one-more", b"")
    workspace.write("f0", b"instead")
    assert len(workspace.change.files) == MAX_CHANGED_FILES
    assert "one-more" not in workspace.paths()


def test_too_many_bytes_are_refused(open_workspace: OpenWorkspace) -> None:
    """F08."""
    workspace = open_workspace(FOLDERS)
    workspace.write("big", b"x" * (MAX_CHANGED_BYTES - 10))
    with pytest.raises(QuotaExceededError):
        workspace.write("more", b"x" * 11)
    assert set(workspace.change.files) == {"big"}


def test_a_workspace_is_built_again_from_its_change(open_workspace: OpenWorkspace) -> None:
    first = open_workspace(FOLDERS)
    first.write("pkg/b.py", b"y = 3\n")
    first.move("a.py", "src/a.py")
    again = open_workspace(FOLDERS, change=ChangeSet.from_json(first.change.to_json()))
    assert again.change == first.change
    assert again.paths() == first.paths()
    assert again.read("pkg/b.py", max_bytes=100) == b"y = 3\n"


def test_what_a_test_run_leaves_alters_and_deletes_is_put_back_and_named(
    open_workspace: OpenWorkspace, real_engine: SandboxEngine
) -> None:
    script = """
    echo altered > a.py; rm -r pkg; chmod 755 latin.txt; echo new > left.txt; mkdir -p build deep/er
    echo kept > build/out; echo kept > x.log; echo new > deep/er/file; mkdir __pycache__; echo > __pycache__/a.pyc
    rm link; ln -s /etc/passwd link; echo altered > mine.py; rm run.sh; mkdir run.sh; echo > run.sh/inside.log
    """
    workspace = open_workspace(real_engine, script)
    workspace.write("mine.py", b"m = 1\n")
    report = workspace.run_tests(timeout_seconds=30)
    named = [
        "a.py",
        "deep/er/file",
        "latin.txt",
        "left.txt",
        "link",
        "mine.py",
        "pkg/b.py",
        "run.sh",
        "run.sh/inside.log",
    ]
    assert list(report.left_behind) == named
    tree = workspace._box.tree()
    ignored = {"build/out", "x.log"}
    assert {path: entry for path, entry in tree.items() if path not in ignored} == workspace._expected()
    assert ignored <= set(tree)


def test_a_run_that_takes_rights_away_is_put_back(open_workspace: OpenWorkspace, real_engine: SandboxEngine) -> None:
    script = "echo x > pkg/new; rm a.py; chmod 000 pkg/b.py; chmod 500 pkg .; mkdir build 2>/dev/null; true"
    workspace = open_workspace(real_engine, script)
    report = workspace.run_tests(timeout_seconds=30)
    assert {"a.py", "pkg/new"} <= set(report.left_behind)
    assert dict(workspace._box.tree()) == workspace._expected()
    workspace.write("pkg/b.py", b"y = 4\n")


def test_a_run_that_fills_the_disk_is_put_back(open_workspace: OpenWorkspace, real_engine: SandboxEngine) -> None:
    limits = Limits(workspace_bytes=8 << 20)
    workspace = open_workspace(real_engine, "head -c 1G /dev/zero > full.bin; rm a.py; true", limits=limits)
    report = workspace.run_tests(timeout_seconds=60)
    assert report.left_behind == ("a.py", "full.bin")
    assert workspace.read("a.py", max_bytes=100) == b"x = 1\n"


def test_a_full_disk_is_said_in_plain_words(open_workspace: OpenWorkspace, real_engine: SandboxEngine) -> None:
    """F08."""
    workspace = open_workspace(real_engine, limits=Limits(workspace_bytes=2 << 20))
    with pytest.raises(QuotaExceededError, match="full"):
        workspace.write("big", b"x" * (4 << 20))
    assert not workspace.change


def test_a_run_that_alters_nothing_leaves_nothing(open_workspace: OpenWorkspace, real_engine: SandboxEngine) -> None:
    workspace = open_workspace(real_engine, "mkdir __pycache__; echo > __pycache__/a.pyc; echo > x.log")
    assert workspace.run_tests(timeout_seconds=30).left_behind == ()


@pytest.mark.parametrize(
    "script",
    [
        "printf '[core]\\n\\tfsmonitor = touch /workspace/pwned\\n' >> .git/config",
        "printf '#!/bin/sh\\ntouch /workspace/pwned' > .git/hooks/pre-commit; chmod 755 .git/hooks/pre-commit",
        "rm -rf .git; ln -s /etc .git",
        "rm -rf .git; echo 'gitdir: /etc' > .git",
        "echo /etc > .git/objects/info/alternates",
    ],
)
def test_what_a_run_does_to_git_s_folder_in_the_box_alters_nothing_here(
    open_workspace: OpenWorkspace, real_engine: SandboxEngine, checkout: GitCheckout, script: str
) -> None:
    """T01, T02, T10, T11: that folder is for the repository's own suite; nobody else looks at it."""
    workspace = open_workspace(real_engine, f"mkdir -p .git/hooks .git/objects/info; {script}")
    assert workspace.run_tests(timeout_seconds=30).left_behind == ()
    workspace.write("a.py", b"x = 2\n")
    assert b"+x = 2" in checkout.patch(workspace.change)
    assert "pwned" not in workspace._box.tree()


def test_names_that_are_no_text_are_removed(open_workspace: OpenWorkspace, real_engine: SandboxEngine) -> None:
    workspace = open_workspace(real_engine, r"""touch -- "$(printf 'a\377b')" "$(printf 'new\nline')" '-rf'""")
    assert set(workspace.run_tests(timeout_seconds=30).left_behind) == {"a\udcffb", "new\nline", "-rf"}
    assert dict(workspace._box.tree()) == workspace._expected()


def test_closing_the_workspace_closes_its_box(open_workspace: OpenWorkspace) -> None:
    with open_workspace(FOLDERS):
        pass
    assert FOLDERS.boxes[-1].closed
