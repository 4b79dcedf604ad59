"""Which file a command's name stands for, in a box."""

from pathlib import Path

import pytest

from repo_tools.sandbox.box.children import Program, find_executable


def program_in(folder: Path, name: str, mode: int) -> Path:
    folder.mkdir(exist_ok=True)
    path = folder / name
    path.write_text("#!/bin/sh\n")
    path.chmod(mode)
    return path


def found(name: str, search_path: str | None) -> str:
    return find_executable(Program([name], "/", {} if search_path is None else {"PATH": search_path}))


def test_first_executable_of_the_programs_own_path_is_taken(tmp_path: Path) -> None:
    program_in(tmp_path / "a", "tool", 0o644)
    expected = program_in(tmp_path / "b", "tool", 0o755)
    program_in(tmp_path / "c", "tool", 0o755)
    assert found("tool", f"{tmp_path}/none:{tmp_path}/a:{tmp_path}/b:{tmp_path}/c") == str(expected)


def test_file_that_may_not_be_executed_is_named_where_there_is_no_other(tmp_path: Path) -> None:
    expected = program_in(tmp_path / "a", "tool", 0o644)
    assert found("tool", f"{tmp_path}/a:{tmp_path}/none") == str(expected)


def test_empty_part_of_the_path_is_the_working_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program_in(tmp_path, "tool", 0o755)
    monkeypatch.chdir(tmp_path)
    assert found("tool", "/none:") == "tool"


def test_program_without_a_path_is_found_where_the_system_keeps_its_own() -> None:
    assert found("sh", None) in ("/bin/sh", "/usr/bin/sh")


def test_name_that_stands_for_nothing_is_an_error() -> None:
    with pytest.raises(FileNotFoundError):
        found("no-such-tool", "/usr/bin:/bin")


def test_name_with_a_slash_is_taken_as_it_is() -> None:
    assert found("./tool", "/usr/bin") == "./tool"
