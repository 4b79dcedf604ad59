"""Which members of a workspace the root's scripts of tests start theirs in: those that they name, or all. Pure."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fnmatch import fnmatchcase
from itertools import pairwise
from posixpath import basename, normpath

from repo_tools.environment.javascript.package_json import Package

_NAMES = frozenset((
    "--include", "--scope", "--filter", "-F", "--workspace", "-w", "--projects", "workspace",
    "--prefix", "-C", "--dir", "--cwd", "cd",
))  # fmt: skip
"""https://yarnpkg.com/cli/workspaces/foreach, https://pnpm.io/filtering, https://docs.npmjs.com/cli/using-npm/workspaces,
https://github.com/lerna/lerna/tree/main/libs/core/src/lib/filter-options, https://turborepo.com/docs/reference/run"""
_NAMES_OTHERS = frozenset(("--exclude", "--ignore"))
_USERS, _USED = re.compile(r"^\.{3}\^?"), re.compile(r"\^?\.{3}$")
"""``a...`` is a with what it uses, ``...a`` with what uses it; with ``^`` without a itself."""
_CHANGED = "["
_MOST_WILDCARDS = 3
_Neighbours = dict[str, set[str]]
"""Folder of a member -> those of others."""


@dataclass(frozen=True)
class _Filter:
    """What is asked for: members by a pattern, and their neighbours. `leaves_out`: these are not to be tested."""

    pattern: str
    leaves_out: bool = False
    with_users: bool = False
    with_used: bool = False
    itself: bool = True


def chosen_members(
    commands: Iterable[tuple[str, ...]], packages: tuple[Package, ...]
) -> tuple[tuple[Package, ...], tuple[Package, ...]]:
    """(those that `commands`, each of which tests in members, start tests in, the others). Where one names none, or
    names any in a way that nobody knows, it is every one."""
    chosen: set[str] = set()
    used = _used_by(packages)
    users = {folder: {user for user in used if folder in used[user]} for folder in used}
    for command in commands:
        filters = list(dict.fromkeys(_filters(_words(command))))
        wanted = [each for each in filters if not each.leaves_out] or [_Filter("*")]
        others = [each for each in filters if each.leaves_out]
        if any(_CHANGED in each.pattern or each.pattern.count("*") > _MOST_WILDCARDS for each in filters):
            return packages, ()
        if not all(any(_is_one(package, each.pattern) for package in packages) for each in wanted):
            return packages, ()
        chosen |= _folders(wanted, packages, used, users) - _folders(others, packages, used, users)
    rest = tuple(package for package in packages if package.folder not in chosen)
    return (tuple(package for package in packages if package.folder in chosen), rest) if chosen else (packages, ())


def _words(command: tuple[str, ...]) -> list[str]:
    """Of what a shell carries out (``cd packages/a && npm test``) that, too."""
    return command[2].split() if command[:2] == ("sh", "-c") else list(command)


def _filters(words: list[str]) -> Iterator[_Filter]:
    for word, following in pairwise([*words, ""]):
        option, sign, value = word.partition("=")
        told = value if sign else following
        if option in _NAMES | _NAMES_OTHERS:
            yield from (_filter(name, leaves_out=option in _NAMES_OTHERS) for name in told.split(","))


def _filter(text: str, *, leaves_out: bool) -> _Filter:
    asked = text.removeprefix("!")
    users, used = _USERS.search(asked), _USED.search(asked)
    name = _USED.sub("", _USERS.sub("", asked)).removeprefix("{").removesuffix("}")
    name = normpath(name) if name.startswith(".") else name
    itself = not any(found and "^" in found[0] for found in (users, used))
    return _Filter(name, leaves_out or text.startswith("!"), bool(users), bool(used), itself)


def _folders(filters: list[_Filter], packages: tuple[Package, ...], used: _Neighbours, users: _Neighbours) -> set[str]:
    named = {each: {package.folder for package in packages if _is_one(package, each.pattern)} for each in filters}
    of_used = set[str]().union(*(named[each] for each in filters if each.with_used))
    of_users = set[str]().union(*(named[each] for each in filters if each.with_users))
    themselves = set[str]().union(*(named[each] for each in filters if each.itself))
    return themselves | _beyond(of_used, used) | _beyond(of_users, users)


def _used_by(packages: tuple[Package, ...]) -> _Neighbours:
    """Folder of a member -> those of the members that it uses."""
    folders = {str(package.content.get("name", "")): package.folder for package in packages}
    return {package.folder: {folders[name] for name in package.dependencies if name in folders} for package in packages}


def _beyond(start: set[str], neighbours: _Neighbours) -> set[str]:
    """The neighbours of `start`, theirs, and so on."""
    seen: set[str] = set()
    waiting = list(start)
    while waiting:
        new = neighbours[waiting.pop()] - seen
        seen |= new
        waiting += new
    return seen


def _is_one(package: Package, pattern: str) -> bool:
    """By its name, with or without its scope, or by its folder."""
    name = str(package.content.get("name", ""))
    known = (name, basename(name), package.folder, basename(package.folder))
    return any(fnmatchcase(each, pattern) for each in known)
