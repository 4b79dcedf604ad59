"""The base's .gitignore files, judged as git judges them."""

import subprocess
from pathlib import Path

import pytest

from repo_tools.git_checkout import GitCheckout
from repo_tools.ignored import IgnoreRules
from tests.support.files_checkout import FilesCheckout
from tests.support.repositories import head, make_repository

FILES: dict[str, bytes | str] = {
    ".gitignore": "*.log\n/build/\ncache/\n!keep.log\n# comment\ndoc/*.txt\nsub/**/x\n\\#odd\n",
    "pkg/.gitignore": "!debug.log\n*.tmp\n/only-here\n",
    "pkg/deep/.gitignore": "*\n!.gitignore\n!kept.py\n",
    "binary/.gitignore": b"\xff\xfe\n*.o\n",
    "some/.gitignore": "*\n!*/\n!*.py\n!kept/ \nout/**\n!out/kept\nlast/**/\n",
}


@pytest.mark.parametrize(
    "path",
    [
        "a.log", "keep.log", "x/a.log", "x/keep.log", "build/x", "x/build/x", "cache/keep.log", "x/cache/y", "cache",
        "pkg/debug.log", "pkg/other.log", "pkg/a.tmp", "a.tmp", "pkg/only-here", "pkg/x/only-here", "doc/a.txt",
        "doc/x/a.txt", "sub/x", "sub/a/b/x", "pkg/deep/new.py", "pkg/deep/kept.py", "pkg/deep/y/kept.py", "#odd",
        "binary/x.o", "build/keep.log", "a.py", "some/a.py", "some/a.c", "some/x/a.py", "some/x/y/a.py", "some/x/a.c",
        "some/out/kept", "some/out/x", "some/out/x/kept", "some/kept/a.c", "some/kept/x/a.py", "some/last/x/a.py",
        "some/last/a.py",
    ],
)  # fmt: skip
def test_rules_agree_with_git(tmp_path: Path, path: str) -> None:
    repository = make_repository(tmp_path / "repository", FILES)
    checkout = GitCheckout(repository / ".git", head(repository))
    ask = ["git", "-C", str(repository), "check-ignore", "-q", "--no-index", path]
    (repository / path).parent.mkdir(parents=True, exist_ok=True)
    ignored_by_git = subprocess.run(ask, check=False).returncode == 0
    assert IgnoreRules(checkout.tree, checkout.read).ignores(path) == ignored_by_git


def test_a_commit_without_rules_ignores_nothing() -> None:
    assert not IgnoreRules({}, lambda path: b"").ignores("a/b.log")


@pytest.mark.parametrize("line", ["!", "\\", "foo\\", "[z-a]"])
def test_a_line_that_is_no_pattern_ends_no_run_and_the_others_hold(line: str) -> None:
    checkout = FilesCheckout({".gitignore": f"{line}\n*.log\n"})
    rules = IgnoreRules(checkout.tree, checkout.read)
    assert rules.ignores("a.log")
    assert not rules.ignores("a.py")


def test_a_line_that_takes_a_worker_too_long_is_not_tried() -> None:
    """Eight stars on this name are more than 10^10 steps: without the rule this test ends with the time-out of all."""
    checkout = FilesCheckout({".gitignore": "*a*a*a*a*a*a*a*ab\n**/a/**/a/**/a/**/a/**/b\n*.log\n"})
    rules = IgnoreRules(checkout.tree, checkout.read)
    assert not rules.ignores("a" * 90)
    assert not rules.ignores("a/" * 900 + "a")
    assert rules.ignores("a.log")
