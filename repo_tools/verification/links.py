"""What symbolic links of the base commit stand for. Pure."""

import posixpath
from collections.abc import Iterator

from repo_tools.changes import FileMode, Tree
from repo_tools.environment.contract import ReadFile
from repo_tools.verification.test_names import CONFIGURATION_FILE, ROOT_TEST_FOLDER


def linked_programs(base: Tree, read: ReadFile) -> tuple[frozenset[str], frozenset[str]]:
    """(what configures tests by the name of a link, what a link has as a folder of tests)."""
    configured, tests = set[str](), set[str]()
    for link, target in links_of(base, read):
        name = posixpath.basename(link)
        if CONFIGURATION_FILE.fullmatch(name) or ROOT_TEST_FOLDER.fullmatch(name):
            found = tests if ROOT_TEST_FOLDER.fullmatch(name) else configured
            found.update(path for path in base if f"{path}/".startswith(f"{target}/"))
    return frozenset(configured), frozenset(tests)


def links_of(base: Tree, read: ReadFile) -> Iterator[tuple[str, str]]:
    """(link, the path that it leads to)."""
    for link, entry in base.items():
        if entry.mode is FileMode.SYMLINK:
            words = read(link).decode("utf-8", "surrogateescape")
            yield link, posixpath.normpath(posixpath.join(posixpath.dirname(link), words))
