"""Which tests of the base commit a change edits. Pure."""

from collections.abc import Callable, Iterator, Mapping
from functools import cache
from pathlib import PurePosixPath
from typing import NamedTuple, Protocol

from repo_tools.changes import Tree
from repo_tools.checkout import Checkout
from repo_tools.environment.javascript.files import SUFFIXES
from repo_tools.test_report import NO_FILE, TestCase, TestReport
from repo_tools.verification.compiled_tests import made_of
from repo_tools.verification.javascript_tests import TestTexts
from repo_tools.verification.python_tests import PythonTests
from repo_tools.verification.read_by_tests import Snapshots, may_be_of, owner, readers_of
from repo_tools.verification.rust_modules import begins_their_names, crates_of
from repo_tools.verification.sides import Sides, TestLayout
from repo_tools.verification.test_blocks import SUFFIXES as OF_BLOCKS
from repo_tools.verification.test_blocks import TestBlocks, place_of


class EditedTests(Protocol):
    """The tests of one file before and after. Names are as ids have them, without the file."""

    def is_edited(self, name: str, /) -> bool:
        """Whether the edit changes the test itself."""
        ...

    def is_edited_beside(self, name: str, /) -> bool:
        """Whether it changes what stands in no test of the file, and so may belong to each."""
        ...


class Edits(NamedTuple):
    """Ids of base tests: of those whose own code, or data, a change edits; of the others in whose files it edits what
    stands in no test; and of the former, for each changed file of data, those that may read it and are not edited
    otherwise."""

    own: frozenset[str]
    beside: frozenset[str] = frozenset()
    readers: Mapping[str, frozenset[str]] = {}


def edits_of(sides: Sides, checkout: Checkout, baseline: TestReport, layout: TestLayout) -> Edits:
    """Where only an exit code is known, the one test is all of them, and one that is taken away shows nothing."""
    paths = [path for path in (*sides.test_files, *sides.test_data) if path in checkout.tree]
    if baseline.only_exit_code:
        is_whole = all(new is not None for new in sides.tests.files.values())
        return Edits(frozenset(baseline.ids() if is_whole and paths else ()))
    own, beside, readers = set[str](), set[str](), dict[str, frozenset[str]]()
    for path in paths:
        if new := sides.tests.files[path]:
            before, after = checkout.read(path), new.content
            places = places_of(path, checkout.tree, baseline)
            known = frozenset(_name(case) for case in baseline.cases if case.path in {*places, NO_FILE})
            tests = None if path in layout.supporting else _tests_of(path, before, after, known)
            edited = _ids(places, tests, tests.is_edited, baseline) if tests else []
            if isinstance(tests, PythonTests | TestTexts):
                edited += _elsewhere(path, tests, checkout, baseline, layout)
            if not edited and (snapshots := owner(path)):
                edited = _of_file(snapshots, Snapshots(before, after).is_edited, baseline)
            elif (
                not edited
                and path in sides.test_data
                and not (_holds_unplaced(tests, baseline) and _is_only_added_to(before, after))
            ):
                readers[path] = _readers(path, sides, baseline, layout)
            own.update(edited)
            beside.update(_ids(places, tests, tests.is_edited_beside, baseline) if tests else ())
    read = frozenset[str]().union(*readers.values())
    return Edits(
        frozenset(own | read), frozenset(beside - own - read), {path: ids - own for path, ids in readers.items()}
    )


def makers_of(sides: Sides, checkout: Checkout) -> Callable[[str], str]:
    """The id of a test -> that of the title, or the suite, that makes it, where a changed file of JavaScript has its
    name nowhere; as it is otherwise."""

    @cache
    def tests_of(path: str) -> TestTexts | None:
        new = sides.tests.files.get(path)
        is_changed = new and path.endswith(SUFFIXES) and path in checkout.tree
        return TestTexts(checkout.read(path), new.content) if new and is_changed else None

    def made_by(case_id: str) -> str:
        path, _, name = case_id.partition("::")
        tests = tests_of(path) if name else None
        return f"{path}::{tests.maker(name)}" if tests else case_id

    return made_by


def places_of(path: str, tree: Tree, baseline: TestReport) -> Mapping[str, str]:
    """Where the tests of a file are told to stand -> how their names begin there: itself, or of Go its package, of Rust
    its crate, and of what is compiled, what it is compiled to."""
    collected = {case.path for case in baseline.cases}
    crates = crates_of(path, collected) if path.endswith(".rs") else ()
    compiled = made_of(path, collected, tree) if path.endswith(SUFFIXES) else ()
    return {
        place_of(path): "",
        **dict.fromkeys(compiled, ""),
        **{root: begins_their_names(path, root) for root in crates},
    }


def _tests_of(path: str, before: bytes, after: bytes, known: frozenset[str]) -> EditedTests | None:
    """None where nothing here reads the file's language."""
    if path.endswith(SUFFIXES):
        return TestTexts(before, after, known)
    if path.endswith(OF_BLOCKS):
        return TestBlocks(path, before, after, known)
    return PythonTests(before, after, known) if path.endswith(".py") else None


def _ids(
    places: Mapping[str, str], tests: EditedTests, is_edited: Callable[[str], bool], baseline: TestReport
) -> list[str]:
    """Of the tests that stand there; of JavaScript also of those of which nobody tells the file, where all of a name is
    written in this one."""
    there = (case for case in baseline.cases if case.path in places and _name(case).startswith(places[case.path]))
    own = [case.id for case in there if is_edited(_name(case))]
    if isinstance(tests, TestTexts):
        own += _of_file(NO_FILE, lambda name: tests.holds(name) and is_edited(name), baseline)
    return own


def _elsewhere(
    path: str, tests: PythonTests | TestTexts, checkout: Checkout, baseline: TestReport, layout: TestLayout
) -> Iterator[str]:
    """Edited tests that other files load from this one, of a class or a function with tests: they run under the names
    of those files, which name this one and write none that is called so."""
    near = readers_of((path,), layout.readers(baseline)) - {path}
    stem, folder = PurePosixPath(path).stem, PurePosixPath(path).parent.name
    called = (folder if stem in ("__init__", "index") else stem).encode()

    @cache
    def own(file: str) -> EditedTests | None:
        source = checkout.read(file) if file in checkout.tree else b""
        return _tests_of(file, source, b"", frozenset()) if called in source else None

    for case in baseline.cases:
        name = _name(case)
        if case.path in near and tests.writes(name) and tests.is_edited(name):
            there = own(case.path)
            if isinstance(there, type(tests)) and not there.writes(name):
                yield case.id


def _readers(path: str, sides: Sides, baseline: TestReport, layout: TestLayout) -> frozenset[str]:
    files = readers_of((path,), layout.readers(baseline)).difference(sides.test_files) | {path}
    read = (case for case in baseline.cases if case.path in files)
    return frozenset(case.id for case in read if may_be_of(path, case.path, _name(case)))


def _holds_unplaced(tests: EditedTests | None, baseline: TestReport) -> bool:
    """Whether tests of which nobody tells the file stand in it, and what stands beside them is as it was."""
    cases = (case for case in baseline.cases if case.path == NO_FILE)
    return isinstance(tests, TestTexts) and not tests.is_edited_beside("") and any(tests.holds(_name(c)) for c in cases)


def _is_only_added_to(before: bytes, after: bytes) -> bool:
    left = iter(after.splitlines())
    return all(line in left for line in before.splitlines())


def _of_file(path: str, is_edited: Callable[[str], bool], baseline: TestReport) -> list[str]:
    """`NO_FILE`: of those of which nobody tells the file."""
    return [case.id for case in baseline.cases if case.path == path and is_edited(_name(case))]


def _name(case: TestCase) -> str:
    """As its id has it below the file."""
    return case.id.removeprefix(f"{case.path}::")
