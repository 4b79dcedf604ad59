"""Bring an index up to a tree: each blob that was never seen before is read and its facts are kept. Most files are
parsed only when their definitions are asked for."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import NamedTuple

from repo_tools.checkout import Unread
from repo_tools.counted import counted
from repo_tools.repo_map.announced import is_announced
from repo_tools.repo_map.extractors import Entry, Extractors, read_here
from repo_tools.repo_map.facts import MAX_FILE_BYTES, Detail
from repo_tools.repo_map.kinds import is_read
from repo_tools.repo_map.languages import language_of
from repo_tools.repo_map.store import IndexStore, again_when_lost, key_of
from repo_tools.tree import FileMode, Tree

MAX_FILES = 200_000
"""Files whose content is read; more of a tree are known by their paths."""

FEW_BYTES, SMALL_BYTES = 32_000, 8_000
"""So little, in files so small, is parsed in this process: whatever is in there, a grammar is done with it in a second
or two. Anything else is parsed by children, which are ended when they take too long."""

FEW_WORDS_BYTES = 300_000
"""So much is read for its words in this process, which takes linear time: as long as starting a child."""

BATCH_FILES, BATCH_BYTES = 200, 1_000_000
DETAIL_BATCH_FILES, DETAIL_BATCH_BYTES = 20, 100_000
"""What a child is given at once: the files that one map looks at are work for several."""

Read = Callable[[str], bytes]
"""Content of one path of the tree."""

ReadMany = Callable[[Sequence[str], int], Iterable[bytes | Unread]]
"""Contents of paths of the tree, in that order, none of more bytes than the second argument."""


class Indexed(NamedTuple):
    """One tree in `store`. `keys`: path -> key of its facts, for every file whose content counts, in path order.
    `notes` say, in plain words, what was left out."""

    store: IndexStore
    keys: Mapping[str, str]
    notes: tuple[str, ...]
    read_many: ReadMany
    extractors: Extractors
    losses: int

    @property
    def is_lost(self) -> bool:
        """Whether the tree has to be indexed again, because the store has lost what it had."""
        return self.losses != self.store.losses

    def details(self, paths: Iterable[str]) -> dict[str, Detail]:
        """By path, of those whose content counts. What was never parsed before is parsed now, and kept."""
        wanted = {path: self.keys[path] for path in paths if path in self.keys}
        known = self.store.detail(dict.fromkeys(wanted.values()))
        missing = {key: path for path, key in wanted.items() if key not in known}
        with self.extractors:
            if missing:
                _add(self.store, missing, self.read_many, self.extractors, in_detail=True)
                known |= self.store.detail(missing)
        return {path: known[key] for path, key in wanted.items() if key in known}


def index_tree(
    store: IndexStore,
    tree: Tree,
    read: Read,
    *,
    processes: int = 1,
    read_many: ReadMany | None = None,
    details_follow: bool = False,
) -> Indexed:
    """Links, submodules and files that only hold data are known by their paths; so is what lies beyond `MAX_FILES`.
    Without `read_many` each file is read by `read`. Where `details_follow`, the children wait for the first call of
    `details`, which ends them: to start others takes as long as to parse a small repository."""
    plain = [p for p in sorted(tree) if tree[p].mode.is_file and is_read(p)]
    keys = {path: key_of(tree[path].blob_id, language_of(path)) for path in plain[:MAX_FILES]}
    contents = read_many or _one_by_one(read)
    extractors, lacking = again_when_lost(lambda: _fill(store, keys, contents, processes))
    if not details_follow:
        extractors.end()
    there = {path: key for path, key in keys.items() if key not in lacking} if lacking else keys
    notes = _notes(tree, len(plain), len(keys) - len(there))
    return Indexed(store, there, notes, contents, extractors, store.losses)


def _fill(
    store: IndexStore, keys: Mapping[str, str], read_many: ReadMany, processes: int
) -> tuple[Extractors, frozenset[str]]:
    """The children that did it, if any were needed, and the keys of what is not there."""
    known = store.known(dict.fromkeys(keys.values()))
    missing = {key: path for path, key in keys.items() if key not in known}
    extractors = Extractors(processes)
    lacking = frozenset[str]()
    if missing:
        lacking = _add(store, missing, read_many, extractors, in_detail=False)
        store.forget_all_but(tuple(keys.values()))
    return extractors, lacking


def _one_by_one(read: Read) -> ReadMany:
    return lambda paths, _: map(read, paths)


def _entries(missing: Mapping[str, str], contents: Iterable[bytes | Unread], lacking: set[str]) -> Iterator[Entry]:
    """Of what is too large one byte too many is kept, which says so. What is not there says nothing of its content, in
    this clone or another one: its key goes to `lacking`."""
    for (key, path), content in zip(missing.items(), contents, strict=True):
        if content is Unread.MISSING:
            lacking.add(key)
            continue
        kept = bytes(MAX_FILE_BYTES + 1) if content is Unread.TOO_LARGE else content[: MAX_FILE_BYTES + 1]
        yield key, language_of(path), kept


def _add(
    store: IndexStore, missing: Mapping[str, str], read_many: ReadMany, extractors: Extractors, *, in_detail: bool
) -> frozenset[str]:
    """The keys of what is not there."""
    lacking = set[str]()
    most_files = DETAIL_BATCH_FILES if in_detail else BATCH_FILES
    if len(missing) > most_files:
        extractors.start()
    entries = _entries(missing, read_many(tuple(missing.values()), MAX_FILE_BYTES), lacking)
    batches = _batches(entries, most_files, DETAIL_BATCH_BYTES if in_detail else BATCH_BYTES)
    first = next(batches, [])
    second = next(batches, None)
    if second is None and _is_little(first, in_detail):
        store.add(read_here(entry, in_detail) for entry in first)
        return frozenset(lacking)
    for found in extractors.extract(chain([first], [second] if second else [], batches), in_detail=in_detail):
        store.add(found)
    return frozenset(lacking)


def _is_little(batch: Sequence[Entry], in_detail: bool) -> bool:
    parsed = [len(content) for _, language, content in batch if language and (in_detail or not is_announced(language))]
    words = sum(len(content) for _, _, content in batch)
    return words <= FEW_WORDS_BYTES and sum(parsed) <= FEW_BYTES and max(parsed, default=0) <= SMALL_BYTES


def _batches(entries: Iterator[Entry], most_files: int, most_bytes: int) -> Iterator[list[Entry]]:
    batch: list[Entry] = []
    size = 0
    for entry in entries:
        batch.append(entry)
        size += len(entry[2])
        if size >= most_bytes or len(batch) == most_files:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


def _notes(tree: Tree, files: int, lacking: int) -> tuple[str, ...]:
    submodules = sum(entry.mode is FileMode.SUBMODULE for entry in tree.values())
    notes = [f"{counted(submodules, 'submodule')} not read"] if submodules else []
    if files > MAX_FILES:
        notes.append(f"only the first {MAX_FILES} of {files} files are read")
    if lacking:
        notes.append(f"{counted(lacking, 'file')} not in this clone: only paths known")
    return tuple(notes)
