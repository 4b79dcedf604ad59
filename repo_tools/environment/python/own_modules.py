"""The repository's own modules, and the files that an import of them stands for."""

import itertools
from collections.abc import Iterable, Iterator
from pathlib import PurePosixPath

from repo_tools.changes import FileMode, Tree

_ROOTS = ((), ("src",))


def own_modules(tree: Tree) -> frozenset[str]:
    """Every name by which the repository's files may import each other: what lies in a package has a longer one."""
    packages = {path.removesuffix("/__init__.py") for path in tree}
    own: set[str] = set()
    for path, entry in tree.items():
        if path.endswith((".py", ".pyx", ".c")) and entry.mode is not FileMode.SUBMODULE:
            *folders, file = PurePosixPath(path).parts
            names = [*folders, file.partition(".")[0]]
            own |= {name for i, name in enumerate(names) if "/".join(folders[:i]) not in packages}
    return frozenset(own)


def files_of(names: Iterable[str], above: int, path: str, tree: Tree) -> Iterator[str]:
    """The files in `tree` of the dotted `names`, as `path` imports them; `above`: the dots before them, where the
    import is a relative one."""
    folders = path.split("/")[:-1]
    roots = [folders[: len(folders) - above + 1]] if above else [folders, *_ROOTS]
    for root, name in itertools.product(roots, filter(None, names)):
        found = "/".join((*root, *name.split(".")))
        yield from itertools.islice((own for own in (f"{found}.py", f"{found}/__init__.py") if own in tree), 1)
