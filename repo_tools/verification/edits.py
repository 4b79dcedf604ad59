"""Which tests of the base commit a change edits. Pure."""

from collections.abc import Callable
from typing import Protocol

from repo_tools.checkout import Checkout
from repo_tools.test_report import NO_FILE, TestReport
from repo_tools.verification.javascript_source import SUFFIXES
from repo_tools.verification.javascript_tests import TestTexts
from repo_tools.verification.python_tests import PythonTests
from repo_tools.verification.read_by_tests import Snapshots, may_be_of, owner, readers_of
from repo_tools.verification.rust_modules import begins_their_names, crates_of
from repo_tools.verification.sides import Sides
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


def edits_of(sides: Sides, checkout: Checkout, baseline: TestReport) -> tuple[frozenset[str], frozenset[str]]:
    """Ids of base tests whose own code, or data, the change edits; and of the others in whose files it edits what
    stands in no test. Where only an exit code is known, the one test is all of them, and one that is taken away shows
    nothing."""
    paths = [path for path in (*sides.test_files, *sides.test_data) if path in checkout.tree]
    if baseline.only_exit_code:
        is_whole = all(new is not None for new in sides.tests.files.values())
        return frozenset(baseline.ids() if is_whole and paths else ()), frozenset()
    own, beside = set[str](), set[str]()
    for path in paths:
        if new := sides.tests.files[path]:
            before, after = checkout.read(path), new.content
            tests = _tests_of(path, before, after, baseline)
            is_edited = _ids(path, tests, tests.is_edited, baseline) if tests else []
            own.update(is_edited or _with_data(path, before, after, sides, baseline))
            beside.update(_ids(path, tests, tests.is_edited_beside, baseline) if tests else ())
    return frozenset(own), frozenset(beside - own)


def _tests_of(path: str, before: bytes, after: bytes, baseline: TestReport) -> EditedTests | None:
    """None where nothing here reads the file's language."""
    places = {place_of(path), NO_FILE, *_crates(path, baseline)}
    known = frozenset(case.id.removeprefix(f"{case.path}::") for case in baseline.cases if case.path in places)
    if path.endswith(SUFFIXES):
        return TestTexts(before, after, known)
    if path.endswith(OF_BLOCKS):
        return TestBlocks(path, before, after, known)
    return PythonTests(before, after, known) if path.endswith(".py") else None


def _ids(path: str, tests: EditedTests, is_edited: Callable[[str], bool], baseline: TestReport) -> list[str]:
    """Of the tests of `path`; of JavaScript also of those of which nobody tells the file, where all of a name is
    written in this one; of a crate in Rust those whose names begin as the file's modules do."""
    own = _of_file(place_of(path), is_edited, baseline)
    for root in _crates(path, baseline):
        begins = f"{root}::{begins_their_names(path, root)}"
        own += [case_id for case_id in _of_file(root, is_edited, baseline) if case_id.startswith(begins)]
    if isinstance(tests, TestTexts):
        own += _of_file(NO_FILE, lambda name: tests.holds(name) and is_edited(name), baseline)
    return own


def _with_data(path: str, before: bytes, after: bytes, sides: Sides, baseline: TestReport) -> list[str]:
    if snapshots := owner(path):
        return _of_file(snapshots, Snapshots(before, after).is_edited, baseline)
    if path not in sides.test_data:
        return []
    files = readers_of((path,), frozenset(case.path for case in baseline.cases)).difference(sides.test_files)
    read = (case for case in baseline.cases if case.path in files)
    return [case.id for case in read if may_be_of(path, case.path, case.id.removeprefix(f"{case.path}::"))]


def _crates(path: str, baseline: TestReport) -> frozenset[str]:
    return crates_of(path, {case.path for case in baseline.cases}) if path.endswith(".rs") else frozenset()


def _of_file(path: str, is_edited: Callable[[str], bool], baseline: TestReport) -> list[str]:
    """`NO_FILE`: of those of which nobody tells the file."""
    own = (case.id for case in baseline.cases if case.path == path)
    return [case_id for case_id in own if is_edited(case_id.removeprefix(f"{path}::"))]
