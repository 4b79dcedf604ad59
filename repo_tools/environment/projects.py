"""The projects of a repository: folders that hold a manifest and are no part of what stands around them. Pure."""

import re
from collections.abc import Iterable, Iterator, Mapping, Set
from itertools import islice
from pathlib import PurePosixPath
from posixpath import basename, dirname

from repo_tools.changes import Tree
from repo_tools.environment.contract import ReadFile
from repo_tools.environment.folders import (
    BENCHMARKS,
    DOCUMENTS,
    EXAMPLES,
    TEST_DATA,
    TESTS,
    VENDORED,
    is_hidden,
    is_template,
    is_within,
)
from repo_tools.paths import parents

_MANIFESTS = {  # file name: the family of tools that reads it
    "pyproject.toml": "python",
    "setup.py": "python",
    "setup.cfg": "python",
    "requirements.txt": "python",
    "Requirements.txt": "python",
    "tox.ini": "python",
    "pytest.ini": "python",
    "package.json": "javascript",
    "go.mod": "go",
    "Cargo.toml": "rust",
    "pom.xml": "maven",
    "build.gradle": "gradle",
    "build.gradle.kts": "gradle",
    "settings.gradle": "gradle",
    "settings.gradle.kts": "gradle",
    "Gemfile": "ruby",
    "gems.rb": "ruby",
    "Rakefile": "ruby",
}
_LIST = "requirements.txt"
_WORKSPACES = {  # file that makes its folder the root of a workspace: the family, and what has to stand in it
    "package.json": ("javascript", re.compile(rb'"workspaces"\s*:')),
    "pnpm-workspace.yaml": ("javascript", re.compile(rb"")),
    "lerna.json": ("javascript", re.compile(rb"")),
    "Cargo.toml": ("rust", re.compile(rb"^[ \t]*\[workspace\b", re.MULTILINE)),
    "go.work": ("go", re.compile(rb"")),
    "pom.xml": ("maven", re.compile(rb"<modules>")),
    "settings.gradle": ("gradle", re.compile(rb"")),
    "settings.gradle.kts": ("gradle", re.compile(rb"")),
}
NOBODYS_WORK = VENDORED | TEST_DATA | EXAMPLES | DOCUMENTS | BENCHMARKS
"""Folders whose projects are somebody else's, or made to be read."""
_TESTS = re.compile(rb'"test[\w:-]*"\s*:')
"""A script of a ``package.json``."""
IMPORTED = re.compile(rb"^[ \t]*(?:from|import)[ \t]+(\w+)", re.MULTILINE)
"""The package that a line of Python imports from."""
_MOST_READ = 200


def project_folders(tree: Tree, read: ReadFile) -> dict[str, frozenset[str]]:
    """Root-relative folders with a manifest -> the families of their manifests, the shallowest first; the root (empty)
    always among them. Members of a workspace are not: they are set up from its root."""
    paths = [path for path in tree if _counts(path, read)]
    manifests = _by_folder(paths)
    families = {folder: {_MANIFESTS[name] for name in names} for folder, names in manifests.items()}
    _take_out_lists_for_tests(families, manifests, tree, read)
    _take_out_what_is_served(families, tree, read)
    _take_out_gems_of_above(families, tree)
    roots = frozenset(_workspaces(paths, read))
    own = [f for f, known in families.items() if not f or any(not _is_member(f, family, roots) for family in known)]
    own.sort(key=lambda folder: (folder.count("/") + bool(folder), folder))
    return {folder: frozenset(families[folder]) for folder in own}


def _counts(path: str, read: ReadFile) -> bool:
    """Whether it tells of a project, rather than of what is made to be read, or serves tests alone."""
    folder, name = dirname(path), basename(path)
    if name not in _MANIFESTS and name not in _WORKSPACES:
        return False
    if is_within(folder, NOBODYS_WORK) or is_hidden(folder) or is_template(folder):
        return False
    return not _of_tests(path) or bool(_TESTS.search(read(path)))


def _by_folder(paths: Iterable[str]) -> dict[str, set[str]]:
    """Folder -> names of its manifests; the root in any case."""
    found: dict[str, set[str]] = {"": set()}
    for path in paths:
        if basename(path) in _MANIFESTS:
            found.setdefault(dirname(path), set()).add(basename(path))
    return found


def _workspaces(paths: Iterable[str], read: ReadFile) -> Iterator[tuple[str, str]]:
    """(folder, family) of each root of a workspace."""
    for path in paths:
        family, mark = _WORKSPACES.get(basename(path), ("", None))
        if mark and mark.search(read(path)):
            yield dirname(path), family


def _take_out_lists_for_tests(
    families: dict[str, set[str]], manifests: Mapping[str, Set[str]], tree: Tree, read: ReadFile
) -> None:
    """Folders of tests that only list what those need, for the project around them."""
    sources = frozenset(("", *(dirname(path) for path in tree if path.endswith(".py"))))
    for folder, names in manifests.items():
        if names == {_LIST} and basename(folder) in TESTS and _is_for_tests(folder, families, sources, tree, read):
            del families[folder]


def _take_out_what_is_served(families: dict[str, set[str]], tree: Tree, read: ReadFile) -> None:
    """Import packages that list what they hand to browsers."""
    for folder in [each for each, known in families.items() if known == {"javascript"}]:
        if _is_served(folder, families, tree, read):
            del families[folder]


def _take_out_gems_of_above(families: dict[str, set[str]], tree: Tree) -> None:
    """Folders whose gems are those of a folder above."""
    for folder, known in families.items():
        if folder and "ruby" in known and not _has_gemfile(tree, folder) and _shares_gemfile(tree, folder):
            known.discard("ruby")


def _is_for_tests(folder: str, families: Mapping[str, set[str]], sources: Set[str], tree: Tree, read: ReadFile) -> bool:
    """Whether a folder of tests only lists what they need of the Python that stands around them, which has a manifest
    itself, or is what they import from the root: they are no project. The tests of another language's program are."""
    around = dirname(folder)
    near = next((families[f] for f in (around, *parents(around), "") if families.get(f)), set[str]())
    if around or "python" in near:
        return "python" in near and around in sources
    return _imports_from_root(folder, tree, read)


def _imports_from_root(folder: str, tree: Tree, read: ReadFile) -> bool:
    """Whether its tests do, from a module or a package there."""
    modules = {path.removesuffix(".py") for path in tree if path.endswith(".py") and "/" not in path}
    packages = {path.partition("/")[0] for path in tree if path.count("/") == 1 and path.endswith("/__init__.py")}
    known = modules | packages - TESTS
    tests = islice((path for path in tree if path.startswith(f"{folder}/") and path.endswith(".py")), _MOST_READ)
    return any(name.decode() in known for path in tests for name in IMPORTED.findall(read(path)))


def _is_served(folder: str, families: Mapping[str, set[str]], tree: Tree, read: ReadFile) -> bool:
    """Whether an import package of the Python around it only lists what it hands to browsers: it is no project."""
    if not folder or f"{folder}/__init__.py" not in tree or _TESTS.search(read(f"{folder}/package.json")):
        return False
    return any("python" in families.get(around, ()) for around in (*parents(folder), ""))


def _of_tests(path: str) -> bool:
    """Whether it may only bring programs that tests start, as yuglify: they are the project's around it."""
    return basename(path) == "package.json" and is_within(dirname(path), TESTS)


def _has_gemfile(tree: Tree, folder: str) -> bool:
    return any(str(PurePosixPath(folder, name)) in tree for name in ("Gemfile", "gems.rb"))


def _shares_gemfile(tree: Tree, folder: str) -> bool:
    return any(_has_gemfile(tree, above) for above in ("", *parents(folder)))


def _is_member(folder: str, family: str, roots: Set[tuple[str, str]]) -> bool:
    return any((above, family) in roots for above in ("", *parents(folder)))
