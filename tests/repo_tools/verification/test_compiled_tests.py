"""Which test files a suite runs as something compiled."""

import pytest

from repo_tools.changes import FileMode, TreeEntry
from repo_tools.verification.compiled_tests import run_compiled

COMPILED = ("src/test/a.test.ts", "src/test/b.test.ts", "src/cart.ts", "package.json")


@pytest.mark.parametrize(
    ("files", "collected", "compiled"),
    [
        (("src/test/a.test.ts",), ("dist/test/a.test.js", "dist/test/b.test.js"), True),
        (("src/test/new.test.ts",), ("dist/test/a.test.js",), True),
        (("src/test/a.test.ts",), ("src/test/a.test.ts", "src/test/b.test.ts"), False),
        (("src/test/new.test.ts",), ("src/test/a.test.ts", "src/test/b.test.ts"), False),
        (("other/new.test.js",), ("dist/test/a.test.js",), False),
        ((), ("dist/test/a.test.js",), False),
        (("src/test/a.test.ts",), (), False),
    ],
)
def test_a_file_that_is_run_under_another_name(
    files: tuple[str, ...], collected: tuple[str, ...], compiled: bool
) -> None:
    tree = {path: TreeEntry(FileMode.REGULAR, "0" * 40) for path in COMPILED}
    assert run_compiled(files, frozenset(collected), tree) is compiled
