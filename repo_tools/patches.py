"""A ChangeSet as git objects and as a patch, by plumbing alone."""

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from repo_tools.changes import ChangeSet
from repo_tools.git import Git

_NO_OBJECT = "0" * 40


def make_patch(object_directory: Path, change: ChangeSet) -> bytes:
    """`change` as ``git apply`` takes it, binary files included. Nothing is written to `object_directory`."""
    with scratch_repository(object_directory) as scratch:
        git = Git(scratch)
        tree = write_tree(scratch, change, scratch)
        return git.run(
            "diff-tree", "-r", "-p", "--binary", "--full-index", "--no-renames", "--no-ext-diff", "--no-textconv",
            "--no-color", "--src-prefix=a/", "--dst-prefix=b/", change.base_commit, tree,
        )  # fmt: skip


def write_tree(git_dir: Path, change: ChangeSet, working: Path) -> str:
    """Write the objects of base + `change` into the repository and give the new tree's id. The index and the files on
    the way to it stand in the folder `working`."""
    git = Git(git_dir, environment={"GIT_INDEX_FILE": str(working / "agent-fix.index")})
    git.run("read-tree", change.base_commit)
    git.run("update-index", "-z", "--index-info", stdin=_index_info(change, _write_blobs(git, change, working)))
    return git.run("write-tree").decode().strip()


@contextmanager
def scratch_repository(object_directory: Path) -> Iterator[Path]:
    """An empty bare repository that also sees the objects of another one; it is gone afterwards."""
    with tempfile.TemporaryDirectory(prefix="agent-fix-git-") as name:
        scratch = Path(name)
        (scratch / "objects" / "info").mkdir(parents=True)
        (scratch / "refs").mkdir()
        (scratch / "HEAD").write_text("ref: refs/heads/none\n")
        (scratch / "config").write_text("[core]\n\trepositoryformatversion = 0\n\tbare = true\n")
        (scratch / "objects" / "info" / "alternates").write_text(f"{object_directory}\n")
        yield scratch


def _write_blobs(git: Git, change: ChangeSet, working: Path) -> dict[str, str]:
    """Write each new content as a blob; path -> blob id."""
    new = {path: state for path, state in change.files.items() if state is not None}
    with tempfile.TemporaryDirectory(dir=working) as folder:
        for number, state in enumerate(new.values()):
            Path(folder, str(number)).write_bytes(state.content)
        names = "".join(f"{folder}/{number}\n" for number in range(len(new)))
        ids = git.run("hash-object", "-w", "--no-filters", "--stdin-paths", stdin=names.encode()).decode().split()
    return dict(zip(new, ids, strict=True))


def _index_info(change: ChangeSet, blobs: dict[str, str]) -> bytes:
    """Deletions first, so that a folder can take a file's place and the other way round."""
    gone = [f"0 {_NO_OBJECT}\t{path}\0" for path in change if change.files[path] is None]
    new = [f"{state.mode} {blobs[path]}\t{path}\0" for path, state in change.files.items() if state is not None]
    return "".join(gone + new).encode("utf-8", "surrogateescape")
