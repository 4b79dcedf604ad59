"""Requirements of one place that contradict those of another (a dependency group and an old ``tox.ini``). Pure."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from packaging.requirements import Requirement

from repo_tools.environment.python.requirement import normal, read_requirement
from repo_tools.environment.python.requirements import RequirementSource


def agreeing(
    sources: Iterable[RequirementSource], lines: Mapping[str, Iterable[str]], runtime: Iterable[str]
) -> tuple[RequirementSource, ...]:
    """`sources` without the words that ask for a package in a version which `runtime` or an earlier source rules out:
    together they cannot be installed. `lines` are those of the files among them, each of which stays whole."""
    known = dict(_plain(runtime))
    kept = []
    for source in sources:
        own = dict(_plain(lines.get(source.path, ()) if source.path else source.arguments))
        agreed = {name: word for name, word in own.items() if name not in known or not _contradict(known[name], word)}
        dropped = {str(own[name]) for name in own.keys() - agreed.keys()} if not source.path else set()
        words = tuple(word for word in source.arguments if not dropped or _written(word) not in dropped)
        kept += [replace(source, arguments=words)] if words else []
        exact = {name: word for name, word in agreed.items() if any(_pins(word))}
        known = agreed | known | exact
    return tuple(kept)


def _plain(words: Iterable[str]) -> Iterator[tuple[str, Requirement]]:
    """By normal name; what holds only sometimes, or is no index's, is not judged."""
    for word in words:
        requirement = read_requirement(word)
        if requirement and not requirement.marker and not requirement.url:
            yield normal(requirement.name), requirement


def _written(word: str) -> str:
    return str(read_requirement(word) or "")


def _contradict(one: Requirement, other: Requirement) -> bool:
    """Whether one is pinned to a version that the other does not take."""
    return any(
        not taker.specifier.contains(version, prereleases=True)
        for pinned, taker in ((one, other), (other, one))
        for version in _pins(pinned)
    )


def _pins(requirement: Requirement) -> Iterator[str]:
    return (s.version for s in requirement.specifier if s.operator == "==" and not s.version.endswith(".*"))
