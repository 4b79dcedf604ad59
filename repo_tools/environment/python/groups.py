"""Extras and dependency groups: which of them tests need, and what each comes to."""

import re
from collections.abc import Iterable, Mapping
from typing import Any

from repo_tools.environment.python.requirement import normal
from repo_tools.environment.settings_text import entries

GROUP_NAMES = (
    "test", "tests", "testing", "unittest", "unit-test", "unittests", "pytest",
    "dev", "develop", "development",
)  # fmt: skip
"""Extras and groups that hold what tests need, in the order of likelihood."""

_FOR_ALL_WORK = frozenset(("dev", "develop", "development"))
"""Looked into only where no other is there: linters and documentation take longer to install than tests to run."""

_MOST = 100
"""Of extras or groups that one of them comes to."""


def wanted_groups(named: Iterable[str]) -> list[str]:
    """Of the names of extras or of groups."""
    there = {normal(name): name for name in named if isinstance(name, str)}
    found = [name for name in GROUP_NAMES if name in there]
    own = [name for name in found if name not in _FOR_ALL_WORK]
    return [there[name] for name in own or found]


def expand_extra(extras: Mapping[str, Any], name: str, project: str, seen: set[str] | None = None) -> list[Any]:
    """Extras may name others of the same project: ``name[test,docs]``. `seen` are there already."""
    seen = set() if seen is None else seen
    seen.add(name)
    requirements: list[Any] = []
    for requirement in entries(extras, name):
        own = re.fullmatch(r"([\w.-]+)\[([\w.,\s-]+)\]", requirement) if isinstance(requirement, str) else None
        if own and normal(own[1]) == normal(project):
            for other in sorted({part.strip() for part in own[2].split(",")}):
                if other not in seen and len(seen) < _MOST:
                    requirements += expand_extra(extras, other, project, seen)
        else:
            requirements.append(requirement)
    return requirements


def expand_group(groups: Mapping[str, Any], name: str, seen: set[str] | None = None) -> list[Any]:
    """https://packaging.python.org/en/latest/specifications/dependency-groups/"""
    seen = set() if seen is None else seen
    seen.add(name)
    requirements: list[Any] = []
    for entry in entries(groups, name):
        other = entry.get("include-group") if isinstance(entry, Mapping) else None
        if isinstance(other, str) and other not in seen and len(seen) < _MOST:
            requirements += expand_group(groups, other, seen)
        elif isinstance(entry, str):
            requirements.append(entry)
    return requirements


def includes(groups: Mapping[str, Any], name: str, others: Iterable[str]) -> bool:
    """Whether a group comes to one of the `others` as well."""
    reached: set[str] = set()
    expand_group(groups, name, reached)
    return not (reached - {name}).isdisjoint(others)
