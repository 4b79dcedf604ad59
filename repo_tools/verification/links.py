"""What symbolic links of the base commit stand for. Pure."""

import posixpath
from collections.abc import Collection, Iterable, Iterator, Mapping
from itertools import accumulate

from repo_tools.changes import FileMode, Tree
from repo_tools.environment.contract import ReadFile
from repo_tools.verification.test_names import CONFIGURATION_FILE, ROOT_TEST_FOLDER

_MOST_LINKS = 8
"""One through another; they may go round."""


def linked_programs(base: Tree, read: ReadFile) -> tuple[frozenset[str], frozenset[str]]:
    """(what configures tests by the name of a link, what a link has as a folder of tests)."""
    configured, tests = set[str](), set[str]()
    for link, target in links_of(base, read):
        name = posixpath.basename(link)
        if ROOT_TEST_FOLDER.fullmatch(name):
            tests.add(target)
        elif CONFIGURATION_FILE.fullmatch(name):
            configured.add(target)
    return frozenset(below(configured, base)), frozenset(below(tests, base))


def below(targets: Collection[str], paths: Iterable[str]) -> Iterator[str]:
    """Those of `paths` that are one of `targets`, or lie in one."""
    return (path for path in paths if targets and not _places_of(path).isdisjoint(targets))


def _places_of(path: str) -> frozenset[str]:
    return frozenset(accumulate(path.split("/"), "{}/{}".format))


def links_of(base: Tree, read: ReadFile) -> Iterator[tuple[str, str]]:
    """(link, the path that it leads to in the end)."""
    links = {link: _aim(link, read) for link, entry in base.items() if entry.mode is FileMode.SYMLINK}
    return ((link, _end(aim, links)) for link, aim in links.items())


def _aim(link: str, read: ReadFile) -> str:
    words = read(link).decode("utf-8", "surrogateescape")
    return posixpath.normpath(posixpath.join(posixpath.dirname(link), words))


def _end(path: str, links: Mapping[str, str]) -> str:
    for _ in range(_MOST_LINKS):
        place = next((place for place in accumulate(path.split("/"), "{}/{}".format) if place in links), None)
        if place is None:
            break
        path = posixpath.normpath(f"{links[place]}{path.removeprefix(place)}")
    return path
