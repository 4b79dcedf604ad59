"""The projects of a repository: folders that hold a manifest, each taken as if it were a repository of its own."""

import re
from collections.abc import Iterable, Iterator, Mapping, Set
from dataclasses import replace
from itertools import islice
from pathlib import PurePosixPath
from posixpath import basename, dirname, normpath

from repo_tools.changes import Tree
from repo_tools.environment.contract import Environment, ReadFile, SetupCommand, TestCommand
from repo_tools.environment.folders import (
    BENCHMARKS,
    DOCUMENTS,
    EXAMPLES,
    TEST_DATA,
    TESTS,
    VENDORED,
    is_hidden,
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
_COLLECTION = re.compile(rb"^namespace:", re.MULTILINE)
"""Of Ansible, which has one layout: what its tests list is no project."""
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
_ANYWHERE = (".go",)
"""A module is every package below it, but for other modules: https://go.dev/ref/mod#modules-overview"""
_PATH = re.compile(r"[\w.@+-]+(?:[/\\][\w.@+-]+)+|[\w@+-]+\.\w{1,5}\b")
_WORD = re.compile(r"[\w.@+/\\-]+")
_TESTS = re.compile(rb'"test[\w:-]*"\s*:')
"""A script of a ``package.json``."""
_INSTALLED = re.compile(r"^.*/(?:site|dist)-packages/(?=[^/]+/)")
"""Where a package lies as its users have it; in the repository the same files may lie below a ``src``."""
IMPORTED = re.compile(rb"^[ \t]*(?:from|import)[ \t]+(\w+)", re.MULTILINE)
"""The package that a line of Python imports from."""
_LONGEST_WORD = 500
_MOST_NAMED = 50
_MOST_READ = 200


def project_folders(tree: Tree, read: ReadFile) -> dict[str, frozenset[str]]:
    """Root-relative folders with a manifest -> the families of their manifests, the shallowest first; the root (empty)
    always among them. Members of a workspace are not: they are set up from its root."""
    of_collection = bool(_COLLECTION.search(read("galaxy.yml"))) if "galaxy.yml" in tree else False
    told = (path for path in tree if basename(path) in _MANIFESTS or basename(path) in _WORKSPACES)
    paths = [path for path in told if _counts(path, read, of_collection=of_collection)]
    names: dict[str, set[str]] = {"": set()}
    for path in paths:
        if basename(path) in _MANIFESTS:
            names.setdefault(dirname(path), set()).add(basename(path))
    families = {folder: {_MANIFESTS[name] for name in own} for folder, own in names.items()}
    families[""] |= {"python"} if of_collection else set()
    lists = [folder for folder, own in names.items() if own == {_LIST} and basename(folder) in TESTS]
    _take_out_parts(families, lists, tree, read)
    roots = frozenset(_workspaces(paths, read))
    own = [f for f, known in families.items() if not f or any(not _is_member(f, family, roots) for family in known)]
    own.sort(key=lambda folder: (folder.count("/") + bool(folder), folder))
    return {folder: frozenset(families[folder]) for folder in own}


def _counts(path: str, read: ReadFile, *, of_collection: bool) -> bool:
    """Whether a project may be told of there, rather than what is made to be read, or what serves tests alone."""
    folder = dirname(path)
    if is_within(folder, NOBODYS_WORK) or is_hidden(folder) or (of_collection and is_within(folder, TESTS)):
        return False
    return not _of_tests(path) or bool(_TESTS.search(read(path)))


def _workspaces(paths: Iterable[str], read: ReadFile) -> Iterator[tuple[str, str]]:
    """(folder, family) of each root of a workspace."""
    for path in paths:
        family, mark = _WORKSPACES.get(basename(path), ("", None))
        if mark and mark.search(read(path)):
            yield dirname(path), family


def _take_out_parts(families: dict[str, set[str]], lists: Iterable[str], tree: Tree, read: ReadFile) -> None:
    """Takes folders that are a part of the project around them out of `families`. `lists`: folders of tests that have a
    list of requirements, and no other manifest."""
    sources = frozenset(("", *(dirname(path) for path in tree if path.endswith(".py"))))
    for folder in lists:
        if _is_for_tests(folder, families, sources, tree, read):
            del families[folder]
    for folder in [each for each, known in families.items() if known == {"javascript"}]:
        if _is_served(folder, families, tree, read):
            del families[folder]
    for folder, known in families.items():
        if folder and "ruby" in known and not _has_gemfile(tree, folder) and _shares_gemfile(tree, folder):
            known.discard("ruby")  # its gems are those of the folder above


def _is_for_tests(folder: str, families: Mapping[str, set[str]], sources: Set[str], tree: Tree, read: ReadFile) -> bool:
    """Whether a folder of tests only lists what they need of the Python that stands around them, which has a manifest
    itself, or is what they import from the root: they are no project. The tests of another language's program are."""
    around = dirname(folder)
    near = next((families[f] for f in (around, *parents(around), "") if families.get(f)), set[str]())
    if around or "python" in near:
        return "python" in near and around in sources
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


def named_paths(text: str, tree: Tree) -> tuple[str, ...]:
    """Files that a text names, by their path or the end of it (``pkg/core.py``, ``File "/home/a/pkg/core.py"``); what
    could be several files names none."""
    candidates = (word for word in _WORD.findall(text) if len(word) <= _LONGEST_WORD)
    named = (path for word in candidates for path in _PATH.findall(word))
    words = dict.fromkeys(_INSTALLED.sub("", word.replace("\\", "/")).strip("./") for word in named)
    by_name: dict[str, list[str]] = {}
    for path in tree:
        by_name.setdefault(path.rpartition("/")[2], []).append(path)
    found = (_file_named(word, by_name.get(word.rpartition("/")[2], [])) for word in list(words)[:_MOST_NAMED])
    return tuple(dict.fromkeys(path for path in found if path))


def place_in(inside: str, folders: Mapping[str, Set[str]]) -> str:
    """A path that stands for all of the folder `inside`: in the deepest of the projects that hold it, else in the first
    of those below it, else in the root's; empty where that has no manifest."""
    holders = [folder for folder in folders if folder and PurePosixPath(inside).is_relative_to(folder)]
    below = (folder for folder in folders if PurePosixPath(folder).is_relative_to(inside))
    own = max(holders, key=len, default=None) or next(below, inside if folders.get("") else "")
    return f"{own}/." if own else ""


def _file_named(word: str, candidates: list[str]) -> str | None:
    """A longer word names a file whose whole path it ends with."""
    matches = [c for c in candidates if c == word or c.endswith(f"/{word}") or word.endswith(f"/{c}")]
    return matches[0] if len(matches) == 1 else None


def nearest_first(folders: Iterable[str], weights: Mapping[str, float]) -> tuple[str, ...]:
    """`folders`, those that hold one of the files of `weights` first: by what those weigh that each holds as the
    deepest of all, then as they came."""
    known = tuple(folders)
    held = dict.fromkeys(known, 0.0)
    for path, weight in weights.items():
        holders = [folder for folder in known if not folder or path.startswith(f"{folder}/")]
        if holders:
            held[max(holders, key=len)] += weight
    return tuple(sorted(known, key=lambda folder: -held[folder]))


def subtree(tree: Tree, folder: str, folders: Mapping[str, frozenset[str]]) -> Tree:
    """What stands below `folder`, by paths from there, without the projects of other families in it: the tests of a
    ``backend/`` are not those of a root that has no Python manifest. A Go module's packages stay, as a front end's
    folder may hold the one that embeds it."""
    start = f"{folder}/" if folder else ""
    families = folders.get(folder, frozenset())
    own = _ANYWHERE if "go" in families else ()
    of_others = (f for f, theirs in folders.items() if f != folder and not theirs & families)
    others = tuple(f"{f}/" for f in of_others if f.startswith(start))
    below = (p for p in tree if p.startswith(start) and (p.endswith(own) or not p.startswith(others)))
    found = {path.removeprefix(start): tree[path] for path in below}
    return found if folder or len(found) < len(tree) else tree  # itself, of which more is known already


def reader_below(read: ReadFile, folder: str) -> ReadFile:
    return (lambda path: read(f"{folder}/{path}")) if folder else read


def rebased(environment: Environment, folder: str) -> Environment:
    """The plan of the project in `folder`, as one of the whole repository."""
    if not folder:
        return environment
    return replace(
        environment,
        evidence=(f"the project in {folder}/", *environment.evidence),
        setup=tuple(_moved(command, folder) for command in environment.setup),
        tests=tuple(_tested_in(command, folder) for command in environment.tests),
        manifests=tuple(normpath(_joined(folder, path)) for path in environment.manifests),
        test_paths=tuple(_joined(folder, path) for path in environment.test_paths),
    )


def _tested_in(command: TestCommand, folder: str) -> TestCommand:
    builds = tuple((_joined(folder, place), build) for place, build in command.builds)
    return replace(command, directory=_joined(folder, command.directory), builds=builds)


def _moved(command: SetupCommand, folder: str) -> SetupCommand:
    others = tuple(_moved(other, folder) for other in command.otherwise)
    return replace(command, directory=_joined(folder, command.directory), otherwise=others)


def narrowed(environment: Environment, paths: Iterable[str]) -> Environment:
    """Only the suites in the folders that hold `paths`, where the plan has suites in several folders and that tells."""
    folders = {command.directory for command in environment.tests}
    if len(folders) == 1:
        return environment
    near = {_holder(path, folders) for path in paths} - {None}
    kept = tuple(command for command in environment.tests if command.directory in near)
    return replace(environment, tests=kept) if kept else environment


def _holder(path: str, folders: Iterable[str]) -> str | None:
    holders = [f for f in folders if f and PurePosixPath(path).is_relative_to(f)]
    return max(holders, key=len, default=None)


def _joined(folder: str, path: str) -> str:
    return str(PurePosixPath(folder, path))
