"""Git repositories for tests, made by git itself."""

import os
import subprocess
from collections.abc import Mapping
from pathlib import Path

Content = bytes | str


def git(folder: Path, *arguments: str, stdin: bytes = b"") -> bytes:
    """Run the machine's git as a person would, without that person's settings."""
    environment = {
        "PATH": os.environ["PATH"],
        "HOME": "/nonexistent",
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_AUTHOR_NAME": "A Person",
        "GIT_AUTHOR_EMAIL": "person@example.org",
        "GIT_COMMITTER_NAME": "A Person",
        "GIT_COMMITTER_EMAIL": "person@example.org",
        "GIT_TERMINAL_PROMPT": "0",
        # Recent versions tidy up beside, after the command has ended, while tests already copy or remove the folder.
        "GIT_CONFIG_COUNT": "2",
        "GIT_CONFIG_KEY_0": "maintenance.auto",
        "GIT_CONFIG_VALUE_0": "false",
        "GIT_CONFIG_KEY_1": "gc.auto",
        "GIT_CONFIG_VALUE_1": "0",
    }
    done = subprocess.run(
        ["git", *arguments], cwd=folder, env=environment, input=stdin, capture_output=True, check=False
    )
    assert done.returncode == 0, done.stderr.decode(errors="replace")
    return done.stdout


def make_repository(folder: Path, files: Mapping[str, Content] | None = None) -> Path:
    """A repository on branch main; with one commit where `files` are given."""
    folder.mkdir(parents=True, exist_ok=True)
    git(folder, "init", "--quiet", "--initial-branch=main")
    if files is not None:
        commit_files(folder, files)
    return folder


def commit_files(folder: Path, files: Mapping[str, Content], message: str = "work") -> str:
    """Write `files` into the work tree, commit everything, and give the commit's id."""
    for path, content in files.items():
        place = folder / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(content.encode() if isinstance(content, str) else content)
    git(folder, "add", "--all", "--force")
    git(folder, "commit", "--quiet", "--allow-empty", "-m", message)
    return head(folder)


def head(folder: Path, revision: str = "HEAD") -> str:
    return git(folder, "rev-parse", revision).decode().strip()


def commit_tree_records(folder: Path, records: list[tuple[str, bytes, str]]) -> str:
    """A commit whose tree holds just these (mode, name, object id), as only plumbing can make it; its id."""
    tree = b"".join(mode.encode() + b" " + name + b"\0" + bytes.fromhex(oid) for mode, name, oid in records)
    tree_id = git(folder, "hash-object", "-t", "tree", "-w", "--literally", "--stdin", stdin=tree).decode().strip()
    return git(folder, "commit-tree", tree_id, "-m", "hostile").decode().strip()


def blob(folder: Path, content: bytes) -> str:
    return git(folder, "hash-object", "-w", "--stdin", stdin=content).decode().strip()
