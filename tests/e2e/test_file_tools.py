"""Every file tool, on each kind of sandbox, through to the commit on GitHub: bytes and modes as they should be."""

import pytest

from agent.scripted import tool_use
from tests.support import calc
from tests.support.stage import Played, Stage

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(900)]

BINARY = bytes(range(256))
FILES = {
    **calc.FILES,
    "logo.bin": BINARY,
    "old.txt": b"no longer needed\n",
    "windows.txt": b"first\r\nsecond\r\n",
    "marked.txt": "\ufeffwith a mark, no final newline".encode(),
    "tool.sh": b"#!/bin/sh\necho old\n",
    "deep/er/name.txt": b"stays the same\n",
}
CALLS = [
    tool_use("move_file", **{"from": "logo.bin", "to": "images/logo.bin"}),
    tool_use("delete_file", path="old.txt"),
    tool_use("edit_file", path="windows.txt", old="first\nsecond", new="first\nbetween\nsecond"),
    tool_use("edit_file", path="marked.txt", old="a mark", new="its mark"),
    tool_use("edit_file", path="tool.sh", old="old", new="new"),
    tool_use("write_file", path="run.sh", content="#!/bin/sh\n", executable=True),
    tool_use("move_file", **{"from": "deep/er/name.txt", "to": "deep/name.txt"}),
    tool_use("write_file", path="unicode/grüße.txt", content="grüße\n"),
]


@pytest.fixture(scope="module")
def played(each_stage: Stage) -> Played:
    played = each_stage.play(FILES, calc.mended(*CALLS), executable=["tool.sh"])
    assert played.ending == ("draft_pull_request", "proved"), played.run["detail"]
    return played


def test_a_binary_file_is_moved_byte_for_byte(played: Played) -> None:
    assert played.committed("images/logo.bin") == BINARY
    assert "logo.bin" not in played.listing()


def test_a_deleted_file_is_gone(played: Played) -> None:
    assert "old.txt" not in played.listing()


def test_line_endings_are_kept(played: Played) -> None:
    assert played.committed("windows.txt") == b"first\r\nbetween\r\nsecond\r\n"


def test_a_byte_order_mark_and_a_missing_final_newline_are_kept(played: Played) -> None:
    assert played.committed("marked.txt") == "\ufeffwith its mark, no final newline".encode()


def test_modes_are_kept_and_given(played: Played) -> None:
    modes = played.listing()
    assert modes["tool.sh"] == "100755"
    assert modes["run.sh"] == "100755"
    assert modes["calc.py"] == "100644"


def test_a_rename_is_the_same_content_elsewhere_and_empties_its_folder(played: Played) -> None:
    assert played.committed("deep/name.txt") == b"stays the same\n"
    assert "deep/er/name.txt" not in played.listing()


def test_names_outside_of_ascii_travel(played: Played) -> None:
    assert played.committed("unicode/grüße.txt") == "grüße\n".encode()
