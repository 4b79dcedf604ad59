"""Which files were changed lately, and what was said of it: hints at those that will have to be changed again."""

import math
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from repo_tools.git import Git, GitLimits, ReadingGit
from repo_tools.repo_map.bm25 import Hits
from repo_tools.repo_map.words import WORD, terms

COMMITS = 600
FADES = 1_000
"""A commit this far back counts half as much as the newest one."""

MANY_FILES = 40
"""A commit that changes so many says nothing of any."""

MESSAGE_BYTES = 400
"""What a message says is mostly at its beginning; its end names people and other commits."""

_LOG = (
    # What git reads from its input is judged by the options before.
    "log", "--ignore-missing", "--stdin", f"--max-count={COMMITS}", "--no-merges", "--no-renames", "--name-only", "-z",
    "--format=%x01%B%x02",
)  # fmt: skip


class Change(NamedTuple):
    """A commit: the beginning of its message, and the files that it changed."""

    message: bytes
    paths: tuple[str, ...]


def recent_changes(git_dir: Path, commit: str) -> tuple[Change, ...]:
    """The last `COMMITS` up to `commit`, the newest first. Empty where there is no history, as in a shallow clone.
    RepoError where git fails."""
    if commit in _ends(git_dir):
        return ()
    return changes_in(ReadingGit(git_dir).run(*_LOG, stdin=_asked(git_dir, commit)))


def write_log(git_dir: Path, commit: str, file: Path, *, limits: GitLimits, timeout_seconds: float) -> None:
    """What `recent_changes` reads, to `file`. RepoError where git fails, or has more to say."""
    git = Git(git_dir, limits=limits)
    git.run(*_LOG, f"--output={file}", stdin=_asked(git_dir, commit), timeout_seconds=timeout_seconds)


def changes_in(log: bytes) -> tuple[Change, ...]:
    commits = log.split(b"\1")[1:]
    return tuple(map(_change, commits)) if len(commits) > 1 else ()


def _asked(git_dir: Path, commit: str) -> bytes:
    """Without those at which a shallow clone ends: they would seem to have added every file. Git lists some that it
    does not have, beyond a merge at which the clone ends too."""
    return "".join(f"{line}\n" for line in (commit, *(f"^{end}" for end in _ends(git_dir)))).encode()


def _ends(git_dir: Path) -> list[str]:
    """The commits at which a shallow clone ends."""
    shallow = git_dir / "shallow"
    return shallow.read_text().split() if shallow.exists() else []


def how_often(changes: Sequence[Change]) -> dict[str, float]:
    """path -> how much it was changed; a commit counts less for each of its files the more it has."""
    often: dict[str, float] = defaultdict(float)
    for age, change in enumerate(changes):
        if len(change.paths) < MANY_FILES:
            for path in change.paths:
                often[path] += 1 / (1 + age / FADES) / math.log(2 + len(change.paths))
    return dict(often)


def what_was_said(changes: Sequence[Change], wanted: Mapping[int, float]) -> dict[str, Hits]:
    """path -> how often each term of a query stands in the messages of the commits that changed it."""
    lengths: Counter[str] = Counter()
    counts: dict[str, Counter[int]] = defaultdict(Counter)
    for change in changes:
        if len(change.paths) < MANY_FILES:
            words = WORD.findall(change.message)
            said = Counter(term for word in words for term in terms[word] if term in wanted)
            for path in change.paths:
                lengths[path] += len(words)
                counts[path].update(said)
    return {path: Hits(length, counts[path]) for path, length in lengths.items()}


def _change(record: bytes) -> Change:
    message, _, names = record.partition(b"\2")
    paths = names.decode("utf-8", "surrogateescape").replace("\n", "").split("\0")
    return Change(message.strip()[:MESSAGE_BYTES], tuple(path for path in paths if path))
