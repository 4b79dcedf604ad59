"""A plain folder: as deep as it is, and whatever in it cannot be read."""

import os
import subprocess
from pathlib import Path

from repo_tools.repo_map.folder import Folder


def test_a_folder_is_read_however_deep_it_is(tmp_path: Path) -> None:
    deepest = tmp_path / "d" / "/".join("d" * 1_300)
    try:
        subprocess.run(["mkdir", "-p", str(deepest)], check=True)
        (deepest / "a.py").write_text("x = 1")
        folder = Folder(tmp_path)
        assert [*folder.tree] == [f"{deepest.relative_to(tmp_path)}/a.py"]
        assert folder.notes == ()
    finally:
        subprocess.run(
            ["rm", "-rf", str(tmp_path / "d")], check=True
        )  # neither does pytest's clean-up call itself so often


def test_a_folder_whose_name_is_too_long_for_the_system_is_noted(tmp_path: Path) -> None:
    name = "d" * 200
    opened = [os.open(tmp_path, os.O_RDONLY)]
    try:
        for _ in range(30):
            os.mkdir(name, dir_fd=opened[-1])
            opened.append(os.open(name, os.O_RDONLY, dir_fd=opened[-1]))
        folder = Folder(tmp_path)
        assert folder.tree == {}
        assert folder.notes == ("1 files and folders cannot be read",)
    finally:
        for descriptor in opened:
            os.close(descriptor)
        subprocess.run(["rm", "-rf", str(tmp_path / name)], check=True)


def test_what_was_installed_is_left_out(tmp_path: Path) -> None:
    for path in ("a.py", "env/pyvenv.cfg", "env/lib/b.py", "node_modules/c.js", ".git/d", "environment/e.py"):
        (tmp_path / path).parent.mkdir(exist_ok=True, parents=True)
        (tmp_path / path).touch()
    assert [*Folder(tmp_path).tree] == ["a.py", "environment/e.py"]


def test_a_file_that_fails_while_it_is_read_is_left_out() -> None:
    """Without a security module the kernel answers EINVAL there."""
    folder = Folder(Path("/proc/self/attr"))
    assert bool(folder.notes) == (len(folder.tree) < len([*Path("/proc/self/attr").rglob("*")]))
