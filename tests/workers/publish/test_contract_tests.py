"""Which hunks stand for a test that a change replaces."""

import pytest

from workers.publish.contract_tests import versions

HUNK = "diff --git a/{path} b/{path}\n--- a/{path}\n+++ b/{path}\n@@ -1 +1 @@\n-old\n+new\n"


@pytest.mark.parametrize(
    ("changed", "told"),
    [
        (("lib/cart.js", "test/cart.js"), {"test/cart.js"}),
        (("test/cart.js", "test/fixtures/a.txt"), {"test/cart.js"}),
        (("lib/cart.js", "test/__snapshots__/cart.js.snap"), {"test/__snapshots__/cart.js.snap"}),
        (("lib/cart.js", "test/fixtures/a.txt"), {"test/fixtures/a.txt"}),
        (("test/a.js", "test/cart.js"), {"test/cart.js"}),
    ],
)
def test_a_tests_own_file_is_told_or_its_snapshots_or_else_its_data(changed: tuple[str, ...], told: set[str]) -> None:
    patch = "".join(HUNK.format(path=path) for path in changed)
    text = versions(patch.encode(), ("test/cart.js::counts",)).replace("&#95;", "_")
    assert {path for path in changed if path in text} == told


def test_of_several_tests_each_is_told_by_its_file_or_its_data() -> None:
    changed = ("src/a/a.js", "src/a/b.js", "src/a/c.js", "src/a/__fixtures__/a.txt", "src/b/b.test.js")
    patch = "".join(HUNK.format(path=path) for path in changed)
    text = versions(patch.encode(), ("src/a/a.test.js::shows", "src/b/b.test.js::counts")).replace("&#95;", "_")
    assert {path for path in changed if path in text} == {"src/a/__fixtures__/a.txt", "src/b/b.test.js"}


def test_data_of_a_test_at_the_root_is_told() -> None:
    patch = HUNK.format(path="__fixtures__/a.txt") + HUNK.format(path="cart.js")
    text = versions(patch.encode(), ("cart.test.js::counts",)).replace("&#95;", "_")
    assert ("__fixtures__/a.txt" in text, "cart.js</code> before" in text) == (True, False)


def test_what_a_line_holds_hides_none_of_a_file() -> None:
    patch = HUNK.format(path="test/cart.js") + "+// diff --git a/x b/x\n+later();\n"
    assert "later();" in versions(patch.encode(), ("test/cart.js::counts",))


def test_of_a_go_package_its_own_test_files_are_told() -> None:
    changed = ("till/till.go", "till/till_test.go", "till/inner/inner_test.go", "shop_test.go")
    patch = "".join(HUNK.format(path=path) for path in changed)
    for test, told in (("till::TestAdds", "till/till_test.go"), (".::TestShop", "shop_test.go")):
        text = versions(patch.encode(), (test,)).replace("&#95;", "_")
        assert [path for path in changed if f"{path}</code> before" in text] == [told]


def test_of_a_crate_in_rust_the_file_of_the_tests_module_is_told() -> None:
    changed = ("src/a.rs", "src/lib.rs", "src/parse.rs", "src/parse/deep.rs", "tests/all.rs", "other/src/lib.rs")
    patch = "".join(HUNK.format(path=path) for path in changed).encode()
    for name, told in (("parse::tests::counts", "src/parse.rs"), ("tests::counts", "src/lib.rs")):
        text = versions(patch, (f"src/lib.rs::{name}",))
        assert [path for path in changed if f"{path}</code> before" in text] == [told]


def test_of_a_test_that_is_compiled_its_source_is_told() -> None:
    changed = ("src/test/till.ts", "src/test/other.ts", "src/till.ts")
    text = versions("".join(HUNK.format(path=path) for path in changed).encode(), ("dist/test/till.js::adds",))
    assert [path for path in changed if f"{path}</code> before" in text] == ["src/test/till.ts"]


def test_where_nothing_can_be_shown_the_tests_are_named() -> None:
    patch = b"diff --git a/test/a.png b/test/a.png\nindex 1..2 100644\nBinary files differ\n"
    assert "no text" in versions(patch, ("test/cart.js::counts",))
    assert "test/cart.js::counts" in versions(patch, ("test/cart.js::counts",))


def test_where_nobody_tells_a_tests_file_those_that_are_called_so_are_told() -> None:
    changed = ("lib/cart.js", "test/index.js", "src/cart_test.go")
    patch = "".join(HUNK.format(path=path) for path in changed)
    text = versions(patch.encode(), (".::make test",)).replace("&#95;", "_")
    assert {path for path in changed if path in text} == {"test/index.js", "src/cart_test.go"}
