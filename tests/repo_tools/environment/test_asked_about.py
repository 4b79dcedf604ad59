"""Which files an issue names, and which project is nearest to them."""

import pytest

from repo_tools.environment.asked_about import named_paths, nearest_first
from tests.support.trees import tree_of


def test_a_text_names_files_by_their_path_or_its_end_unless_that_is_ambiguous() -> None:
    tree = tree_of({"a/x.py": "", "b/x.py": "", "b/y.py": "", "setup.cfg": ""})
    assert named_paths("see b/x.py, y.py and C:\\proj\\a\\x.py; setup.cfg too", tree) == (
        "b/x.py",
        "b/y.py",
        "a/x.py",
        "setup.cfg",
    )
    assert named_paths("x.py, nothing.py, e.g. i.e. 1.2.3", tree) == ()


def test_what_a_template_of_issues_asks_to_read_and_lock_files_are_not_what_an_issue_is_about() -> None:
    named = ("CONTRIBUTING.md", "docs/CHANGES.rst", "web/package-lock.json", "jobs/Cargo.lock", "web/package.json")
    assert named_paths(f"I have read {', '.join(named)}", tree_of(dict.fromkeys(named, ""))) == ("web/package.json",)


@pytest.mark.parametrize("word", ["a" * 200_000, "a/" * 100_000, "data:image/png;base64," + "Zm9v" * 50_000])
def test_a_word_without_end_in_an_issue_names_nothing_and_hides_nothing(word: str) -> None:
    tree = tree_of({"a/x.py": ""})
    assert named_paths(f"{word} and a/x.py", tree) == ("a/x.py",)


def test_the_folder_that_holds_most_of_the_named_files_comes_first() -> None:
    assert nearest_first(("", "a", "a/b"), {"a/b/x": 1.0, "a/b/y": 1.0, "a/z": 1.0}) == ("a/b", "a", "")


def test_a_file_of_an_installed_package_is_that_of_the_repositorys_sources() -> None:
    tree = tree_of(
        {"parts/jobs/src/jobs/queue.py": "", "parts/jobs/src/jobs/six.py": "", "parts/api/src/api/core.py": ""}
    )
    frame = 'File "/usr/lib/python3.11/site-packages/{}", line 3, in run'
    assert named_paths(frame.format("jobs/queue.py"), tree) == ("parts/jobs/src/jobs/queue.py",)
    assert named_paths(frame.format("celery/queue.py"), tree) == ()
    assert named_paths(frame.format("six.py"), tree) == ()
