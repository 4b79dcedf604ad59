"""What a Dockerfile says of the containers that are made by it. Nothing is built.

https://docs.docker.com/reference/dockerfile/
"""

import json
import re
import shlex
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from itertools import islice
from posixpath import basename, dirname, join, normpath

from repo_tools.environment.settings_text import strings

_MOST_LINES, _MOST_CHARACTERS, _MOST_COPIED = 300, 4_000, 100
_NAME = re.compile(r"\$\{(\w+)(?::?-([^}$]{0,200}))?\}|\$(\w+)")
_CONTINUED = re.compile(r"\\[ \t]*\n")
_COMMENT = re.compile(r"(?m)^[ \t]*#.*\n?")
_ALIAS = re.compile(r"(\S+)(?:\s+as\s+(\S+))?", re.IGNORECASE)


@dataclass
class Dockerfile:
    """Of the last stage that is made: `base` is the image that it comes from in the end, `directory` where its commands
    start, `entrypoint` the words before them, `command` what it starts if it is told nothing; `copied`: (source, from
    where it is built, target); `runs`: (directory, script)."""

    base: str = ""
    directory: str = ""
    entrypoint: tuple[str, ...] = ()
    command: tuple[str, ...] = ()
    variables: dict[str, str] = field(default_factory=dict)
    copied: list[tuple[str, str]] = field(default_factory=list)
    runs: list[tuple[str, str]] = field(default_factory=list)

    def sources_of(self, path: str) -> Iterator[str]:
        """Where a file of the container may be copied from, if it is, the last first."""
        for source, target in reversed(self.copied):
            if path == target:
                yield source
            elif dirname(path) == target and fnmatchcase(basename(path), basename(source)):
                yield join(dirname(source), basename(path))
            elif path.startswith(target.rstrip("/") + "/"):
                yield join(source, path.removeprefix(target).lstrip("/"))


def read_dockerfile(text: str, given: Mapping[str, str], target: str = "") -> Dockerfile:
    """`given`: arguments of the build; `target`: the stage that it is for."""
    reader = _Reader(given)
    for instruction, said in _instructions(text):
        if instruction == "FROM" and target and reader.stage == target.lower():
            break
        reader.take(instruction, said)
    return reader.found


class _Reader:
    def __init__(self, given: Mapping[str, str]) -> None:
        self.found = Dockerfile()
        self.stage = ""
        self._bases: dict[str, str] = {}
        self._known = dict(given)

    def take(self, instruction: str, said: str) -> None:
        found = self.found
        match instruction:
            case "FROM":
                self._begin(_ALIAS.match(self._plain(_without_flags(said))))
            case "ARG":
                name, _, value = said.partition("=")
                self._known.setdefault(name, self._plain(value.strip("\"'")))
            case "ENV":
                found.variables |= {name: self._plain(value) for name, value in _pairs(said)}
            case "WORKDIR":
                found.directory = self._place(self._plain(said))
            case "ENTRYPOINT":
                found.entrypoint = tuple(words_of(said))
            case "CMD":
                found.command = tuple(words_of(said)) if said.startswith("[") else ("sh", "-c", said)
            case "RUN":
                found.runs.append((found.directory or "/", self._plain(said)))
            case "COPY" | "ADD" if "--from" not in said:
                self._copy(words_of(self._plain(_without_flags(said))))

    def _begin(self, image: re.Match[str] | None) -> None:
        self.found.base = self._bases.get(image[1].lower(), image[1]) if image else ""
        self.stage = (image[2] or "").lower() if image else ""
        self._bases[self.stage] = self.found.base

    def _copy(self, words: list[str]) -> None:
        *sources, place = words or [""]
        copied = self.found.copied
        copied += [(normpath(source).lstrip("/"), self._place(place)) for source in sources[:_MOST_COPIED]]
        del copied[_MOST_COPIED:]

    def _place(self, path: str) -> str:
        return normpath(join(self.found.directory or "/", path))

    def _plain(self, value: str) -> str:
        names = {**self._known, **self.found.variables}
        return _NAME.sub(lambda name: names.get(name[1] or name[3]) or name[2] or "", value)[:_MOST_CHARACTERS]


def words_of(said: str) -> list[str]:
    """Of a list in brackets, or as a shell has them; none where quotes do not match."""
    try:
        listed = json.loads(said) if said.startswith("[") else shlex.split(said)
    except ValueError:
        return []
    return strings(listed)


def _instructions(text: str) -> Iterator[tuple[str, str]]:
    whole = _CONTINUED.sub(" ", _COMMENT.sub("", text.replace("\r\n", "\n")))
    for line in islice((line.strip() for line in whole.split("\n") if line.strip()), _MOST_LINES):
        instruction, _, said = line.partition(" ")
        if len(said) <= _MOST_CHARACTERS:
            yield instruction.upper(), said.strip()


def _without_flags(said: str) -> str:
    return re.sub(r"^(?:--\S+\s+)+", "", said)


def _pairs(said: str) -> Iterator[tuple[str, str]]:
    """``ENV A=1 B=2``, and ``ENV A 1``."""
    first = said.split(maxsplit=1)
    if first and "=" not in first[0]:
        yield first[0], first[1] if len(first) > 1 else ""
        return
    for word in words_of(said):
        name, equals, value = word.partition("=")
        if equals:
            yield name, value
