"""Which files a change's own tests are run by."""

from dataclasses import replace

import pytest

from repo_tools.changes import ChangeSet, FileChange, FileMode
from repo_tools.environment.contract import Environment, PreparedEnvironment, TestCommand
from repo_tools.sandbox.contract import DEFAULT_LIMITS, Layer
from repo_tools.test_report import TestCase, TestOutcome, TestReport
from repo_tools.verification.edits import edits_of
from repo_tools.verification.fresh_runs import FreshRuns
from repo_tools.verification.sides import TestLayout, split
from tests.support.files_checkout import FilesCheckout
from tests.support.folder_box import FolderEngine

BASE = ("tests/test_till.py", "tests/test_base.py", "tests/web/test_page.py", "till.py")


@pytest.mark.parametrize(
    ("changed", "part", "files"),
    [
        (("tests/test_base.py",), None, ("tests/test_base.py", "tests/test_till.py", "tests/web/test_page.py")),
        (("tests/test_base.py", "tests/test_till.py"), None, ("tests/test_base.py", "tests/test_till.py")),
        (("tests/test_base.py", "tests/test_new.py"), None, ("tests/test_base.py", "tests/test_new.py")),
        (("tests/test_base.py",), (2, 3), ("tests/test_base.py",)),
    ],
    ids=["alone", "beside one that is run", "beside a new one", "perhaps run by the rest of the suite"],
)
def test_a_changed_file_of_tests_that_the_suite_does_not_run_may_be_loaded_by_those_that_it_runs(
    changed: tuple[str, ...], part: tuple[int, int] | None, files: tuple[str, ...]
) -> None:
    checkout = FilesCheckout(dict.fromkeys(BASE, ""))
    plan = Environment("python/0", (), (), (TestCommand("pytest", ("pytest",)),), ())
    ran = (BASE[0], BASE[2])
    cases = tuple(TestCase(f"{path}::test", path, TestOutcome.PASSED) for path in ran)
    suite = replace(TestReport("pytest", cases, 0, 1.0, ""), part=part)
    change = ChangeSet(checkout.commit, dict.fromkeys(changed, FileChange(FileMode.REGULAR, b"")))
    layout = TestLayout.of(plan, suite, checkout.tree, checkout.read)
    prepared = PreparedEnvironment(plan, Layer("0" * 8, "none"), 0.0)
    fresh = FreshRuns(FolderEngine(), checkout, prepared, 1.0, DEFAULT_LIMITS, layout=layout)
    assert fresh.own(split(change, checkout.tree, checkout.read, layout), suite, suite) == files


def test_what_loads_edited_tests_of_a_changed_file_is_run_where_it_broke() -> None:
    checkout = FilesCheckout(dict.fromkeys(BASE, ""))
    plan = Environment("python/0", (), (), (TestCommand("pytest", ("pytest",)),), ())
    cases = tuple(TestCase(f"{path}::test", path, TestOutcome.PASSED) for path in BASE[:3])
    red = tuple(replace(case, outcome=TestOutcome.FAILED) for case in cases)
    suite, regression = (TestReport("pytest", each, 0, 1.0, "") for each in (cases, red))
    changed = {BASE[1]: FileChange(FileMode.REGULAR, b"")}
    layout = TestLayout.of(plan, suite, checkout.tree, checkout.read)
    sides = split(ChangeSet(checkout.commit, changed), checkout.tree, checkout.read, layout)
    prepared = PreparedEnvironment(plan, Layer("0" * 8, "none"), 0.0)
    fresh = FreshRuns(FolderEngine(), checkout, prepared, 1.0, DEFAULT_LIMITS, layout=layout)
    assert fresh.own(sides, suite, suite, frozenset((cases[0].id,))) == (BASE[1],)
    assert fresh.own(sides, suite, regression, frozenset((cases[0].id,))) == (BASE[1], BASE[0])


@pytest.mark.parametrize(
    ("runner", "path", "told", "others"),
    [
        ("go_test", "cart/cart_test.go", "cart::TestSum", (".::TestAll", "cart/tax::TestTax", "till::TestTill")),
        ("cargo", "src/cart.rs", "src/lib.rs::cart::tests::sum", ("tests/till.rs::till",)),
    ],
)
def test_a_file_whose_tests_are_told_of_its_package_or_crate_is_run_by_the_suite(
    runner: str, path: str, told: str, others: tuple[str, ...]
) -> None:
    checkout = FilesCheckout({path: "", "src/lib.rs": "mod cart;\n"})
    plan = Environment("a/0", (), (), (TestCommand(runner, (runner,)),), ())
    cases = tuple(TestCase(name, name.partition("::")[0], TestOutcome.PASSED) for name in (told, *others))
    suite = TestReport(runner, cases, 0, 1.0, "")
    test = FileChange(FileMode.REGULAR, b"#[cfg(test)]\nmod tests {\n    #[test]\n    fn sum() {}\n}\n")
    sides = split(ChangeSet(checkout.commit, {path: test}), checkout.tree, checkout.read, TestLayout())
    prepared = PreparedEnvironment(plan, Layer("0" * 8, "none"), 0.0)
    fresh = FreshRuns(FolderEngine(), checkout, prepared, 1.0, DEFAULT_LIMITS)
    assert fresh.own(sides, suite, suite) == (path,)


def test_a_script_that_is_run_like_tests_and_seems_to_hold_none_is_run_beside_those_that_may_read_it() -> None:
    script, till = "test/check.js", "test/till.test.js"
    checkout = FilesCheckout({script: "if (f() !== 1) throw new Error('f');\n", till: "require('tap').test('a');\n"})
    plan = Environment("javascript/0", (), (), (TestCommand("tap", ("tap",)),), ())
    suite = TestReport("tap", tuple(TestCase(path, path, TestOutcome.PASSED) for path in (script, till)), 0, 1.0, "")
    layout = TestLayout.of(plan, suite, checkout.tree, checkout.read)
    change = ChangeSet(checkout.commit, {script: FileChange(FileMode.REGULAR, b"if (f() !== 2) throw new Error();\n")})
    sides = split(change, checkout.tree, checkout.read, layout)
    prepared = PreparedEnvironment(plan, Layer("0" * 8, "none"), 0.0)
    fresh = FreshRuns(FolderEngine(), checkout, prepared, 1.0, DEFAULT_LIMITS, layout=layout)
    assert fresh.own(sides, suite, suite) == (script, till)
    assert edits_of(sides, checkout, suite, layout).own == {script}
