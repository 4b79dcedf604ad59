"""What linters say as plug-ins of pytest (``shop.py::FLAKE8``, ``shop.py::ruff::format``): no tests. Pure."""

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping

from repo_tools.changes import Tree
from repo_tools.environment.contract import ReadFile

_PYTHON = (".py", ".pyi")
_WORD = re.compile(r"[\w-]+")
_COMMENT = re.compile(r"#.*")
_OF_A_TEST = re.compile(r"[^\[]*::_*test", re.IGNORECASE)
_ALL_OF = re.compile(r"\bimport[ \t]*\*")


def name_in_python(case_id: str) -> str:
    """What a test in Python is called, or the class around it; empty for others, and for a file as a whole."""
    path, _, name = case_id.partition("::")
    return re.split(r"::|\[", name, maxsplit=1)[0] if path.endswith(_PYTHON) else ""


def names_by_file(ids: Iterable[str]) -> Mapping[str, frozenset[str]]:
    """Of Python's files."""
    found = defaultdict[str, set[str]](set)
    for case_id in ids:
        if name := name_in_python(case_id):
            found[case_id.partition("::")[0]].add(name)
    return {path: frozenset(names) for path, names in found.items()}


def linters_of(ids: Collection[str], base: Tree, read: ReadFile) -> frozenset[str]:
    """Names of tests that some file does not have: no linter writes its own into each. What a file has from another by
    ``import *`` is not known; and what is made at run time is called a test, or has such in it."""
    tests = frozenset(map(name_in_python, filter(_OF_A_TEST.match, ids)))
    files = {path: names - tests for path, names in names_by_file(ids).items() if path in base and names - tests}
    sources = ((names, _COMMENT.sub("", read(path).decode("utf-8", "replace"))) for path, names in files.items())
    known = (names.difference(_WORD.findall(source)) for names, source in sources if not _ALL_OF.search(source))
    return frozenset[str]().union(*known)
