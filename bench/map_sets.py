"""Real bug fixes of a repository's history: what was written about each, and which files it changed.

The rule: commits without merges whose message closes an issue and that change one to three source files together with
a test; of those, by a fixed seed. The query is the commit's message, the tree its parent's. A message of fewer than
five words (``Fixed #441.``) asks for nothing and is left out.

What is a source and what a test is this module's own plain rule, not the product's, so that a file which the map takes
for something else is still asked for. A test is named like one (``test_a.py``, ``a_test.go``, ``a.spec.ts``,
``ATest.java``, ``conftest.py``) or stands below a folder of tests (``tests``, ``__tests__``, ``spec``, ``testdata``,
``fixtures``, ``src/test``, or ``test`` and ``testing`` at the top). Any other ``test`` or ``testing`` holds tests
unless the commit changes one elsewhere: ``django/test`` is part of the product. A source is every other file with the
suffix of a language that has a grammar, but not below documents or examples.
"""

import json
import random
import re
import subprocess
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

from repo_tools.git import Git

SEED = 20
MAX_SOURCES = 3
CLOSES = r"(close[sd]?|fix(es|ed)?|resolve[sd]?)[: ]+(issue )?([a-z0-9_.-]+/[a-z0-9_.-]+)?(#|gh-)[0-9]+"
MIN_WORDS = 5
_WORD = re.compile(r"[A-Za-z]{3,}")
_UNSAID = re.compile(r"https?://\S+|^(?:co-authored-by|signed-off-by).*$", re.IGNORECASE | re.MULTILINE)
_SOURCE = re.compile(
    r"\.(pyi?|[jt]sx?|[mc][jt]s|go|rs|java|rb|rake|gemspec|c|cc|cpp|cxx|hh?|hpp|hxx|inl|ipp|php|cs)$", re.IGNORECASE
)
_TEST_NAME = re.compile(
    r"^(?:test_.*|.*[._-](?:tests?|spec)|.*[._-]test-d|.*Tests?|.*[a-z0-9]IT)\.[A-Za-z]\w*$|^conftest\.py$"
)
_TEST_FOLDER = re.compile(
    r"(?:^|/)(?:tests|__tests__|specs?|testdata|fixtures?)/|^(?:.*/)?src/test/|^(?:test|testing)/"
)
_PERHAPS_TESTS = re.compile(r"(.+?/(?:test|testing)/)")
_DOCUMENTS = re.compile(r"(?:^|/)(?:docs?|documentation|examples?)/", re.IGNORECASE)
_LOG_SECONDS = 300.0
_MOST_PROBLEMS = 20
_CLONES = Path(__file__).parents[1] / ".cache" / "map-clones"


@dataclass(frozen=True)
class Fix:
    """A task for a map: `commit` is the tree to look in, `gold` the files that had to change in it. `repository` is
    a git directory."""

    repository: Path
    commit: str
    text: str
    gold: tuple[str, ...]

    @property
    def name(self) -> str:
        """The repository's, for people."""
        own = self.repository
        return (own.parent if own.name == ".git" else own).name.removesuffix(".git")


class BadSetError(ValueError):
    """What is to be measured cannot be: the text says where and why."""


def git_directory(place: str) -> Path:
    """Of a repository that is named by its path or its URL; the latter is cloned once, with its history. BadSetError
    where there is none."""
    path = Path(place).resolve()
    if not path.exists():
        path = _CLONES / re.sub(r"\W+", "-", place.removesuffix(".git"))
        if not path.exists():
            _run_git(place, "clone", "-q", "--bare", "--", place, str(path))
    if (path / ".git").exists():
        path /= ".git"
    _run_git(place, "--git-dir", str(path), "rev-parse", "--git-dir")
    return path


def _run_git(place: str, *arguments: str) -> str:
    done = subprocess.run(["git", *arguments], capture_output=True, check=False)
    if done.returncode:
        told = done.stderr.decode(errors="replace").strip().splitlines()
        raise BadSetError(f"{place} cannot be read: {told[-1] if told else 'git failed'}")
    return done.stdout.decode(errors="surrogateescape")


def fixes_of(git_dir: Path, most: int) -> list[Fix]:
    """At most `most`, chosen by the seed, in the order of history."""
    found = list(_closing_commits(git_dir))
    chosen = set(random.Random(SEED).sample(range(len(found)), min(most, len(found))))
    return [fix for number, fix in enumerate(found) if number in chosen]


def read_set(file: Path) -> list[Fix]:
    """One JSON object a line: `repository` (path or URL), `commit` (whose tree is looked in), `text`, `gold` (paths in
    that tree). BadSetError with every line that is not so: nothing is measured before all of them are. A gold file that
    is not in the tree, which no map could show, is left out, and a line without another; standard error tells it."""
    try:
        lines = file.read_text(encoding="utf-8-sig").split("\n")  # a text may hold other ends of lines
    except (OSError, UnicodeDecodeError) as error:
        raise BadSetError(f"{file} cannot be read: {error}") from error
    fixes: list[Fix] = []
    problems: list[str] = []
    for number, line in enumerate(lines, 1):
        try:
            task = _task(line) if line.strip() else None
        except ValueError as error:
            problems.append(f"{file}, line {number}: {error}")
            continue
        if task:
            there = tuple(path for path in task.gold if path in _files_at(task.repository, task.commit))
            for path in sorted({*task.gold} - {*there}):
                print(f"{file}, line {number}: {path} is left out; {task.commit} does not have it", file=sys.stderr)
            fixes += [replace(task, gold=there)] if there else []
    if problems or not fixes:
        raise BadSetError("\n".join(problems[:_MOST_PROBLEMS]) or f"{file} has no line to measure")
    return fixes


def _task(line: str) -> Fix:
    task = json.loads(line)
    if not isinstance(task, dict):
        raise BadSetError("is no JSON object")
    for name in ("repository", "commit", "text"):
        if not isinstance(task.get(name), str):
            raise BadSetError(f"`{name}` must be text")
    gold = task.get("gold")
    if not isinstance(gold, list) or not gold or not all(isinstance(path, str) for path in gold):
        raise BadSetError("`gold` must be a list of paths, at least one")
    fix = Fix(git_directory(task["repository"]), task["commit"], task["text"], tuple(gold))
    _files_at(fix.repository, fix.commit)
    return fix


@cache
def _files_at(repository: Path, commit: str) -> frozenset[str]:
    asked = (
        "--git-dir",
        str(repository),
        "ls-tree",
        "-r",
        "-z",
        "--name-only",
        "--end-of-options",
        f"{commit}^{{tree}}",
    )
    return frozenset(_run_git(f"commit {commit} of {repository}", *asked).split("\0"))


def halves(fixes: Iterable[Fix]) -> tuple[list[Fix], list[Fix]]:
    """One half to tune on and one to report, by the commits' ids."""
    tuning: list[Fix] = []
    reporting: list[Fix] = []
    for fix in fixes:
        (tuning if int(fix.commit[:4], 16) % 2 else reporting).append(fix)
    return tuning, reporting


def _closing_commits(git_dir: Path) -> Iterator[Fix]:
    log = Git(git_dir).run(
        "log", "--no-merges", "--no-renames", "--name-status", "--extended-regexp", "--regexp-ignore-case",
        f"--grep={CLOSES}", "--format=%x00%H%x01%P%x01%B%x01", "HEAD", "--", timeout_seconds=_LOG_SECONDS,
    )  # fmt: skip
    for record in log.decode("utf-8", "replace").split("\0")[1:]:
        _, parents, message, changes = record.split("\1")
        fix = _fix(git_dir, parents.split(), message, changes)
        if fix is not None:
            yield fix


def _fix(git_dir: Path, parents: list[str], message: str, changes: str) -> Fix | None:
    changed = re.findall(r"^([AMD])\t(.+)$", changes, re.MULTILINE)
    tests = _tests({path for _, path in changed})
    sources = [path for how, path in changed if how == "M" and path not in tests and _is_source(path)]
    new_sources = [path for how, path in changed if how != "M" and path not in tests and _is_source(path)]
    if len(parents) != 1 or not tests or new_sources or not 1 <= len(sources) <= MAX_SOURCES:
        return None
    if len(_WORD.findall(_UNSAID.sub(" ", message))) < MIN_WORDS:
        return None
    return Fix(git_dir, parents[0], message.strip(), tuple(sources))


def _is_source(path: str) -> bool:
    return bool(_SOURCE.search(path)) and not _DOCUMENTS.search(path)


def _tests(paths: set[str]) -> set[str]:
    sure = {path for path in paths if _TEST_NAME.match(path.rsplit("/", 1)[-1]) or _TEST_FOLDER.search(path)}
    perhaps = {path: found[1] for path in paths - sure if (found := _PERHAPS_TESTS.match(path))}
    return sure | {path for path, folder in perhaps.items() if all(test.startswith(folder) for test in sure)}
