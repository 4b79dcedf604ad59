"""Which tests are named after a file. Of files of one name in several folders a test belongs to the nearest."""

import re
from collections.abc import Iterable

from repo_tools.repo_map.imported import WHOLE_FOLDER

_WORD = r"(?:tests?|testcase|unittests?|spec)"
_BEFORE = re.compile(r"^(?:tests?|tst)(?:[_-]|\.(?=[^.]+\.))?", re.I)
_BEHIND = (
    re.compile(rf"(?<=.)[_-]?{_WORD}$|(?-i:(?<=[a-z0-9])IT)$", re.I),
    re.compile(rf"(?<=[a-z0-9])[_-]?(?:unit|integration|functional)[_-]?{_WORD}$", re.I),
)
_MARKS = re.compile(r"[_-]+")
_WORDS = re.compile(r"[a-z0-9]+")
_ROOTS = frozenset({"src", "lib", "source"})


class NamedAfter:
    """Asks whether a test is named after `path`. `sources`: paths of the tree that may be called as it is."""

    def __init__(self, path: str, sources: Iterable[str]) -> None:
        folder, _, name = path.rpartition("/")
        self._folders = [_plain(part) for part in folder.split("/") if part]
        self._name = _plain(name.partition(".")[0])
        self._names = {self._name}
        if name.partition(".")[0] in WHOLE_FOLDER:
            self._names |= set([part for part in self._folders if part not in _ROOTS][-1:])
        self._words = _folder_words(path)
        called_alike = (other for other in sources if other != path and other.rpartition("/")[2] == name)
        self._rivals = [_folder_words(other) for other in called_alike]

    def is_of(self, test: str) -> bool:
        if not any(self._is_called_so(subject) for subject in subjects(test)):
            return False
        words = _folder_words(test)
        near = len(words & self._words)
        return all(near >= len(words & rival) for rival in self._rivals)

    def _is_called_so(self, subject: str) -> bool:
        """By its name, or by names of folders around it and its name: ``io_chain`` for ``io/util/chain``."""
        if subject in self._names:
            return True
        before = subject.removesuffix(self._name)
        if not self._name or before == subject:
            return False
        for folder in self._folders:
            before = before.removeprefix(folder)
        return not before


def subjects(test: str) -> frozenset[str]:
    """What a test may be about, by its name: ``tests/test_basket.py`` and ``BasketUnitTest`` are about the basket."""
    name = test.rpartition("/")[2]
    stem = _BEFORE.sub("", name).partition(".")[0]
    return frozenset(plain for behind in _BEHIND if (plain := _plain(behind.sub("", stem))))


def _plain(name: str) -> str:
    return _MARKS.sub("", name).lower()


def _folder_words(path: str) -> frozenset[str]:
    return frozenset(_WORDS.findall(path.rpartition("/")[0].lower()))
