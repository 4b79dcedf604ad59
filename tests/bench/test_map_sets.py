"""The measuring set: which commits are taken as fixes, that a set can be given, and what is measured of it."""

import json
import subprocess
from pathlib import Path

import pytest

from bench.map_bm25 import plain_bm25
from bench.map_recall import recall
from bench.map_sets import BadSetError, Fix, fixes_of, git_directory, halves, read_set
from repo_tools.repo_map.repository_map import RepositoryMap
from repo_tools.repo_map.store import IndexStore
from tests.support.trees import tree_of

CLOSING = "Totals of empty baskets are zero again\n\nFixes #7"


def git(folder: Path, *arguments: str) -> str:
    who = ["-c", "user.name=a", "-c", "user.email=a@example.org"]
    done = subprocess.run(["git", *who, *arguments], cwd=folder, capture_output=True, check=True)
    return done.stdout.decode().strip()


def commit(folder: Path, message: str, *paths: str) -> str:
    """Each path gets new content; the commit's parent is returned."""
    parent = git(folder, "rev-parse", "HEAD")
    for path in paths:
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(f"{message} {parent}\n")
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "-m", message)
    return parent


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    git(tmp_path, "init", "-q", "-b", "main")
    git(tmp_path, "commit", "-q", "--allow-empty", "-m", "begin")
    commit(tmp_path, "both files, from nothing at all", "shop/basket.py", "tests/test_basket.py")
    return tmp_path


def test_a_commit_that_closes_an_issue_and_changes_source_and_test_is_a_fix(repository: Path) -> None:
    parent = commit(repository, CLOSING, "shop/basket.py", "tests/test_basket.py")
    assert fixes_of(git_directory(str(repository)), 9) == [
        Fix(repository / ".git", parent, CLOSING, ("shop/basket.py",))
    ]


@pytest.mark.parametrize(
    ("paths", "gold"),
    [
        (("shop/changes.py", "tests/test_changes.py"), ("shop/changes.py",)),
        (("shop/test/client.py", "tests/test_client.py"), ("shop/test/client.py",)),
        (("shop/total.py", "shop/test/helper.py", "shop/test/test_total.py"), ("shop/total.py",)),
        (("docs/conf.py", "src/LIMIT.java", "src/LimitTest.java"), ("src/LIMIT.java",)),
    ],
)
def test_what_had_to_change_is_told_by_a_rule_of_its_own(
    repository: Path, paths: tuple[str, ...], gold: tuple[str, ...]
) -> None:
    commit(repository, "nothing that closes", *paths)
    commit(repository, CLOSING, *paths)
    assert [fix.gold for fix in fixes_of(git_directory(str(repository)), 9)] == [gold]


@pytest.mark.parametrize(
    ("message", "paths"),
    [
        ("Totals of empty baskets are zero again", ("shop/basket.py", "tests/test_basket.py")),
        (CLOSING, ("shop/basket.py",)),
        (CLOSING, ("tests/test_basket.py",)),
        (CLOSING, ("shop/basket.py", "shop/new.py", "tests/test_basket.py")),
        ("Fixed #441.", ("shop/basket.py", "tests/test_basket.py")),
    ],
)
def test_other_commits_are_none(repository: Path, message: str, paths: tuple[str, ...]) -> None:
    commit(repository, message, *paths)
    assert fixes_of(git_directory(str(repository)), 9) == []


def test_a_set_is_read_line_by_line(repository: Path, tmp_path: Path) -> None:
    task = {"repository": str(repository), "commit": "HEAD", "text": "broken", "gold": ["shop/basket.py"]}
    (tmp_path / "set.jsonl").write_text(f"{json.dumps(task)}\n\n")
    assert read_set(tmp_path / "set.jsonl") == [Fix(repository / ".git", "HEAD", "broken", ("shop/basket.py",))]


def test_a_set_may_have_a_byte_order_mark_and_texts_with_ends_of_lines_of_their_own(
    repository: Path, tmp_path: Path
) -> None:
    task = {"repository": str(repository), "commit": "HEAD", "text": "bro\u2028ken\x85", "gold": ["shop/basket.py"]}
    (tmp_path / "set.jsonl").write_text(f"\ufeff{json.dumps(task, ensure_ascii=False)}\n", encoding="utf-8")
    (found,) = read_set(tmp_path / "set.jsonl")
    assert found.text == "bro\u2028ken\x85"


def test_each_fix_is_in_one_half() -> None:
    fixes = [Fix(Path("r"), f"{number:04x}" + "0" * 36, "", ()) for number in range(8)]
    tuning, reporting = halves(fixes)
    assert len(tuning) == len(reporting) == 4
    assert {*tuning, *reporting} == {*fixes}


def test_plain_bm25_ranks_sources_by_content_path_and_function() -> None:
    files = {
        "shop/basket.py": b"def total():\n    return 0\n",
        "shop/mail.py": b"def send(): ...\n",
        "t/test_a.py": b"x",
    }
    tree = tree_of(files)
    with IndexStore() as store:
        found = RepositoryMap(store, tree, files.__getitem__)
        assert plain_bm25(found, "send no mail")[0] == "shop/mail.py"
        assert plain_bm25(found, "total of a basket")[0] == "shop/basket.py"


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("[]", "is no JSON object"),
        ("{", "Expecting property name"),
        ('{"commit": "HEAD", "text": "t", "gold": ["shop/basket.py"]}', "`repository` must be text"),
        ('{"repository": "R", "commit": "HEAD", "text": "t", "gold": "shop/basket.py"}', "`gold` must be a list"),
        ('{"repository": "R", "commit": "HEAD", "text": "t", "gold": []}', "`gold` must be a list"),
        ('{"repository": "R", "commit": "nope", "text": "t", "gold": ["a.py"]}', "commit nope of"),
        ('{"repository": "nowhere", "commit": "HEAD", "text": "t", "gold": ["a.py"]}', "nowhere cannot be read"),
    ],
)
def test_a_line_of_a_set_that_cannot_be_measured_is_told_with_its_number(
    repository: Path, tmp_path: Path, line: str, told: str
) -> None:
    good = json.dumps({"repository": str(repository), "commit": "HEAD", "text": "t", "gold": ["shop/basket.py"]})
    file = tmp_path / "set.jsonl"
    bad = line.replace('"R"', json.dumps(str(repository)))
    file.write_text(f"{good}\n\n{bad}\n")
    with pytest.raises(BadSetError) as raised:
        read_set(file)
    assert f"{file}, line 3: " in str(raised.value)
    assert told in str(raised.value)


def test_gold_that_the_tree_does_not_have_is_left_out_and_told(
    repository: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    line = {"repository": str(repository), "commit": "HEAD", "text": "t"}
    golds = (["nope.py"], ["nope.py", "shop/basket.py"])
    (tmp_path / "set.jsonl").write_text("\n".join(json.dumps({**line, "gold": gold}) for gold in golds))
    assert [fix.gold for fix in read_set(tmp_path / "set.jsonl")] == [("shop/basket.py",)]
    assert "line 1: nope.py is left out" in capsys.readouterr().err


def test_a_set_without_a_line_is_none(tmp_path: Path) -> None:
    (tmp_path / "empty.jsonl").write_text("\n")
    with pytest.raises(BadSetError, match="has no line"):
        read_set(tmp_path / "empty.jsonl")


def test_a_repository_may_be_named_by_a_relative_path(repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (repository / "below").mkdir()
    monkeypatch.chdir(repository / "below")
    assert git_directory("..") == repository / ".git"


def test_a_clone_that_lacks_a_file_is_measured_with_the_others(
    repository: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    lacked = commit(repository, "much generated code", "tables.py") and git(repository, "rev-parse", "HEAD:tables.py")
    (repository / ".git" / "objects" / lacked[:2] / lacked[2:]).unlink()
    fix = Fix(repository / ".git", "HEAD", "the basket is empty", ("shop/basket.py",))
    rows = recall([fix], indexes=tmp_path_factory.mktemp("indexes"))
    assert {row.what: row.ours for row in rows}["% of 1 fixes whose file is missing among the first 1"] == 0
