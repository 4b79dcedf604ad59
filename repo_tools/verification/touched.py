"""What the verdict needs to know of a change beside its test runs."""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice
from posixpath import basename

from repo_tools.checkout import Checkout
from repo_tools.environment.contract import Environment
from repo_tools.environment.javascript.files import SUFFIXES
from repo_tools.test_report import TestReport
from repo_tools.verification import missing_in_javascript
from repo_tools.verification.altered import PROGRAMS
from repo_tools.verification.compiled_tests import compiled_from
from repo_tools.verification.edits import edits_of, makers_of
from repo_tools.verification.examples import takes_examples_away
from repo_tools.verification.javascript_tests import TestTexts
from repo_tools.verification.links import below, links_of
from repo_tools.verification.linted import name_in_python
from repo_tools.verification.mixed import is_mixed
from repo_tools.verification.python_source import bound_names
from repo_tools.verification.python_tests import PythonTests
from repo_tools.verification.rust_modules import crates_of
from repo_tools.verification.sides import Side, Sides, TestLayout, classify
from repo_tools.verification.test_blocks import place_of
from repo_tools.verification.test_names import PROSE, sounds_like_tests, stands_in_product

_MOST_TESTS = 5_000
_READ_WHEN_RUN = ("Cargo.toml", "Cargo.lock", "build.rs", "go.mod", "go.sum")


def _unknown(path: str) -> bool:  # noqa: ARG001 - a predicate
    return False


def _itself(case_id: str) -> str:
    return case_id


@dataclass(frozen=True)
class Touched:
    """`product`: changed product paths; `called_like_tests`: those of them that are; `named_by_tests`: those that are
    data, and that tests of the base name. `test_files`: changed or deleted test files, and what such are compiled to;
    `never_run`: those of the base that hold tests, and of which its whole suite runs none. `edited`: ids of base tests
    whose own code, or data, the change edits; `readers`: for each changed file of data, those of them that may read it
    and are not edited otherwise; `edited_beside`: those of the others in whose files it edits what stands
    in no test. `left_out`: paths that count for nothing. `not_installed`: changed manifests and compiled sources, whose
    base versions are what was set up. `added`: names that product code binds now and did not before. `asked_for`: names
    in the issue. `is_product`: whether a path is a product file of the base. `reworded`: product files with examples
    that the base's suite runs, and that are gone; `removed`: changed ones that are gone as a whole. `linters`: as in
    `TestLayout`. `made_by`: a test's id -> itself, or that of what makes it, where its name is made at run time
    (`makers_of`).
    """

    product: frozenset[str] = frozenset()
    called_like_tests: frozenset[str] = frozenset()
    named_by_tests: frozenset[str] = frozenset()
    test_files: frozenset[str] = frozenset()
    never_run: frozenset[str] = frozenset()
    edited: frozenset[str] = frozenset()
    readers: Mapping[str, frozenset[str]] = field(default_factory=dict)
    edited_beside: frozenset[str] = frozenset()
    left_out: tuple[str, ...] = ()
    not_installed: tuple[str, ...] = ()
    added: frozenset[str] = frozenset()
    asked_for: frozenset[str] = frozenset()
    is_product: Callable[[str], bool] = _unknown
    reworded: frozenset[str] = frozenset()
    removed: frozenset[str] = frozenset()
    linters: frozenset[str] = frozenset()
    made_by: Callable[[str], str] = _itself

    def is_linters(self, case_id: str) -> bool:
        """Whether a linter that pytest runs has made the test."""
        return name_in_python(case_id) in self.linters


def touched_by(
    sides: Sides, checkout: Checkout, environment: Environment, baseline: TestReport, asked_for: frozenset[str]
) -> Touched:
    """Of the change that `sides` are the parts of."""
    layout = TestLayout.of(environment, baseline, checkout.tree, checkout.read)
    manifests = set(environment.manifests).intersection(sides.product)
    collected = frozenset(case.path for case in baseline.cases)
    edits = edits_of(sides, checkout, baseline, layout)
    return Touched(
        product=frozenset(sides.product.files),
        called_like_tests=_called_like_tests(sides, checkout, layout),
        named_by_tests=_named_by_tests(sides, checkout, layout),
        test_files=frozenset(map(place_of, sides.tests.files)).union(
            compiled_from(sides.tests.files, collected, checkout.tree),
            *(crates_of(path, collected) for path in sides.tests.files),
        ),
        never_run=_never_run(sides, checkout, layout, baseline),
        edited=edits.own,
        readers=edits.readers,
        edited_beside=edits.beside,
        left_out=sides.left_out,
        not_installed=tuple(path for path in sorted(manifests) if not _is_in_force(path)),
        added=_added(sides, checkout),
        asked_for=asked_for,
        is_product=lambda path: path in checkout.tree and classify(path, layout) is Side.PRODUCT,
        reworded=frozenset(path for path in collected if _is_reworded(path, sides, checkout)),
        removed=frozenset(
            path for path, new in sides.product.files.items() if new is None and not stands_in_product(path)
        ),
        linters=layout.linters,
        made_by=makers_of(sides, checkout),
    )


def _called_like_tests(sides: Sides, checkout: Checkout, layout: TestLayout) -> frozenset[str]:
    """By words of their paths, or by a link among the tests."""
    aims = links_of(checkout.tree, checkout.read)
    linked = frozenset(aim for link, aim in aims if classify(link, layout) is Side.TESTS)
    return frozenset(filter(sounds_like_tests, sides.product.files)).union(below(linked, sides.product.files))


def _named_by_tests(sides: Sides, checkout: Checkout, layout: TestLayout) -> frozenset[str]:
    """What tests expect may stand among the product's data (``examples/sums.json``)."""
    changed = checkout.tree.keys() & sides.product.files.keys()
    paths = (path for path in changed if not (path.endswith((*PROGRAMS, *PROSE)) or is_mixed(path)))
    data = {path: basename(path).encode() for path in paths if not checkout.read(path).startswith(b"#!")}
    programs = (path for path in checkout.tree if data and path.endswith(PROGRAMS))
    tests = (path for path in programs if classify(path, layout) is Side.TESTS)
    found = set[str]()
    for source in map(checkout.read, islice(tests, _MOST_TESTS)):
        found.update(path for path, name in data.items() if name in source and _whole(name).search(source))
    return frozenset(found)


def _whole(name: bytes) -> re.Pattern[bytes]:
    return re.compile(rb"(?<![\w-])" + re.escape(name) + rb"(?![\w-])")


def _is_in_force(manifest: str) -> bool:
    """Whether tests run with the change's form: programs that others import, and what cargo and Go read themselves."""
    return (manifest.endswith(".py") and manifest != "setup.py") or basename(manifest) in _READ_WHEN_RUN


def _never_run(sides: Sides, checkout: Checkout, layout: TestLayout, baseline: TestReport) -> frozenset[str]:
    if baseline.part is not None or baseline.only_exit_code or layout.unlocated:
        return frozenset()
    unknown = frozenset(checkout.tree).intersection(sides.test_files).difference(case.path for case in baseline.cases)
    return frozenset(path for path in unknown if _holds_tests(path, checkout.read(path)))


def _holds_tests(path: str, source: bytes) -> bool:
    tests = TestTexts if path.endswith(SUFFIXES) else PythonTests
    return tests(source, source).holds_any


def _is_reworded(path: str, sides: Sides, checkout: Checkout) -> bool:
    if path not in checkout.tree or path not in sides.product.files:
        return False
    new = sides.product.files[path]
    return takes_examples_away(path, checkout.read(path), new.content if new else b"")


def _added(sides: Sides, checkout: Checkout) -> frozenset[str]:
    found = frozenset[str]()
    for suffixes, names in ((".py", bound_names), (SUFFIXES, missing_in_javascript.bound_names)):
        paths = [path for path in sides.product if path.endswith(suffixes)]
        before = (checkout.read(path) for path in paths if path in checkout.tree)
        found |= _bound(_contents(paths, sides), names) - _bound(before, names)
    return found


def _contents(paths: list[str], sides: Sides) -> Iterator[bytes]:
    states = (sides.product.files[path] for path in paths)
    return (state.content for state in states if state)


def _bound(sources: Iterator[bytes], names: Callable[[bytes], frozenset[str]]) -> frozenset[str]:
    return frozenset(name for source in sources for name in names(source))
