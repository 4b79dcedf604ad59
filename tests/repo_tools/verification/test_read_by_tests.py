import pytest

from repo_tools.verification.read_by_tests import Snapshots, may_be_of, owners_of, readers_of, snapshot_of

COLLECTED = frozenset(
    ("test/index.js", "test/other.js", "src/cart/cart.test.js", "src/cart/total.test.js", "form/js/format.test.js")
)
SNAPSHOT = """\
// Jest Snapshot v1, https://goo.gl/fbAQLP

exports[`cart > shows a price 1`] = `"1 €"`;

exports[`cart shows all 1`] = `
<ul>
  \\`one\\`
</ul>
`;

exports[`cart shows all 2`] = `2`;

exports[`cart: shows a colour 1`] = `red`;

exports[`cart: shows a colour: of a: row 1`] = `green`;
"""


@pytest.mark.parametrize(
    ("changed", "tests"),
    [
        ("test/fixtures/a/input.js", {"test/index.js", "test/other.js"}),
        ("src/cart/__snapshots__/cart.test.js.snap", {"src/cart/cart.test.js"}),
        ("tap-snapshots/src/cart/cart.test.js.test.cjs", {"src/cart/cart.test.js"}),
        ("form/js/__snapshots__/jsfmt.spec.js.snap", {"form/js/format.test.js"}),
        ("form/js/a.js", {"form/js/format.test.js"}),
        ("testing/data/a.txt", COLLECTED),
    ],
)
def test_data_is_read_by_the_tests_nearest_above_it_or_by_any(changed: str, tests: set[str]) -> None:
    assert readers_of((changed,), COLLECTED) == tests


def test_data_beside_the_folder_of_tests_is_read_by_any_though_one_stands_at_the_root() -> None:
    collected = frozenset({"README.md", "tests/test_a.py"})
    assert readers_of(("testing/data/a.txt",), collected) == collected


def test_data_may_be_read_by_tests_in_a_folder_beside_it() -> None:
    collected = frozenset({"test/map.js", "test/classes/range.js", "bin/test.js"})
    assert readers_of(("test/fixtures/range.js",), collected) == {"test/map.js", "test/classes/range.js"}


def test_a_snapshot_belongs_to_the_file_that_it_is_named_after() -> None:
    path = snapshot_of("src/cart/cart.test.js")
    assert path == "src/cart/__snapshots__/cart.test.js.snap"
    assert owners_of((path, "test/fixtures/a/input.js"), COLLECTED) == {"src/cart/cart.test.js"}


@pytest.mark.parametrize(
    ("old", "new", "edited"),
    [
        ("1 €", "1.00 €", {"cart > shows a price"}),
        ("one", "two", {"cart > shows all", "cart > shows all #2"}),
        ("= `2`", "= `3`", {"cart > shows all", "cart > shows all #2"}),
        ("cart shows all 2", "cart shows none 1", set()),
        ("red", "blue", {"cart: shows a colour"}),
        ("green", "blue", {"cart: shows a colour"}),
    ],
)
def test_a_test_is_edited_with_what_it_expects(old: str, new: str, edited: set[str]) -> None:
    snapshots = Snapshots(SNAPSHOT.encode(), SNAPSHOT.replace(old, new).encode())
    names = ("cart > shows a price", "cart > shows all", "cart > shows all #2", "cart > shows", "cart: shows a colour")
    assert {name for name in names if snapshots.is_edited(name)} == edited


@pytest.mark.parametrize(
    "key", ["test/a.js TAP shows all %s > stdout 1", "test/a.js win32 > TAP > shows > all %s > x 1"]
)
def test_taps_snapshots_have_the_path_before_the_tests_name_and_what_is_compared_behind(key: str) -> None:
    before = "".join(f"exports[`{key % name}`] = `\none\n`\n\n" for name in ("-v", "--json"))
    snapshots = Snapshots(before.encode(), before.replace("one", "two", 1).encode())
    names = ("shows > all > -v", "shows > all > --json", "shows > all", "x")
    assert [name for name in names if snapshots.is_edited(name)] == ["shows > all > -v"]


@pytest.mark.parametrize(
    ("path", "name", "may"),
    [
        ("test/markup/rust/strings.expect.txt", "highlights rust", True),
        ("test/samples/each-block/_config.js", "runtime > each-block", True),
        ("test/samples/each-block/_config.js", "runtime > each-block-keyed", False),
        ("test/compress/arrows.js", "compress > arrows", True),
        ("test/helpers.js", "runtime > each-block", False),
        ("test/helpers.js", "shows what a test is", False),
    ],
)
def test_a_program_beside_tests_is_data_of_the_one_that_is_called_so(path: str, name: str, may: bool) -> None:
    assert may_be_of(path, "test/index.js", name) is may


def test_many_files_of_data_beside_many_tests_are_soon_known() -> None:
    collected = frozenset(f"test/{number % 100}/{number}.js" for number in range(20_000))
    changed = [f"test/{number % 100}/data/a/b/{number}.json" for number in range(1_000)]
    assert readers_of(changed, collected) == collected
    assert Snapshots(b"", ("exports[`" + ": " * 200_000 + "1`] = `1`;").encode()).is_edited("a") is False
