"""A container that holds the repository, and what it runs as commands of the job that starts it. Nothing is run."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import islice, pairwise
from posixpath import join, normpath, relpath

from repo_tools.environment.ci.commands import CommandEvidence
from repo_tools.environment.ci.compose_file import ComposeFile, command_of, text_of_file
from repo_tools.environment.ci.dockerfile import Dockerfile, words_of
from repo_tools.environment.ci.programs import SHELLS, name_of
from repo_tools.environment.ci.script_commands import commands_of
from repo_tools.environment.ci.script_words import NOT_KNOWN
from repo_tools.environment.ci.services import MOST_SERVICES
from repo_tools.environment.ci.steps import MOST_COMMANDS
from repo_tools.environment.ci.values import MAX_CHARACTERS, MOST_VARIABLES, items_at
from repo_tools.sandbox.contract import WORKSPACE
from repo_tools.yaml_text import Node

Options = list[tuple[str, str]]
"""Of what starts it, each with its value."""

_LISTS = ("-r", "--requirement")
_VARIABLE, _FOLDER = ("-e", "--env"), ("-w", "--workdir")
_ENTRY = "--entrypoint"
_OF_THE_MACHINE = frozenset(("PATH", "HOME", "USER"))
_PRODUCTION = "production"
_STARTS = re.compile(r"python[\d.]*|(?:ba|da)?sh|pytest|py\.test|manage\.py|coverage|tox|uv|poetry|pipenv|make")
"""What an entry may be, besides a script that gets things ready."""
_GOES = re.compile(r"(\bcd\s{1,9})(/[\w./-]+)")
_OF_SHELL = re.compile(r"-[a-z]*c")
_LAST = "agent-fix-last"
"""Behind a script: what is set there is what the program finds that it starts in the end."""


def done_within(
    service: Node,
    said: Mapping[str, str],
    options: Options,
    image: "Image",
    command: CommandEvidence,
    words: tuple[str, ...],
) -> Iterator[CommandEvidence]:
    """What `command` comes to that runs `words` in a container; `service`: as a compose file has it, whose variables
    are `said`."""
    container = _container(service, said, options, image)
    yield from image.installed(command.source)
    yield from _commands((*_before(service, image, dict(options)), *words), container, command)


@dataclass(frozen=True)
class _Container:
    """`held`: (its folder, the root-relative one that is there), the deepest first; `start`: where its commands start,
    root-relative."""

    held: tuple[tuple[str, str], ...]
    start: str
    variables: Mapping[str, str]

    def here(self, path: str) -> str | None:
        """The same in the repository; None where that is elsewhere."""
        found = ((place, own) for place, own in self.held if path == place or path.startswith(f"{place}/"))
        return next((_plain(join(own, path.removeprefix(place).lstrip("/"))) for place, own in found), None)

    def written(self, value: str) -> str:
        """A value, or a list of them, with the paths of the repository in the place of the container's."""
        parts = re.split(r"([:=,]|(?<=:)///(?=/))", value)
        return "".join(
            f"{WORKSPACE}/{own}".rstrip("/") if (own := self._path(part)) is not None else part for part in parts
        )

    def word(self, word: str, directory: str) -> str:
        """One of a command that starts in `directory`, which may be the value of an option."""
        option, equals, value = word.partition("=") if word.startswith("--") else ("", "", word)
        own = self._path(value)
        return word if own is None else option + equals + relpath(own or ".", directory or ".")

    def command(self, within: CommandEvidence, by: CommandEvidence) -> CommandEvidence:
        """One `within` it that the job starts `by` another, as one of the job's."""
        variables = {**dict(by.variables), **self.variables, **dict(within.variables)}
        argv = tuple(self.word(word, within.directory) for word in within.argv)
        return replace(within, argv=argv, source=by.source, variables=tuple(variables.items()))

    def _path(self, text: str) -> str | None:
        is_path = text.startswith("/") and not text.startswith("//")  # what stands behind ``postgres:`` is none
        return self.here(normpath(text)) if is_path else None


@dataclass(frozen=True)
class Image:
    """`context`: the folder that it is built in."""

    file: ComposeFile
    built: Dockerfile
    context: str

    def source_of(self, path: str) -> str:
        """The file of the repository that it has there; empty where it has none."""
        copied = (_plain(join(self.context, source)) for source in self.built.sources_of(path))
        return next((each for each in copied if each in self.file.tree), "")

    def own(self, path: str) -> str:
        """The file of that path in the folder."""
        return _plain(join(self.context, path))

    def installed(self, source: str) -> Iterator[CommandEvidence]:
        """The lists that pip is told of when it is made."""
        paths = map(self.source_of, islice(self._lists(), MOST_COMMANDS))
        return (CommandEvidence(("pip", "install", "-r", path), source=source) for path in paths if path)

    def _lists(self) -> Iterator[str]:
        for directory, script in self.built.runs:
            for command in commands_of(script, "", "", 1):
                if command.name == "pip" and command.program[1:2] in (("install",), ("wheel",)):
                    pairs = pairwise(command.program)
                    yield from (normpath(join(directory, value)) for option, value in pairs if option in _LISTS)


def _container(service: Node, said: Mapping[str, str], options: Options, image: Image) -> _Container:
    file, built, context = image.file, image.built, image.context
    held = tuple(sorted(_held(service, file, built, context), key=lambda each: -len(each[0])))
    start = next((value for key, value in options if key in _FOLDER), "") or file.text(
        service.mapping.get("working_dir")
    )
    container = _Container(held, context, {})
    place = container.here(normpath(start or built.directory or "/"))
    container = replace(container, start=_stands(place, file, context))
    given = {own: value for own, value in built.variables.items() if not _is_of_image(value, container)}
    given |= said
    given |= dict(value.split("=", 1) for key, value in options if key in _VARIABLE and "=" in value)
    given |= _exported(_script_of_entry(service, image, container), given)
    some = islice(given.items(), MOST_VARIABLES)
    known = {own: container.written(value[:MAX_CHARACTERS]) for own, value in some if NOT_KNOWN not in value}
    known = {own: value for own, value in known.items() if own not in _OF_THE_MACHINE}
    if path := known.pop("PYTHONPATH", ""):
        here = [part for part in path.split(":") if part.startswith(WORKSPACE) or not part.startswith("/")]
        known |= {"PYTHONPATH": ":".join(here)} if any(here) else {}
    return replace(container, variables=known)


def _is_of_image(value: str, container: _Container) -> bool:
    """Whether what an image sets is for what it is made for, or names places in it that the repository has not: where
    its own tools are."""
    places = (part for part in re.split("[:,]", value) if part.startswith("/") and not part.startswith("//"))
    return value == _PRODUCTION or any(container.here(normpath(place)) is None for place in places)


def _stands(place: str | None, file: ComposeFile, context: str) -> str:
    """The folder `place`, if there is one, else that of the build, else the root."""
    for folder in (place, context):
        if folder and any(path.startswith(f"{folder}/") for path in file.tree):
            return folder
    return ""


def _held(service: Node, file: ComposeFile, built: Dockerfile, context: str) -> Iterator[tuple[str, str]]:
    """What is mounted comes before what is copied; a file that is copied makes no folder of the repository's."""
    for item in items_at(service, "volumes")[:MOST_SERVICES]:
        source, _, rest = file.text(item).partition(":")
        source = source or file.text(item.mapping.get("source")) or ("." if rest else "")
        target = rest.partition(":")[0] or file.text(item.mapping.get("target"))
        if source.startswith(".") and target.startswith("/"):
            yield normpath(target), file.place(source)
    for source, target in built.copied[:MOST_SERVICES]:
        place = _plain(join(context, source))
        if target != "/" and place not in file.tree:
            yield target, place


def _entry(service: Node, image: Image) -> tuple[str, ...]:
    """The words before every command in it."""
    return tuple(command_of(service, image.file, "entrypoint")) or image.built.entrypoint


def _before(service: Node, image: Image, options: Mapping[str, str]) -> tuple[str, ...]:
    """Those of them that do more than to get things ready."""
    words = words_of(options[_ENTRY]) if _ENTRY in options else _entry(service, image)
    return tuple(words) if words and _STARTS.fullmatch(name_of(tuple(words))) else ()


def _script_of_entry(service: Node, image: Image, container: _Container) -> str:
    """The text of the script that starts all commands in it; empty where it is none of the repository's."""
    entry = _entry(service, image)
    path = normpath(join("/", image.built.directory, entry[0])) if entry else ""
    parts = path.split("/")[2:] if path and not image.built.directory else []  # what it comes from says where it starts
    ends = ("/".join(parts[i:]) for i in range(len(parts)))
    places = filter(None, (image.source_of(path), container.here(path) or "", *map(image.own, ends))) if path else ()
    texts = (text_of_file(place, image.file.tree, image.file.read) for place in places)
    return next(filter(None, texts), "")


def _exported(script: str, given: Mapping[str, str]) -> dict[str, str]:
    """What that script sets."""
    ended = [*commands_of(f"{script}\n{_LAST}", "", "", 1, given)] if script else []
    return dict(ended[-1].variables) if ended and ended[-1].argv == (_LAST,) else {}


def _commands(words: tuple[str, ...], container: _Container, command: CommandEvidence) -> Iterator[CommandEvidence]:
    shell = next((i for i, word in enumerate(words[:4]) if _OF_SHELL.fullmatch(word)), 0)
    if name_of(words) in SHELLS and shell and len(words) > shell + 1:
        yield from _of_shell(words[shell + 1].replace("$$", "$"), container, command)
    elif words:
        in_part = any(NOT_KNOWN in word for word in words)
        yield container.command(CommandEvidence(words, container.start, in_part=in_part), command)


def _of_shell(text: str, container: _Container, command: CommandEvidence) -> Iterator[CommandEvidence]:
    path, _, line = command.source.rpartition(":")
    text = _GOES.sub(lambda goes: goes[1] + container.written(goes[2]), text)
    set_there = {**dict(command.variables), **container.variables}
    for each in commands_of(text, container.start, path, int(line) if line.isdigit() else 1, set_there):
        yield container.command(each, command)


def _plain(path: str) -> str:
    """Root-relative; the root is empty."""
    known = normpath(path).lstrip("/")
    return "" if known == "." else known
