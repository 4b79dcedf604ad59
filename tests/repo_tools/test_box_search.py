"""Searching inside a box."""

import re
import time
from pathlib import Path

import pytest

from repo_tools.box_search import MAX_LINE_CHARACTERS, Match, search_box
from repo_tools.errors import SandboxError
from repo_tools.sandbox.contract import BoxSpec, ExecResult, SandboxEngine
from tests.repo_tools.conftest import OpenWorkspace
from tests.support.folder_box import FolderBox, FolderEngine

FOLDERS = FolderEngine()


def box_with(files: dict[str, bytes]) -> FolderBox:
    box = FolderBox()
    for path, content in files.items():
        box.write(f"/workspace/{path}", content)
    return box


def test_lines_of_base_and_change_are_found_in_order(open_workspace: OpenWorkspace) -> None:
    workspace = open_workspace(FOLDERS)
    workspace.write("c.py", b"one\nx = 7\n")
    workspace.write("pkg/b.py", b"x = 8")
    found = (Match("a.py", 1, "x = 1"), Match("c.py", 2, "x = 7"), Match("pkg/b.py", 1, "x = 8"))
    assert workspace.search(r"^x = \d$", max_matches=10) == found


def test_a_search_keeps_to_its_file_or_folder(open_workspace: OpenWorkspace) -> None:
    workspace = open_workspace(FOLDERS)
    workspace.write("pkg2/b.py", b"y = 2\n")
    assert [match.path for match in workspace.search("=", "pkg", max_matches=10)] == ["pkg/b.py"]
    assert [match.path for match in workspace.search("=", "pkg/", max_matches=10)] == ["pkg/b.py"]
    assert [match.path for match in workspace.search("=", "a.py", max_matches=10)] == ["a.py"]
    with pytest.raises(FileNotFoundError):
        workspace.search("=", "nothing", max_matches=10)


def test_a_search_stops_at_its_limit() -> None:
    with box_with({"a": b"x\n" * 100}) as box:
        assert len(search_box(box, "x", ["a"], max_matches=7)) == 7


def test_lines_are_numbered_as_editors_do_and_cut() -> None:
    content = b"one\r\ntwo\x0cstill two\x1cand\xc2\x85so on\nthree " + b"y" * 1000 + b"\n"
    with box_with({"a": content}) as box:
        two, three = search_box(box, "still|three", ["a"], max_matches=9)
    assert (two.line_number, three.line_number) == (2, 3)
    assert len(three.line) == MAX_LINE_CHARACTERS
    assert not three.line.endswith("\r")


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "cp1252", "latin-1", "utf-16", "utf-16-be"])
@pytest.mark.parametrize("pattern", ["größe", "gr.*e = 1", "total"])
def test_a_line_is_found_in_the_encoding_in_which_its_file_is_read(encoding: str, pattern: str) -> None:
    mark = b"\xfe\xff" if encoding == "utf-16-be" else b""
    with box_with({"a": mark + "one\r\ngröße = 1 # total\r\n".encode(encoding)}) as box:
        assert search_box(box, pattern, ["a"], max_matches=9) == (Match("a", 2, "größe = 1 # total"),)


@pytest.mark.parametrize(
    ("before", "behind", "shown"),
    [
        (0, 294, "needle" + "y" * 294),
        (75, 1000, "x" * 75 + "needle" + "y" * 218 + "…"),
        (1000, 1000, "…" + "x" * 74 + "needle" + "y" * 218 + "…"),
        (1000, 9, "…" + "x" * 284 + "needle" + "y" * 9),
    ],
)
def test_of_a_long_line_what_matches_is_shown(before: int, behind: int, shown: str) -> None:
    with box_with({"a": b"x" * before + b"needle" + b"y" * behind}) as box:
        (match,) = search_box(box, "needle|y", ["a"], max_matches=9)
    assert match.line == shown


def test_a_byte_order_mark_hides_no_first_line() -> None:
    with box_with({"a.cs": b"\xef\xbb\xbfusing System;\r\n"}) as box:
        assert search_box(box, "^using System;$", ["a.cs"], max_matches=9) == (Match("a.cs", 1, "using System;"),)


def test_binary_files_links_and_missing_files_are_passed_over(tmp_path: Path) -> None:
    with box_with({"binary": b"needle\0", "latin": b"n\xe9edle needle\n", "ok": b"needle"}) as box:
        (tmp_path / "secret").write_text("needle")
        (box.root / "workspace" / "link").symlink_to(tmp_path / "secret")
        (box.root / "workspace" / "folder").mkdir()
        paths = ["binary", "folder", "latin", "link", "missing", "ok", "\udcff"]
        assert [match.path for match in search_box(box, "needle", paths, max_matches=9)] == ["latin", "ok"]


def test_an_endless_line_is_searched_in_its_first_part() -> None:
    """F07."""
    with box_with({"big": b"needle" + b"x" * 11_000_000 + b"needle2"}) as box:
        (match,) = search_box(box, "needle", ["big"], max_matches=9)
        assert match.line == "needle" + "x" * (MAX_LINE_CHARACTERS - 7) + "…"
        assert search_box(box, "needle2", ["big"], max_matches=9) == ()


@pytest.mark.parametrize("pattern", ["(", "*", "[a", r"(?P<x", "a{3,1}", r"\g<0>"])
def test_an_invalid_pattern_is_a_value_error_that_says_why(pattern: str) -> None:
    with box_with({"a": b""}) as box, pytest.raises(ValueError, match=r"position|repeat"):
        search_box(box, pattern, ["a"], max_matches=9)


@pytest.mark.parametrize("pattern", ["--help", "-e", "$(touch x)", "; touch x", "'", '"', "\\\\", "é", "\ud800", "\n"])
def test_a_pattern_is_nothing_but_a_pattern(pattern: str) -> None:
    with box_with({"a": b""}) as box:
        assert search_box(box, pattern, ["a"], max_matches=9) == ()
        assert set(box.tree()) == {"a"}


def test_an_endless_pattern_ends_with_its_time(real_engine: SandboxEngine) -> None:
    with real_engine.start(BoxSpec()) as box:
        box.write("/workspace/a", b"a" * 40 + b"!")
        started = time.monotonic()
        with pytest.raises(ValueError, match="longer than 1 seconds"):
            search_box(box, "(a|aa)+$", ["a"], max_matches=9, timeout_seconds=1)
        assert time.monotonic() - started < 60, "its own end would be minutes away"


def test_a_search_in_a_real_box_finds_what_is_there(real_engine: SandboxEngine) -> None:
    with real_engine.start(BoxSpec()) as box:
        box.write("/workspace/pkg/a.py", "one\nn\u00e9edle\n".encode())
        box.exec(["mkfifo", "pipe"], timeout_seconds=30)
        matches = search_box(box, "n.edle", ["pipe", "pkg/a.py"], max_matches=9)
    assert matches == (Match("pkg/a.py", 2, "n\u00e9edle"),)


@pytest.mark.parametrize(
    "output",
    [b"python3: not found", b"{}", b"[]", b"1", b'{"matches": 1}', b'{"matches": [["a"]]}', b"[" * 200_000],
    ids=["words", "nothing", "list", "number", "no list", "no match", "deep"],
)
def test_a_box_that_gives_no_answer_is_a_sandbox_error(output: bytes) -> None:
    """A package that set-up installs may bring the box another ``python3``."""

    class OddBox(FolderBox):
        def exec(self, *arguments: object, **options: object) -> ExecResult:
            return ExecResult(127, output, 0.0)

    with OddBox() as box, pytest.raises(SandboxError):
        search_box(box, "x", [], max_matches=9)


@pytest.mark.parametrize(
    "pattern",
    [
        "needle",
        "(?i)NEEDLE",
        "(?i:NEED)le",
        "hay|needle",
        "(hay|need)(le)?$",
        r"^\s*(need){2,}le",
        "needle(?!s)",
        "(?=.*hay)need",
        "need(?:les)*$",
        "(?x) need  le  # a comment",
        r"n\we\D+d[l]e",
        "café|naïve",
        "x{0}needle",
        "(n)(?(1)eedle|zzz)",
        r"\bneedle\b.*hay",
    ],
)
def test_what_leaves_files_out_unread_loses_no_line(pattern: str) -> None:
    lines = ["needle", "NEEDLE", "needneedle", "hay needle", "needle and hay", "needles", "café", "zzz", "nxexdle", ""]
    files = {f"{number}.txt": line for number, line in enumerate(lines)}
    with box_with({path: f"first\n{line}\nlast".encode() for path, line in files.items()}) as box:
        found = search_box(box, pattern, sorted(files), max_matches=99)
    expected = {(path, 2) for path, line in files.items() if re.search(pattern, line)}
    assert {(match.path, match.line_number) for match in found} == expected
