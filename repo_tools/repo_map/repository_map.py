"""The map of one tree, over an index that is kept between trees."""

from collections.abc import Iterable, Sequence
from functools import partial

from repo_tools.counted import counted
from repo_tools.repo_map.history import Change
from repo_tools.repo_map.indexing import Indexed, Read, ReadMany, index_tree
from repo_tools.repo_map.localise import RankedFile, localise
from repo_tools.repo_map.query import read_query
from repo_tools.repo_map.render import render
from repo_tools.repo_map.store import IndexStore, again_when_lost
from repo_tools.tree import Tree


class RepositoryMap:
    """Brings `store` up to `tree` when it is made; contents are read only of blobs that are not known yet, or not
    parsed yet, by `read_many` where it is given. `changes` is what `recent_changes` says of the commit, where there is
    a history."""

    def __init__(
        self,
        store: IndexStore,
        tree: Tree,
        read: Read,
        *,
        processes: int = 1,
        changes: Sequence[Change] = (),
        read_many: ReadMany | None = None,
    ) -> None:
        self.store = store
        self.tree = tree
        self.changes = changes
        self._index = partial(
            index_tree, store, tree, read, processes=processes, read_many=read_many, details_follow=True
        )
        self.indexed: Indexed = self._index()

    def rank(self, issue: str) -> tuple[RankedFile, ...]:
        """Every file of the tree, those first that the issue is most likely about."""
        query = read_query(issue)
        return again_when_lost(lambda: localise(self._up_to_date(), self.tree, query, self.changes))

    def likely(self, issue: str) -> tuple[str, ...]:
        """Those of the files for which anything in the issue speaks, the likeliest first."""
        return tuple(file.path for file in self.rank(issue) if file.score > 0)

    def text(self, issue: str, *, tokens: int) -> str:
        """The map for one issue (or, with an empty one, of the repository), never over `tokens`. The same tree and
        issue give the same text in every process."""
        ranked = self.rank(issue)
        return render(ranked, self.tree, tokens, self.notes(ranked))

    def _up_to_date(self) -> Indexed:
        if self.indexed.is_lost:
            self.indexed = self._index()
        return self.indexed

    def notes(self, ranked: Iterable[RankedFile]) -> tuple[str, ...]:
        """In plain words, what is not known of the tree, and of the files that were looked at for an issue."""
        slow = sum(file.is_slow for file in ranked)
        of_slow = (f"{counted(slow, 'file')} too slow to parse: only words known",) if slow else ()
        return (*self.indexed.notes, *of_slow, *self.store.notes)


def rank_tree(tree: Tree, read: Read, issue: str) -> tuple[RankedFile, ...]:
    """The files of a small tree, for whoever keeps no index."""
    with IndexStore() as store:
        return RepositoryMap(store, tree, read).rank(issue)
