"""People are told of submodules, which are never fetched."""

from repo_tools.changes import FileMode, Tree, TreeEntry
from repo_tools.environment.detect import detect
from repo_tools.environment.submodules import failure_note, plan_note

MAKEFILE = TreeEntry(FileMode.REGULAR, "1" * 40)


def with_submodules(*paths: str) -> Tree:
    return {"Makefile": MAKEFILE} | {path: TreeEntry(FileMode.SUBMODULE, "2" * 40) for path in paths}


def test_the_plan_names_them() -> None:
    plan = detect(with_submodules("third_party/check"), lambda _: b"test:\n\ttrue\n")
    assert plan.evidence[-1] == "submodules, which are never fetched: third_party/check"


def test_nothing_is_told_where_there_are_none() -> None:
    plan = detect(with_submodules(), lambda _: b"test:\n\ttrue\n")
    assert plan.evidence == ("Makefile: target test",)
    assert failure_note(with_submodules()) == ""


def test_a_failure_says_that_their_folders_are_empty() -> None:
    assert failure_note(with_submodules("data", "check")) == (
        "Submodules are never fetched, so these folders are empty, and what needs them fails here: check, data."
    )


def test_of_many_the_first_are_named_and_the_others_counted() -> None:
    assert plan_note(with_submodules(*"gfedcba")).endswith(": a, b, c, d, e and 2 more")
