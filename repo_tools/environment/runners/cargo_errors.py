"""What cargo says of a test program that does not compile: https://doc.rust-lang.org/rustc/json.html has no stable form
for people either, so that it is read from the text."""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from itertools import islice
from posixpath import dirname, join, normpath

from repo_tools.environment.junit import shorten_message
from repo_tools.test_report import TestCase, TestOutcome

_ERROR = re.compile(r"^error(?:\[E\d+\])?: .+\n +--> (?P<path>\S+?):\d+:\d+\n(?:.+\n)*", re.MULTILINE)

_MOST = 500


def uncompiled(text: str, roots: Iterable[str], directory: str) -> Iterator[TestCase]:
    """One case for each crate with errors, called as the file that it begins with; of `roots`, the nearest above."""
    errors = defaultdict[str, list[str]](list)
    for found in islice(_ERROR.finditer(text), _MOST):
        errors[_root(normpath(join(directory, found["path"])), roots)].append(found[0].strip("\n"))
    for path, said in errors.items():
        yield TestCase(path, path, TestOutcome.ERROR, 0.0, shorten_message("\n\n".join(said)))


def _root(path: str, roots: Iterable[str]) -> str:
    above = (root for root in roots if root == path or (dirname(root) and path.startswith(f"{dirname(root)}/")))
    return max(above, key=lambda root: (root == path, len(dirname(root)), root), default=path)
