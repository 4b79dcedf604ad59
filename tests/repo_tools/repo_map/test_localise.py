"""What puts a file in front of others."""

from collections.abc import Mapping

import pytest

from repo_tools.changes import FileMode, TreeEntry, blob_id
from repo_tools.repo_map.kinds import Kind, kind_of
from repo_tools.repo_map.localise import RankedFile
from repo_tools.repo_map.repository_map import rank_tree

FILES = {
    "src/derive/args.rs": b"fn flatten() {}\n",
    "src/builder/args.rs": b"fn flatten() {}\n",
    "lib/rules/no-var.js": b"function create() {}\n",
    "lib/rules/no-let.js": b"function create() {}\n",
    "lib/layout/first_argument.rb": b"def check; end\n",
    "tests/flatten.rs": b"fn flatten() {}\n",
    "docs/flatten.md": b"flatten, flatten and flatten\n",
    ".travis.yml": b"script: flatten\n",
    "setup.unheardof": b"flatten\n",
}


def ranked(issue: str, files: Mapping[str, bytes] = FILES) -> list[RankedFile]:
    tree = {path: TreeEntry(FileMode.REGULAR, blob_id(content)) for path, content in files.items()}
    return list(rank_tree(tree, files.__getitem__, issue))


@pytest.mark.parametrize(
    "title", ["fix(derive): flatten panics", "derive: flatten panics", "src/derive: flatten panics"]
)
def test_the_part_that_the_title_names_comes_first(title: str) -> None:
    first = ranked(title)[0]
    assert first.path == "src/derive/args.rs"
    assert "the title names its part" in first.why


@pytest.mark.parametrize(
    ("issue", "path"),
    [
        ("The rule no-var reports a false positive", "lib/rules/no-var.js"),
        ("`FirstArgument` loops for ever", "lib/layout/first_argument.rb"),
    ],
)
def test_a_name_is_found_however_it_is_written(issue: str, path: str) -> None:
    first = ranked(issue)[0]
    assert first.path == path
    assert first.why[0] == "has a name of the issue"


def test_a_language_that_the_title_names_finds_its_file() -> None:
    spoken = {f"src/lang/{code}.php": b"<?php return ['day' => 'd'];\n" for code in ("de", "ko", "pl")}
    files = {**spoken, "src/spacing.php": b"<?php function spacing($day) { return 'day spacing'; }\n"}
    first = ranked("Korean spacing of a day", files)[0]
    assert (first.path, first.why[0]) == ("src/lang/ko.php", "of a language that the issue names")
    assert ranked("Wrong spacing of a day\n\nSeen on a Korean machine.", files)[0].path == "src/spacing.php"


def test_the_many_words_of_a_long_issue_do_not_drown_the_file_that_it_names() -> None:
    words = [f"{a}{b}ling" for a in "bdfgkm" for b in "aeioulrwyx"]
    others = {f"src/other{n}.py": b"pass\n" for n in range(9)}
    files = {**others, "shop/rounding.py": b"x = 1\n", "shop/report.py": " ".join(words[:20]).encode()}
    issue = "\n".join(("wrong totals", "See shop/rounding.py.", *words))
    assert ranked(issue, files)[0].path == "shop/rounding.py"


def test_of_two_files_that_say_the_same_of_an_issue_the_longer_one_comes_first() -> None:
    rest = "".join(f"name_{number} = {number}\n" for number in range(200)).encode()
    files = {"shop/a.py": b"basket = 1\nname_1 = 1\n", "shop/b.py": b"basket = 1\n" + rest}
    assert [file.path for file in ranked("The basket is empty", files)] == ["shop/b.py", "shop/a.py"]


def test_sources_come_before_tests_documents_and_what_is_no_code() -> None:
    kinds = [file.kind for file in ranked("flatten") if "words of the issue" in file.why]
    assert kinds[:2] == [Kind.SOURCE, Kind.SOURCE]
    assert Kind.SOURCE not in kinds[2:]


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("src/a.swift", Kind.SOURCE),
        ("bin/run.sh", Kind.SOURCE),
        ("Makefile", Kind.OTHER),
        (".classpath", Kind.OTHER),
        ("a.json", Kind.DATA),
    ],
)
def test_what_no_grammar_reads_is_a_source_only_if_it_is_code(path: str, kind: Kind) -> None:
    assert kind_of(path) is kind
