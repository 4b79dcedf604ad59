"""Which paths may be named, which may be written, and what a change may hold."""

import pytest

from repo_tools.changes import ChangeSet, FileChange, FileMode, Tree, TreeEntry, blob_id
from repo_tools.paths import (
    MAX_CHANGED_BYTES,
    MAX_CHANGED_FILES,
    PathRefusedError,
    QuotaExceededError,
    check_change,
    check_path,
    check_writable,
)

BASE = "1" * 40
NEW = FileChange(FileMode.REGULAR, b"new\n")
TREE: Tree = {
    "a.py": TreeEntry(FileMode.REGULAR, blob_id(b"a\n")),
    "pkg/b.py": TreeEntry(FileMode.EXECUTABLE, blob_id(b"b\n")),
    "link": TreeEntry(FileMode.SYMLINK, blob_id(b"a.py")),
    "sub": TreeEntry(FileMode.SUBMODULE, "2" * 40),
    ".github/workflows/ci.yml": TreeEntry(FileMode.REGULAR, blob_id(b"on: push\n")),
}

GIT_IN_DISGUISE = [
    ".git",
    ".git/config",
    "a/.git/config",
    ".GIT/config",
    ".gIt",
    "git~1/config",
    "GIT~1",
    ".git /config",
    ".git./config",
    ".git. . /config",
    ".git::$INDEX_ALLOCATION/config",
    ".git:x",
    ".g\u200cit/config",
    ".git\u200d",
    "\ufeff.git/hooks/pre-commit",
    "\u202e.git",
    ".\u00adgit",
    "\uff0e\uff47\uff49\uff54/config",
]

REFUSED = [
    "",
    "../x",
    "a/../../x",
    "a/..",
    "..",
    ".",
    "./a",
    "a/./b",
    "/etc/passwd",
    "/repo-evil/x",
    "/workspace/a.py",
    "//server/share",
    "~",
    "~/x",
    "~root/.ssh/id_rsa",
    "a\\b",
    "..\\x",
    "C:\\x",
    "a\0b",
    "a\nb",
    "a\rb",
    "a\tb",
    "a\x1bb",
    "a\x7fb",
    "a\u0085b",
    "a\u2028b",
    "a//b",
    "a/",
    "n" * 256,
    "/".join(["d" * 100] * 41),
    "\ud800",
    *GIT_IN_DISGUISE,
]

FINE = [
    "a.py",
    "pkg/b.py",
    ".gitignore",
    ".gitattributes",
    ".github/workflows/ci.yml",
    "a b/c d.txt",
    "ünï/日本.py",
    "...",
    "..a/b..",
    "git/config",
    "gitt",
    ".gitx",
    "x.git",
    "git~2",
    "a~",
    "CON",
    "aux.txt",
    "-rf",
    "--help",
    "$(id)",
    "a;b",
    "a*b",
    "\udcff\udcfe",
    "n" * 255,
]


@pytest.mark.parametrize("path", REFUSED)
def test_a_path_that_is_not_plain_is_refused(path: str) -> None:
    """F01, T15."""
    with pytest.raises(PathRefusedError):
        check_path(path)


@pytest.mark.parametrize("path", FINE)
def test_an_ordinary_path_is_itself(path: str) -> None:
    assert check_path(path) == path


@pytest.mark.parametrize(
    "path",
    [
        *REFUSED,
        ".github/workflows/ci.yml",
        "pkg/.github/x",
        ".venv/lib/x.py",
        ".hidden/x",
        "a/.b/c",
        ".gitmodules",
        ".GitModules",
        ".gitlab-ci.yml",
        "Jenkinsfile",
        "docs/CODEOWNERS",
        ".pre-commit-config.yaml",
        "pkg/AGENTS.md",
        "CLAUDE.md",
        ".mcp.json",
        "zero\u200bwidth.py",
        "right\u202eleft.py",
        "caf\udce9.py",
    ],
)
def test_what_steers_machines_or_hides_is_not_written(path: str) -> None:
    """F05."""
    with pytest.raises(PathRefusedError):
        check_writable(path)


@pytest.mark.parametrize("path", ["a.py", ".gitignore", "pkg/.coveragerc", "github/x", "a.b/c", "naïve/é.py"])
def test_ordinary_files_and_hidden_settings_are_written(path: str) -> None:
    assert check_writable(path) == path


@pytest.mark.parametrize("path", ["../x", "a\nb", "x" * 5000, "\ud800", "\udcff/.git"])
def test_a_refusal_is_one_short_printable_sentence(path: str) -> None:
    with pytest.raises(PathRefusedError) as caught:
        check_path(path)
    text = str(caught.value)
    assert text.isprintable()
    assert len(text) < 400
    text.encode()


def change(**files: FileChange | None) -> ChangeSet:
    return ChangeSet(BASE, files)


def test_an_ordinary_change_passes() -> None:
    check_change(ChangeSet(BASE, {"a.py": None, "pkg/b.py": NEW, "pkg/c.py": NEW, "x/y/z": NEW}), TREE)


def test_no_change_passes() -> None:
    check_change(ChangeSet(BASE), TREE)


@pytest.mark.parametrize("mode", [FileMode.SYMLINK, FileMode.SUBMODULE])
def test_links_and_submodules_are_not_made(mode: FileMode) -> None:
    """F09."""
    with pytest.raises(PathRefusedError):
        check_change(change(new=FileChange(mode, b"/etc/passwd")), TREE)


def test_a_link_is_not_pointed_elsewhere() -> None:
    with pytest.raises(PathRefusedError):
        check_change(change(link=FileChange(FileMode.SYMLINK, b"/etc/passwd")), TREE)


def test_a_link_is_not_replaced_by_a_file() -> None:
    with pytest.raises(PathRefusedError):
        check_change(change(link=NEW), TREE)


def test_a_link_that_stays_as_it_is_passes() -> None:
    check_change(change(link=FileChange(FileMode.SYMLINK, b"a.py")), TREE)


@pytest.mark.parametrize("state", [None, NEW])
def test_a_submodule_is_not_touched(state: FileChange | None) -> None:
    with pytest.raises(PathRefusedError):
        check_change(change(sub=state), TREE)


def test_the_gate_holds_deletions_to_the_same_rules() -> None:
    with pytest.raises(PathRefusedError):
        check_change(ChangeSet(BASE, {".github/workflows/ci.yml": None}), TREE)


def test_what_the_base_has_not_cannot_be_deleted() -> None:
    with pytest.raises(PathRefusedError, match="no such file"):
        check_change(change(nothing=None), TREE)


@pytest.mark.parametrize("path", ["a.py/x", "link/x", "sub/x"])
def test_nothing_stands_below_a_file(path: str) -> None:
    with pytest.raises(PathRefusedError):
        check_change(ChangeSet(BASE, {path: NEW}), TREE)


def test_nothing_stands_below_a_new_file() -> None:
    with pytest.raises(PathRefusedError):
        check_change(ChangeSet(BASE, {"x": NEW, "x/y": NEW}), TREE)


def test_a_file_does_not_take_a_folder_s_place() -> None:
    with pytest.raises(PathRefusedError):
        check_change(change(pkg=NEW), TREE)


def test_a_file_takes_the_place_of_a_folder_that_goes() -> None:
    check_change(ChangeSet(BASE, {"pkg/b.py": None, "pkg": NEW, "a.py": None, "a.py/x": NEW}), TREE)


def test_too_many_files_are_refused() -> None:
    """F08."""
    files = {f"f{number}": NEW for number in range(MAX_CHANGED_FILES + 1)}
    with pytest.raises(QuotaExceededError, match="1,000 files"):
        check_change(ChangeSet(BASE, files), TREE)
    files.popitem()
    check_change(ChangeSet(BASE, files), TREE)


def test_too_many_bytes_are_refused() -> None:
    with pytest.raises(QuotaExceededError, match="bytes"):
        check_change(change(big=FileChange(FileMode.REGULAR, b"x" * (MAX_CHANGED_BYTES + 1))), TREE)


@pytest.mark.parametrize("path", ["A.py", "PKG/b.PY"])
def test_a_file_that_takes_another_ones_place_where_case_does_not_count_is_refused(path: str) -> None:
    with pytest.raises(PathRefusedError, match="the same file as"):
        check_change(ChangeSet(BASE, {path: NEW}), TREE)


def test_two_new_files_that_are_alike_are_refused() -> None:
    with pytest.raises(PathRefusedError, match="the same file as"):
        check_change(ChangeSet(BASE, {"caf\u00e9.py": NEW, "cafe\u0301.py": NEW}), TREE)


def test_a_file_may_be_called_by_other_letters_and_what_the_base_has_may_be_alike() -> None:
    check_change(ChangeSet(BASE, {"a.py": None, "A.py": NEW}), TREE)
    check_change(ChangeSet(BASE, {"a.py": NEW}), {**TREE, "A.py": TREE["a.py"]})
