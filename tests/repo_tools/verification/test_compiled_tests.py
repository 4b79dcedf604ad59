"""Which test files a suite runs as something compiled."""

import pytest

from repo_tools.changes import FileMode, TreeEntry
from repo_tools.verification.compiled_tests import run_compiled, sources_of

TREE = {
    path: TreeEntry(FileMode.REGULAR, "0" * 40)
    for path in (
        *("src/test/a.test.ts", "src/test/index.ts", "src/index.ts", "src/b.spec.ts", "src/c.ts", "package.json"),
        *("src/api/shop.ts", "test/api/shop.ts", "src/api/till.ts", "test/missing/shop.js"),
    )
}


@pytest.mark.parametrize(
    ("files", "collected", "compiled"),
    [
        (("src/test/a.test.ts",), ("dist/test/a.test.js",), True),
        (("src/test/new.test.ts",), ("dist/test/a.test.js",), True),
        (("src/test/sub/new.ts",), ("dist/test/index.js",), True),
        (("src/test/a.test.ts",), ("src/test/a.test.ts", "src/b.spec.ts"), False),
        (("src/test/new.test.ts",), ("src/test/a.test.ts",), False),
        (("other/new.test.js",), ("dist/test/a.test.js",), False),
        ((), ("dist/test/a.test.js",), False),
        (("src/test/a.test.ts",), (), False),
    ],
)
def test_a_file_that_is_run_under_another_name(
    files: tuple[str, ...], collected: tuple[str, ...], compiled: bool
) -> None:
    assert run_compiled(files, frozenset(collected), TREE) is compiled


@pytest.mark.parametrize(
    ("collected", "source"),
    [
        ("dist/test/index.js", {"src/test/index.ts"}),
        ("out/b.spec.js", {"src/b.spec.ts"}),
        ("out/c.js", set()),
        ("dist-test/api/shop.js", {"test/api/shop.ts"}),
        ("dist/api/till.js", set()),
        ("missing/shop.py", set()),
        ("src/c.ts", set()),
    ],
)
def test_the_source_of_a_compiled_test_is_called_like_it(collected: str, source: set[str]) -> None:
    assert sources_of({collected}, TREE) == source
