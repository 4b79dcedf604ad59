"""A repository's own scope and protected paths."""

import pytest

from repo_tools.changes import ChangeSet, FileChange, FileMode, TreeEntry
from repo_tools.path_rules import EVERYWHERE, PathRules, pattern_problem
from repo_tools.paths import PathRefusedError, check_change, check_writable

RULES = PathRules(scope=("src/", "/tests/**", "*.md"), protected=("src/vendored/**", "secrets.*"))


@pytest.mark.parametrize("path", ["src/a.py", "lib/src/b.py", "tests/x/test_a.py", "docs/a.md"])
def test_what_is_in_scope_may_be_changed(path: str) -> None:
    assert check_writable(path, RULES) == path


@pytest.mark.parametrize("path", ["setup.py", "lib/tests/test_a.py", "srcs/a.py"])
def test_what_is_outside_of_the_scope_is_refused_with_the_scope(path: str) -> None:
    with pytest.raises(PathRefusedError, match=r"is outside of the paths .*`src/`, `/tests/\*\*`"):
        check_writable(path, RULES)


@pytest.mark.parametrize("path", ["src/vendored/a.py", "src/secrets.py"])
def test_protection_is_stronger_than_scope(path: str) -> None:
    with pytest.raises(PathRefusedError, match="is protected"):
        check_writable(path, RULES)


def test_without_a_scope_everything_is_in_scope() -> None:
    assert check_writable("a/b.py", PathRules(protected=("c",))) == "a/b.py"
    assert EVERYWHERE.problem("a") is None


@pytest.mark.parametrize("path", [".github/workflows/ci.yml", ".gitmodules", "../a"])
def test_a_scope_opens_nothing_that_is_refused_anyway(path: str) -> None:
    with pytest.raises(PathRefusedError):
        check_writable(path, PathRules(scope=("**", ".github/**")))


def test_the_gate_refuses_changes_and_deletions_outside_of_the_rules() -> None:
    entry = TreeEntry(FileMode.REGULAR, "0" * 40)
    tree = {"src/a.py": entry, "setup.py": entry, "src/vendored/b.py": entry}
    new = FileChange(FileMode.REGULAR, b"")
    check_change(ChangeSet("c", {"src/a.py": None, "src/n.py": new}), tree, RULES)
    for path, state in (("setup.py", new), ("setup.py", None), ("src/vendored/b.py", None), ("other.txt", new)):
        with pytest.raises(PathRefusedError):
            check_change(ChangeSet("c", {"src/a.py": new, path: state}), tree, RULES)


@pytest.mark.parametrize(
    ("pattern", "words"),
    [
        ("", "characters"),
        (" ", "characters"),
        ("x" * 301, "characters"),
        ("a\nb", "one line"),
        ("!a", "`!`"),
        ("#a", "`#`"),
        ("../a", "root"),
        ("a/../b", "root"),
        ("./a", "root"),
        ("~/a", "root"),
        ("[z-a]", "gitignore"),
        ("*a*a*a*a*a*a*a*ab", "fewer"),
        ("**/a/**/a/**/a/**/b", "fewer"),
        ("a\\", "gitignore"),
        ("src/[", "not closed"),
        ("src/[a", "not closed"),
        ("[]", "not closed"),
        ("[!]", "not closed"),
        ("[a/b]", "not closed"),
        ("[[:alpha:]]", "class"),
        ("/", "`**`"),
    ],
)
def test_what_is_no_pattern_is_told(pattern: str, words: str) -> None:
    assert words in (pattern_problem(pattern) or "")


@pytest.mark.parametrize(
    "pattern",
    [
        "src/**",
        "*.py",
        "/a",
        "a b/",
        "[ab]?.c",
        "**/x",
        "**/*.egg-info/**",
        "*-*-*.log",
        "[]a]",
        "[!]]",
        "a\\[",
        "[a-c]*[0-9]",
    ],
)
def test_patterns_of_gitignore_are_taken(pattern: str) -> None:
    assert pattern_problem(pattern) is None


def test_the_model_is_told_the_rules() -> None:
    assert str(PathRules(("a/",), ("b",))) == "Only these paths may be changed: `a/`. These paths are protected: `b`."
    assert str(EVERYWHERE) == ""
