"""Which tests to run, as an argument list that can name tests and nothing else."""

import re
from pathlib import PurePosixPath

_NAME = r"[\w.]+"  # of a doctest: package.module.function
_PARAMETERS = r"\[[^\x00-\x1f\x7f;$`|&<>\\]*\]"
_PATH = r"[\w.][\w. +@,=-]*(?:/[\w.][\w. +@,=-]*)*/?"
_PLAIN_PATH = re.compile(_PATH)
_SELECTOR = re.compile(rf"(?P<path>{_PATH})(?:(?:::{_NAME})*::{_NAME}(?:{_PARAMETERS})?)?")

MAX_SELECTOR_CHARACTERS = 1000


def check_selector(selector: str) -> None:
    """ValueError, with a sentence for whoever wrote it, for all but a root-relative path, with
    ``::Class::name[parameters]`` after it or not: options, absolute paths, ways out of the repository, and characters
    that a shell would take as its own (no shell ever sees it; nothing good needs them)."""
    match = _SELECTOR.fullmatch(selector) if len(selector) <= MAX_SELECTOR_CHARACTERS else None
    if match is None:
        raise ValueError(
            f"{selector[:200]!r} names no tests. Write a path from the repository's root, with ::names after it "
            "if you want: tests/test_a.py, tests/test_a.py::TestB::test_c, tests/test_a.py::test_d[1]. Parameters that "
            "hold any of ;$`|&<>\\ or a line break cannot be named: leave [...] out, which runs all of them."
        )
    check_stays(match["path"], selector)


def split_selector(selector: str, example: str) -> tuple[str, str]:
    """(path, names) of a selector whose names may hold anything printable; names empty where it has none. The names
    reach the runner as a pattern that is quoted, or as one argument after its path. ValueError, as `check_selector`."""
    path, _, names = selector.partition("::")
    path = "" if path == "." else path
    if (
        len(selector) > MAX_SELECTOR_CHARACTERS
        or (path and not _PLAIN_PATH.fullmatch(path))
        or not selector.isprintable()
    ):
        raise ValueError(
            f"{selector[:200]!r} names no tests. Write a path from the repository's root, with ::names after it if you "
            f"want: {example}."
        )
    check_stays(path, selector)
    return path, names


def check_stays(path: str, selector: str) -> None:
    """ValueError where the path of `selector` goes up."""
    if ".." in PurePosixPath(path).parts:
        raise ValueError(f"{selector[:200]!r} leads out of the repository: write a path from its root, without `..`.")


def below(path: str, directory: str) -> str:
    """A root-relative path, from `directory`; ``.`` for the directory itself."""
    place = PurePosixPath(path)
    return str(place.relative_to(directory) if place.is_relative_to(directory) else place)
