"""A person's own repository: read whatever its shape, written only where asked, none of its programs run."""

import os
import shutil
from contextlib import suppress
from pathlib import Path

import pytest

from repo_tools.changes import ChangeSet, FileChange, FileMode
from repo_tools.errors import RepoError
from repo_tools.local import LocalRepository
from repo_tools.paths import PathRefusedError
from repo_tools.repo_map.history import recent_changes
from tests.support.engine import unavailable
from tests.support.repositories import commit_files, git, head, make_repository


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    return make_repository(tmp_path / "repository", {"a.py": "x = 1\n", "pkg/b.py": "y = 1\n"})


def fix(commit: str) -> ChangeSet:
    return ChangeSet(commit, {"a.py": FileChange(FileMode.REGULAR, b"x = 2\n"), "pkg/b.py": None})


def snapshot(folder: Path, skip: tuple[str, ...] = ()) -> dict[str, tuple[bytes, int]]:
    """Contents and times of every file, but those in .git folders named in `skip`."""
    return {
        str(file.relative_to(folder)): (file.read_bytes(), file.stat().st_mtime_ns)
        for file in folder.rglob("*")
        if file.is_file() and not any(f"/.git/{name}" in str(file) for name in skip)
    }


def test_names_of_a_commit_are_resolved(repository: Path) -> None:
    first = head(repository)
    second = commit_files(repository, {"a.py": "x = 3\n"})
    git(repository, "tag", "-a", "-m", "one", "v1", first)
    local = LocalRepository(repository)
    assert local.resolve("HEAD") == local.resolve("main") == local.resolve(second[:10]) == second
    assert local.resolve("HEAD~1") == local.resolve("v1") == first


@pytest.mark.parametrize("revision", ["nothing", "--help", "-q", "HEAD\n", "", "HEAD:a.py", "a..b", "HEAD~99"])
def test_what_names_no_commit_is_refused_in_plain_words(repository: Path, revision: str) -> None:
    with pytest.raises(RepoError, match="names no commit"):
        LocalRepository(repository).resolve(revision)


def test_a_subfolder_stands_for_its_repository(repository: Path) -> None:
    local = LocalRepository(repository / "pkg")
    assert "a.py" in local.checkout(local.resolve("HEAD")).tree


def test_a_bare_repository_can_be_read(repository: Path, tmp_path: Path) -> None:
    git(tmp_path, "clone", "-q", "--bare", str(repository), "bare.git")
    local = LocalRepository(tmp_path / "bare.git")
    assert local.checkout(local.resolve("HEAD")).read("a.py") == b"x = 1\n"


def test_a_linked_work_tree_can_be_read_and_gets_branches(repository: Path, tmp_path: Path) -> None:
    """T10: its .git is a file that leads elsewhere, which is fine in a PATH that its owner gave."""
    git(repository, "worktree", "add", "-q", "-b", "side", str(tmp_path / "side"))
    commit = commit_files(tmp_path / "side", {"a.py": "x = 5\n"})
    local = LocalRepository(tmp_path / "side")
    assert local.resolve("HEAD") == commit
    assert local.checkout(commit).read("a.py") == b"x = 5\n"
    added = local.add_branch("fix", commit, fix(commit), "fix\n")
    assert head(repository, "fix") == added


def test_a_clone_with_borrowed_objects_can_be_read(repository: Path, tmp_path: Path) -> None:
    """T11: alternates, which is fine in a PATH that its owner gave."""
    git(tmp_path, "clone", "-q", "--shared", str(repository), "shared")
    local = LocalRepository(tmp_path / "shared")
    checkout = local.checkout(local.resolve("HEAD"))
    assert checkout.read("a.py") == b"x = 1\n"
    assert b"+x = 2" in checkout.patch(fix(checkout.commit))
    local.add_branch("fix", checkout.commit, fix(checkout.commit), "fix\n")
    assert git(tmp_path / "shared", "show", "fix:a.py") == b"x = 2\n"


def test_a_git_folder_that_stands_elsewhere_is_read(repository: Path, tmp_path: Path) -> None:
    """T10: as in a submodule's checkout."""
    git(tmp_path, "clone", "-q", "--separate-git-dir", str(tmp_path / "elsewhere"), str(repository), "apart")
    git(tmp_path / "apart", "config", "core.worktree", "../apart")
    local = LocalRepository(tmp_path / "apart")
    assert local.checkout(local.resolve("HEAD")).read("a.py") == b"x = 1\n"


def test_a_shallow_clone_can_be_read(repository: Path, tmp_path: Path) -> None:
    commit_files(repository, {"a.py": "x = 3\n"})
    git(tmp_path, "clone", "-q", "--depth=1", f"file://{repository}", "shallow")
    local = LocalRepository(tmp_path / "shallow")
    assert local.checkout(local.resolve("HEAD")).read("a.py") == b"x = 3\n"


def test_a_repository_within_a_link_can_be_read(repository: Path, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(repository)
    assert LocalRepository(tmp_path / "link").resolve("HEAD") == head(repository)


def test_a_repository_of_another_user_can_be_read(repository: Path) -> None:
    if os.getuid() != 0:
        unavailable("only root can give files away")
    for file in [repository, *repository.rglob("*")]:
        os.chown(file, 12345, 12345)
    assert LocalRepository(repository).resolve("HEAD")


@pytest.mark.parametrize("name", ["with space", "with:colon", 'with"quote', "ünï", "#hash"])
def test_odd_folder_names_work(tmp_path: Path, name: str) -> None:
    repository = make_repository(tmp_path / name, {"a.py": "x = 1\n", "pkg/b.py": "y\n"})
    local = LocalRepository(repository)
    checkout = local.checkout(local.resolve("HEAD"))
    assert b"+x = 2" in checkout.patch(fix(checkout.commit))


def test_a_folder_that_is_no_repository_is_refused(tmp_path: Path) -> None:
    with pytest.raises(RepoError, match="not in a git repository") as caught:
        LocalRepository(tmp_path)
    assert "git init && git add --all --force" in str(caught.value)


def test_a_folder_name_with_a_line_break_is_refused(tmp_path: Path) -> None:
    with pytest.raises(RepoError, match="line break"):
        LocalRepository(make_repository(tmp_path / "new\nline"))


def test_a_path_that_is_no_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(RepoError, match="not a folder"):
        LocalRepository(tmp_path / "nothing")


def test_a_repository_without_a_commit_is_refused_in_plain_words(tmp_path: Path) -> None:
    local = LocalRepository(make_repository(tmp_path / "empty"))
    with pytest.raises(RepoError, match="no commit yet"):
        local.resolve("HEAD")


def test_a_repository_with_other_object_ids_is_refused(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q", "--object-format=sha256", "other")
    with pytest.raises(RepoError, match="SHA-1"):
        LocalRepository(tmp_path / "other")


@pytest.mark.parametrize("config", ["[core\nbroken", "[core]\n\trepositoryformatversion = 99\n"])
def test_a_broken_repository_is_refused(repository: Path, config: str) -> None:
    (repository / ".git" / "config").write_text(config)
    with pytest.raises(RepoError):
        LocalRepository(repository)


def test_a_branch_holds_the_change_on_top_of_its_base(repository: Path) -> None:
    base = head(repository)
    commit = LocalRepository(repository).add_branch("agent-fix/issue-1", base, fix(base), "Fix x\n\nBecause.\n")
    assert head(repository, "agent-fix/issue-1") == commit
    assert head(repository, f"{commit}^") == base
    assert git(repository, "ls-tree", "-r", "--name-only", commit).decode().split() == ["a.py"]
    assert git(repository, "show", f"{commit}:a.py") == b"x = 2\n"
    assert git(repository, "log", "-1", "--format=%B|%an", commit).decode() == "Fix x\n\nBecause.\n|agent-fix\n"


def test_adding_a_branch_leaves_work_tree_and_index_alone(repository: Path) -> None:
    (repository / "a.py").write_text("unsaved work\n")
    (repository / "staged.py").write_text("staged\n")
    git(repository, "add", "staged.py")
    added = ("objects/", "refs/heads/fix", "logs/refs/heads/fix")
    status = git(repository, "status", "--porcelain")
    before = snapshot(repository, added)
    LocalRepository(repository).add_branch("fix", head(repository), fix(head(repository)), "fix\n")
    assert snapshot(repository, added) == before
    assert git(repository, "status", "--porcelain") == status


def test_a_branch_holds_also_what_a_sparse_work_tree_leaves_out(repository: Path) -> None:
    git(repository, "sparse-checkout", "set", "--cone", "--sparse-index", "elsewhere")
    base = head(repository)
    change = ChangeSet(base, {"a.py": FileChange(FileMode.REGULAR, b"x = 2\n")})
    commit = LocalRepository(repository).add_branch("fix", base, change, "fix\n")
    assert git(repository, "ls-tree", "-r", "--name-only", commit).decode().split() == ["a.py", "pkg/b.py"]


def test_names_that_differ_in_case_stay_apart(repository: Path) -> None:
    git(repository, "config", "core.ignoreCase", "true")
    base = head(repository)
    change = ChangeSet(base, {"a.py": None, "A.py": FileChange(FileMode.REGULAR, b"x = 2\n")})
    commit = LocalRepository(repository).add_branch("fix", base, change, "fix\n")
    assert git(repository, "ls-tree", "-r", "--name-only", commit).decode().split() == ["A.py", "pkg/b.py"]


def test_a_branch_that_is_just_that_already_is_left(repository: Path) -> None:
    local, base = LocalRepository(repository), head(repository)
    first = local.add_branch("fix", base, fix(base), "fix\n")
    assert local.add_branch("fix", base, fix(base), "fix, said again\n") == first


def test_a_branch_with_something_else_is_refused_and_kept(repository: Path) -> None:
    local, base = LocalRepository(repository), head(repository)
    git(repository, "branch", "fix")
    with pytest.raises(RepoError, match="'fix' exists already"):
        local.add_branch("fix", base, fix(base), "fix\n")
    with pytest.raises(RepoError, match="'fix' exists already"):
        local.check_new_branch("fix")
    assert head(repository, "fix") == base


def test_a_branch_below_another_branch_is_refused(repository: Path) -> None:
    git(repository, "branch", "fix")
    with pytest.raises(RepoError):
        LocalRepository(repository).add_branch("fix/one", head(repository), fix(head(repository)), "fix\n")


@pytest.mark.parametrize(
    "name",
    ["--upload-pack=x", "-d", "a..b", "a@{1}", "x.lock", "a\nb", "refs/heads/main", "x" * 300, "", "HEAD", "a b", "a/"],
)
def test_a_name_that_is_no_plain_branch_is_refused(repository: Path, name: str) -> None:
    """G13."""
    before = git(repository, "for-each-ref")
    local = LocalRepository(repository)
    with pytest.raises(RepoError):
        local.add_branch(name, head(repository), fix(head(repository)), "fix\n")
    with pytest.raises(RepoError):
        local.check_new_branch(name)
    assert git(repository, "for-each-ref") == before


def test_a_change_that_the_gate_refuses_makes_no_branch(repository: Path) -> None:
    base = head(repository)
    change = ChangeSet(base, {".github/workflows/x.yml": FileChange(FileMode.REGULAR, b"on: push\n")})
    with pytest.raises(PathRefusedError):
        LocalRepository(repository).add_branch("fix", base, change, "fix\n")


def plant(repository: Path, trap: Path) -> None:
    """Every way to make git run something that can stand in a repository's own configuration."""
    shutil.rmtree(repository / ".git" / "hooks", ignore_errors=True)
    hooks = repository / "planted-hooks"
    for folder in (repository / ".git" / "hooks", hooks):
        folder.mkdir()
        for hook in ("reference-transaction", "pre-commit", "post-commit", "post-checkout", "post-index-change",
                     "pre-auto-gc", "update", "post-update", "fsmonitor-watchman", "pre-push"):  # fmt: skip
            (folder / hook).write_text(f"#!/bin/sh\ntouch {trap}/hook-{hook}\n")
            (folder / hook).chmod(0o755)
    check = hooks / "check"
    check.write_text(f"#!/bin/sh\ntouch {trap}/signature\nexit 1\n")
    check.chmod(0o755)
    settings = {
        "core.hooksPath": str(hooks),
        "core.fsmonitor": f"touch {trap}/fsmonitor; false",
        "core.sshCommand": f"touch {trap}/ssh; false",
        "core.pager": f"touch {trap}/pager",
        "core.editor": f"touch {trap}/editor",
        "core.alternateRefsCommand": f"touch {trap}/alternates",
        "core.gitProxy": f"touch {trap}/proxy",
        "core.askPass": f"touch {trap}/askpass",
        "credential.helper": f"!touch {trap}/credential",
        "gpg.program": f"touch {trap}/gpg",
        "commit.gpgSign": "true",
        "log.showSignature": "true",
        "gpg.ssh.program": str(check),
        "gpg.ssh.allowedSignersFile": str(check),
        "gpg.x509.program": str(check),
        "gpg.openpgp.program": str(check),
        "diff.external": f"touch {trap}/diff",
        "diff.evil.textconv": f"touch {trap}/textconv",
        "filter.evil.clean": f"touch {trap}/clean",
        "filter.evil.smudge": f"touch {trap}/smudge",
        "filter.evil.process": f"touch {trap}/process",
        "filter.evil.required": "true",
        "trailer.evil.command": f"touch {trap}/trailer",
        "alias.ls-tree": f"!touch {trap}/alias",
        "uploadpack.packObjectsHook": f"touch {trap}/pack-objects",
        "extensions.partialClone": "origin",
        "core.repositoryFormatVersion": "1",
        "remote.origin.promisor": "true",
        "remote.origin.url": f"ext::sh -c touch% {trap}/ext",
        "remote.origin.uploadpack": f"touch {trap}/uploadpack",
        "remote.origin.vcs": "evil",
        "protocol.allow": "always",
        "protocol.ext.allow": "always",
        "gc.auto": "1",
        "core.splitIndex": "true",
        "core.untrackedCache": "true",
    }
    for key, value in settings.items():
        git(repository, "config", key, value)
    (repository / ".git" / "info").mkdir(exist_ok=True)
    (repository / ".git" / "info" / "attributes").write_text("* filter=evil diff=evil\n")


def sign(repository: Path) -> None:
    """A commit with each kind of signature, which `git log` can be told to check (gitformat-signature(5))."""
    for kind in ("PGP SIGNATURE", "SSH SIGNATURE", "SIGNED MESSAGE"):
        content = git(repository, "cat-file", "commit", "HEAD").decode()
        tree, who = content.split("\n")[0], content.partition("author ")[2].split("\n")[0]
        signature = f"gpgsig -----BEGIN {kind}-----\n U1NIU0lH\n -----END {kind}-----"
        lines = [tree, f"parent {head(repository)}", f"author {who}", f"committer {who}", signature, "", "Signed\n"]
        signed = git(repository, "hash-object", "-t", "commit", "-w", "--stdin", stdin="\n".join(lines).encode())
        git(repository, "update-ref", "HEAD", signed.decode().strip())


def test_nothing_that_a_repository_plants_is_run(repository: Path, tmp_path: Path) -> None:
    """T01, T02, T03, T05, T09."""
    commit_files(repository, {".gitattributes": "* filter=evil diff=evil merge=evil\n"})
    sign(repository)
    base, trap = head(repository), tmp_path / "trap"
    trap.mkdir()
    plant(repository, trap)
    local = LocalRepository(repository)
    checkout = local.checkout(local.resolve("HEAD"))
    assert checkout.read("a.py") == b"x = 1\n"
    with (tmp_path / "tar").open("wb") as tar:
        checkout.write_tar(tar)
    assert b"+x = 2" in checkout.patch(fix(base))
    assert recent_changes(checkout.git_dir, base)[0].message == b"Signed"
    local.add_branch("fix", base, fix(base), "fix\n")
    assert list(trap.iterdir()) == []
    assert not list((repository / ".git").glob("sharedindex*"))


def test_the_trap_works(repository: Path, tmp_path: Path) -> None:
    """Plain git does fall into it; else the test above would show nothing."""
    trap = tmp_path / "trap"
    trap.mkdir()
    sign(repository)
    plant(repository, trap)
    git(repository, "update-ref", "refs/heads/seen", head(repository))
    for command in ("log", "status"):  # both run the trap, and may then fail:
        with suppress(AssertionError):  # by a trap that ends before it was told all, or by the lazy fetch at the end
            git(repository, command)
    assert {"hook-reference-transaction", "fsmonitor", "signature"} <= {path.name for path in trap.iterdir()}


def test_a_missing_object_of_a_partial_clone_is_not_fetched_by_the_repository_s_own_means(
    repository: Path, tmp_path: Path
) -> None:
    """T09: a lazy fetch would run whatever the remote's settings name."""
    trap = tmp_path / "trap"
    trap.mkdir()
    plant(repository, trap)
    local = LocalRepository(repository)
    checkout = local.checkout(local.resolve("HEAD"))
    lost = checkout.tree["a.py"].blob_id
    (repository / ".git" / "objects" / lost[:2] / lost[2:]).unlink()
    for vcs in ("evil", None):
        if vcs is None:
            git(repository, "config", "--unset", "remote.origin.vcs")
        with pytest.raises(RepoError):
            local.checkout(checkout.commit).read("a.py")
    assert list(trap.iterdir()) == []


def test_a_repository_whose_index_is_broken_can_be_read(repository: Path) -> None:
    (repository / ".git" / "index").write_bytes(b"nonsense")
    local = LocalRepository(repository)
    assert local.checkout(local.resolve("HEAD")).tree
    assert local.add_branch("fix", local.resolve("HEAD"), fix(head(repository)), "fix\n")
