"""What the verdict needs to know of a change beside its test runs."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from repo_tools.checkout import Checkout
from repo_tools.environment.contract import Environment
from repo_tools.test_report import NO_FILE, TestReport
from repo_tools.verification.compiled_tests import compiled_from
from repo_tools.verification.javascript_source import SUFFIXES
from repo_tools.verification.javascript_tests import TestTexts
from repo_tools.verification.python_source import bound_names, function_shapes
from repo_tools.verification.read_by_tests import Snapshots, may_be_of, owner, readers_of
from repo_tools.verification.rust_modules import begins_their_names, crates_of
from repo_tools.verification.sides import Side, Sides, TestLayout, classify
from repo_tools.verification.test_blocks import SUFFIXES as OF_BLOCKS
from repo_tools.verification.test_blocks import TestBlocks, place_of


def _unknown(path: str) -> bool:  # noqa: ARG001 - a predicate
    return False


@dataclass(frozen=True)
class Touched:
    """`product`: changed product paths; `called_like_tests`: those of them that are. `test_files`: changed or deleted
    test files, and what such are compiled to; `never_run`: those of the base that hold tests, and of which its whole
    suite runs none. `edited`: ids of base tests whose own code the change edits. `left_out`: paths that count for
    nothing. `not_installed`: changed manifests and compiled sources, whose base versions are what was set up. `added`:
    names that product code binds now and did not before. `asked_for`: names in the issue. `is_product`: whether a path
    is a product file of the base.
    """

    product: frozenset[str] = frozenset()
    called_like_tests: frozenset[str] = frozenset()
    test_files: frozenset[str] = frozenset()
    never_run: frozenset[str] = frozenset()
    edited: frozenset[str] = frozenset()
    left_out: tuple[str, ...] = ()
    not_installed: tuple[str, ...] = ()
    added: frozenset[str] = frozenset()
    asked_for: frozenset[str] = frozenset()
    is_product: Callable[[str], bool] = _unknown


def touched_by(
    sides: Sides, checkout: Checkout, environment: Environment, baseline: TestReport, asked_for: frozenset[str]
) -> Touched:
    """Of the change that `sides` are the parts of."""
    layout = TestLayout.of(environment, baseline, checkout.tree)
    manifests = set(environment.manifests).intersection(sides.product)
    collected = frozenset(case.path for case in baseline.cases)
    return Touched(
        product=frozenset(sides.product.files),
        called_like_tests=layout.shipped.intersection(sides.product.files),
        test_files=frozenset(map(place_of, sides.tests.files)).union(
            compiled_from(sides.tests.files, collected, checkout.tree),
            *(crates_of(path, collected) for path in sides.tests.files),
        ),
        never_run=_never_run(sides, checkout, layout, baseline),
        edited=frozenset(_all_edited(sides, checkout, baseline)),
        left_out=sides.left_out,
        not_installed=tuple(p for p in sorted(manifests) if p == "setup.py" or not p.endswith(".py")),
        added=_added(sides, checkout),
        asked_for=asked_for,
        is_product=lambda path: path in checkout.tree and classify(path, layout) is Side.PRODUCT,
    )


def _never_run(sides: Sides, checkout: Checkout, layout: TestLayout, baseline: TestReport) -> frozenset[str]:
    if baseline.part is not None or baseline.only_exit_code or layout.unlocated:
        return frozenset()
    unknown = frozenset(checkout.tree).intersection(sides.test_files).difference(case.path for case in baseline.cases)
    return frozenset(path for path in unknown if _holds_tests(path, checkout.read(path)))


def _holds_tests(path: str, source: bytes) -> bool:
    if path.endswith(SUFFIXES):
        return TestTexts(source, source).holds_any
    return any(name.rpartition("::")[2].startswith("test") for name in function_shapes(source))


def _all_edited(sides: Sides, checkout: Checkout, baseline: TestReport) -> Iterator[str]:
    """Where only an exit code is known, the one test is all of them, and one that is taken away shows nothing."""
    paths = (*sides.test_files, *sides.test_data)
    if baseline.only_exit_code:
        is_whole = all(new is not None for new in sides.tests.files.values())
        yield from baseline.ids() if is_whole and any(path in checkout.tree for path in paths) else ()
        return
    for path in paths:
        yield from _edited(path, sides, checkout, baseline)


def _edited(path: str, sides: Sides, checkout: Checkout, baseline: TestReport) -> list[str]:
    """Ids of base tests whose own code, or data, the change edits in `path`."""
    new = sides.tests.files[path]
    if new is None or path not in checkout.tree:
        return []
    if path.endswith(SUFFIXES):
        texts = TestTexts(checkout.read(path), new.content)
        own = _of_file(path, texts.is_edited, baseline) + _of_file(NO_FILE, texts.is_edited_here, baseline)
        if own or path not in sides.test_data:
            return own
    if path in sides.test_data and not owner(path):
        files = readers_of((path,), frozenset(case.path for case in baseline.cases)).difference(sides.test_files)
        read = (case for case in baseline.cases if case.path in files)
        return [case.id for case in read if may_be_of(path, case.path, case.id.removeprefix(f"{case.path}::"))]
    if snapshots := owner(path):
        return _of_file(snapshots, Snapshots(checkout.read(path), new.content).is_edited, baseline)
    if path.endswith(OF_BLOCKS):
        blocks = TestBlocks(path, checkout.read(path), new.content)
        return _of_crate(path, blocks, baseline) or _of_file(place_of(path), blocks.is_edited, baseline)
    before, after = function_shapes(checkout.read(path)), function_shapes(new.content)
    names = {name for name, shape in before.items() if name in after and after[name] != shape}
    return [c.id for c in baseline.cases if c.id.partition("[")[0].removeprefix(f"{path}::") in names]


def _of_file(path: str, is_edited: Callable[[str], bool], baseline: TestReport) -> list[str]:
    """`NO_FILE`: of those of which nobody tells the file."""
    own = (case.id for case in baseline.cases if case.path == path)
    return [case_id for case_id in own if is_edited(case_id.removeprefix(f"{path}::"))]


def _of_crate(path: str, blocks: TestBlocks, baseline: TestReport) -> list[str]:
    """Of Rust's unit tests, whose ids have the crate's root and the module's names."""
    roots = {root: begins_their_names(path, root) for root in crates_of(path, {case.path for case in baseline.cases})}
    own = (case for case in baseline.cases if case.path in roots)
    named = ((case.id, case.id.removeprefix(f"{case.path}::"), roots[case.path]) for case in own)
    return [case_id for case_id, name, begins in named if name.startswith(begins) and blocks.is_edited(name)]


def _added(sides: Sides, checkout: Checkout) -> frozenset[str]:
    paths = [path for path in sides.product if path.endswith(".py")]
    before = (checkout.read(path) for path in paths if path in checkout.tree)
    return _bound(_contents(paths, sides)) - _bound(before)


def _contents(paths: list[str], sides: Sides) -> Iterator[bytes]:
    states = (sides.product.files[path] for path in paths)
    return (state.content for state in states if state)


def _bound(sources: Iterator[bytes]) -> frozenset[str]:
    return frozenset(name for source in sources for name in bound_names(source))
