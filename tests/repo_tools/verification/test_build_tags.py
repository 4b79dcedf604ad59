"""What is compiled for the tests alone, by a tag of their command."""

import pytest

from repo_tools.changes import ChangeSet, FileChange, FileMode
from repo_tools.environment.contract import Environment, TestCommand
from repo_tools.verification.build_tags import newly_tagged
from tests.support.trees import reader_of, tree_of


@pytest.mark.parametrize(
    ("argv", "old", "new", "is_told"),
    [
        (("go", "test", "-tags=netgo,ci", "./..."), "", "//go:build !ci && linux\n\npackage shop\n", True),
        (("go", "test", "-tags", "ci", "./..."), "", "// +build ci\n\npackage shop\n", True),
        (("sh", "-c", "go test -tags 'ci' ./..."), "", "//go:build ci\n", True),
        (("go", "test", "-tags=ci", "./..."), "//go:build ci\n", "//go:build ci\n\n// more\n", False),
        (("go", "test", "-tags=ci", "./..."), "", "//go:build linux\n", False),
        (("go", "test", "./..."), "", "//go:build ci\n", False),
    ],
)
def test_code_that_is_newly_compiled_by_a_tag_of_the_suite_is_known(
    argv: tuple[str, ...], old: str, new: str, is_told: bool
) -> None:
    files = {"shop.go": old} if old else {}
    change = ChangeSet("0" * 40, {"shop.go": FileChange(FileMode.REGULAR, new.encode()), "gone.go": None})
    plan = Environment("go/0", (), (), (TestCommand("go_test", argv),), ())
    assert newly_tagged(change, plan, tree_of(files), reader_of(files)) == (("shop.go",) if is_told else ())
