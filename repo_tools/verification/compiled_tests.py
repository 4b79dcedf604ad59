"""Tests that a suite runs as something compiled: ``src/test/a.ts`` as ``dist/test/a.js``. Pure."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from pathlib import PurePosixPath

from repo_tools.environment.folders import TESTS, is_within
from repo_tools.verification.test_names import TEST_MODULE

_RUN = (".js", ".mjs", ".cjs")
_WRITTEN = (".ts", ".tsx", ".mts", ".cts", ".js", ".jsx", ".mjs", ".coffee", ".ls")


def sources_of(collected: Collection[str], tree: Collection[str]) -> frozenset[str]:
    """Of what tests were `collected` from and the repository does not hold, the files that are called so, in the
    folders that are most alike; each stands among tests, or is called like one."""
    return frozenset().union(*_sources(collected, tree).values())


def made_of(path: str, collected: Collection[str], tree: Collection[str]) -> frozenset[str]:
    """What a source is compiled to."""
    return frozenset(made for made, written in _sources(collected, tree).items() if path in written)


def compiled_from(files: Collection[str], collected: Collection[str], tree: Collection[str]) -> frozenset[str]:
    """All that is compiled, where one of `files` is such a source: which of it is whose, nobody tells."""
    return _made(collected, tree) if run_compiled(files, collected, tree) else frozenset()


def run_compiled(files: Iterable[str], collected: Collection[str], tree: Collection[str]) -> bool:
    """Whether one of `files` stands where such sources do: it cannot be run by its own name."""
    folders = {PurePosixPath(path).parent for path in sources_of(collected, tree)}
    own = (PurePosixPath(path) for path in files if path not in collected)
    return any(path.is_relative_to(folder) for path in own for folder in folders)


def _sources(collected: Collection[str], tree: Collection[str]) -> Mapping[str, list[str]]:
    made = [PurePosixPath(path) for path in _made(collected, tree)]
    written: defaultdict[str, list[PurePosixPath]] = defaultdict(list)
    for path in map(PurePosixPath, tree if made else ()):
        if path.suffix in _WRITTEN and (is_within(str(path.parent), TESTS) or TEST_MODULE.fullmatch(path.name)):
            written[path.stem].append(path)
    return {str(path): [str(source) for source in _most_alike(path, written[path.stem])] for path in made}


def _made(collected: Collection[str], tree: Collection[str]) -> frozenset[str]:
    return frozenset(path for path in collected if path not in tree and path.endswith(_RUN))


def _most_alike(path: PurePosixPath, sources: list[PurePosixPath]) -> list[PurePosixPath]:
    """Where no folder is, only what is called like a test."""
    best = max((_alike(path, source) for source in sources), default=0)
    found = (source for source in sources if _alike(path, source) == best)
    return [source for source in found if best or TEST_MODULE.fullmatch(source.name)]


def _alike(one: PurePosixPath, other: PurePosixPath) -> int:
    """How many folders above them are called alike."""
    pairs = zip(one.parent.parts[::-1], other.parent.parts[::-1], strict=False)
    return next((count for count, (first, second) in enumerate(pairs) if first != second), min(_depths(one, other)))


def _depths(*paths: PurePosixPath) -> Iterable[int]:
    return (len(path.parent.parts) for path in paths)
