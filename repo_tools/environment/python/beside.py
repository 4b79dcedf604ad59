"""Python projects side by side in one repository that require each other, though nothing binds them: each is installed
from where it stands, before what requires it. An index has another version of it, or none. Pure."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from functools import cached_property
from itertools import pairwise
from posixpath import join
from typing import Any

from packaging.version import Version

from repo_tools.changes import Tree
from repo_tools.environment.ci.installs import WITH_VALUE
from repo_tools.environment.commands import root_relative
from repo_tools.environment.contract import Environment, ReadFile, SetupCommand
from repo_tools.environment.folders import TESTS, is_within
from repo_tools.environment.one_project import reader_below, subtree
from repo_tools.environment.python.build_system import packaging
from repo_tools.environment.python.install import MAKE_VENV_QUICKLY, UV_INSTALL, install, packages_before_folders
from repo_tools.environment.python.manifests import python_manifests
from repo_tools.environment.python.metadata import literal_version, name_and_entry_points
from repo_tools.environment.python.requirement import (
    is_for_linux,
    is_requirement,
    lines_of,
    name_of,
    normal,
    read_requirement,
)
from repo_tools.environment.python.requirement_files import requirements_in
from repo_tools.environment.python.requirements import runtime_requirements
from repo_tools.environment.python.setup_file import required_words
from repo_tools.environment.settings_text import read_toml, table
from repo_tools.environment.texts import text_at

_MANIFESTS = ("pyproject.toml", "setup.cfg", "setup.py", "requirements.txt")
_EDITABLE = ("-e", "--editable")
_LIST = "-r"
_FOLLOWED = WITH_VALUE | {*_EDITABLE, _LIST}
_ASIDE = re.compile(r"(?:^|/)(?:e2e|integration[^/]*|cookiecutter[^/]*|template[^/]*)(?:/|$)")
"""Trials of the whole, and patterns of projects to come."""
_MOST = 50
_MOST_PROJECTS = 300
_MOST_BYTES, _MOST_OF_ONE = 600_000, 150_000
"""Of the manifests of all of them, and of each: a larger one tells nothing."""


class ProjectsBeside:
    """The Python projects among `folders`, which has the families of manifests of each, beside the one in `folder`."""

    def __init__(self, folder: str, folders: Mapping[str, frozenset[str]], tree: Tree, read: ReadFile) -> None:
        self._folder, self._tree, self._read = folder, tree, read
        known = [place for place, families in folders.items() if "python" in families]
        self._folders = _few(sorted(known, key=lambda place: place != folder), tree, read)
        self._required: dict[str, frozenset[str]] = {}
        self._versions: dict[str, Version | None] = {}

    def requirers(self) -> frozenset[str]:
        """Folders of those that require it."""
        return frozenset(other for other in self._folders if self._folder in self._required_by(other))

    def with_required(self, environment: Environment) -> Environment:
        """Its plan, which has those that it requires installed first."""
        own = {place for command in environment.setup for place in self._installed(command)}
        asked = {place for command in environment.setup for place in self._asked(command)}
        found = self._reached(asked | {place for each in own for place in self._required_by(each)})
        found -= own
        if not found:
            return environment
        in_turn = sorted(sorted(found)[:_MOST], key=lambda place: len(self._reached([place])))
        first = (_in_place(in_turn), *(() if self._folder else (packages_before_folders(),)))
        manifests = {path for place in in_turn for path in self._manifests(place)}
        named = ", ".join(place or "root" for place in in_turn)
        told = f"the repository's own {named}, which it requires: installed editable, if it can be built"
        at = len(MAKE_VENV_QUICKLY)
        return replace(
            environment,
            evidence=(*environment.evidence, told),
            setup=(*environment.setup[:at], *first, *environment.setup[at:]),
            manifests=tuple(sorted({*environment.manifests, *manifests})),
        )

    @cached_property
    def _places(self) -> dict[str, str]:
        """Normal name -> folder, where one alone is called so. A project among tests may be called like somebody
        else's, and is none of these."""
        found: dict[str, list[str]] = {}
        for folder in self._folders:
            tree, read = _manifests_of(folder, self._tree, self._read)
            aside = is_within(folder, TESTS) or _ASIDE.search(folder)
            if name := "" if aside or not packaging(tree, read) else name_and_entry_points(tree, read)[0]:
                found.setdefault(normal(name), []).append(folder)
        return {name: folders[0] for name, folders in found.items() if not folders[1:]}

    @cached_property
    def _bound(self) -> frozenset[str]:
        """Names whose places the root's manifest tells."""
        return _bound_by(text_at("pyproject.toml", self._tree, self._read))

    @cached_property
    def _members(self) -> frozenset[str]:
        """Those of them that are in the repository by their own names."""
        sources = _sources(text_at("pyproject.toml", self._tree, self._read))
        return frozenset(normal(name) for name, said in sources.items() if said == {"workspace": True})

    def _required_by(self, folder: str) -> frozenset[str]:
        if folder not in self._required:
            tree, read = _manifests_of(folder, self._tree, self._read)
            texts = {name: text_at(name, tree, read) for name in tree}
            words = {word for name, text in texts.items() for word in _without_pins(name, text)}
            words |= required_words(texts.get("setup.py", ""))
            bound = _bound_by(texts.get("pyproject.toml", ""))
            free = (word for word in words if name_of(word) not in bound)
            self._required[folder] = self._named(free) - {folder}
        return self._required[folder]

    def _named(self, words: Iterable[str], *, typed: bool = False) -> frozenset[str]:
        """Folders of those that `words` ask an index for; of what is `typed`, uv finds no member of a workspace."""
        bound = self._bound - self._members if typed else self._bound
        named = ((word, name_of(word)) for word in words if "@" not in word)
        known = ((word, self._places[name]) for word, name in named if name in self._places and name not in bound)
        return frozenset(place for word, place in known if is_for_linux(word) and self._is_taken(place, word))

    def _is_taken(self, folder: str, word: str) -> bool:
        """Unless `word` names one release, and the project in `folder` says that it is another."""
        asked = read_requirement(word) if "==" in word else None
        pins = [each for each in asked.specifier if each.operator in ("==", "===")] if asked else []
        if pins and folder not in self._versions:
            self._versions[folder] = literal_version(*_manifests_of(folder, self._tree, self._read))
        version = self._versions[folder] if pins else None
        return version is None or all(pin.contains(version, prereleases=True) for pin in pins)

    def _installed(self, command: SetupCommand) -> Iterator[str]:
        """Folders of those that `command` installs in place."""
        words = (word for option, word in pairwise(command.argv) if option in _EDITABLE)
        for word in (*words, *self._editable_in_lists(command)):
            yield from self._known(word, command.directory)

    def _asked(self, command: SetupCommand) -> Iterator[str]:
        """Folders of those that `command` asks an index for, or a list of its has in place by paths from the root."""
        if command.argv[: len(UV_INSTALL)] != UV_INSTALL:
            return
        words = pairwise(("", *command.argv[len(UV_INSTALL) :]))
        asked = (word for before, word in words if before not in _FOLLOWED and is_requirement(word))
        yield from self._named(asked, typed=True)
        for path in _lists(command):
            yield from self._named(filter(_is_no_pin, requirements_in(path, self._tree, self._read)))
        for word in self._editable_in_lists(command):
            yield from () if any(self._known(word, command.directory)) else self._known(word, "")

    def _editable_in_lists(self, command: SetupCommand) -> Iterator[str]:
        for path in _lists(command):
            for line in lines_of(text_at(path, self._tree, self._read)):
                option, _, word = line.partition(" ")
                yield from (word,) if option in _EDITABLE else ()

    def _known(self, word: str, directory: str) -> list[str]:
        """The folder of a project that `word` is, from `directory`."""
        place = root_relative(word.partition("[")[0].strip(), directory)
        return [place] if place in self._folders else []

    def _reached(self, folders: Iterable[str]) -> frozenset[str]:
        """`folders`, with what they require in turn."""
        waiting, found = list(folders), set[str]()
        while waiting:
            if (folder := waiting.pop()) not in found:
                found.add(folder)
                waiting += self._required_by(folder) - found
        return frozenset(found)

    def _manifests(self, folder: str) -> Iterator[str]:
        below, read = subtree(self._tree, folder, {}), reader_below(self._read, folder)
        return (join(folder, path) for path in python_manifests(below, read, ()))


def _few(folders: list[str], tree: Tree, read: ReadFile) -> list[str]:
    """As many as can be looked at; none where one stands alone."""
    kept, left = list[str](), _MOST_BYTES
    for folder in folders[:_MOST_PROJECTS]:
        own, read_own = _manifests_of(folder, tree, read)
        if (size := sum(len(read_own(name)) for name in own)) <= left:
            kept.append(folder)
            left -= size
    return kept if kept[1:] else []


def _without_pins(manifest: str, text: str) -> Iterator[str]:
    words = runtime_requirements(manifest, text)
    return filter(_is_no_pin, words) if manifest == "requirements.txt" else iter(words)


def _is_no_pin(line: str) -> bool:
    """A list that names the very release wants that of the index; what a project declares so is its own of that day."""
    return "==" not in line.partition(";")[0]


def _bound_by(pyproject: str) -> frozenset[str]:
    """Names that uv finds by itself: https://docs.astral.sh/uv/concepts/projects/dependencies/#dependency-sources"""
    return frozenset(map(normal, _sources(pyproject)))


def _sources(pyproject: str) -> Mapping[str, Any]:
    return table(read_toml(pyproject), "tool", "uv", "sources")


def _lists(command: SetupCommand) -> Iterator[str]:
    """Root-relative paths of lists of requirements."""
    return (root_relative(path, command.directory) for option, path in pairwise(command.argv) if option == _LIST)


def _manifests_of(folder: str, tree: Tree, read: ReadFile) -> tuple[Tree, ReadFile]:
    """What tells of the project itself, as if it were alone."""
    places = {name: join(folder, name) for name in _MANIFESTS}
    there = {name: path for name, path in places.items() if path in tree and len(read(path)) <= _MOST_OF_ONE}
    return {name: tree[path] for name, path in there.items()}, reader_below(read, folder)


def _in_place(folders: list[str]) -> SetupCommand:
    """All at once; or else one after the other, as each of them finds there what it requires."""
    alone = [_spare(install("--editable", _shown(place), required=False)) for place in folders]
    words = (word for place in folders for word in ("--editable", _shown(place)))
    together = SetupCommand((*UV_INSTALL, *words), required=False, otherwise=tuple(alone), spare=True)
    return together if alone[1:] else alone[0]


def _spare(command: SetupCommand) -> SetupCommand:
    return replace(command, spare=True, otherwise=tuple(map(_spare, command.otherwise)))


def _shown(folder: str) -> str:
    return f"./{folder}".removesuffix("/")
