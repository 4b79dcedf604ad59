"""What Docker itself is told to run in a container: ``docker build -t app . && docker run app pytest``. Nothing is run.

https://docs.docker.com/reference/cli/docker/container/run/, https://docs.docker.com/reference/cli/docker/buildx/build/
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice
from posixpath import normpath

from repo_tools.changes import Tree
from repo_tools.environment.ci.commands import CommandEvidence
from repo_tools.environment.ci.compose import is_composed
from repo_tools.environment.ci.compose_file import pairs_of, text_of_file
from repo_tools.environment.ci.container import Options
from repo_tools.environment.ci.dockerfile import Dockerfile, read_dockerfile
from repo_tools.environment.commands import root_relative
from repo_tools.environment.contract import ReadFile
from repo_tools.sandbox.contract import WORKSPACE

_MOST_IMAGES = 30
_FILE = "Dockerfile"
_ENGINES = frozenset(("docker", "podman"))
_GROUPS = frozenset(("container", "image", "buildx"))
_SWITCHES = frozenset((
    "--detach", "--interactive", "--tty", "--publish-all", "--quiet", "--rm", "--init", "--privileged", "--read-only",
    "--no-healthcheck", "--oom-kill-disable", "--sig-proxy", "--no-cache", "--pull", "--force-rm", "--squash",
    "--compress", "--push", "--load",
))  # fmt: skip
_OF_RUN, _OF_BUILD = re.compile(r"-[ditPq]+"), re.compile(r"-q")
_JOINED = re.compile(r"-[evwup].")
"""A short option and its value (``-v/a:/b``)."""
_DETACHED = re.compile(r"--detach|-[itPq]*d[itPq]*")
_NAMED, _SET, _MOUNTED, _BUILT_AS = "--name", "--env-file", ("-v", "--volume"), ("-t", "--tag")


@dataclass(frozen=True)
class Run:
    """`context`: the folder that its image is built in; `mounts`: ``FROM:TO``, from the root of the repository;
    `variables`: those of files."""

    options: Options
    words: tuple[str, ...]
    built: Dockerfile
    context: str
    mounts: tuple[str, ...]
    variables: Mapping[str, str]


@dataclass
class Images:
    """What the commands before built and started, in the order that they are asked about."""

    tree: Tree
    read: ReadFile
    built: dict[str, tuple[Dockerfile, str]] = field(default_factory=dict)
    started: dict[str, tuple[Options, str]] = field(default_factory=dict)

    def run_by(self, command: CommandEvidence) -> Run | None:
        """What is waited for in a container that may hold the repository; None where a command is another one."""
        verb, words = _verb_of(command)
        if verb == "build":
            self._build(words, command)
        if verb not in ("run", "exec"):
            return None
        options, rest = _options(words, _OF_RUN)
        name, *told = (*rest, "")
        image, is_new = name, verb == "run"
        if is_new and len(self.started) < _MOST_IMAGES:
            self.started |= {value: (options, name) for option, value in options if option == _NAMED}
        elif not is_new:
            before, image = self.started.get(name, ([], name))
            options = [*before, *options]
        if not image or (is_new and any(_DETACHED.fullmatch(option) for option, _ in options)):
            return None
        return self._of_image(image, options, tuple(told[:-1]), command)

    def _of_image(self, image: str, options: Options, words: tuple[str, ...], command: CommandEvidence) -> Run | None:
        mounts = tuple(_mounts(options, command))
        found = self.built.get(_untagged(image)) or (None if mounts else self._read(_FILE, "", command))
        if not (found or mounts):
            return None
        built, context = found or (Dockerfile(), "")
        files = [_place(value, command.directory) for option, value in options if option == _SET]
        said = dict(pair for path in files for pair in pairs_of(text_of_file(path, self.tree, self.read)))
        return Run(options, words or built.command, built, context, mounts, said)

    def _build(self, words: tuple[str, ...], command: CommandEvidence) -> None:
        """The folder may stand anywhere among the options."""
        options, plain = [], list[str]()
        while words:
            more, rest = _options(words, _OF_BUILD)
            options += more
            plain += rest[:1]
            words = tuple(rest[1:])
        told = dict(options)
        file = told.get("-f") or told.get("--file") or ""
        context = _place(plain[0], command.directory) if plain else ""
        path = _place(file, command.directory) if file else root_relative(_FILE, context)
        given = dict(value.partition("=")[::2] for option, value in options if option == "--build-arg")
        text = text_of_file(path, self.tree, self.read)
        for option, name in options:
            if option in _BUILT_AS and text and len(self.built) < _MOST_IMAGES:
                self.built[_untagged(name)] = read_dockerfile(text, given, told.get("--target", "")), context

    def _read(self, path: str, context: str, command: CommandEvidence) -> tuple[Dockerfile, str] | None:
        if path not in self.tree:
            return None
        return read_dockerfile(text_of_file(path, self.tree, self.read), dict(command.variables)), context


def is_of_docker(command: CommandEvidence) -> bool:
    """Whether it builds an image or runs something in a container."""
    return is_composed(command) or _verb_of(command)[0] in ("build", "run", "exec")


def _verb_of(command: CommandEvidence) -> tuple[str, tuple[str, ...]]:
    words = command.argv[1:] if command.argv[:1] == ("sudo",) else command.argv
    if not words or words[0] not in _ENGINES:
        return "", ()
    rest = words[2:] if words[1:2] and words[1] in _GROUPS else words[1:]
    return (rest[0], rest[1:]) if rest else ("", ())


def _options(words: tuple[str, ...], switches: re.Pattern[str]) -> tuple[Options, list[str]]:
    """(options and their values before the first other word, the words from that on). `switches`: short ones without a
    value."""
    options: Options = []
    rest = [*words]
    while rest and rest[0].startswith("-"):
        name, equals, value = rest.pop(0).partition("=")
        if _JOINED.match(name) and not switches.fullmatch(name):
            name, equals, value = name[:2], "=", name[2:] + equals + value
        takes = not (equals or name in _SWITCHES or switches.fullmatch(name))
        options.append((name, rest.pop(0) if takes and rest else value))
    return options, rest


def _mounts(options: Options, command: CommandEvidence) -> Iterator[str]:
    for option, value in islice(options, _MOST_IMAGES):
        source, _, target = value.partition(":")
        is_path = source.startswith((".", WORKSPACE))  # any other word is a volume's name
        if option in _MOUNTED and is_path and target.startswith("/"):
            yield f"./{_place(source, command.directory)}:{target}"


def _place(path: str, directory: str) -> str:
    """Root-relative."""
    known = normpath(path)
    is_absolute = known == WORKSPACE or known.startswith(f"{WORKSPACE}/")
    return root_relative(known.removeprefix(WORKSPACE)) if is_absolute else root_relative(known, directory)


def _untagged(image: str) -> str:
    """A variable often holds what tells it from other builds of it."""
    return re.sub(r":[^/]*$", "", image)
