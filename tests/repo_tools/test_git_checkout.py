"""A commit read from objects: exact contents, tar, patch; hostile trees; nothing of the repository's runs."""

import io
import re
import subprocess
import tarfile
import time
from pathlib import Path

import pytest

from repo_tools import git_objects, tar_stream
from repo_tools.changes import ChangeSet, FileChange, FileMode, TreeEntry, blob_id
from repo_tools.checkout import Unread
from repo_tools.errors import RepoError, RepoUnavailableError
from repo_tools.git_checkout import GitCheckout
from tests.support.repositories import blob, commit_files, commit_tree_records, git, head, make_repository

FILES: dict[str, bytes | str] = {
    "a.py": "x = 1\n",
    "crlf.txt": b"one\r\ntwo\r\n",
    "bom.txt": b"\xef\xbb\xbfhello",
    "binary.bin": bytes(range(256)) * 300,
    "empty": b"",
    "folder/naïve name.txt": "é\n",
    "folder/deep/" + "long" * 40 + ".txt": "long\n",
    ".gitattributes": "* -text\nident.txt ident export-subst\nfolder export-ignore\neol.txt text eol=crlf\n",
    "eol.txt": "one\ntwo\n",
    "ident.txt": "$Id$ $Format:%H$\n",
}


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    repository = make_repository(tmp_path / "repository")
    git(repository, "config", "core.autocrlf", "false")
    (repository / "run.sh").write_text("#!/bin/sh\n")
    (repository / "run.sh").chmod(0o755)
    (repository / "link").symlink_to("folder/../a.py")
    (repository / "outside").symlink_to("/etc/passwd")
    for path, content in FILES.items():
        place = repository / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(content.encode() if isinstance(content, str) else content)
    git(repository, "-c", "core.attributesFile=/dev/null", "add", "--all")
    git(repository, "commit", "-q", "-m", "files")
    return repository


def open_checkout(repository: Path, commit: str | None = None) -> GitCheckout:
    return GitCheckout(repository / ".git", commit or head(repository))


def tar_of(checkout: GitCheckout) -> tarfile.TarFile:
    stream = io.BytesIO()
    checkout.write_tar(stream)
    stream.seek(0)
    return tarfile.open(fileobj=stream, mode="r:")


def test_many_files_are_read_in_the_order_asked_for_but_none_that_is_too_large(repository: Path) -> None:
    checkout = open_checkout(repository)
    assert [*checkout.read_many(["crlf.txt", "binary.bin", "empty", "a.py", "a.py"], 1_000)] == [
        b"one\r\ntwo\r\n",
        Unread.TOO_LARGE,
        b"",
        b"x = 1\n",
        b"x = 1\n",
    ]


def test_a_clone_that_was_made_with_a_filter_is_told_what_it_lacks_and_how_that_is_mended(
    repository: Path, tmp_path: Path
) -> None:
    git(repository, "config", "uploadpack.allowFilter", "true")
    clone, commit = tmp_path / "clone", head(repository)
    git(tmp_path, "clone", "--quiet", "--no-checkout", "--filter=blob:none", f"file://{repository}", str(clone))
    with pytest.raises(RepoError, match="promisor") as refused:
        [*open_checkout(clone, commit).read_many(["a.py"], 1_000)]
    (command,) = re.findall("`git (.*)`", str(refused.value))

    git(clone, *command.split())

    assert [*open_checkout(clone, commit).read_many(["a.py"], 1_000)] == [b"x = 1\n"]


def test_a_file_that_a_damaged_clone_lacks_is_not_read_and_the_others_are(repository: Path) -> None:
    checkout = open_checkout(repository)
    lacking = checkout.tree["crlf.txt"].blob_id
    (repository / ".git/objects" / lacking[:2] / lacking[2:]).unlink()
    assert [*checkout.read_many(["crlf.txt", "a.py"], 1_000)] == [Unread.MISSING, b"x = 1\n"]
    with pytest.raises(RepoError, match="the clone is incomplete"):
        checkout.read("crlf.txt")


def test_the_tree_is_what_git_lists(repository: Path) -> None:
    checkout = open_checkout(repository)
    assert checkout.tree["a.py"] == TreeEntry(FileMode.REGULAR, blob_id(b"x = 1\n"))
    assert checkout.tree["run.sh"].mode is FileMode.EXECUTABLE
    assert checkout.tree["link"].mode is FileMode.SYMLINK
    assert set(FILES) | {"run.sh", "link", "outside"} == set(checkout.tree)


def test_contents_are_those_of_the_objects(repository: Path) -> None:
    """No attribute is heeded: no ident, no export-subst, no line endings."""
    with open_checkout(repository) as checkout:
        assert checkout.read("binary.bin") == FILES["binary.bin"]
        assert checkout.read("bom.txt") == FILES["bom.txt"]
        assert checkout.read("ident.txt") == b"$Id$ $Format:%H$\n"
        assert checkout.read("eol.txt") == b"one\ntwo\n"
        assert checkout.read("crlf.txt") == FILES["crlf.txt"]
        assert checkout.read("empty") == b""
        assert checkout.read("link") == b"folder/../a.py"


def test_an_unknown_path_is_a_key_error(repository: Path) -> None:
    with pytest.raises(KeyError):
        open_checkout(repository).read("nothing")


def test_the_tar_holds_every_file_as_it_is(repository: Path) -> None:
    checkout = open_checkout(repository)
    with tar_of(checkout) as archive:
        members = {member.name: member for member in archive}
        assert set(members) == set(checkout.tree)
        for path, member in members.items():
            if member.isreg():
                file = archive.extractfile(member)
                assert file is not None
                assert file.read() == checkout.read(path)
    assert members["run.sh"].mode == 0o755
    assert members["a.py"].mode == 0o644
    assert (members["link"].issym(), members["link"].linkname) == (True, "folder/../a.py")
    assert members["outside"].linkname == "/etc/passwd"


def test_the_tar_can_be_unpacked_by_tar(repository: Path, tmp_path: Path) -> None:
    stream = io.BytesIO()
    open_checkout(repository).write_tar(stream)
    (tmp_path / "out").mkdir()
    subprocess.run(["tar", "-x", "-C", tmp_path / "out"], input=stream.getvalue(), check=True)
    assert (tmp_path / "out" / "folder" / "naïve name.txt").read_text() == "é\n"


@pytest.mark.parametrize("committer", ["A <a@b> 1 +0000", "A <a@b> -9 +0000", "A <a@b>", "A <a@b> 1", "A> B", ""])
def test_files_bear_the_commit_time_within_what_zip_knows(tmp_path: Path, committer: str) -> None:
    """Commits that other programs wrote may tell none."""
    repository = make_repository(tmp_path / "repository", {"a": "a"})
    commit = commit_object(repository, f"author A <a@b> 1 +0000\ncommitter {committer}\n\nold\n")
    with tar_of(open_checkout(repository, commit)) as archive:
        assert archive.getmember("a").mtime > 315_532_800


def test_the_commit_time_is_the_committers(tmp_path: Path) -> None:
    repository = make_repository(tmp_path / "repository", {"a": "a"})
    said = "author A <a@b> 500000000 +0000\ncommitter A <a@b> 600000000 -0700\n\ncommitter B <b@b> 700000000 +0000\n"
    assert open_checkout(repository, commit_object(repository, said)).committed_seconds == 600_000_000


def test_a_commit_that_says_too_much_for_this_process_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """T15."""
    monkeypatch.setattr(git_objects, "MOST_READ_BYTES", 100_000)
    repository = make_repository(tmp_path / "repository", {"a": "a"})
    commit = commit_object(repository, f"author A <a@b> 1 +0000\ncommitter A <a@b> 1 +0000\n\n{'x' * 100_000}\n")
    with pytest.raises(RepoError, match="is not read"):
        _ = open_checkout(repository, commit).committed_seconds


def commit_object(repository: Path, said: str) -> str:
    """Of the newest tree."""
    raw = f"tree {head(repository, 'HEAD^{tree}')}\n{said}".encode()
    return git(repository, "hash-object", "-t", "commit", "-w", "--literally", "--stdin", stdin=raw).decode().strip()


def test_submodules_are_empty_folders(repository: Path) -> None:
    git(repository, "update-index", "--add", "--cacheinfo", f"160000,{head(repository)},sub")
    git(repository, "commit", "-q", "-m", "submodule")
    checkout = open_checkout(repository)
    with tar_of(checkout) as archive:
        assert archive.getmember("sub").isdir()
    with pytest.raises(KeyError):
        checkout.read("sub")


def test_many_large_and_small_files_come_in_order(tmp_path: Path) -> None:
    """More ids than are asked for ahead, contents larger than a pipe."""
    files: dict[str, bytes | str] = {f"{n:04}": bytes([n % 256]) * (n * 97 % 90_000) for n in range(900)}
    checkout = open_checkout(make_repository(tmp_path / "repository", files))
    with tar_of(checkout) as archive:
        for member in archive:
            file = archive.extractfile(member)
            assert file is not None
            assert file.read() == files[member.name]


def test_a_patch_can_be_applied_by_git(repository: Path) -> None:
    checkout = open_checkout(repository)
    change = ChangeSet(
        checkout.commit,
        {
            "a.py": FileChange(FileMode.EXECUTABLE, b"x = 2"),
            "crlf.txt": FileChange(FileMode.REGULAR, b"one\r\nthree\r\n"),
            "binary.bin": FileChange(FileMode.REGULAR, b"\0\1\2"),
            "empty": None,
            "folder/naïve name.txt": None,
            "new/ümlaut \x7e.bin": FileChange(FileMode.REGULAR, bytes(range(256))),
        },
    )
    patch = checkout.patch(change)
    git(repository, "apply", "--index", stdin=patch)
    assert (repository / "a.py").read_bytes() == b"x = 2"
    assert (repository / "crlf.txt").read_bytes() == b"one\r\nthree\r\n"
    assert (repository / "binary.bin").read_bytes() == b"\0\1\2"
    assert (repository / "new/ümlaut \x7e.bin").read_bytes() == bytes(range(256))
    assert not (repository / "empty").exists()
    assert (repository / "a.py").stat().st_mode & 0o100


def test_a_patch_can_turn_a_folder_into_a_file_and_back(repository: Path) -> None:
    checkout = open_checkout(repository)
    inside = [path for path in checkout.tree if path.startswith("folder/")]
    change = ChangeSet(
        checkout.commit,
        {
            **dict.fromkeys(inside),
            "folder": FileChange(FileMode.REGULAR, b"file\n"),
            "a.py": None,
            "a.py/b.py": FileChange(FileMode.REGULAR, b"folder\n"),
        },
    )
    git(repository, "apply", "--index", stdin=checkout.patch(change))
    assert (repository / "folder").read_bytes() == b"file\n"
    assert (repository / "a.py" / "b.py").read_bytes() == b"folder\n"


def test_a_patch_leaves_the_repository_as_it_is(repository: Path) -> None:
    checkout = open_checkout(repository)
    before = snapshot(repository)
    assert checkout.patch(ChangeSet(checkout.commit, {"a.py": FileChange(FileMode.REGULAR, b"x = 2\n")}))
    assert snapshot(repository) == before


def test_no_change_is_an_empty_patch(repository: Path) -> None:
    checkout = open_checkout(repository)
    assert checkout.patch(ChangeSet(checkout.commit)) == b""


def test_settings_of_the_repository_do_not_alter_a_patch(repository: Path, tmp_path: Path) -> None:
    """T05: external diff, textconv, prefixes, drivers."""
    checkout = open_checkout(repository)
    change = ChangeSet(checkout.commit, {"a.py": FileChange(FileMode.REGULAR, b"x = 2\n")})
    expected = checkout.patch(change)
    trap = f"touch {tmp_path}/pwned; true"
    for key in ("diff.external", "diff.evil.command", "diff.evil.textconv", "core.pager", "pager.diff-tree"):
        git(repository, "config", key, trap)
    git(repository, "config", "diff.noprefix", "true")
    (repository / ".git" / "info" / "attributes").write_text("* diff=evil\n")
    assert open_checkout(repository).patch(change) == expected
    assert not (tmp_path / "pwned").exists()


@pytest.mark.parametrize(
    "name",
    [
        b".git",
        b".GIT",
        b".Git",
        b"git~1",
        b"GIT~1",
        b".git ",
        b".git.",
        b".git . .",
        b".git::$INDEX_ALLOCATION",
        b"x\\.git\\config",
        ".g\u200cit".encode(),
        ".gi\u200dt".encode(),
        "\ufeff.git".encode(),
        b"..",
        b".",
        b"",
        b"a/b",
    ],
)
def test_a_tree_that_git_would_not_check_out_is_refused(tmp_path: Path, name: bytes) -> None:
    """T15: as core.protectHFS and core.protectNTFS do, on every platform."""
    repository = make_repository(tmp_path / "repository", {})
    inner = git(repository, "mktree", stdin=f"100644 blob {blob(repository, b'x')}\tconfig\n".encode())
    commit = commit_tree_records(repository, [("40000", name, inner.decode().strip())])
    if name == b"a/b":
        assert list(open_checkout(repository, commit).tree) == ["a/b/config"]
        return
    with pytest.raises(RepoError):
        open_checkout(repository, commit)


def test_a_path_that_is_file_and_folder_at_once_is_refused(tmp_path: Path) -> None:
    """T14: a link and a folder of one name would let the folder's files through the link."""
    repository = make_repository(tmp_path / "repository", {})
    link = blob(repository, b"/tmp")
    inner = git(repository, "mktree", stdin=f"100644 blob {blob(repository, b'x')}\tx\n".encode())
    commit = commit_tree_records(repository, [("120000", b"a", link), ("40000", b"a", inner.decode().strip())])
    with pytest.raises(RepoError, match="both a file and a folder"):
        open_checkout(repository, commit)


@pytest.mark.parametrize(
    "name", [b"CON", b"aux.txt", b"\xff\xfe", "a\u200cb".encode(), b"tab\there", b"new\nline", b"x" * 255]
)
def test_odd_names_are_carried_exactly(tmp_path: Path, name: bytes) -> None:
    """T15: escaped where shown, never a crash."""
    repository = make_repository(tmp_path / "repository", {})
    commit = commit_tree_records(repository, [("100644", name, blob(repository, b"content"))])
    checkout = open_checkout(repository, commit)
    path = name.decode("utf-8", "surrogateescape")
    assert checkout.read(path) == b"content"
    with tar_of(checkout) as archive:
        assert archive.getnames() == [path]
    patch = checkout.patch(ChangeSet(commit, {path: FileChange(FileMode.REGULAR, b"new\n")}))
    assert b"+new" in patch


def test_a_name_that_no_file_system_takes_is_refused(tmp_path: Path) -> None:
    """T15."""
    repository = make_repository(tmp_path / "repository", {})
    commit = commit_tree_records(repository, [("100644", b"n" * 4096, blob(repository, b"content"))])
    with pytest.raises(RepoError, match="longer than a file system takes"):
        open_checkout(repository, commit)


def test_trees_that_name_each_other_until_they_list_billions_of_files_are_refused_at_once(tmp_path: Path) -> None:
    """T15. Some hundred bytes; what git lists of them would fill this process."""
    repository = make_repository(tmp_path / "repository", {})
    kind, inner = "100644 blob", blob(repository, b"x")
    for _ in range(10):
        lines = "".join(f"{kind} {inner}\t{name}\n" for name in "abcdefghij")
        kind, inner = "040000 tree", git(repository, "mktree", stdin=lines.encode()).decode().strip()
    commit = git(repository, "commit-tree", "-m", "many", inner).decode().strip()
    started = time.monotonic()
    with pytest.raises(RepoError, match="lists more than 64 MiB") as refused:
        open_checkout(repository, commit)
    assert not isinstance(refused.value, RepoUnavailableError)  # it will be no smaller later
    assert time.monotonic() - started < 30


def test_a_small_blob_that_many_paths_name_does_not_fill_the_disk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """T15."""
    monkeypatch.setattr(tar_stream, "MOST_CONTENT_BYTES", 10 << 20)
    repository = make_repository(tmp_path / "repository", {})
    records = [("100644", f"{n:02}".encode(), blob(repository, bytes(1 << 20))) for n in range(11)]
    stream = io.BytesIO()
    with pytest.raises(RepoError, match="more than 10 MiB"):
        open_checkout(repository, commit_tree_records(repository, records)).write_tar(stream)
    assert len(stream.getvalue()) < 11 << 20
    assert len(tar_of(open_checkout(repository, commit_tree_records(repository, records[:10]))).getnames()) == 10


def test_a_link_of_megabytes_is_refused_before_it_takes_memory(tmp_path: Path) -> None:
    """T15."""
    repository = make_repository(tmp_path / "repository", {})
    commit = commit_tree_records(repository, [("120000", b"a", blob(repository, b"x" * 5_000))])
    with pytest.raises(RepoError, match="longer than any path"):
        open_checkout(repository, commit).write_tar(io.BytesIO())


def test_a_file_that_is_too_large_for_this_process_is_not_read_and_the_others_are(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """T15."""
    monkeypatch.setattr(git_objects, "MOST_READ_BYTES", 100_000)
    repository = make_repository(tmp_path / "repository", {})
    records = [("100644", name, blob(repository, bytes(size))) for name, size in ((b"a", 100_001), (b"b", 100_000))]
    checkout = open_checkout(repository, commit_tree_records(repository, records))
    with pytest.raises(RepoError, match="is not read"):
        checkout.read("a")
    assert checkout.read("b") == bytes(100_000)


def test_modes_of_old_commits_are_read_as_git_reads_them(tmp_path: Path) -> None:
    repository = make_repository(tmp_path / "repository", {})
    content = blob(repository, b"x")
    records = [("100664", b"a", content), ("100775", b"b", content), ("104755", b"c", content)]
    tree = open_checkout(repository, commit_tree_records(repository, records)).tree
    modes = {path: entry.mode for path, entry in tree.items()}
    assert modes == {"a": FileMode.REGULAR, "b": FileMode.EXECUTABLE, "c": FileMode.EXECUTABLE}


def test_a_missing_object_is_a_repo_error_that_says_so(repository: Path) -> None:
    checkout = open_checkout(repository)
    lost = checkout.tree["a.py"].blob_id
    (repository / ".git" / "objects" / lost[:2] / lost[2:]).unlink()
    with pytest.raises(RepoError, match="clone is incomplete"):
        checkout.read("a.py")
    with pytest.raises(RepoError, match="clone is incomplete"):
        checkout.write_tar(io.BytesIO())
    assert checkout.read("crlf.txt") == FILES["crlf.txt"]


def test_a_damaged_object_is_a_repo_error(repository: Path) -> None:
    checkout = open_checkout(repository)
    damaged = checkout.tree["a.py"].blob_id
    file = repository / ".git" / "objects" / damaged[:2] / damaged[2:]
    file.chmod(0o644)
    file.write_bytes(b"nonsense")
    with pytest.raises(RepoError):
        checkout.read("a.py")
    assert checkout.read("crlf.txt") == FILES["crlf.txt"]


def test_an_unknown_commit_is_a_repo_error(repository: Path) -> None:
    with pytest.raises(RepoError):
        open_checkout(repository, "0" * 39 + "1")


def test_a_closed_checkout_can_be_read_again(repository: Path) -> None:
    checkout = open_checkout(repository)
    checkout.read("a.py")
    checkout.close()
    assert checkout.read("a.py") == b"x = 1\n"
    checkout.close()


def test_commit_with_no_files_is_an_empty_tree(tmp_path: Path) -> None:
    repository = make_repository(tmp_path / "repository")
    commit_files(repository, {})
    checkout = open_checkout(repository)
    assert checkout.tree == {}
    with tar_of(checkout) as archive:
        assert archive.getnames() == []


def snapshot(folder: Path) -> dict[str, bytes]:
    return {str(file): file.read_bytes() for file in folder.rglob("*") if file.is_file() and not file.is_symlink()}
