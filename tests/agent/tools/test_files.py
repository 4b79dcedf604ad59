"""Tools that read and change files, as the model calls them."""

from typing import Any

import pytest

from agent.assignment import FIX
from agent.budget import Budget, BudgetLimits
from agent.model import ToolCall
from agent.tools import reading
from agent.tools.tool import Desk
from agent.tools.toolbox import Result
from repo_tools.changes import FileChange, FileMode
from tests.support.memory_workspace import PRICE, MemoryWorkspace


def call(workspace: MemoryWorkspace, name: str, arguments: Any) -> Result:
    desk = Desk(workspace, Budget(BudgetLimits(), PRICE), lambda summary: "verified")
    return FIX.toolbox.execute(ToolCall("toolu_1", name, arguments), desk)


def failure(workspace: MemoryWorkspace, name: str, arguments: Any) -> str:
    result = call(workspace, name, arguments)
    assert result.is_error
    assert not result.changed_files
    return result.content


def edit(content: bytes, old: str, new: str) -> bytes | str:
    """The file afterwards, or what the model is told."""
    workspace = MemoryWorkspace({"a.txt": content})
    result = call(workspace, "edit_file", {"path": "a.txt", "old": old, "new": new})
    assert result.changed_files is not result.is_error
    return result.content if result.is_error else workspace.files["a.txt"]


def test_the_tools_are_those_of_the_contract() -> None:
    told = {
        spec.name: (spec.input_schema["properties"], set(spec.input_schema.get("required", [])))
        for spec in FIX.toolbox.specs
    }
    assert {name: (set(properties), required) for name, (properties, required) in told.items()} == {
        "read_file": ({"path", "start_line", "end_line"}, {"path"}),
        "write_file": ({"path", "content", "executable"}, {"path", "content"}),
        "edit_file": ({"path", "old", "new"}, {"path", "old", "new"}),
        "delete_file": ({"path"}, {"path"}),
        "move_file": ({"from", "to"}, {"from", "to"}),
        "list_files": ({"path", "glob"}, set()),
        "search": ({"pattern", "path"}, {"pattern"}),
        "find_symbol": ({"name"}, {"name"}),
        "outline": ({"path"}, {"path"}),
        "related_tests": ({"path"}, {"path"}),
        "run_tests": ({"selector"}, set()),
        "finish": ({"summary"}, {"summary"}),
        "give_up": ({"reason"}, {"reason"}),
    }
    assert all(spec.input_schema["additionalProperties"] is False for spec in FIX.toolbox.specs)


@pytest.mark.parametrize(
    ("name", "arguments", "words"),
    [
        ("bash", {"command": "ls"}, "There is no tool 'bash'"),
        ("read_file", {}, "path: Field required"),
        ("read_file", {"path": 3}, "path: Input should be a valid string"),
        ("read_file", {"path": "a", "start_line": "1"}, "start_line: Input should be a valid integer"),
        ("read_file", {"path": "a", "follow": True}, "follow: Extra inputs are not permitted"),
        ("run_tests", {"paths": "a"}, "It takes selector."),
        ("move_file", {"from": "a", "target": "b"}, "It takes from, to."),
        ("write_file", {"path": "a", "content": "x", "executable": "yes"}, "executable"),
        ("write_file", {"path": "a", "content": "\ud800"}, "surrogate"),
        ("move_file", {"source": "a", "target": "b"}, "from: Field required"),
        ("search", {"pattern": "("}, "bad pattern"),
        ("finish", {"summary": ""}, "summary"),
        ("read_file", ["a"], "Input should be"),
        ("read_file", None, "Input should be"),
        ("read_file", "a", "Input should be"),
        ("read_file", {"path": "../etc/passwd"}, "outside of the repository"),
        ("read_file", {"path": "none.py"}, "There is no such file: none.py"),
        ("move_file", {"from": "a.txt", "to": "a.txt"}, "There is a file already"),
        ("run_tests", {"selector": "--rootdir=/"}, "names no tests"),
        ("run_tests", {"selector": "a.py; curl x"}, "names no tests"),
        ("list_files", {"glob": "!"}, "Bad glob"),
        ("list_files", {"glob": "*a*a*a*a*a*a*a*ab"}, "too many stars"),
    ],
)
def test_a_wrong_call_is_answered_in_plain_words(name: str, arguments: Any, words: str) -> None:
    """F10, F12."""
    assert words in failure(MemoryWorkspace({"a.txt": b"x"}), name, arguments)


def test_reading_shows_numbered_lines() -> None:
    workspace = MemoryWorkspace({"a.py": b"\xef\xbb\xbfone\r\ntwo\r\nthree\r\n"})
    assert call(workspace, "read_file", {"path": "a.py"}).content == "     1\tone\n     2\ttwo\n     3\tthree"
    part = call(workspace, "read_file", {"path": "a.py", "start_line": 2, "end_line": 2}).content
    assert part == "     2\ttwo\n[lines 2 to 2 of 3]"


def test_only_line_feeds_count_as_line_ends() -> None:
    workspace = MemoryWorkspace({"a.py": "one\x0c\ntwo\u2028still two\n\nfour".encode()})
    assert call(workspace, "read_file", {"path": "a.py"}).content.count("\n") == 3
    assert call(workspace, "edit_file", {"path": "a.py", "old": "four", "new": "4"}).content == "Edited a.py at line 4."


def test_reading_beyond_the_end_says_how_long_the_file_is() -> None:
    workspace = MemoryWorkspace({"a.py": b"one\n", "empty": b""})
    assert "has 1 line;" in failure(workspace, "read_file", {"path": "a.py", "start_line": 9})
    workspace.base["b.py"] = b"one\ntwo\nthree\n"
    assert "comes before" in failure(workspace, "read_file", {"path": "b.py", "start_line": 3, "end_line": 2})
    assert call(workspace, "read_file", {"path": "empty"}).content == "empty is empty."


@pytest.mark.parametrize(
    "content", [b"\x89PNG\0\0", b"\x89PNG\x1a\xff", b"a\0", b"\xff\xfea", "a".encode("utf-32"), "\0a".encode("utf-16")]
)
def test_what_is_no_text_is_noted_and_not_edited(content: bytes) -> None:
    workspace = MemoryWorkspace({"a": content})
    assert f"not text ({len(content)} bytes)" in call(workspace, "read_file", {"path": "a"}).content
    assert "not text" in failure(workspace, "edit_file", {"path": "a", "old": "a", "new": "x"})


@pytest.mark.parametrize(
    ("encoding", "word"),
    [
        ("cp1252", "caf\xe9 \u201eb\u201c"),
        ("latin-1", "caf\xe9 \x81"),
        ("utf-16-le", "\ufeffcaf\xe9 \u540d"),
        ("utf-16-be", "\ufeffa"),
    ],
)
def test_a_source_in_another_encoding_is_shown_and_edited_in_it(encoding: str, word: str) -> None:
    workspace = MemoryWorkspace({"a": f"{word}\r\ntotal = 1\r\n".encode(encoding)})
    shown = call(workspace, "read_file", {"path": "a"}).content
    assert shown == (
        f"     1\t{word.removeprefix(chr(0xFEFF))}\n     2\ttotal = 1\n"
        f"[not UTF-8: shown as {encoding}; edit_file keeps its bytes]"
    )
    call(workspace, "edit_file", {"path": "a", "old": "total = 1\n", "new": "total = 2\n"})
    assert workspace.read("a", max_bytes=99) == f"{word}\r\ntotal = 2\r\n".encode(encoding)


def test_bytes_of_whatever_encoding_stay_as_they_are() -> None:
    written = "\u540d\u524d = 1\n".encode("shift_jis")
    workspace = MemoryWorkspace({"a": written})
    call(workspace, "edit_file", {"path": "a", "old": " = 1", "new": " = 2"})
    assert workspace.read("a", max_bytes=99) == written.replace(b"1", b"2")
    assert "which has no '\u540d'" in failure(workspace, "edit_file", {"path": "a", "old": " = 2", "new": "\u540d"})
    assert r"which has no '\u200b'" in failure(workspace, "edit_file", {"path": "a", "old": " = 2", "new": "\u200b"})


def test_a_whole_file_in_another_encoding_that_is_written_anew_is_told_to_be_utf8() -> None:
    workspace = MemoryWorkspace({"a": b"caf\xe9\n", "b": b"\x89PNG\0", "c": "caf\xe9\n".encode()})
    told = {path: call(workspace, "write_file", {"path": path, "content": "\xe9\n"}).content for path in "abcd"}
    assert [path for path, words in told.items() if "It was cp1252 before and is UTF-8 now" in words] == ["a"]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16-le", "utf-16-be", "cp1252"])
@pytest.mark.parametrize("word", ["\ud55c", "\U0001f600", "\xe9"])
def test_a_cut_through_a_character_hides_no_file(encoding: str, word: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "READ_BYTES", 41)
    word = word if encoding != "cp1252" else "\xe9"
    for before in ("", "a"):
        text = f"\ufeff{before}" if encoding.startswith("utf") else before
        content = (text + word * 50).encode(encoding)[:50]
        shown = call(MemoryWorkspace({"a": content}), "read_file", {"path": "a"}).content
        assert shown.startswith(f"     1\t{before}{word}{word}")


def test_one_endless_line_is_cut_in_the_middle() -> None:
    """F07."""
    workspace = MemoryWorkspace({"min.js": b"a" + b"x" * 3_000_000 + b"z"})
    content = call(workspace, "read_file", {"path": "min.js"}).content
    assert len(content) < 2_000
    assert "characters" in content
    assert content.endswith("z")


def test_a_huge_file_is_read_as_far_as_it_goes() -> None:
    """F07."""
    workspace = MemoryWorkspace({"log": "äöü\n".encode() * 1_000_000})
    content = call(workspace, "read_file", {"path": "log"}).content
    assert "the rest cannot be read" in content
    assert len(content) < 20_000


def test_a_long_file_is_shown_in_parts() -> None:
    workspace = MemoryWorkspace({"a": b"x\n" * 5_000})
    assert "[lines 1 to 800 of 5000]" in call(workspace, "read_file", {"path": "a"}).content
    assert "[lines 4900 to 5000 of 5000]" in call(workspace, "read_file", {"path": "a", "start_line": 4900}).content


def test_an_edit_replaces_what_occurs_once() -> None:
    assert edit(b"a = 1\nb = 1\n", "b = 1", "b = 2") == b"a = 1\nb = 2\n"


def test_an_edit_that_is_ambiguous_names_count_and_lines() -> None:
    said = edit(b"x = 1\ny = 2\nx = 1\n", "x = 1", "x = 3")
    assert "occurs 2 times" in str(said)
    assert "lines 1, 3" in str(said)
    assert "occurs 2 times" in str(edit(b"aaa", "aa", "b"))


def test_an_edit_of_what_is_not_there_says_where_its_first_line_is() -> None:
    said = edit(b"def f():\n    return 1\n", "def f():\n  return 1", "")
    assert "occurs 0 times" in str(said)
    assert "lines 1" in str(said)


@pytest.mark.parametrize(
    ("before", "old", "new", "after"),
    [
        (b"one\r\ntwo\r\n", "one\ntwo", "1\n2", b"1\r\n2\r\n"),
        (b"one\r\ntwo\r\n", "one", "1\n1b", b"1\r\n1b\r\ntwo\r\n"),
        (b"one\r\ntwo\r\n", "one\r\ntwo", "1\r\n2", b"1\r\n2\r\n"),
        (b"one\r\ntwo\nthree\n", "two\nthree", "2\n3", b"one\r\n2\n3\n"),
        (b"one\r\ntwo\nthree\n", "one\ntwo", "1\n2", b"1\r\n2\nthree\n"),
        (b"\xef\xbb\xbfone\n", "one", "1", b"\xef\xbb\xbf1\n"),
        (b"no final newline", "final", "last", b"no last newline"),
        ("naïve ☃\n".encode(), "☃", "⛄", "naïve ⛄\n".encode()),
    ],
)
def test_an_edit_keeps_line_ends_bom_and_final_newline(before: bytes, old: str, new: str, after: bytes) -> None:
    assert edit(before, old, new) == after


def test_an_edit_that_changes_nothing_is_an_error() -> None:
    assert "the same" in str(edit(b"x", "x", "x"))
    assert "old" in str(edit(b"x", "", "y"))


def test_writing_keeps_the_text_exactly_and_sets_the_bit() -> None:
    workspace = MemoryWorkspace()
    assert call(
        workspace, "write_file", {"path": "run.sh", "content": "#!/bin/sh\r\n", "executable": True}
    ).changed_files
    assert workspace.change.files["run.sh"] == FileChange(FileMode.EXECUTABLE, b"#!/bin/sh\r\n")


def test_moving_and_deleting_work_on_binary_files() -> None:
    workspace = MemoryWorkspace({"a.png": b"\x89PNG\0", "b.png": b"\0"})
    assert call(workspace, "move_file", {"from": "a.png", "to": "img/a.png"}).changed_files
    assert call(workspace, "delete_file", {"path": "b.png"}).changed_files
    assert workspace.files == {"img/a.png": b"\x89PNG\0"}


def test_listing_takes_folder_and_glob() -> None:
    workspace = MemoryWorkspace(dict.fromkeys(["src/a.py", "src/b/c.py", "src/b/d.txt", "srcx/e.py", "README"], b""))
    listed = {
        name: call(workspace, "list_files", arguments).content.split("\n")
        for name, arguments in {
            "all": {},
            "folder": {"path": "src/"},
            "dot": {"path": "."},
            "glob": {"glob": "**/*.py"},
            "both": {"path": "./src", "glob": "*.py"},
            "both from the root": {"path": "src", "glob": "src/**/*.py"},
            "file": {"path": "src/a.py"},
            "none": {"path": "nothing"},
        }.items()
    }
    assert listed["all"] == listed["dot"] == ["README", "src/a.py", "src/b/c.py", "src/b/d.txt", "srcx/e.py"]
    assert listed["folder"] == ["src/a.py", "src/b/c.py", "src/b/d.txt"]
    assert listed["both"] == listed["both from the root"] == ["src/a.py", "src/b/c.py"]
    assert listed["file"] == ["src/a.py"]
    assert listed["glob"] == ["src/a.py", "src/b/c.py", "srcx/e.py"]
    assert listed["both"] == ["src/a.py", "src/b/c.py"]
    assert listed["none"] == ["No files match."]


def test_a_long_list_says_how_much_is_missing() -> None:
    workspace = MemoryWorkspace({f"f{n:04}": b"" for n in range(1_000)})
    assert call(workspace, "list_files", {}).content.endswith("[600 more; narrow it with path or glob]")


def test_searching_shows_path_line_and_text() -> None:
    workspace = MemoryWorkspace({"a.py": b"import os\nos.path\n", "b.py": b"os" + b" " * 9_000 + b"end\n"})
    assert call(workspace, "search", {"pattern": r"os\.", "path": "a.py"}).content == "a.py:2: os.path"
    assert len(call(workspace, "search", {"pattern": "end"}).content) < 500
    assert call(workspace, "search", {"pattern": "nothing"}).content == "No line matches."


@pytest.mark.parametrize(
    ("pattern", "is_told"),
    [("f\\(\\n\\s+bar", True), ("a\nb", True), (r"a[^\r]b", True), (r"C:\\new", False), (r"\\\n", True), ("an", False)],
)
def test_a_pattern_over_several_lines_is_told_that_it_matches_none(pattern: str, is_told: bool) -> None:
    found = call(MemoryWorkspace({"a.py": b"f(\n  bar)\n"}), "search", {"pattern": pattern}).content
    assert ("Each line is matched alone" in found) is is_told
    assert found.startswith("No line matches.")


def test_a_path_that_is_not_utf8_can_be_shown() -> None:
    workspace = MemoryWorkspace({"caf\udce9.txt": b"x\n"})
    assert call(workspace, "list_files", {}).content == "caf\\udce9.txt"
    assert call(workspace, "search", {"pattern": "x"}).content == "caf\\udce9.txt:1: x"


@pytest.mark.parametrize(
    ("before", "content", "noted"),
    [
        (b"one\r\ntwo\r\n", "one\n2\n", True),
        (b"one\r\ntwo\r\n", "one\r\n2\r\n", False),
        (b"one\ntwo\n", "one\n2\n", False),
        (None, "one\n", False),
    ],
)
def test_a_whole_file_written_with_other_line_ends_is_told(before: bytes | None, content: str, noted: bool) -> None:
    """What read_file shows has no line ends, so that a model cannot know them."""
    workspace = MemoryWorkspace({} if before is None else {"a.txt": before})
    told = call(workspace, "write_file", {"path": "a.txt", "content": content})
    assert not told.is_error
    assert ("CRLF" in told.content) is noted
    assert workspace.files["a.txt"] == content.encode()
