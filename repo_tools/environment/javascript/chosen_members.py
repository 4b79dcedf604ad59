"""Which members of a workspace the root's scripts of tests start theirs in: those that they name, or all. Pure."""

import re
from collections.abc import Iterable, Iterator
from fnmatch import fnmatchcase
from itertools import pairwise
from posixpath import basename, normpath

from repo_tools.environment.javascript.package_json import Package

_NAMES = frozenset(
    (
        *("--include", "--scope", "--filter", "-F", "--workspace", "-w", "--projects", "workspace"),
        *("--prefix", "-C", "--dir", "--cwd", "cd"),
    )
)
"""https://yarnpkg.com/cli/workspaces/foreach, https://pnpm.io/filtering, https://docs.npmjs.com/cli/using-npm/workspaces,
https://github.com/lerna/lerna/tree/main/libs/core/src/lib/filter-options, https://turborepo.com/docs/reference/run"""
_NAMES_OTHERS = frozenset(("--exclude", "--ignore"))
_AROUND = re.compile(r"^(?:\.{3}\^?)|(?:\^?\.{3})$|^\{|\}$")
"""Whatever else a filter takes with a member."""
_CHANGED = "["
_MOST_WILDCARDS = 3


def chosen_members(
    commands: Iterable[tuple[str, ...]], packages: tuple[Package, ...]
) -> tuple[tuple[Package, ...], tuple[Package, ...]]:
    """(those that `commands`, each of which tests in members, start tests in, the others). Where one names none, or
    names any in a way that nobody knows, it is every one."""
    chosen: set[str] = set()
    for command in commands:
        named = list(_named(_words(command)))
        wanted = [name for name in named if not name.startswith("!")] or ["*"]
        others = [name[1:] for name in named if name.startswith("!")]
        if any(_CHANGED in name or name.count("*") > _MOST_WILDCARDS for name in (*wanted, *others)):
            return packages, ()
        if not all(any(_is_one(package, [name]) for package in packages) for name in wanted):
            return packages, ()
        chosen |= {each.folder for each in packages if _is_one(each, wanted) and not _is_one(each, others)}
    rest = tuple(package for package in packages if package.folder not in chosen)
    return (tuple(package for package in packages if package.folder in chosen), rest) if chosen else (packages, ())


def _words(command: tuple[str, ...]) -> list[str]:
    """Of what a shell carries out (``cd packages/a && npm test``) that, too."""
    return command[2].split() if command[:2] == ("sh", "-c") else list(command)


def _named(words: list[str]) -> Iterator[str]:
    """What a filter asks for; with ``!`` before what it leaves out."""
    for word, following in pairwise([*words, ""]):
        option, sign, value = word.partition("=")
        told = value if sign else following
        if option in _NAMES | _NAMES_OTHERS:
            yield from (f"{'!' * (option in _NAMES_OTHERS)}{_plain(name)}" for name in told.split(","))


def _plain(name: str) -> str:
    negated, name = name.startswith("!"), _AROUND.sub("", name.removeprefix("!"))
    return f"{'!' * negated}{normpath(name) if name.startswith('.') else name}"


def _is_one(package: Package, patterns: list[str]) -> bool:
    """By its name, with or without its scope, or by its folder."""
    name = str(package.content.get("name", ""))
    known = (name, basename(name), package.folder, basename(package.folder))
    return any(fnmatchcase(each, pattern) for pattern in patterns for each in known)
