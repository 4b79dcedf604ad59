"""Which part of a change is product, which is tests, and which counts for nothing. Pure.

- *test configuration* (what decides how tests are found, run and reported) is always the base commit's: it is left out;
- *tests*: test files and what stands beside them to support them;
- *product*: everything else. Files that configure both are merged (`mixed`), those that hold Rust's unit tests parted.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property
from pathlib import PurePosixPath
from posixpath import basename, dirname

from repo_tools.changes import ChangeSet, FileChange, Tree
from repo_tools.environment.contract import Environment, ReadFile
from repo_tools.environment.javascript.files import SUFFIXES as JAVASCRIPT
from repo_tools.environment.javascript.files import calls_tests, holds_javascript_tests
from repo_tools.test_report import NO_FILE, TestReport
from repo_tools.verification.compiled_tests import sources_of
from repo_tools.verification.linted import linters_of, names_by_file
from repo_tools.verification.mixed import MergeError, is_mixed, merge_mixed
from repo_tools.verification.programs import programs_of
from repo_tools.verification.read_by_tests import owner
from repo_tools.verification.rust_modules import holds_rust_tests, is_declared_for_tests, parts_of
from repo_tools.verification.test_names import (
    CONFIGURATION_FILE,
    CONFIGURATION_FOLDER,
    MAYBE_TEST_FILE,
    MAYBE_TEST_FOLDER,
    NAMES_WITH_DOCTESTS,
    PROSE,
    ROOT_TEST_FOLDER,
    SOURCE_SET,
    SOURCE_SUFFIXES,
    TEST_FILE,
    TEST_FOLDER,
    TEST_MODULE,
    is_called_so,
    stands_in_product,
)

_HEADERS = "include"
"""A folder of what a library in C ships, not of its tests."""


class Side(StrEnum):
    PRODUCT = "product"
    TESTS = "tests"
    CONFIGURATION = "configuration"


@dataclass(frozen=True)
class TestLayout:
    """Where a repository keeps its tests: what is configured, and which files the baseline collected tests from.
    `unlocated`: its runners (CTest, make) tell no test's file. `shipped`: modules of the base's packages that are
    called like tests, and are the product's; `programs`, `suites`: see `programs_of`. `supporting`: files that were
    collected, by a runner that runs each of a folder, and hold no test."""

    __test__ = False

    test_paths: tuple[str, ...] = ()
    collected: frozenset[str] = frozenset()
    patterns: tuple[str, ...] = ()
    unlocated: bool = False
    shipped: frozenset[str] = frozenset()
    programs: frozenset[str] = frozenset()
    suites: frozenset[str] = frozenset()
    supporting: frozenset[str] = frozenset()
    linters: frozenset[str] = frozenset()

    @classmethod
    def of(
        cls, environment: Environment, baseline: TestReport, base: Tree, read: ReadFile = lambda _: b""
    ) -> "TestLayout":
        named = cls(patterns=environment.test_file_patterns)
        written = [case for case in baseline.cases if not _is_doctest(case.id, case.path, named)]
        collected = frozenset(case.path for case in written if not stands_in_product(case.path))
        ids = [case.id for case in written]
        linters = linters_of(ids, base, read)
        linted = (path for path, names in names_by_file(ids).items() if path in base and names <= linters)
        collected -= frozenset(path for path in linted if not _is_called_like_tests(path, named))
        collected |= sources_of(collected, base)
        places = {NO_FILE, *(command.directory for command in environment.tests)}
        unlocated = bool(baseline.cases) and all(case.path in places for case in baseline.cases)
        shipped = _shipped(base, collected) if baseline.part is None else frozenset()
        programs, suites = programs_of(environment, base, read)
        patterns = environment.test_file_patterns
        supporting = frozenset(_supporting(baseline, base, read))
        return cls(
            environment.test_paths, collected, patterns, unlocated, shipped, programs, suites, supporting, linters
        )

    def readers(self, baseline: TestReport) -> frozenset[str]:
        """The files of tests that may read data."""
        return frozenset(case.path for case in baseline.cases) - self.supporting

    def is_named_as_test(self, path: str) -> bool:
        return path.endswith(SOURCE_SUFFIXES) and any(PurePosixPath(path).match(pattern) for pattern in self.patterns)

    @cached_property
    def folders(self) -> frozenset[str]:
        """Every folder with a collected file somewhere below it."""
        return frozenset(str(folder) for path in self.collected for folder in PurePosixPath(path).parents)

    @cached_property
    def own_folders(self) -> frozenset[PurePosixPath]:
        """Every folder that a collected file stands in."""
        return frozenset(PurePosixPath(path).parent for path in self.collected)


@dataclass(frozen=True)
class Sides:
    """The parts of one change, each against the same base. `left_out` are the paths that count for nothing, in whole
    or in their test tables; `test_files` the new and changed files that hold tests; `parted` those of which both sides
    have a version, each with the base's other part, as the change has them."""

    product: ChangeSet
    tests: ChangeSet
    left_out: tuple[str, ...]
    test_files: tuple[str, ...]
    parted: Mapping[str, FileChange | None] = field(default_factory=dict)

    @property
    def counted(self) -> ChangeSet:
        """Product and tests together: the change as it is proved."""
        return ChangeSet(self.product.base_commit, {**self.product.files, **self.tests.files, **self.parted})

    @cached_property
    def test_data(self) -> tuple[str, ...]:
        """New and changed files of the tests' side that hold none themselves."""
        own = frozenset(self.test_files)
        return tuple(path for path, new in self.tests.files.items() if new and path not in own)

    def shared(self, base: Tree) -> tuple[str, ...]:
        """Changed and deleted files of the tests' side that hold none themselves, and that any test may use."""
        known = base.keys() & self.tests.files.keys() - frozenset(self.test_files)
        return tuple(sorted(path for path in known if not owner(path) and not path.endswith(PROSE)))


def classify(path: str, layout: TestLayout) -> Side:
    """The side of a path that is not mixed."""
    *folders, name = path.split("/")
    if CONFIGURATION_FILE.fullmatch(name) or any(map(CONFIGURATION_FOLDER.fullmatch, folders)):
        return Side.CONFIGURATION
    named = TEST_FILE.fullmatch(name) and path not in layout.shipped
    if path in layout.collected or named or _is_in_folder_of_tests(folders, layout):
        return Side.TESTS
    if path in layout.suites or any(_is_below(path, root) for root in layout.test_paths):
        return Side.TESTS
    return Side.CONFIGURATION if path in layout.programs else Side.PRODUCT


def _is_in_folder_of_tests(folders: list[str], layout: TestLayout) -> bool:
    """By what the folders are called; where that may be the product's, too, by what was collected below one."""
    if any(map(TEST_FOLDER.fullmatch, folders)) or (folders and ROOT_TEST_FOLDER.fullmatch(folders[0])):
        return True
    for depth, folder in enumerate(folders, 1):
        collected = "/".join(folders[:depth]) in layout.folders
        known = collected or (layout.unlocated and _HEADERS not in folders[:depth])
        if (known and MAYBE_TEST_FOLDER.fullmatch(folder)) or (collected and SOURCE_SET.fullmatch(folder)):
            return True
    return False


def split(change: ChangeSet, base: Tree, read: ReadFile, layout: TestLayout) -> Sides:
    """Sort every path of `change`."""
    sides: Mapping[Side, dict[str, FileChange | None]] = {side: {} for side in Side}
    touched: list[str] = []
    mixed = frozenset(path for path in change if is_mixed(path) and not _is_data(path, change, layout))
    for path in change:
        wanted = change.files[path]
        if path in mixed:
            wanted, whole = _merged(path, wanted, base, read)
            touched += [] if whole else [path]
            if wanted is None or (path in base and wanted.entry == base[path]):
                continue
        side = Side.PRODUCT if path in mixed else _side(path, base, layout)
        if side is Side.PRODUCT and stands_in_product(path):
            _sort_rust(path, change, base, read, sides)
        else:
            sides[side][path] = wanted
    tests = sides[Side.TESTS]
    parted = {path: change.files[path] for path in sides[Side.PRODUCT].keys() & tests}
    return Sides(
        ChangeSet(change.base_commit, sides[Side.PRODUCT]),
        ChangeSet(change.base_commit, tests),
        tuple(sorted({*sides[Side.CONFIGURATION], *touched})),
        tuple(path for path in sorted(tests) if _is_test_file(path, tests[path], base, layout)),
        parted,
    )


def _sort_rust(
    path: str, change: ChangeSet, base: Tree, read: ReadFile, sides: Mapping[Side, dict[str, FileChange | None]]
) -> None:
    wanted = change.files[path]
    if is_declared_for_tests(path, change, base, read):
        sides[Side.TESTS][path] = wanted
    elif wanted is None:
        sides[Side.PRODUCT][path] = None
    else:
        parts = parts_of(wanted, read(path) if path in base else b"")
        for side, part in zip((Side.PRODUCT, Side.TESTS), parts, strict=True):
            sides[side].update({path: part} if part else {})


def _is_data(path: str, change: ChangeSet, layout: TestLayout) -> bool:
    """Whether a manifest is one that tests read, of a project made for them: no test stands in its folder, or below,
    which it could configure. JavaScript's runners read that of the folder that they are started in; jest of what its
    `projects` may take, too, and pytest the nearest above what it is to run."""
    folder, _, name = path.rpartition("/")
    if folder in layout.folders or classify(path, layout) is not Side.TESTS:
        return False
    new = change.files[path]
    if name == "package.json" and (new is None or not _configures_jest(new.content)):
        return True
    return not any(holds_tests(other, layout) for other in change if _is_below(other, folder))


def _configures_jest(manifest: bytes) -> bool:
    try:
        content = json.loads(manifest)
    except (ValueError, RecursionError):
        return True
    return not isinstance(content, dict) or "jest" in content


def _is_test_file(path: str, wanted: FileChange | None, base: Tree, layout: TestLayout) -> bool:
    """By its name, or as one collected; a new one of JavaScript, where tests have any name, by its content beside
    others."""
    if wanted is None or (owner(path) and path not in layout.collected):
        return False
    is_beside = path not in base and PurePosixPath(path).parent in layout.own_folders
    is_javascript = is_beside and holds_javascript_tests(path, wanted.content)
    return holds_tests(path, layout) or holds_rust_tests(path) or is_javascript


def _side(path: str, base: Tree, layout: TestLayout) -> Side:
    """A configured pattern tells a new test file, unless it takes any. What the base has was collected or not."""
    side = classify(path, layout)
    new_test = path not in base and not layout.is_named_as_test("any.py") and layout.is_named_as_test(path)
    return Side.TESTS if side is Side.PRODUCT and new_test else side


def _merged(path: str, wanted: FileChange | None, base: Tree, read: ReadFile) -> tuple[FileChange | None, bool]:
    """What becomes of a mixed file (None: it stays as in the base), and whether that is all that was wanted."""
    if wanted is None:
        return None, False
    try:
        content = merge_mixed(path, read(path) if path in base else b"", wanted.content)
    except MergeError:
        return None, False
    return FileChange(wanted.mode, content), content == wanted.content


def holds_tests(path: str, layout: TestLayout) -> bool:
    """Whether a file of the tests' side holds tests rather than what supports them."""
    named = bool(TEST_MODULE.fullmatch(PurePosixPath(path).name)) or layout.is_named_as_test(path)
    return named or (path in layout.collected and path not in layout.supporting)


def _is_below(path: str, root: str) -> bool:
    return root not in ("", ".") and (path == root or path.startswith(f"{root.rstrip('/')}/"))


def _shipped(base: Tree, collected: frozenset[str]) -> frozenset[str]:
    """In packages, and among JavaScript's modules, where nothing of a whole suite in their language was collected, nor
    below them: what stands above tests may help them."""
    tested = {str(folder) for path in collected for folder in PurePosixPath(path).parents} | {""}
    named = (path for path in base if MAYBE_TEST_FILE.fullmatch(basename(path)))
    maybe = [path for path in named if not (dirname(path) in tested or _is_called_for_tests(dirname(path)))]
    found: set[str] = set()
    for suffixes, is_product in ((".py",), _is_package), (JAVASCRIPT, _is_module):
        if maybe and any(path.endswith(suffixes) for path in collected):
            product = {dirname(path) for path in base if is_product(basename(path))}
            found |= {path for path in maybe if path.endswith(suffixes) and dirname(path) in product}
    return frozenset(found)


def _supporting(baseline: TestReport, base: Tree, read: ReadFile) -> Iterator[str]:
    """Of JavaScript, of which tap and node tell no more than that such a file came to its end."""
    files = {case.path for case in baseline.cases} - {case.path for case in baseline.cases if case.id != case.path}
    for path in files:
        if path.endswith(JAVASCRIPT) and path in base and not TEST_MODULE.fullmatch(basename(path)):
            source = read(path)
            if not (calls_tests(source) or b"assert" in source):
                yield path


def _is_called_for_tests(folder: str) -> bool:
    return any(MAYBE_TEST_FOLDER.fullmatch(part) for part in folder.split("/"))


def _is_package(name: str) -> bool:
    return name == "__init__.py"


def _is_module(name: str) -> bool:
    """Whether a file of this name is one of JavaScript's that is not called like tests."""
    return name.endswith(JAVASCRIPT) and not (name.endswith(".d.ts") or TEST_FILE.fullmatch(name))


def _is_doctest(case_id: str, path: str, named: TestLayout) -> bool:
    """A doctest is named after its module: it stands in product files. So does one whose module cannot be imported,
    of which there is no more than its path."""
    if not path.endswith(NAMES_WITH_DOCTESTS):
        return False
    name = case_id.removeprefix(path).removeprefix("::").split("[")[0]
    if not name:
        return not _is_called_like_tests(path, named)
    return name == PurePosixPath(path).stem or "." in name


def _is_called_like_tests(path: str, named: TestLayout) -> bool:
    return is_called_so(path) or holds_tests(path, named)
