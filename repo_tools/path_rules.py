"""Where in its own tree a repository lets an agent change anything, as patterns of gitignore(5). Pure."""

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from importlib import import_module
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec

MAX_PATTERN_CHARACTERS = 300
MAX_STARS = 3
"""In one name of a pattern."""
MAX_DEEP = 2
"""``**/`` in a pattern."""
_BRACKET = r"\\.|\[(?:[!^]|(?![!^]))(?:\\.|[^\\/])(?:\\.|[^\]\\/])*\]"
"""One that is closed in its own name, or any escape: a ``]`` that comes first closes none."""


class PathRules(NamedTuple):
    """Changes may be made in `scope` (empty: everywhere) and nowhere in `protected`, which is stronger. These rules
    only ever add to what is refused anyway."""

    scope: tuple[str, ...] = ()
    protected: tuple[str, ...] = ()
    why_protected: str = "is protected by the repository's configuration and is not changed"

    def problem(self, path: str) -> str | None:
        """Why `path` is not to be changed, as the end of a sentence that begins with it; None where it may be."""
        if _spec(self.protected).match_file(path):
            return self.why_protected
        if self.scope and not _spec(self.scope).match_file(path):
            return f"is outside of the paths that the repository's configuration has in scope ({_listed(self.scope)})"
        return None

    def without_effect(self, paths: Sequence[str]) -> Iterator[str]:
        """Patterns that match none of `paths`: misspelt, or meant for what is to come."""
        for pattern in dict.fromkeys((*self.scope, *self.protected)):
            if not any(map(_spec((pattern,)).match_file, paths)):
                yield pattern

    def __str__(self) -> str:
        """For the model; empty where there are no rules."""
        scope = f"Only these paths may be changed: {_listed(self.scope)}." if self.scope else ""
        protected = f"These paths are protected: {_listed(self.protected)}." if self.protected else ""
        return " ".join(filter(None, (scope, protected)))


EVERYWHERE = PathRules()


def pattern_problem(pattern: str) -> str | None:
    """Why `pattern` is none that a rule may have, as the end of a sentence that begins with it."""
    if not pattern.strip() or len(pattern) > MAX_PATTERN_CHARACTERS or not pattern.isprintable():
        return f"is no pattern: 1 to {MAX_PATTERN_CHARACTERS} characters on one line"
    if pattern.startswith(("!", "#")):
        return f"begins with `{pattern[0]}`, which takes paths out again or hides a line: name what is meant"
    if ".." in pattern.split("/") or pattern.startswith(("./", "~")):
        return "is not relative to the repository's root: leave out `./`, `../` and `~`"
    if "[:" in pattern:
        return "has a class of characters (`[:…:]`), which is not known here: write its range out"
    if "[" in re.sub(_BRACKET, "", pattern):
        return "has a `[` that is not closed, and matches nothing: close it, or write `\\[` for a bracket"
    if not pattern.strip("/"):
        return "matches nothing: write `**` for everything"
    if is_costly(pattern):
        return f"has more than {MAX_DEEP} `**/`, or more than {MAX_STARS} `*` in one name: use fewer"
    try:
        _spec((pattern,))
    except (ValueError, re.error):
        return "is no pattern of gitignore(5)"
    return None


def is_costly(pattern: str) -> bool:
    """Whether matching may stop a whole worker: each star is tried at every place of a path, for each place of every
    other one, and eight of them on a name of 60 letters take more than 20 s."""
    names = pattern.split("/")
    return names[:-1].count("**") > MAX_DEEP or any(name.count("*") > MAX_STARS for name in names if name != "**")


@lru_cache(maxsize=32)  # a change is held against the same ones, path by path
def _spec(patterns: tuple[str, ...]) -> "GitIgnoreSpec":
    found: GitIgnoreSpec = import_module("pathspec").GitIgnoreSpec.from_lines(patterns)  # a map needs none of it
    return found


def _listed(patterns: Sequence[str]) -> str:
    more = f" and {len(patterns) - 20} more" if len(patterns) > 20 else ""
    return ", ".join(f"`{pattern}`" for pattern in patterns[:20]) + more
