"""Bringing a box's workspace back to what it is to be, after commands that may have altered it."""

from collections.abc import Callable
from contextlib import suppress

from repo_tools.changes import FileMode, Tree
from repo_tools.errors import SandboxError
from repo_tools.paths import parents
from repo_tools.sandbox.contract import SYSTEM_PROGRAMS, WORKSPACE, Sandbox

_CHMOD_SECONDS = 60.0
_CACHE_FOLDERS = frozenset({"__pycache__", ".pytest_cache", ".mypy_cache", ".ruff_cache", ".hypothesis"})
"""What runners and interpreters make for themselves: removed like the rest, but not worth a word."""


def put_back(
    box: Sandbox, expected: Tree, content: Callable[[str], bytes], ignored: Callable[[str], bool]
) -> tuple[str, ...]:
    """Make the workspace hold `expected` again and name the paths that were made, altered or deleted, sorted.

    New paths that are `ignored` stay, unless they stand where an expected file or one of its folders does. SandboxError
    where the box does not let itself be put back.
    """
    files = {path: entry for path, entry in expected.items() if entry.mode is not FileMode.SUBMODULE}
    named: set[str] = set()
    try:
        _put_back(box, files, content, ignored, named)
    except OSError:
        # A test took rights away, or the disk was full until some of it was removed.
        opened = ["chmod", "-R", "u+rwX", WORKSPACE]
        box.exec(opened, timeout_seconds=_CHMOD_SECONDS, cwd="/", environment=SYSTEM_PROGRAMS)
        _put_back_or_fail(box, files, content, ignored, named)
    return tuple(sorted(named))


def _put_back_or_fail(
    box: Sandbox, files: Tree, content: Callable[[str], bytes], ignored: Callable[[str], bool], named: set[str]
) -> None:
    try:
        _put_back(box, files, content, ignored, named)
    except OSError as error:
        raise SandboxError(f"The workspace cannot be put back after a test run: {error.strerror}.") from error


def _put_back(
    box: Sandbox, files: Tree, content: Callable[[str], bytes], ignored: Callable[[str], bool], named: set[str]
) -> None:
    found = box.tree(WORKSPACE)
    folders = {parent for path in files for parent in parents(path)}
    foreign = [path for path in found if path not in files and _goes(path, files, folders, ignored)]
    wrong = [path for path, entry in files.items() if found.get(path) != entry]
    named.update(path for path in foreign if not _is_cache(path))
    named.update(wrong)
    for path in foreign:
        with suppress(FileNotFoundError):
            box.delete(f"{WORKSPACE}/{path}")
    for path in wrong:
        _write_again(box, f"{WORKSPACE}/{path}", content(path), files[path].mode)


def _goes(path: str, files: Tree, folders: set[str], ignored: Callable[[str], bool]) -> bool:
    in_the_way = path in folders or any(parent in files for parent in parents(path))
    return in_the_way or not ignored(path)


def _write_again(box: Sandbox, place: str, content: bytes, mode: FileMode) -> None:
    """Whatever stands there goes first: it may be a folder, or no file at all."""
    with suppress(FileNotFoundError):
        box.delete(place)
    box.write(place, content, mode)


def _is_cache(path: str) -> bool:
    return not _CACHE_FOLDERS.isdisjoint(path.split("/"))
