"""Process 1's reading and writing of files that hostile code left, without a box around it."""

import io
import os
import tarfile
import time
from pathlib import Path
from typing import Any

import pytest

from repo_tools.changes import blob_id
from repo_tools.sandbox.box import archive, tree


def listed(folder: Path) -> dict[str, str]:
    lines = b"".join(tree.TreeReader().lines(str(folder), 0)).decode().split("\0")[:-1]
    return {path: blob for _, blob, path in (line.split(" ", 2) for line in lines)}


def test_files_with_holes_and_many_names_of_one_file_do_not_take_hours_to_list(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """F08."""
    monkeypatch.setattr(tree, "MOST_HASHED_BYTES", 3_000_000)
    (tmp_path / "a").write_bytes(bytes(1_000_000))
    for name in "bcdef":
        os.link(tmp_path / "a", tmp_path / name)
    (tmp_path / "hole").touch()
    os.truncate(tmp_path / "hole", 1 << 40)
    (tmp_path / "last").touch()
    own = blob_id(bytes(1_000_000))
    unread = dict.fromkeys(("d", "e", "f", "hole"), tree.NOT_READ)
    assert listed(tmp_path) == {"a": own, "b": own, "c": own, "last": blob_id(b""), **unread}


def test_what_took_too_long_once_is_read_when_there_is_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a").write_bytes(b"12345678")
    reader, later = tree.TreeReader(), time.time_ns() + 10**12
    monkeypatch.setattr(tree, "MOST_HASHED_BYTES", 7)
    assert f" {tree.NOT_READ} a".encode() in b"".join(reader.lines(str(tmp_path), later))
    monkeypatch.setattr(tree, "MOST_HASHED_BYTES", 8)
    assert f" {blob_id(b'12345678')} a".encode() in b"".join(reader.lines(str(tmp_path), later))


def packed(folder: Path) -> dict[str, tarfile.TarInfo]:
    stream = io.BytesIO()
    archive.pack(str(folder), stream, "env/")
    stream.seek(0)
    with tarfile.open(fileobj=stream) as found:
        return {member.name: member for member in found}


def test_names_by_which_a_layer_takes_files_away_are_not_packed(tmp_path: Path) -> None:
    """S10: an engine would take ``.wh...`` for a removal of the folder above the environment."""
    (tmp_path / "a").mkdir()
    (tmp_path / ".wh.folder").mkdir()
    kept = ("a/file", "a/x.wh.y", ".whole")
    for name in (*kept, ".wh.a", ".wh..", ".wh...", ".wh..wh..opq", "a/.wh...", ".wh.folder/inner"):
        (tmp_path / name).touch()
    assert packed(tmp_path).keys() == {"env/a", *(f"env/{name}" for name in kept)}


@pytest.mark.parametrize(("seconds", "told"), [(-5, 0), (7, 7), (8**11, 8**11 - 1), (1 << 33, 8**11 - 1)])
def test_a_time_that_an_engine_does_not_read_is_packed_as_the_nearest_that_it_does(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seconds: int, told: int
) -> None:
    (tmp_path / "a").touch()
    stat_of = os.stat

    def with_time(*arguments: Any, **options: Any) -> os.stat_result:  # no file system here knows them all
        found = [*stat_of(*arguments, **options)]
        return os.stat_result([*found[:7], *[seconds] * 3])

    monkeypatch.setattr(os, "stat", with_time)
    assert packed(tmp_path)["env/a"].mtime == told
