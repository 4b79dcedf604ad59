"""What a test lacks on the base commit, as a value. Pure."""

import re
from dataclasses import dataclass


@dataclass(frozen=True)
class Missing:
    """`names`: what is not there, a module's both whole and by its last part; empty where nothing says. `words` are for
    people."""

    names: frozenset[str]
    words: str


def named(found: re.Match[str]) -> frozenset[str]:
    """What the groups of a pattern hold, a module's name by its last part, too."""
    names = [name for name in found.groupdict().values() if name]
    return frozenset(names) | {name.rpartition(".")[2] for name in names}
