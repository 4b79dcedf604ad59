"""The index: each blob is read once, whatever clone or commit it is met in; damage is repaired; processes agree."""

import os
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path

import pytest

from repo_tools.changes import FileMode, TreeEntry, blob_id
from repo_tools.checkout import Unread
from repo_tools.repo_map import store as stored
from repo_tools.repo_map.bm25 import piece_hits
from repo_tools.repo_map.extractors import Extractors
from repo_tools.repo_map.facts import HUGE, MAX_FILE_BYTES, Detail, detail, extract, packed_pieces, stored_definitions
from repo_tools.repo_map.folder import Folder
from repo_tools.repo_map.indexing import BATCH_FILES, index_tree
from repo_tools.repo_map.localise import CANDIDATES
from repo_tools.repo_map.repository_map import RepositoryMap
from repo_tools.repo_map.store import IndexStore, key_of
from repo_tools.repo_map.words import terms
from tests.support.long import first_of
from tests.support.maps import build_map
from tests.support.trees import tree_of


class Files:
    """A tree in memory that counts what is read of it."""

    def __init__(self, files: dict[str, bytes]) -> None:
        self.files = files
        self.tree = tree_of(files)
        self.was_read: list[str] = []

    def read(self, path: str) -> bytes:
        self.was_read.append(path)
        return self.files[path]


FILES = {"a.py": b"def alpha(): ...\n", "b.py": b"def beta(): ...\n"}


def test_a_known_blob_is_never_read_again_in_another_tree_or_process(tmp_path: Path) -> None:
    first, second = Files(FILES), Files({**FILES, "c/moved.py": FILES["a.py"], "new.py": b"def new(): ...\n"})
    for files in (first, second):
        build_map(files.tree, files.read, issue="alpha", tokens=500, index=tmp_path / "index.db")
    words, definitions = first.was_read[:2], first.was_read[2:]
    assert words == sorted(definitions) == ["a.py", "b.py"]
    assert second.was_read == ["new.py"] * 2


def test_the_same_bytes_in_another_language_are_other_facts(tmp_path: Path) -> None:
    files = Files({"a.py": b"def f(): ...\n", "a.txt": b"def f(): ...\n"})
    with IndexStore(tmp_path / "index.db") as store:
        details = index_tree(store, files.tree, files.read).details(files.tree)
    assert details["a.py"].definitions
    assert not details["a.txt"].definitions


def many(files: int) -> Files:
    """Of which a map looks at few. What each defines stands in its last lines too."""
    return Files({f"m{n:03}.py": b"def f%d(): ...\n" % n + b"\n# f%d" % n * (n % 7) for n in range(files)})


def test_only_what_a_map_looks_at_is_parsed_and_only_once(tmp_path: Path) -> None:
    files = many(3 * CANDIDATES)
    for _ in range(2):
        build_map(files.tree, files.read, issue="f100 f101", tokens=500, index=tmp_path / "index.db")
    with IndexStore(tmp_path / "index.db") as store:
        keys = index_tree(store, files.tree, files.read).keys
        parsed = store.detail(keys.values())
    assert len(parsed) == CANDIDATES
    assert {keys["m100.py"], keys["m101.py"]} <= set(parsed)
    assert len(files.was_read) == len(files.tree) + CANDIDATES


def test_a_map_is_the_same_whatever_was_parsed_before(tmp_path: Path) -> None:
    files = many(3 * CANDIDATES)

    def text(issue: str, index: Path) -> str:
        return build_map(files.tree, files.read, issue=issue, tokens=2_000, index=index)

    new = text("f100 is wrong", tmp_path / "new.db")
    for issue in ("", "f7 and f8", "f200"):
        text(issue, tmp_path / "used.db")
    assert text("f100 is wrong", tmp_path / "used.db") == new
    assert "    1  def f100():" in new


@pytest.mark.parametrize("damage", [b"no database at all" * 100, b""])
def test_a_damaged_index_is_made_again(tmp_path: Path, damage: bytes) -> None:
    (tmp_path / "index.db").write_bytes(damage)
    files = Files(FILES)
    assert "def alpha" in build_map(files.tree, files.read, issue="alpha", tokens=500, index=tmp_path / "index.db")


def test_an_index_of_another_version_is_not_read(tmp_path: Path) -> None:
    files = Files(FILES)
    for version in (stored.INDEX_VERSION, stored.INDEX_VERSION + 1):
        with IndexStore(tmp_path / "index.db", version=version) as store:
            RepositoryMap(store, files.tree, files.read).rank("")
    assert sorted(files.was_read) == ["a.py"] * 4 + ["b.py"] * 4


def test_children_find_the_same_facts_as_this_process() -> None:
    batches = [[(f"{n}", language, b"def f%d(): ...\n" % n)] for n, language in enumerate(("python", "ruby", ""))]
    with Extractors(2) as extractors:
        found = sorted(entry for answer in extractors.extract(batches) for entry in answer)
    assert found == [(key, *extract(language, content)) for batch in batches for key, language, content in batch]


def test_children_find_the_same_details_as_this_process() -> None:
    batches = [[(f"{n}", "python", b"def f%d(): ...\n" % n)] for n in range(5)]
    with Extractors(2) as extractors:
        found = sorted(entry for answer in extractors.extract(batches, in_detail=True) for entry in answer)
    assert found == [(key, None, detail(language, content)) for batch in batches for key, language, content in batch]


@pytest.mark.parametrize("in_detail", first_of([True, False]))
def test_a_file_that_takes_a_grammar_too_long_costs_itself_its_definitions_and_nobody_else(in_detail: bool) -> None:
    language = "python" if in_detail else "javascript"  # the latter is always parsed
    ordinary, hostile = ("a", language, b"f(1)\n"), ("b", language, b"a:b?c:\n" * 140_000)
    with Extractors(1, batch_seconds=0, file_seconds=0) as extractors:
        batches = [[ordinary, hostile], [ordinary]]
        answers = [entry for answer in extractors.extract(batches, in_detail=in_detail) for entry in answer]
    found = {key: (facts, parsed) for key, facts, parsed in answers}
    assert found["a"] == ((None, detail(*ordinary[1:])) if in_detail else extract(*ordinary[1:]))
    assert found["b"] == (
        None if in_detail else extract("", hostile[2])[0],
        detail("", hostile[2])._replace(is_slow=True),
    )


def test_a_piece_has_its_own_words_and_each_term_as_often_as_it_stands_there() -> None:
    found = detail("python", b"import alpha\ndef first_one(one): ...\nclass X:\n    def two(self, ones): ...\n")
    wanted = {term: 1.0 for word in (b"alpha", b"one", b"two") for term in terms[word]}
    head, first, container, second = piece_hits(found, wanted)
    (alpha,), (one,), (two,) = (terms[word] for word in (b"alpha", b"one", b"two"))
    assert (head.length, head.counts) == (2, {alpha: 1})
    assert (first.length, first.counts) == (3, {one: 2})
    assert (container.length, container.counts) == (1, {})
    assert (second.length, second.counts) == (4, {two: 1, one: 1})
    assert not detail("python", b"\n").pieces


def test_children_wait_for_the_details_that_follow_and_end_with_them() -> None:
    files = Files({f"m{n}.py": b"def f%d(): ...\n" % n for n in range(2 * BATCH_FILES)})
    with IndexStore() as store:
        waiting = index_tree(store, files.tree, files.read, processes=2, details_follow=True)
        assert _children() == 2
        assert waiting.details(["m1.py"])["m1.py"].definitions
        assert _children() == 0
        assert waiting.details(["m2.py"])["m2.py"].definitions


def test_children_that_no_details_were_asked_of_end_with_the_map() -> None:
    files = Files({f"m{n}.py": b"def f%d(): ...\n" % n for n in range(2 * BATCH_FILES)})
    with IndexStore() as store:
        waiting: list[object] = [index_tree(store, files.tree, files.read, processes=2, details_follow=True)]
        assert _children() == 2
        waiting.clear()
        assert _children() == 0


def _children() -> int:
    """Those of this process that run `extracting`."""
    found = 0
    for process in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):  # somebody else's, gone meanwhile
            parent = int((process / "stat").read_text().rpartition(")")[2].split()[1])
            found += parent == os.getpid() and b"extracting" in (process / "cmdline").read_bytes()
    return found


def test_files_that_were_too_slow_are_noted_in_every_map_that_looks_at_them() -> None:
    files = Files(FILES)
    with IndexStore() as store:
        key = key_of(files.tree["a.py"].blob_id, "python")
        store.add([(key, None, Detail(pieces=packed_pieces([[b"def", b"alpha"]]), is_slow=True))])
        for _ in range(2):
            text = RepositoryMap(store, files.tree, files.read).text("alpha", tokens=500)
            assert "(1 file too slow to parse: only words known)" in text


def test_a_huge_file_is_not_read_where_its_size_is_known_before() -> None:
    files = Files({"a.py": b"x = 1", "huge.py": b"y = 2"})
    limits = []

    def read_many(paths: Sequence[str], max_bytes: int) -> Iterator[bytes | Unread]:
        limits.append(max_bytes)
        yield from (Unread.TOO_LARGE if path == "huge.py" else files.read(path) for path in paths)

    with IndexStore() as store:
        keys = index_tree(store, files.tree, files.read, read_many=read_many).keys
        notes = {key: scan.note for key, scan in store.scan(keys.values())}
    assert (notes[keys["a.py"]], notes[keys["huge.py"]]) == ("", HUGE)
    assert limits == [MAX_FILE_BYTES]


def test_what_a_clone_lacks_is_noted_and_says_nothing_to_a_clone_that_has_it(tmp_path: Path) -> None:
    files = Files({"a.py": b"x = 1", "b.py": b"def total(): ..."})

    def read_many(paths: Sequence[str], max_bytes: int) -> Iterator[bytes | Unread]:
        yield from (Unread.MISSING if path == "b.py" else files.read(path) for path in paths)

    with IndexStore(tmp_path / "index.db") as store:
        lacking = index_tree(store, files.tree, files.read, read_many=read_many)
        assert [*lacking.keys] == [*lacking.details(files.tree)] == ["a.py"]
        assert lacking.notes == ("1 file not in this clone: only paths known",)

        whole = index_tree(store, files.tree, files.read)
        (definition,) = stored_definitions(whole.details(["b.py"])["b.py"].definitions)
        assert definition.name == "total"
        assert whole.notes == ()


def test_of_a_clone_that_lacks_every_file_the_paths_are_known() -> None:
    files = Files(FILES)
    with IndexStore() as store:
        ranked = RepositoryMap(
            store, files.tree, files.read, read_many=lambda paths, _: (Unread.MISSING for _ in paths)
        ).rank("a")
    assert {file.path for file in ranked} == set(FILES)


def test_a_tree_of_many_files_is_read_by_children() -> None:
    files = Files({f"m{n}.py": b"def f%d(): ...\n" % n for n in range(2 * BATCH_FILES)})
    with IndexStore() as store:
        indexed = index_tree(store, files.tree, files.read, processes=2)
        keys = indexed.keys
        assert _children() == 0
        assert store.known(keys.values()) == frozenset(keys.values())


def test_blobs_of_no_tree_are_forgotten_once_there_are_far_too_many(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stored, "SPARE_ROWS", 0)
    old, new = Files({f"{n}.py": b"x%d = 1" % n for n in range(20)}), Files(FILES)
    with IndexStore(tmp_path / "index.db") as store:
        gone = index_tree(store, old.tree, old.read).keys
        kept = index_tree(store, new.tree, new.read).keys
        assert store.known([*gone.values(), *kept.values()]) == frozenset(kept.values())


def test_links_and_submodules_are_not_read_and_submodules_are_noted() -> None:
    files = Files({"a.py": b"x = 1"})
    tree = {
        **files.tree,
        "link": TreeEntry(FileMode.SYMLINK, "1" * 40),
        "module": TreeEntry(FileMode.SUBMODULE, "2" * 40),
    }
    with IndexStore() as store:
        indexed = index_tree(store, tree, files.read)
    assert set(indexed.keys) == {"a.py"}
    assert indexed.notes == ("1 submodule not read",)


def test_a_folder_is_read_without_following_links(tmp_path: Path) -> None:
    (tmp_path / "pkg").mkdir()
    (tmp_path / "pkg" / "a.py").write_bytes(b"x = 1")
    (tmp_path / "pkg" / "loop").symlink_to(tmp_path)
    (tmp_path / "passwd").symlink_to("/etc/passwd")
    folder = Folder(tmp_path)
    assert folder.tree == {"pkg/a.py": TreeEntry(FileMode.REGULAR, blob_id(b"x = 1"))}
    assert folder.read("pkg/a.py") == b"x = 1"
