"""Whether a file imports another one, by the names in its imports."""

import posixpath
import re
import sys
from collections.abc import Container, Iterable

from repo_tools.repo_map.languages import language_of

_WHOLE_FOLDER = frozenset({"__init__", "index"})
_BY_FILE = frozenset({"javascript", "typescript", "tsx", "ruby", "c", "cpp"})
"""Languages in which a file is imported by its path; a suffix may stand there, and be that of what it is made into
(``basket.js`` of ``basket.ts``) or of what declares it (``basket.h`` of ``basket.cc``)."""

_ROOTS = frozenset({"", "lib", "src"})
"""Folders whose files are imported by their names alone."""

_BARE_IS_ELSEWHERE = frozenset({"javascript", "typescript", "tsx"})
"""Languages in which a name without a folder is somebody else's package."""

_PARTED = re.compile(r"[/\\:]+")


class Imported:
    """A file, or a package, of `tree` as others import it."""

    def __init__(self, path: str, tree: Container[str]) -> None:
        stem = path.rpartition(".")[0] if language_of(path) else path
        folder, _, last = stem.rpartition("/")
        self.stem = folder if last in _WHOLE_FOLDER and folder else stem
        self.folder, _, self.name = self.stem.rpartition("/")
        self._dotted = self.stem.replace("/", ".")
        self._is_in_package = posixpath.join(self.folder, "__init__.py") in tree

    def is_named(self, by: str, names: Iterable[str]) -> bool:
        """Whether one of `names`, as the imports of the file `by` have them, means this."""
        language = language_of(by)
        return any(self._is(by, language, name) for name in names)

    def _is(self, by: str, language: str, name: str) -> bool:
        if language in _BY_FILE and language_of(name):
            name = name.rpartition(".")[0]
        if name.startswith("."):
            return _relative(by, language, name) == self.stem
        dotted = _PARTED.sub(".", name).strip(".")
        if "." in dotted:
            return f".{self._dotted}".endswith(f".{dotted}")
        return dotted == self.name and self._goes_by_its_name(language)

    def _goes_by_its_name(self, language: str) -> bool:
        if language == "python":
            return not self._is_in_package and self.name not in sys.stdlib_module_names
        if language in _BARE_IS_ELSEWHERE:
            return False
        return language in ("c", "cpp") or self.folder.rpartition("/")[2] in _ROOTS


def _relative(by: str, language: str, name: str) -> str:
    """The path that a relative name means, without suffix."""
    if language == "python":
        rest = name.lstrip(".")
        name = "../" * (len(name) - len(rest) - 1) + rest.replace(".", "/")
    return posixpath.normpath(posixpath.join(posixpath.dirname(by), name)).removesuffix("/index")


def takes(content: bytes, name: str) -> bool:
    """Whether Python's `content` imports `name` from some package: ``from shop import mail, basket``."""
    pattern = rb"^[ \t]*from[ \t]+[.\w]+[ \t]+import[ \t]*(?:\([^)]{0,4000}|[^\n#(]{0,400})\b%b\b" % re.escape(
        name.encode()
    )
    return re.search(pattern, content, re.M) is not None
