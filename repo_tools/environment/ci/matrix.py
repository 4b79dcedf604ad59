"""The matrix of a job, and the one of its jobs whose values stand for all.

https://docs.github.com/en/actions/how-tos/write-workflows/choose-what-workflows-do/run-job-variations
"""

import re
from collections.abc import Iterator, Mapping, Sequence, Set
from itertools import chain

from repo_tools.environment.ci.values import final_versions, newest_first, node_at, text_of
from repo_tools.yaml_text import Node

MOST_VALUES = 60
_OF_JOBS = frozenset(("include", "exclude"))
CHANNELS = frozenset(("beta", "nightly"))
"""https://rust-lang.github.io/rustup/concepts/channels.html"""
_LEAST = re.compile(r"(?<![a-z])(?:lowest|oldest|min(?:imum|imal)?)(?![a-z])", re.IGNORECASE)
"""Of the versions that a project works with, by a word of its value, which may be a path."""
_OTHER_SYSTEM = re.compile(r"windows|macos", re.IGNORECASE)


def matrix_of(job: Node) -> Mapping[str, tuple[str, ...]]:
    """Every value of each dimension of the job's matrix, with those that `include` adds; of values with parts
    (``${{ matrix.with.flags }}``, ``${{ matrix.with[0] }}``) each part."""
    matrix = node_at(job, "strategy", "matrix")
    dimensions = {k: node.items[:MOST_VALUES] for k, node in (matrix.mapping if matrix else {}).items()}
    base = {
        k: values for name, items in dimensions.items() if name not in _OF_JOBS for k, values in _values(name, items)
    }
    entries = [
        {name: text_of(value) for name, value in entry.mapping.items()} for entry in dimensions.get("include", ())
    ]
    found = base | _added(base, entries)
    plain_first = {name for name, items in dimensions.items() if items and items[0].value == ""}
    ordered = {name: _ordered(values, plain_first=name in plain_first) for name, values in found.items()}
    return ordered | _of_one_job(ordered, base.keys(), entries)


def _values(name: str, items: Sequence[Node]) -> Iterator[tuple[str, list[str]]]:
    """Of a dimension, and of the parts that its values have."""
    yield name, [text_of(item) for item in items]
    for part in dict.fromkeys(part for item in items for part in item.mapping):
        yield f"{name}.{part}", [text_of(item.mapping.get(part)) for item in items]
    for place in range(min((len(item.items) for item in items), default=0)):
        yield f"{name}[{place}]", [text_of(item.items[place]) for item in items]


def _added(base: Mapping[str, list[str]], entries: list[dict[str, str]]) -> dict[str, list[str]]:
    """The values of each dimension that `include` names. One that it adds is unset in the other jobs of the matrix."""
    unset = [""] if base else []
    named = {name: [entry.get(name, "") for entry in entries] for name in dict.fromkeys(chain.from_iterable(entries))}
    return {
        name: [*base[name], *filter(None, values)] if name in base else [*values, *unset]
        for name, values in named.items()
    }


def _of_one_job(
    ordered: Mapping[str, tuple[str, ...]], base: Set[str], entries: list[dict[str, str]]
) -> dict[str, tuple[str, ...]]:
    """What entries of `include` add, that of the job whose values stand for all first."""
    job = _extended(ordered, base, entries) if base else _likeliest(ordered, entries)
    added = dict.fromkeys(name for entry in entries for name in entry if name not in base)
    return {name: tuple(dict.fromkeys((job.get(name, ""), *ordered[name]))) for name in added}


def _extended(ordered: Mapping[str, tuple[str, ...]], base: Set[str], entries: list[dict[str, str]]) -> dict[str, str]:
    """What the entries add that go with the first values of all dimensions."""
    first = {name: ordered[name][0] for name in base if ordered[name]}
    going = [entry for entry in entries if all(entry[name] == first.get(name) for name in base & entry.keys())]
    naming = [entry for entry in going if base & entry.keys()]
    return {name: value for entry in naming for name, value in entry.items()} or _likeliest(ordered, going)


def _likeliest(ordered: Mapping[str, tuple[str, ...]], entries: list[dict[str, str]]) -> dict[str, str]:
    """The first with the most of the newest versions, then with the most of the other first values; one for Linux."""
    versions = {name for name, values in ordered.items() if final_versions(values)}

    def newest(entry: dict[str, str]) -> tuple[int, int]:
        first = {name for name, value in entry.items() if value == ordered[name][0]}
        return len(first & versions), len(first)

    here = [entry for entry in entries if not any(map(_OTHER_SYSTEM.match, entry.values()))]
    return max(here or entries, key=newest, default={})


def _ordered(values: list[str], *, plain_first: bool) -> tuple[str, ...]:
    """Empty is the ordinary value where its dimension begins with it (``["", "--slow"]``), and else the last; of Rust's
    channels the stable one is, whatever old release stands beside it. The least comes last."""
    empty = ("",) if "" in values else ()
    named = tuple(sorted(newest_first(filter(None, values)), key=lambda value: bool(_LEAST.search(value))))
    if "stable" in named and not CHANNELS.isdisjoint(named):
        named = tuple(dict.fromkeys(("stable", *named)))
    return (*empty, *named) if plain_first else (*named, *empty)
