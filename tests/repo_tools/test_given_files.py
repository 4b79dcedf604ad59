"""Files given with a task, as a commit."""

import io
import tarfile
from pathlib import Path

import pytest

from repo_tools.changes import ChangeSet, FileChange, FileMode
from repo_tools.given_files import NO_FILES, make_given, read_given
from repo_tools.paths import PathRefusedError


def test_given_files_are_a_commit_byte_for_byte(tmp_path: Path) -> None:
    source = tmp_path / "päth with spaces.csv"
    source.write_bytes(b"a\r\nb\0")
    with make_given(tmp_path / "given", {"data/numbers.csv": source, "test_x.py": source}) as checkout:
        assert set(checkout.tree) == {"data/numbers.csv", "test_x.py"}
        assert checkout.read("data/numbers.csv") == b"a\r\nb\0"
    with read_given(tmp_path / "given") as again:
        assert (again.commit, again.tree) == (checkout.commit, checkout.tree)
        change = ChangeSet(again.commit, {"new.py": FileChange(FileMode.REGULAR, b"x\n")})
        assert b"+++ b/new.py" in again.patch(change)


def test_no_files_at_all_are_a_commit_too(tmp_path: Path) -> None:
    with make_given(tmp_path / "given", {}) as checkout:
        assert checkout.tree == {}


def test_a_path_that_leads_out_is_refused(tmp_path: Path) -> None:
    (tmp_path / "x").touch()
    with pytest.raises(PathRefusedError):
        make_given(tmp_path / "given", {"../x": tmp_path / "x"})


def test_set_up_is_shown_no_file() -> None:
    stream = io.BytesIO()
    NO_FILES.write_tar(stream)
    stream.seek(0)
    with tarfile.open(fileobj=stream) as archive:
        assert archive.getnames() == []
    assert NO_FILES.tree == {}
