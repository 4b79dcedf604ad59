"""Which tests to run, as an argument list that can name tests and nothing else."""

import re
from pathlib import PurePosixPath

_NAME = r"\w+"
_PARAMETERS = r"\[[^\x00-\x1f\x7f;$`|&<>\\]*\]"
_PATH = r"[\w.][\w. +@,=-]*(?:/[\w.][\w. +@,=-]*)*/?"
_SELECTOR = re.compile(rf"(?P<path>{_PATH})(?:(?:::{_NAME})*::{_NAME}(?:{_PARAMETERS})?)?")

MAX_SELECTOR_CHARACTERS = 1000


def check_selector(selector: str) -> str:
    """Give `selector` back if it is a root-relative path, with ``::Class::name[parameters]`` after it or not.

    ValueError, with a sentence for whoever wrote it, for anything else: options, absolute paths, ways out of the
    repository, and characters that a shell would take as its own (no shell ever sees it; nothing good needs them).
    """
    match = _SELECTOR.fullmatch(selector) if len(selector) <= MAX_SELECTOR_CHARACTERS else None
    if match is None:
        raise ValueError(
            f"{selector[:200]!r} names no tests. Write a path from the repository's root, with ::names after it "
            "if you want: tests/test_a.py, tests/test_a.py::TestB::test_c, tests/test_a.py::test_d[1]."
        )
    if ".." in PurePosixPath(match["path"]).parts:
        raise ValueError(f"{selector!r} leads out of the repository: write a path from its root, without `..`.")
    return selector


def is_selector(text: str) -> bool:
    """Whether `check_selector` takes it."""
    try:
        check_selector(text)
    except ValueError:
        return False
    return True
