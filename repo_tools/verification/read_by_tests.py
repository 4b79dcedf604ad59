"""Tests whose files a change leaves alone, and whose data it changes: snapshots, and whatever they read. Pure."""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from itertools import islice
from pathlib import PurePosixPath

from repo_tools.environment.runners.javascript_account import SEPARATOR, shown_name, unnumbered
from repo_tools.paths import parents
from repo_tools.verification.test_names import SOURCE_SUFFIXES

_SNAPSHOT = re.compile(r"(?P<folder>(?:.*/)?)__snapshots__/(?P<name>[^/]+)\.snap")
"""https://jestjs.io/docs/snapshot-testing, and vitest's: beside the test's file, after its name."""
_OF_TAP = re.compile(r"(?P<folder>(?:.*/)?)tap-snapshots/(?P<name>.+)\.test\.[cm]?js")
"""https://node-tap.org/plugins/snapshot: in a folder of their own, after the test's path; it is called like a test."""
_ENTRY = re.compile(r"^exports\[`(?P<key>(?:[^`\\]|\\.)*)`\] = `(?P<text>(?:[^`\\]|\\.)*)`;?$", re.MULTILINE)
_TAP_PLACE = re.compile(r"\S+\.\w+(?: [\w-]+)? (?:> )?TAP (?:> )?")
"""What tap writes before the test's name; behind it, after ``>``, there is what is compared."""
_ESCAPED = re.compile(r"\\(.)", re.DOTALL)
_HINT = re.compile(": ")
_MOST_HINTS = 8


def readers_of(changed: Iterable[str], collected: frozenset[str]) -> frozenset[str]:
    """The files of tests, of those that were `collected`, that read `changed` ones: a snapshot's own, else all below
    the nearest folder above that has some, else, as of data that lie beside the folder of the tests, all."""
    beside = _by_folder(collected)
    return frozenset[str]().union(*(_readers(path, collected, beside) for path in changed))


def owners_of(changed: Iterable[str], collected: frozenset[str]) -> frozenset[str]:
    """The same, of snapshots alone."""
    return frozenset(own for path in changed if (own := owner(path)) in collected)


def may_be_of(path: str, test: str, name: str) -> bool:
    """Whether the test of this name, in the file `test` that reads `path`, may be about it. A program may as well be
    what helps them all: it is of the test that is called as it is, or as a folder of it below `test`."""
    if not path.endswith(SOURCE_SUFFIXES):
        return True
    return bool(_called_so(path, test.rpartition("/")[0]).search(name))


def owner(path: str) -> str:
    """The file whose tests a snapshot belongs to; empty where it is none."""
    found = _SNAPSHOT.fullmatch(path) or _OF_TAP.fullmatch(path)
    return found["folder"] + found["name"] if found else ""


def snapshot_of(path: str) -> str:
    """Where the snapshots of a file's tests stand."""
    whole = PurePosixPath(path)
    return str(whole.parent / "__snapshots__" / f"{whole.name}.snap")


class Snapshots:
    """Those of one file's tests, before and after an edit."""

    def __init__(self, before: bytes, after: bytes) -> None:
        old, new = _entries(before), _entries(after)
        changed = (key for key in old.keys() & new.keys() if old[key] != new[key])
        self._edited = {name for key in changed for name in _names(key)}

    def is_edited(self, name: str) -> bool:
        """Whether the edit changes what the test of this name, as ids have it, expects."""
        return _joined(unnumbered(name)) in self._edited


def _entries(source: bytes) -> Mapping[str, str]:
    """What is expected, by the test's name and which of its expectations it is."""
    found = _ENTRY.finditer(source.decode("utf-8", "replace"))
    return {_joined(_as_jest_has(shown_name(_ESCAPED.sub(r"\1", entry["key"])))): entry["text"] for entry in found}


def _as_jest_has(key: str) -> str:
    """A key of tap's, with what is compared as the hint that jest would have."""
    if not (place := _TAP_PLACE.match(key)):
        return key
    test, _, compared = key[place.end() :].rpartition(SEPARATOR)
    return f"{test}: {compared}"


def _names(key: str) -> Iterator[str]:
    """Those that the test may have: before a count there may be a hint, and either may hold what parts them."""
    whole = key.rpartition(" ")[0]
    yield whole
    yield from (whole[: hint.start()] for hint in islice(_HINT.finditer(whole), _MOST_HINTS))


def _joined(name: str) -> str:
    """jest has a space between the names of suites and tests, vitest what ids have."""
    return name.replace(SEPARATOR, " ")


def _readers(path: str, collected: frozenset[str], beside: Mapping[str, frozenset[str]]) -> frozenset[str]:
    if (own := owner(path)) in collected:
        return frozenset((own,))
    above = map(str, PurePosixPath(path).parents[:-1])
    return next((beside[folder] for folder in above if folder in beside), collected)


def _by_folder(collected: frozenset[str]) -> Mapping[str, frozenset[str]]:
    """All that stand somewhere below each."""
    files = defaultdict[str, set[str]](set)
    for file in collected:
        for folder in parents(file):
            files[folder].add(file)
    return {folder: frozenset(own) for folder, own in files.items()}


@lru_cache(maxsize=1)
def _called_so(path: str, folder: str) -> re.Pattern[str]:
    """Names that hold the program's, or that of a folder between."""
    *folders, file = path.removeprefix(f"{folder}/").split("/")
    called = "|".join(re.escape(word) for word in (*folders, file.partition(".")[0]) if word)
    return re.compile(rf"(?<![\w-])(?:{called or '(?!)'})(?![\w-])")
