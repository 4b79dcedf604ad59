"""Fresh boxes: the tree, the change on top, a repository of one commit, nothing left over on failure."""

from pathlib import Path

import pytest

from repo_tools.changes import ChangeSet, FileChange, FileMode
from repo_tools.environment.contract import Environment, PreparedEnvironment, Service, TestCommand
from repo_tools.errors import RepoError
from repo_tools.fresh_box import fresh_box
from repo_tools.git_checkout import GitCheckout
from repo_tools.sandbox.contract import Layer, Limits, Sandbox, SandboxEngine
from tests.support.folder_box import FolderBox, FolderEngine
from tests.support.repositories import blob, commit_tree_records, head, make_repository


def overlay(commit: str) -> ChangeSet:
    changed = {"a.py": FileChange(FileMode.EXECUTABLE, b"x = 2\n"), "pkg/b.py": None, "pkg": None}
    return ChangeSet(commit, {**changed, "pkg": FileChange(FileMode.REGULAR, b"a file now\n")})


def run_git(box: Sandbox, *arguments: str) -> str:
    return box.exec(["git", *arguments], timeout_seconds=30).output.decode()


def test_a_box_holds_the_tree_of_the_commit(checkout: GitCheckout, real_engine: SandboxEngine) -> None:
    with fresh_box(real_engine, checkout, None) as box:
        assert dict(box.tree()) == dict(checkout.tree)
        assert box.read("/workspace/binary.bin", max_bytes=1000) == checkout.read("binary.bin")


def test_a_change_lies_on_top(checkout: GitCheckout, real_engine: SandboxEngine) -> None:
    change = overlay(checkout.commit)
    expected = {path: entry for path, entry in checkout.tree.items() if path not in change.files}
    expected |= {path: state.entry for path, state in change.files.items() if state is not None}
    with fresh_box(real_engine, checkout, None, overlay=change) as box:
        assert dict(box.tree()) == expected


def test_the_repository_in_the_box_is_one_clean_commit_without_a_past(
    checkout: GitCheckout, real_engine: SandboxEngine
) -> None:
    """T22."""
    with fresh_box(real_engine, checkout, None, overlay=overlay(checkout.commit)) as box:
        assert run_git(box, "status", "--porcelain") == ""
        assert run_git(box, "log", "--all", "--format=%s") == "base\n"
        assert run_git(box, "remote") == ""
        assert set(run_git(box, "ls-files").split()) == set(box.tree())


def test_hostile_names_stay_in_the_box(tmp_path: Path, real_engine: SandboxEngine) -> None:
    """T15."""
    repository = make_repository(tmp_path / "repository", {})
    content = blob(repository, b"content")
    names = [b"\xff\xfe", b"-rf", b"CON", b"new\nline", b"n" * 255, "a\u200cb".encode()]
    commit = commit_tree_records(repository, [("100644", name, content) for name in sorted(names)])
    checkout = GitCheckout(repository / ".git", commit)
    with fresh_box(real_engine, checkout, None) as box:
        assert dict(box.tree()) == dict(checkout.tree)


def test_a_repository_that_does_not_fit_is_said_in_plain_words(tmp_path: Path, real_engine: SandboxEngine) -> None:
    repository = make_repository(tmp_path / "repository", {"big": b"x" * (4 << 20)})
    with GitCheckout(repository / ".git", head(repository)) as large, pytest.raises(RepoError, match="sandbox"):
        fresh_box(real_engine, large, None, limits=Limits(workspace_bytes=1 << 20))


def test_the_box_gets_the_layer_and_the_limits(checkout: GitCheckout) -> None:
    engine = FolderEngine()
    environment = Environment("test", (), (), (TestCommand("pytest", ("true",)),), ())
    prepared = PreparedEnvironment(environment, Layer("ab", "layer"), 0.0)
    with fresh_box(engine, checkout, prepared, limits=Limits(processes=7)):
        assert engine.specs[0].layer == Layer("ab", "layer")
        assert engine.specs[0].limits.processes == 7
        assert engine.specs[0].allowed_hosts == ()


def test_the_box_gets_the_services_that_the_tests_need(checkout: GitCheckout) -> None:
    engine, redis = FolderEngine(), Service("redis", name="cache")
    environment = Environment("test", (), (), (TestCommand("pytest", ("true",)),), (), services=(redis,))
    with fresh_box(engine, checkout, PreparedEnvironment(environment, Layer("ab", "layer"), 0.0)):
        assert engine.specs[0].services == (redis,)


def test_a_failure_closes_the_box(checkout: GitCheckout) -> None:
    engine = FolderEngine()
    with pytest.raises(FileNotFoundError):
        fresh_box(engine, checkout, None, overlay=ChangeSet(checkout.commit, {"nothing": None}))
    assert [box.closed for box in engine.boxes] == [True]


def test_a_box_without_a_working_git_has_no_half_repository(checkout: GitCheckout) -> None:
    def put_something_in_git_s_way(box: FolderBox) -> None:
        box.write("/workspace/.git/objects", b"no folder")

    with fresh_box(FolderEngine(put_something_in_git_s_way), checkout, None) as box:
        assert box.read("/workspace/a.py", max_bytes=100) == b"x = 1\n"
        with pytest.raises(FileNotFoundError):
            box.read("/workspace/.git/objects", max_bytes=1)
