"""Rules about root-relative paths: what may be named, what may be written, what a change may contain. Pure."""

import re
import unicodedata
from collections.abc import Iterator
from typing import TYPE_CHECKING

from repo_tools.errors import RepoError
from repo_tools.path_rules import EVERYWHERE, PathRules
from repo_tools.tree import FileMode, Tree

if TYPE_CHECKING:
    from repo_tools.changes import ChangeSet, FileChange

MAX_PATH_BYTES = 4095  # PATH_MAX without its closing NUL
MAX_NAME_BYTES = 255  # NAME_MAX
MAX_CHANGED_FILES = 1_000
MAX_CHANGED_BYTES = 20_000_000

_AUTOMATION_FILES = frozenset(
    {".gitmodules", ".gitlab-ci.yml", ".travis.yml", ".drone.yml", ".cirrus.yml", ".appveyor.yml", "appveyor.yml"}
    | {"jenkinsfile", "azure-pipelines.yml", "bitbucket-pipelines.yml", ".pre-commit-config.yaml", "codeowners"}
    | {".woodpecker.yml", ".cirrus.star", "cloudbuild.yaml", "buildspec.yml", "lefthook.yml", "dangerfile"}
    | {"agents.md", "claude.md", "gemini.md", ".cursorrules", ".windsurfrules", ".mcp.json", ".devcontainer.json"}
)
"""Files that other machines act on, outside of the dot directories: builds, hooks, editors, other agents."""

# is_ntfs_dotgit() of git: what NTFS takes for .git, with trailing dots and spaces and alternate data streams.
_NTFS_GIT = re.compile(r"(?:\.git|git~1)[ .]*(?::.*)?", re.IGNORECASE | re.DOTALL)


class PathRefusedError(RepoError):
    """A path is not one that may be used this way; the text says why, for the model and for people."""


class QuotaExceededError(RepoError):
    """A change would grow beyond what one run may change."""


def check_path(path: str) -> str:
    """`path` itself where it is a plain root-relative path; PathRefusedError otherwise."""
    if not path:
        raise PathRefusedError("The path is empty.")
    if problem := _shape_problem(path) or _size_problem(path):
        raise PathRefusedError(f"{_shown(path)} {problem}.")
    for name in path.split("/"):
        if problem := _name_problem(name):
            raise PathRefusedError(f"{_shown(path)} {problem}.")
    return path


def check_writable(path: str, rules: PathRules = EVERYWHERE) -> str:
    """`path` itself where an agent may write it; PathRefusedError otherwise. `rules` are the repository's own."""
    check_path(path)
    if not path.isascii() and any("\ud800" <= c <= "\udfff" for c in path):
        raise PathRefusedError(f"{_shown(path)} is no text: give it a name in UTF-8.")
    if path != _without_invisible(path):
        raise PathRefusedError(f"{_shown(path)} holds an invisible character.")
    *folders, name = path.split("/")
    if any(folder.startswith(".") for folder in folders):
        raise PathRefusedError(f"{_shown(path)} is in a folder whose name begins with a dot; those are not changed.")
    if name.casefold() in _AUTOMATION_FILES:
        raise PathRefusedError(f"{_shown(path)} steers other machines (builds, hooks, agents) and is not changed.")
    if problem := rules.problem(path):
        raise PathRefusedError(f"{_shown(path)} {problem}.")
    return path


def check_mode(path: str, mode: FileMode) -> None:
    """PathRefusedError for anything but a regular or an executable file."""
    if not mode.is_file:
        raise PathRefusedError(f"{_shown(path)} would be no regular file; links and submodules are not written.")


def check_change(change: "ChangeSet", base_tree: Tree, rules: PathRules = EVERYWHERE) -> None:
    """The gate that every change passes before it is verified or published. PathRefusedError, QuotaExceededError."""
    for path in change:
        check_writable(path, rules)
        _check_state(path, change.files[path], base_tree)
    check_quota(change)
    after = {path for path in base_tree if path not in change.files}
    after.update(path for path, new in change.files.items() if new is not None)
    for path in after:
        _check_parents_free(path, after)
    _check_alike({path for path in after if path not in base_tree}, after)


def check_quota(change: "ChangeSet") -> None:
    """QuotaExceededError where `change` holds too many files or bytes."""
    if len(change.files) > MAX_CHANGED_FILES:
        raise QuotaExceededError(f"More than {MAX_CHANGED_FILES:,} files would be changed.")
    if sum(len(new.content) for new in change.files.values() if new is not None) > MAX_CHANGED_BYTES:
        raise QuotaExceededError(f"The changed files would hold more than {MAX_CHANGED_BYTES:,} bytes.")


def check_base_tree(tree: Tree) -> None:
    """RepoError where a commit's tree could not stand in a folder, or would put something in a ``.git``."""
    allowed: set[str] = set()
    folders: set[str] = set()
    for path in tree:
        folder, _, name = path.rpartition("/")
        new = (name,) if folder in folders else path.split("/")  # a tree's names and folders come back again and again
        if any(name not in allowed and _is_refused(name) for name in new):
            raise RepoError(f"The commit holds a path that git itself refuses to check out: {_shown(path)}.")
        if problem := _size_problem(path):
            raise RepoError(f"The commit holds a path that {problem}: {_shown(path)}.")
        if folder not in folders and any(parent in tree for parent in parents(path)):
            raise RepoError(f"The commit holds a path that is both a file and a folder: {_shown(path)}.")
        allowed.update(new)
        if "/" in path:
            folders.add(folder)


def _is_refused(name: str) -> bool:
    return name in ("", ".", "..") or is_git_folder(name)


def is_git_folder(name: str) -> bool:
    """Whether some file system takes `name` for ``.git`` (git-config(1): core.protectHFS, core.protectNTFS)."""
    if not name.isascii():
        name = unicodedata.normalize("NFKC", _without_invisible(name))
    return any(_NTFS_GIT.fullmatch(part) for part in name.split("\\"))


def parents(path: str) -> Iterator[str]:
    """``a/b/c`` -> ``a/b``, ``a``."""
    while "/" in path:
        path = path.rpartition("/")[0]
        yield path


def _shape_problem(path: str) -> str | None:
    if path.startswith("/"):
        return "is absolute; paths are relative to the repository's root"
    if path.startswith("~"):
        return "begins with a tilde; paths are relative to the repository's root"
    if "\\" in path:
        return "holds a backslash; folders are separated by forward slashes"
    if any(unicodedata.category(c) in ("Cc", "Zl", "Zp") for c in path):
        return "holds a control character"
    return None


def _size_problem(path: str) -> str | None:
    if path.isascii() and len(path) <= MAX_NAME_BYTES:
        return None  # most are
    if any("\ud800" <= c <= "\udfff" and not "\udc80" <= c <= "\udcff" for c in path):
        return "holds half of a character"
    if len(_encoded(path)) > MAX_PATH_BYTES or any(len(_encoded(n)) > MAX_NAME_BYTES for n in path.split("/")):
        return "is longer than a file system takes"
    return None


def _name_problem(name: str) -> str | None:
    if not name:
        return "has an empty part (a slash too many)"
    if name in (".", ".."):
        return f"holds {name!r}; write the path as it stands in the list of files"
    if is_git_folder(name):
        return "names git's own folder"
    return None


def _check_state(path: str, new: "FileChange | None", base_tree: Tree) -> None:
    old = base_tree.get(path)
    if old is not None and old.mode is FileMode.SUBMODULE:
        raise PathRefusedError(f"{_shown(path)} is a submodule; those are not changed.")
    if new is None:
        if old is None:
            raise PathRefusedError(f"{_shown(path)} would be deleted, but the base has no such file.")
    elif new.entry != old:
        check_mode(path, new.mode)
        if old is not None and old.mode is FileMode.SYMLINK:
            raise PathRefusedError(f"{_shown(path)} is a symbolic link; links are not changed.")


def _check_parents_free(path: str, after: set[str]) -> None:
    for parent in parents(path):
        if parent in after:
            raise PathRefusedError(f"{_shown(path)} cannot stand below {_shown(parent)}, which is a file.")


def _check_alike(new: set[str], after: set[str]) -> None:
    """Where case counts for nothing (macOS, Windows) one of two such files takes the other's place in a checkout."""
    names = {_alike(path): path for path in after - new} if new else {}
    for path in sorted(new):
        if (other := names.setdefault(_alike(path), path)) != path:
            raise PathRefusedError(
                f"{_shown(path)} would be the same file as {_shown(other)} where case does not count."
            )


def _alike(path: str) -> str:
    return path.casefold() if path.isascii() else unicodedata.normalize("NFC", path).casefold()


def _without_invisible(text: str) -> str:
    """`text` without zero-width characters, direction marks and the like."""
    return text if text.isascii() else "".join(c for c in text if unicodedata.category(c) != "Cf")


def _encoded(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")


def _shown(path: str) -> str:
    return repr(path if len(path) <= 120 else path[:100] + "…")
