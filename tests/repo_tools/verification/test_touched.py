"""What the verdict knows of a change beside its test runs."""

from collections.abc import Iterable, Mapping
from typing import Any

import pytest

from repo_tools.changes import ChangeSet, FileChange, FileMode
from repo_tools.environment.contract import Environment, TestCommand
from repo_tools.test_report import TestCase, TestOutcome, TestReport
from repo_tools.verification.sides import Sides, TestLayout, split
from repo_tools.verification.touched import Touched, touched_by
from tests.support.files_checkout import FilesCheckout


def looked_at(
    files: Mapping[str, str],
    new: Mapping[str, str],
    runner: str,
    names: Iterable[str] = (),
    *,
    links: frozenset[str] = frozenset(),
    part: tuple[int, int] | None = None,
) -> tuple[Sides, Touched]:
    """A change of `files` to `new`, where `runner` has these tests, which pass: ``path::test``, or a file's path."""
    checkout = FilesCheckout(files, links)
    plan = Environment("any/0", (), (), (TestCommand(runner, (runner,)),), ())
    cases = tuple(TestCase(name, name.partition("::")[0], TestOutcome.PASSED) for name in names)
    suite = TestReport(runner, cases, 0, 1.0, "", part=part)
    change = ChangeSet(checkout.commit, {p: FileChange(FileMode.REGULAR, text.encode()) for p, text in new.items()})
    sides = split(change, checkout.tree, checkout.read, TestLayout.of(plan, suite, checkout.tree, checkout.read))
    return sides, touched_by(sides, checkout, plan, suite, frozenset())


def touched_of(
    files: Mapping[str, str], new: Mapping[str, str], runner: str, names: Iterable[str] = (), **more: Any
) -> Touched:
    return looked_at(files, new, runner, names, **more)[1]


def test_what_a_change_edits_of_the_product_that_is_called_like_tests_is_known() -> None:
    base = ("shop/__init__.py", "shop/test_client.py", "shop/other_test_utils.py", "shop/till.py", "tests/test_till.py")
    new = dict.fromkeys(("shop/other_test_utils.py", "shop/till.py"), "TOTAL = 1\n")
    touched = touched_of(dict.fromkeys(base, ""), new, "pytest", ["tests/test_till.py::test"])
    assert touched.product == {"shop/other_test_utils.py", "shop/till.py"}
    assert touched.called_like_tests == {"shop/other_test_utils.py"}


def test_product_that_a_link_brings_among_the_tests_is_called_like_them() -> None:
    files = {"tests/common": "../tools/checks", "tools/checks/same.py": "", "tools/a.py": ""}
    new = dict.fromkeys(("tools/checks/same.py", "tools/a.py"), "TOTAL = 1\n")
    touched = touched_of(files, new, "pytest", links=frozenset({"tests/common"}))
    assert touched.called_like_tests == {"tools/checks/same.py"}


def test_what_a_changed_test_is_compiled_to_is_touched_too() -> None:
    files = {"src/test/till.ts": "it('adds');\n", "src/till.ts": "x", "package.json": "{}"}
    paths = ("dist/test/till.js", "dist/test/other.js")
    touched = touched_of(files, {"src/test/till.ts": ""}, "mocha", (f"{path}::a" for path in paths))
    assert touched.test_files == {"src/test/till.ts", *paths}


def test_a_file_of_the_base_that_its_whole_suite_does_not_run_is_known() -> None:
    base = dict.fromkeys(("test/unit/till.js", "test/specs/till.spec.js"), "it('is there', () => {});\n")
    files = base | {"test/specs/empty.spec.js": "", "till.js": ""}
    paths = (*base, "test/specs/empty.spec.js", "test/specs/new.spec.js")
    new, names = dict.fromkeys(paths, "it('adds', () => {});\n"), ["test/unit/till.js::adds"]
    assert touched_of(files, new, "mocha", names).never_run == {"test/specs/till.spec.js"}
    assert touched_of(files, new, "mocha", names, part=(1, 2)).never_run == frozenset()


def test_a_test_of_which_nobody_tells_the_file_is_edited_where_all_of_its_name_is() -> None:
    text = "describe('till', () => {\n  it('adds', () => sum(1));\n  it('takes', () => {});\n});\n"
    names = (f".::{name}" for name in ("till > adds", "till > takes", "other > adds", "till > made 1", "adds"))
    new = {"test/till.js": text.replace("sum(1)", "sum(2)")}
    touched = touched_of({"test/till.js": text, "till.js": ""}, new, "lab", names)
    assert touched.edited == {".::till > adds", ".::adds"}


def test_data_of_the_product_is_named_by_tests_that_have_its_whole_name() -> None:
    files = {
        **{"bin/he": "#!/usr/bin/env node\nrun();\n", "examples/sums.json": "1", "examples/b.json": "1"},
        **{"tests/test_till.py": "read('he')  # what the he in ab.json does\nread('../examples/sums.json')\n"},
    }
    assert touched_of(files, dict.fromkeys(files, "2"), "pytest").named_by_tests == {"examples/sums.json"}


def test_a_file_of_the_product_that_is_taken_away_takes_its_examples_along() -> None:
    files = {
        "lock.py": "'''\n>>> 1\n1\n'''\n",
        "plain.py": "a = 1\n",
        "read.rst": ">>> 1\n1\n",
        "test_lock.py": "def test_f(): pass\n",
    }
    checkout = FilesCheckout(files)
    plan = Environment("python/0", (), (), (TestCommand("pytest", ("pytest",)),), ())
    names = ("lock.py::lock.f", "read.rst::read.rst", "lock.py::FLAKE8", "test_lock.py::test_f")
    cases = tuple(TestCase(name, name.partition("::")[0], TestOutcome.PASSED) for name in names)
    suite = TestReport("pytest", cases, 0, 1.0, "")
    change = ChangeSet(checkout.commit, dict.fromkeys(files))
    sides = split(change, checkout.tree, checkout.read, TestLayout.of(plan, suite, checkout.tree, checkout.read))
    touched = touched_by(sides, checkout, plan, suite, frozenset())
    assert touched.removed == {"lock.py", "plain.py", "read.rst"}
    assert touched.reworded == {"lock.py", "read.rst"}


def test_a_file_that_is_run_like_tests_and_holds_none_is_data_that_others_read() -> None:
    tests = "require('tap').test('a', (t) => t.end());\n"
    data = "test/fixtures/sums.js"
    files = {"test/till.js": tests, data: "module.exports = [[1, 2]];\n", "test/plain.js": "assert(1)"}
    names = ("test/till.js::sums > 1", "test/till.js", data, "test/plain.js")
    sides, _ = looked_at(files, dict.fromkeys(files, ""), "tap", names)
    assert (sides.test_files, sides.test_data) == (("test/plain.js", "test/till.js"), (data,))
    touched = touched_of(files, {data: ""}, "tap", names)
    assert touched.readers == {data: {"test/till.js::sums > 1", data}}
    assert touched.edited == {"test/till.js::sums > 1", data}


def test_a_unit_test_of_rust_is_edited_by_its_modules_file() -> None:
    adds, takes = "    #[test]\n    fn adds() { one(); }\n", "    #[test]\n    fn takes() {}\n"
    text = f"fn sum() {{}}\n#[cfg(test)]\nmod tests {{\n{adds}{takes}}}\n"
    files = {"src/parse.rs": text, "src/lib.rs": "mod parse;\n", "Cargo.toml": ""}
    names = ("parse::tests::adds", "parse::tests::takes", "other::tests::adds", "made::tests::one")
    new = {"src/parse.rs": text.replace("one()", "two()").replace("fn sum() {}", "fn sum() { 1 }")}
    touched = touched_of(files, new, "cargo", (f"src/lib.rs::{name}" for name in names))
    assert touched.edited == {"src/lib.rs::parse::tests::adds"}
    assert touched.test_files == {"src/parse.rs", "src/lib.rs"}
    assert touched.product == {"src/parse.rs"}


@pytest.mark.parametrize(
    ("ending", "shared", "loads", "writes"),
    [
        (
            ".py",
            "class Sums:\n    def test_adds(self):\n        assert sum_of(1) == 1\n",
            "from tests.sums import Sums\n\n\nclass TestTill(Sums):\n    pass\n",
            "class TestTill:\n    def test_adds(self):\n        pass\n",
        ),
        (
            ".js",
            "module.exports = () => {\n  it('test_adds', () => sum_of(1));\n};\n",
            "describe('TestTill', () => require('./sums')());\n",
            "describe('TestTill', () => {\n  it('test_adds', () => {});\n});\n",
        ),
    ],
)
def test_tests_that_other_files_load_are_edited_there(ending: str, shared: str, loads: str, writes: str) -> None:
    paths = tuple(f"tests/{name}{ending}" for name in ("test_loads", "test_writes", "sums", "test_others"))
    others = (loads, f"{writes}sums\n", shared, loads.replace("sums", "tables"))
    inner = "TestTill::test_adds" if ending == ".py" else "TestTill > test_adds"
    names = [f"{path}::{inner}" for path in (*paths[:2], paths[3])]
    for new in (shared.replace("sum_of(1)", "sum_of(2)"), "x = 1\n"):
        touched = touched_of(dict(zip(paths, others, strict=True)), {paths[2]: new}, "any", names)
        assert touched.edited == {names[0]}


def beside(path: str, text: str, edit: tuple[str, str], runner: str, names: tuple[str, ...]) -> Touched:
    """Of a file whose tests' ids are `names`."""
    return touched_of({path: text, "shop/till.py": ""}, {path: text.replace(*edit)}, runner, names)


def test_tests_are_edited_themselves_or_beside_them() -> None:
    text = "SUM = 1\n\n\ndef test_a():\n    assert 2\n\n\ndef test_b():\n    assert SUM\n"
    names = ("tests/test_a.py::test_a", "tests/test_a.py::test_b", "tests/test_c.py::test_a")
    told = [
        beside("tests/test_a.py", text, edit, "pytest", names)
        for edit in (
            ("2", "3"),
            ("SUM = 1", "SUM = 2"),
            ("assert", "assert 1 +"),
            (text[:40], text[:40].replace("1", "2").replace("assert 2", "assert 3")),
        )
    ]
    assert [(set(t.edited), set(t.edited_beside)) for t in told] == [
        ({names[0]}, set()),
        (set(), set(names[:2])),
        (set(names[:2]), set()),
        ({names[0]}, {names[1]}),
    ]


def test_beside_tests_of_which_nobody_tells_the_file_stands_what_does_in_the_one_that_holds_all_of_a_name() -> None:
    text = "const sum = 1;\ndescribe('till', () => {\n  it('adds', () => check(sum));\n});\n"
    names = (".::till > adds", ".::till > takes", ".::adds")
    touched = beside("test/other.js", text, ("= 1", "= 2"), "lab", names)
    assert not touched.edited
    assert touched.edited_beside == {".::till > adds", ".::adds"}


@pytest.mark.parametrize(
    ("edit", "read"),
    [(("});", "});\n  it('more', f);"), False), (("f = 1", "f = 2"), True), (("`", "` "), True)],
)
def test_a_file_of_tests_to_which_tests_are_added_is_no_data_of_others(edit: tuple[str, str], read: bool) -> None:
    text = "const f = 1;\ndescribe('till', () => {\n  it('adds', () => {});\n  it('sums', f);\n  it(`a${f}`, f);\n"
    touched = beside("test/till/sums.js", text, edit, "jasmine", (".::till > adds", ".::till > sums"))
    assert bool(touched.readers) is read


def test_beside_a_test_of_go_stands_what_does_in_its_file() -> None:
    text = "package till\n\nvar sums = []int{1}\n\nfunc TestAdds(t *testing.T) {\n\tcheck(t, sums)\n}\n"
    touched = beside("till/till_test.go", text, ("{1}", "{2}"), "go", ("till::TestAdds/one", "till::TestTakes"))
    assert not touched.edited
    assert touched.edited_beside == {"till::TestAdds/one"}


def test_a_test_that_is_run_as_what_it_is_compiled_to_is_edited_by_its_source() -> None:
    text = (
        "const sum = 1;\ndescribe('till', () => {\n  it('adds', () => one(sum));\n  it('takes', () => one(2));\n});\n"
    )
    files = {"src/test/till.ts": text, "src/test/deep/till.ts": text, "src/till.ts": ""}
    paths = ("dist/test/till.js", "dist/test/deep/till.js")
    names = [f"{path}::till > {name}" for path in paths for name in ("adds", "takes")]
    for edit, own, beside in (
        (("one(sum)", "two(sum)"), {names[0]}, set()),
        (("= 1", "= 3"), set(), {names[0], names[1]}),
    ):
        touched = touched_of(files, {"src/test/till.ts": text.replace(*edit)}, "mocha", names)
        assert (set(touched.edited), set(touched.edited_beside)) == (own, beside)


def test_product_files_whose_examples_are_worded_anew_are_known() -> None:
    text = 'def a():\n    """\n    >>> a()\n    1\n    """\n    return 1\n'
    for collected, edit, known in (
        ("a.py", "    1\n", {"a.py"}),
        ("a.py", "return 1", set()),
        ("b.py", "    1\n", set()),
    ):
        new = {"a.py": text.replace(edit, edit.replace("1", "2"))}
        touched = touched_of({"a.py": text, "b.py": text}, new, "pytest", [f"{collected}::a.a"])
        assert set(touched.reworded) == known
