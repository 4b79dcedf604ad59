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
    ],
)
def test_a_tests_own_file_is_told_or_its_snapshots_or_else_its_data(changed: tuple[str, ...], told: set[str]) -> None:
    patch = "".join(HUNK.format(path=path) for path in changed)
    text = versions(patch.encode(), ("test/cart.js::counts",)).replace("&#95;", "_")
    assert {path for path in changed if path in text} == told


def test_where_nobody_tells_a_tests_file_those_that_are_called_so_are_told() -> None:
    changed = ("lib/cart.js", "test/index.js", "src/cart_test.go")
    patch = "".join(HUNK.format(path=path) for path in changed)
    text = versions(patch.encode(), (".::make test",)).replace("&#95;", "_")
    assert {path for path in changed if path in text} == {"test/index.js", "src/cart_test.go"}
