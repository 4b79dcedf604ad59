"""What `agent-fix map` prints. Knows no typer: a well-formed command is done before typer would have been imported."""

import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from repo_tools.errors import ConfigError, RepoError
from repo_tools.local import LocalRepository
from repo_tools.repo_map.history import Change, recent_changes
from repo_tools.repo_map.index_file import ForeignFileError
from repo_tools.repo_map.indexing import Read, ReadMany
from repo_tools.repo_map.kept import kept_index
from repo_tools.repo_map.localise import RankedFile
from repo_tools.repo_map.plainly import carried_path, plain_path, plain_text
from repo_tools.repo_map.render import note_line, render
from repo_tools.repo_map.repository_map import RepositoryMap
from repo_tools.repo_map.store import IndexStore
from repo_tools.tree import Tree
from workers.local_issue import read_issue

if TYPE_CHECKING:
    from repo_tools.repo_map.folder import Folder

LISTED = 100
DEFINITIONS_LISTED = 10
TOKENS = 4_000
BASE = "HEAD"

_WITH_VALUE = frozenset({"--issue", "--tokens", "--base", "--index"})
_TOKENS = re.compile(r"[1-9][0-9]{0,8}")


class Asked(NamedTuple):
    """The command's arguments; see `repository_map`, which says what each means."""

    path: Path
    issue: Path | None = None
    tokens: int = TOKENS
    base: str = BASE
    index_file: Path | None = None
    as_json: bool = False


class _Source(NamedTuple):
    tree: Tree
    read: Read
    read_many: ReadMany | None
    changes: Sequence[Change]
    name: Callable[[], str]  # of what is indexed: a repository has one for all of its clones and work trees
    notes: tuple[str, ...] = ()


def print_plainly(words: Sequence[str]) -> bool:
    """Whether the map was printed. What it was not printed for is typer's: help, a mistake, another spelling."""
    asked = plainly_asked(words)
    if asked is None:
        return False
    try:
        text = issue_text(asked.issue)
    except (OSError, ValueError):
        return False
    try:
        print_map(asked, text)
    except BrokenPipeError:  # whoever reads it has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)
    return True


def plainly_asked(words: Sequence[str]) -> Asked | None:
    """None where typer would say something else than yes, and for what is not spelt ``--option value``."""
    given: dict[str, str] = {}
    left = iter(words)
    for word in left:
        name = word if word in _WITH_VALUE or word == "--json" else "path"
        value = next(left, "") if word in _WITH_VALUE else word
        if name in given or not value or (value.startswith("-") and name != "--json"):
            return None
        given[name] = value
    return _checked(given)


def _checked(given: Mapping[str, str]) -> Asked | None:
    path, issue, index = (Path(given[name]) if name in given else None for name in ("path", "--issue", "--index"))
    tokens = given.get("--tokens", str(TOKENS))
    if path is None or not path.is_dir() or not os.access(path, os.R_OK) or not _TOKENS.fullmatch(tokens):
        return None
    if any(file is not None and file.is_dir() for file in (issue, index)):
        return None
    return Asked(path, issue, int(tokens), given.get("--base", BASE), index, "--json" in given)


def issue_text(issue: Path | None) -> str:
    """Title and body; empty without an issue. OSError, ValueError: see `read_issue`."""
    if issue is None:
        return ""
    read = read_issue(issue)
    return f"{read.title}\n{read.body}"


def print_map(asked: Asked, text: str) -> None:
    """The map for an issue's text, to standard output. RepoError where there is nothing to be read."""
    with _source(asked.path, asked.base) as source, _store(asked.index_file, source.name) as store:
        processes = len(os.sched_getaffinity(0))
        found = RepositoryMap(
            store, source.tree, source.read, processes=processes, changes=source.changes, read_many=source.read_many
        )
        ranked = found.rank(text)
        notes = (*source.notes, *found.notes(ranked))
        shown = render(ranked, source.tree, asked.tokens, notes)
    if not asked.as_json:
        _say(note for note in notes if note_line(note) not in shown)
    if not shown:
        _say([f"{asked.tokens} tokens are too few to show anything" if source.tree else "there are no files to show"])
    if asked.as_json:
        shown = import_module("json").dumps(_described(ranked, shown, notes), indent=1) + "\n"
    _print(shown)


def _store(index: Path | None, name: Callable[[], str]) -> IndexStore:
    """ConfigError where `index` holds something else."""
    if index is None:
        return IndexStore(kept_index(Path.home() / ".cache" / "agent-fix", name()))
    try:
        return IndexStore(index, is_ours=False)
    except ForeignFileError as error:
        raise ConfigError("--index", "the file is neither empty nor an index", "Name another one") from error


def _say(lines: Iterable[str]) -> None:
    for line in lines:
        print(f"agent-fix: {plain_text(line)}", file=sys.stderr)


def _print(shown: str) -> None:
    """ConfigError where standard output takes no more."""
    try:
        sys.stdout.flush()
        sys.stdout.buffer.write(shown.encode("utf-8", "backslashreplace"))
        sys.stdout.buffer.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # what is left goes there at the end
        raise ConfigError("standard output", f"{error.strerror}", "Print the map to somewhere else") from error


@contextmanager
def _source(path: Path, base: str) -> Iterator[_Source]:
    """The commit of a repository with what was changed before it, or the files of a folder that no commit holds."""
    try:
        repository = LocalRepository(path)
        commit = repository.resolve(base)
    except RepoError as error:
        if base != BASE:
            raise
        yield _of_folder(path, _why_no_commit(path, error))
        return
    with repository.checkout(commit) as checkout:
        tree = _below(checkout.tree, repository.below)
        if repository.below and not tree and base == BASE:
            yield _of_folder(path, ("no commit but the folder as it is: HEAD holds no file of it",))
            return
        changes = recent_changes(checkout.git_dir, checkout.commit)
        notes = (f"only what is below {plain_path(repository.below)}",) if repository.below else ()
        yield _Source(tree, checkout.read, checkout.read_many, changes, repository.origin, notes)


def _below(tree: Tree, folder: str) -> Tree:
    return {name: entry for name, entry in tree.items() if name.startswith(folder)} if folder else tree


def _of_folder(path: Path, notes: tuple[str, ...]) -> _Source:
    folder: Folder = import_module("repo_tools.repo_map.folder").Folder(path)  # a commit's map needs none of it
    return _Source(folder.tree, folder.read, None, (), lambda: str(path.resolve()), (*notes, *folder.notes))


def _why_no_commit(path: Path, error: RepoError) -> tuple[str, ...]:
    """Nothing has to be said of a folder that is in no repository."""
    resolved = path.resolve()
    if not any((folder / ".git").exists() for folder in (resolved, *resolved.parents)):
        return ()
    by_git = error.__cause__
    shortest = by_git if by_git is not None and str(by_git) in str(error) else error
    return (f"no commit but the folder as it is: {' '.join(str(shortest).split())}",)


def _described(ranked: Sequence[RankedFile], text: str, notes: Sequence[str]) -> dict[str, Any]:
    return {"map": text, "notes": list(notes), "files": [_file(file) for file in ranked[:LISTED]]}


def _file(file: RankedFile) -> dict[str, Any]:
    best = sorted(file.definitions, key=lambda pair: (-pair[1], pair[0].line))[:DEFINITIONS_LISTED]
    return {
        "path": carried_path(file.path),
        "kind": str(file.kind),
        "score": round(file.score, 3),
        "why": list(file.why),
        "definitions": [{"name": d.name, "kind": d.kind, "line": d.line, "signature": d.signature} for d, _ in best],
    }
