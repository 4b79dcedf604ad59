"""A bare git repository on disk, written with plumbing: what stands behind the stand-in's Git Data API."""

import os
import subprocess
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

ENVIRONMENT = {
    "PATH": os.defpath,
    "HOME": "/nonexistent",
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": os.devnull,
}
SERVED = "[uploadpack]\n\tallowAnySHA1InWant = true\n\tallowFilter = true\n[gc]\n\tauto = 0\n"
"""As GitHub serves repositories: any commit by its id, and filters."""


class GitRefusedError(Exception):
    """git would not do it: an unknown object, a bad path."""


@dataclass(frozen=True)
class CommitInfo:
    sha: str
    tree: str
    parents: tuple[str, ...]
    message: str


class BareRepository:
    """Objects and refs in `path`."""

    def __init__(self, path: Path) -> None:
        self.path = path

    @classmethod
    def create(cls, path: Path) -> "BareRepository":
        path.mkdir(parents=True)
        repository = cls(path)
        repository.git("init", "--quiet", "--bare", "--initial-branch=main", str(path))
        with (path / "config").open("a") as config:
            config.write(SERVED)
        return repository

    def commit_files(
        self, branch: str, files: Mapping[str, bytes | None], message: str, executable: Sequence[str] = ()
    ) -> str:
        """Put `files` (None deletes) on top of `branch`, as somebody's push would; the new commit. (By one process of
        git, where plumbing takes one for each file: https://git-scm.com/docs/git-fast-import.)"""
        head = f"refs/heads/{branch}"
        parent = f"from {head}^0\n" if self.ref(head) else ""
        person = f"A Person <person@example.org> {int(time.time())} +0000"
        stream = [f"commit {head}\nmark :1\ncommitter {person}\n".encode(), _data(message.encode()), parent.encode()]
        for path, content in sorted(files.items(), key=lambda file: file[1] is not None):
            mode = "100755" if path in executable else "100644"
            stream += [_to(path, mode), _data(content)] if content is not None else [_to(path)]
        return self.git("fast-import", "--quiet", stdin=b"".join((*stream, b"get-mark :1\n"))).decode().strip()

    def ref(self, name: str) -> str | None:
        found = self.git("for-each-ref", "--format=%(objectname) %(refname)", name).decode().split()
        return found[0] if len(found) == 2 and found[1] == name else None

    def is_empty(self) -> bool:
        return not self.git("for-each-ref", "--count=1")

    def create_ref(self, name: str, sha: str) -> None:
        self.git("update-ref", "--", name, sha, "0" * 40)

    def kind(self, sha: str) -> str | None:
        """``commit``, ``tree`` or ``blob``; None where there is no such object."""
        answer = self.git("cat-file", "--batch-check=%(objecttype)", stdin=f"{sha}\n".encode()).decode().split()
        return answer[0] if len(answer) == 1 else None

    def write_blob(self, content: bytes) -> str:
        return self.git("hash-object", "-w", "--stdin", stdin=content).decode().strip()

    def write_tree(self, base: str | None, entries: Sequence[tuple[str, str, str | None]]) -> str:
        """The tree of `base` with (path, mode, blob or None to delete) applied."""
        with tempfile.TemporaryDirectory() as folder:
            index = {"GIT_INDEX_FILE": f"{folder}/index"}
            self.git("read-tree", *([base] if base else ["--empty"]), environment=index)
            known = set(self.git("ls-files", "-z", environment=index).split(b"\0"))
            lines = []
            for path, mode, sha in sorted(entries, key=lambda entry: entry[2] is not None):
                if sha is None and path.encode() not in known:
                    raise GitRefusedError("GitRPC::BadObjectState")
                lines.append(f"{'0' if sha is None else mode} {sha or '0' * 40}\t{path}\0".encode())
            self.git(
                "update-index", "--add", "--replace", "-z", "--index-info", stdin=b"".join(lines), environment=index
            )
            return self.git("write-tree", environment=index).decode().strip()

    def write_commit(self, message: str, tree: str, parents: Sequence[str], person: tuple[str, str]) -> str:
        names = {
            f"GIT_{role}_{part}": value
            for role in ("AUTHOR", "COMMITTER")
            for part, value in zip(("NAME", "EMAIL"), person, strict=True)
        }
        arguments = [argument for parent in parents for argument in ("-p", parent)]
        return self.git("commit-tree", tree, *arguments, stdin=message.encode(), environment=names).decode().strip()

    def commit(self, sha: str) -> CommitInfo:
        text = self.git("cat-file", "commit", sha).decode("utf-8", "replace")
        head, _, message = text.partition("\n\n")
        fields = [line.split(" ", 1) for line in head.split("\n")]
        parents = tuple(value for name, value in fields if name == "parent")
        return CommitInfo(sha, dict(fields[:1])["tree"], parents, message)

    def tree(self, sha: str) -> list[tuple[str, str, str, str]]:
        """(mode, kind, sha, path) of every file below."""
        lines = self.git("ls-tree", "-r", "-z", sha).decode("utf-8", "surrogateescape").split("\0")[:-1]
        return [(*line.partition("\t")[0].split(), line.partition("\t")[2]) for line in lines]  # type: ignore[misc]

    def read(self, revision: str, path: str) -> bytes:
        return self.git("cat-file", "blob", f"{revision}:{path}")

    def related(self, one: str, other: str) -> bool:
        """They have history in common."""
        return self._succeeds("merge-base", one, other)

    def contains(self, descendant: str, ancestor: str) -> bool:
        return self._succeeds("merge-base", "--is-ancestor", ancestor, descendant)

    def diff(self, base: str, head: str) -> str:
        return self.git("diff", "--no-ext-diff", "--no-textconv", f"{base}...{head}").decode("utf-8", "replace")

    def _succeeds(self, *arguments: str) -> bool:
        try:
            self.git(*arguments)
        except GitRefusedError:
            return False
        return True

    def git(self, *arguments: str, stdin: bytes = b"", environment: Mapping[str, str] | None = None) -> bytes:
        done = subprocess.run(
            ["git", "-C", str(self.path), *arguments],
            input=stdin,
            capture_output=True,
            env=ENVIRONMENT | dict(environment or {}),
            check=False,
        )
        if done.returncode:
            raise GitRefusedError(done.stderr.decode("utf-8", "replace").strip())
        return done.stdout


def _data(content: bytes) -> bytes:
    return b"data %d\n%s\n" % (len(content), content)


def _to(path: str, mode: str | None = None) -> bytes:
    """A file with its content to come, or its deletion."""
    quoted = path.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return (f'M {mode} inline "{quoted}"\n' if mode else f'D "{quoted}"\n').encode()
