"""Names of branches and refs."""

import subprocess

import pytest

from repo_tools.errors import RepoError
from repo_tools.refs import check_branch_name, full_ref, is_commit_id

REFUSED = [
    "", "--upload-pack=x", "-d", "a..b", "a@{1}", "x.lock", "x.lock/y", "a\nb", "a b", "a\tb", "a\x7fb", "a:b", "a?b",
    "a*b", "a[b", "a\\b", "a~1", "a^", "/a", "a/", "a//b", "a/.b", ".a", "a.", "@", "x" * 300, "\ud800",
]  # fmt: skip


@pytest.mark.parametrize("name", [*REFUSED, "refs/heads/main", "HEAD", "0" * 40])
def test_what_is_no_plain_branch_name_is_refused(name: str) -> None:
    """G13."""
    with pytest.raises(RepoError):
        check_branch_name(name)


@pytest.mark.parametrize("name", ["main", "agent-fix/issue-1-abc", "a.b", "ünï", "feature/x@y", "0" * 39])
def test_plain_branch_names_pass_here_and_with_git(name: str) -> None:
    assert check_branch_name(name) == name
    assert subprocess.run(["git", "check-ref-format", f"refs/heads/{name}"], check=False).returncode == 0


def test_a_branch_and_a_full_ref_give_a_full_ref() -> None:
    assert full_ref("main") == full_ref("refs/heads/main") == "refs/heads/main"
    assert full_ref("refs/tags/v1") == "refs/tags/v1"


@pytest.mark.parametrize("name", ["refs/heads/a..b", "refs/heads/x.lock", "refs/heads/", "refs/heads/a:b"])
def test_a_full_ref_is_held_to_the_same_rules(name: str) -> None:
    with pytest.raises(RepoError):
        full_ref(name)


def test_commit_ids_are_forty_small_hex_digits() -> None:
    assert is_commit_id("0123456789abcdef" * 2 + "01234567")
    assert not is_commit_id("0123456789abcdef" * 2 + "0123456")
    assert not is_commit_id("0123456789ABCDEF" * 2 + "01234567")
    assert not is_commit_id("0123456789abcdef" * 2 + "01234567\n")
