"""Who writes a configuration and tries it out at once is told that only what is committed counts."""

import subprocess
from pathlib import Path

import pytest

from tests.support.repositories import make_repository
from workers.configuration.contract import PATH
from workers.configuration.uncommitted import uncommitted_note

TOLD = "differs from the file here: commit it, or give a --base that has it"


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    return make_repository(tmp_path / "x", {PATH: "tests: [pytest]\n", "deep/er/a.py": ""})


def test_what_is_as_the_commit_has_it_needs_no_word(repository: Path) -> None:
    assert uncommitted_note(repository, "HEAD") == ""
    (repository / PATH).write_bytes(b"tests: [pytest]\r\n")
    assert uncommitted_note(repository, "HEAD") == ""


def test_a_file_that_differs_from_the_commits_is_told_from_a_folder_below_too(repository: Path) -> None:
    (repository / PATH).write_text("tests: [make test]\n")
    for folder in (repository, repository / "deep" / "er"):
        assert uncommitted_note(folder, "HEAD").endswith(TOLD)


def test_a_new_file_is_told(tmp_path: Path) -> None:
    repository = make_repository(tmp_path / "x", {"a.py": ""})
    (repository / PATH).parent.mkdir()
    (repository / PATH).write_text("tests: [make test]\n")
    assert uncommitted_note(repository, "HEAD").endswith(TOLD)


def test_a_repository_without_a_work_tree_has_nothing_to_differ(repository: Path, tmp_path: Path) -> None:
    bare = tmp_path / "bare"
    subprocess.run(["git", "clone", "--quiet", "--bare", repository, bare], check=True)
    assert uncommitted_note(bare, "HEAD") == ""
