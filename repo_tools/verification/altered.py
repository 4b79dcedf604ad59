"""Files of the tests that a run of them altered on disk: what is red or green then is not what those tests say.

Product code runs before a test file is read where another file, a `conftest.py`, a migration or a build loads it first.
Files are told apart by when the kernel says that they were last altered, which no command can set: one that is put back
is seen. So is a folder above them that is moved away and back, unless something is written in it after that. What comes
to stand beside tests that are loaded while they run may be loaded in the place of something else, and be gone again: a
module, a package in ``node_modules``, what Python would take for a file that it has compiled. In a run of the base
commit's tests no name may come or go there that does not on the base commit, too; but at the root, where tools write.
"""

from collections.abc import Iterable
from pathlib import PurePosixPath
from posixpath import basename, dirname, join, normpath

from repo_tools.changes import ChangeSet, Tree
from repo_tools.environment.contract import ReadFile
from repo_tools.environment.javascript.files import SUFFIXES as JAVASCRIPT
from repo_tools.environment.python.pytest_settings import ORDER
from repo_tools.paths import parents
from repo_tools.sandbox.contract import WORKSPACE, Sandbox
from repo_tools.verification.loaded_first import required_packages
from repo_tools.verification.plain_source import SUFFIXES as PLAIN
from repo_tools.verification.sides import Side, TestLayout, classify
from repo_tools.verification.test_names import SOURCE_SUFFIXES, is_build_file

_MOST_NAMED = 5
PROGRAMS = (*SOURCE_SUFFIXES, *PLAIN, ".sh")
_OF_PYTEST = ("conftest.py", *ORDER)
"""It takes up any of them on the way to a test: https://docs.pytest.org/en/stable/reference/customize.html"""
_LOADED_AS_THEY_RUN = (".py", ".rb", *JAVASCRIPT)
_LOCKS = (".lock", ".locked")


def watched(tree: Tree, overlay: ChangeSet | None, layout: TestLayout, read: ReadFile) -> tuple[str, ...]:
    """Programs of the tests' side and what configures tests; of Python's also what could and is not there; of
    JavaScript's the packages that are installed for them. Data are left out, which suites write by right; so is what a
    build makes again, or Bundler, which follows the gem's own version."""
    every = {*tree, *(overlay or ())}
    found = {path for path in every if _is_watched(path, layout)}
    folders = {str(folder) for path in found if path.endswith(".py") for folder in PurePosixPath(path).parents}
    absent = {normpath(join(folder, name)) for folder in folders for name in _OF_PYTEST} - every
    return tuple(sorted({*found, *absent, *_packages(tree, layout, read)}))


def _packages(tree: Tree, layout: TestLayout, read: ReadFile) -> Iterable[str]:
    """Where programs in JavaScript find what the manifests around tests require."""
    around = {
        str(folder) for path in layout.collected if path.endswith(JAVASCRIPT) for folder in PurePosixPath(path).parents
    }
    for folder in around:
        yield from (normpath(join(folder, "node_modules", name)) for name in required_packages(folder, tree, read))


def is_installed(path: str) -> bool:
    """Whether it is a package's place, which set-up fills and not the commit."""
    return "/node_modules/" in f"/{path}"


def _is_watched(path: str, layout: TestLayout) -> bool:
    side = classify(path, layout)
    if side is Side.CONFIGURATION:
        return not (is_build_file(path) or path.endswith(_LOCKS))
    return side is Side.TESTS and (path.endswith(PROGRAMS) or path in layout.collected or path in layout.suites)


class Stamps:
    """When each of `paths`, and of the folders above them, was last altered, as it stands when this is made."""

    def __init__(self, box: Sandbox, paths: tuple[str, ...], *, lists: bool = False) -> None:
        """`lists`: whether names must not come and go beside programs that are loaded while tests run. SandboxError."""
        self._box, self._files = box, frozenset(paths)
        own = (path for path in paths if not is_installed(path) and basename(path) not in _OF_PYTEST)
        loaded = (path for path in own if path.endswith(_LOADED_AS_THEY_RUN))
        self._lists = frozenset(map(dirname, loaded)) if lists else frozenset[str]()
        self._paths = (*paths, *sorted({folder for path in paths for folder in parents(path)}))
        self._before = self._now()

    def altered(self) -> frozenset[str]:
        """Since then. SandboxError."""
        stamps = zip(self._paths, self._before, self._now(), strict=True)
        changed = ((path, before, after) for path, before, after in stamps if before != after)
        return frozenset(path for path, *both in changed if path in self._files | self._lists or _is_moved(*both))

    def _now(self) -> tuple[bytes, ...]:
        return self._box.stamps([f"{WORKSPACE}/{path}" for path in self._paths])


def _is_moved(before: bytes, after: bytes) -> bool:
    """Whether the last thing that was done to a folder is another than that a name came or went."""
    (_, known, _), (_, altered, listed) = (stamp.split() or (b"", b"", b"gone") for stamp in (before, after))
    return known != altered != listed


def told(altered: Iterable[str]) -> str:
    """Why such a run is none."""
    names = sorted(altered)
    more = f" and {len(names) - _MOST_NAMED} more" if len(names) > _MOST_NAMED else ""
    listed = f"{', '.join(names[:_MOST_NAMED])}{more}"
    return f"This run altered files of the tests, which one on the base commit does not: {listed}."
