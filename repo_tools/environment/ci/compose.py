"""Services that a job starts by `docker compose up` or `docker run`, as services beside the tests. Nothing is run.

https://docs.docker.com/reference/cli/docker/compose/, https://docs.docker.com/reference/cli/docker/container/run/
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from itertools import islice
from posixpath import dirname

from repo_tools.changes import Tree
from repo_tools.environment.ci.commands import CommandEvidence
from repo_tools.environment.ci.compose_file import ComposeFile, needed_by, pairs_of, services_in, text_of_file
from repo_tools.environment.ci.script_words import NOT_KNOWN
from repo_tools.environment.ci.servers import made_databases
from repo_tools.environment.ci.services import MOST_SERVICES, JobServices, service_of, told_to
from repo_tools.environment.commands import root_relative
from repo_tools.environment.contract import ReadFile, Service
from repo_tools.yaml_text import Node

ReadText = Callable[[str], str]
"""The text of a root-relative path; empty where there is none."""
Started = Callable[[CommandEvidence], JobServices]
"""What a command starts beside the tests."""

_FILES = ("compose.yaml", "compose.yml", "docker-compose.yaml", "docker-compose.yml")
_MOST_FILES = 8
"""Of one command."""
_NAMING = "COMPOSE_FILE"
_SEPARATING = "COMPOSE_PATH_SEPARATOR"
_FILE = ("-f", "--file")
_ENV_FILE = "--env-file"
_STARTS = frozenset(("up", "start"))
_WITH_VALUE = frozenset((
    *_FILE, "-p", "--profile", "--project-name", _ENV_FILE, "--project-directory", "--ansi", "--progress",
    "--scale", "-t", "--timeout", "--wait-timeout", "--pull", "--exit-code-from",
))  # fmt: skip
_RUNS, _ALONE = "run", "--no-deps"
_WITH_VALUE_OF_RUN = frozenset((
    "-e", "--env", "-u", "--user", "-w", "--workdir", "-v", "--volume", "-p", "--publish", "--name", "--entrypoint",
    "--index", "-l", "--label", "--env-from-file", "--cap-add", "--cap-drop", "--pull",
))  # fmt: skip
_SWITCHES_OF_RUN = frozenset((
    "-d", "-i", "-t", "-P", "-q", "--detach", "--interactive", "--tty", "--publish-all", "--quiet", "--rm", "--init",
    "--privileged", "--read-only", "--no-healthcheck", "--oom-kill-disable",
))  # fmt: skip
_CLUSTER = re.compile(r"-[ditPq]+[a-z]?")
_DETACHED = frozenset(("-d", "--detach"))
_PUBLISH, _ENV, _NAME = ("-p", "--publish"), ("-e", "--env"), ("--name",)


@dataclass(frozen=True)
class Composed:
    """``docker compose [options] VERB [words]``, with the files that it reads, or the first that would be read; a later
    one adds to what an earlier one says."""

    verb: str
    words: tuple[str, ...]
    files: tuple[ComposeFile, ...]
    profiles: Set[str]

    def named(self) -> tuple[list[tuple[str, str]], str, tuple[str, ...]]:
        """(options of ``run`` or ``exec``, the service, what is started in it)."""
        options: list[tuple[str, str]] = []
        rest = iter(self.words)
        for word in rest:
            if not word.startswith("-"):
                return options, word, tuple(rest)
            name, equals, value = word.partition("=")
            options.append((name, value if equals else next(rest, "") if name in _WITH_VALUE_OF_RUN else ""))
        return options, "", ()

    def needed(self, named: Iterable[str]) -> list[str]:
        """The services that are started before those that are named, each once."""
        found: list[str] = []
        waiting = [each for name in named for each in needed_by(self.service(name))]
        while waiting and len(found) < MOST_SERVICES:
            if (name := waiting.pop(0)) not in found:
                found.append(name)
                waiting += needed_by(self.service(name))
        return found

    def service(self, name: str) -> Node:
        told = [node for file in self.files if (node := file.service(name))]
        return Node({key: value for node in told for key, value in node.mapping.items()}, 0)


def is_composed(command: CommandEvidence) -> bool:
    words = command.argv[1:] if command.argv[:1] == ("sudo",) else command.argv
    return words[:1] == ("docker-compose",) or words[:2] == ("docker", "compose")


def composed_by(command: CommandEvidence, tree: Tree, read: ReadFile) -> Composed | None:
    """None where it is another command."""
    if not is_composed(command):
        return None
    words = command.argv[1:] if command.argv[:1] == ("sudo",) else command.argv
    arguments = words[1 + (words[0] == "docker") :]
    options: list[tuple[str, str]] = []
    while arguments and arguments[0].startswith("-"):
        name, equals, value = arguments[0].partition("=")
        takes = not equals and name in _WITH_VALUE
        options.append((name, value if equals else arguments[1] if takes and arguments[1:] else ""))
        arguments = arguments[1 + takes :]
    if not arguments:
        return None
    there = _files([value for name, value in options if name in _FILE], command, tree, read)
    of_variables = [value for name, value in options if name == _ENV_FILE]
    known = _known(there[0], of_variables, command, tree, read) if there else {}
    files = [ComposeFile(path, dirname(there[0]), known, tree, read) for path in there]
    together = (each for file in files for each in (file, *file.included))
    return Composed(
        arguments[0],
        arguments[1:],
        tuple(islice(together, _MOST_FILES)),
        {value for name, value in options if name == "--profile"},
    )


def _files(named: Sequence[str], command: CommandEvidence, tree: Tree, read: ReadFile) -> list[str]:
    """The compose files of `tree` that are read together, the first that has a say first; in all of
    them paths begin where the first lies:
    https://docs.docker.com/compose/how-tos/multiple-compose-files/merge/, and for the variable, which may stand in a
    file, https://docs.docker.com/compose/how-tos/environment-variables/envvars/. One that names none of them there, of
    a person's own or by other variables, is as if it were not there."""
    in_file = dict(pairs_of(text_of_file(root_relative(".env", command.directory), tree, read)))
    known = {**in_file, **dict(command.variables)}
    by_variable = filter(None, known.get(_NAMING, "").split(known.get(_SEPARATING) or ":"))
    chosen = [root_relative(name, command.directory) for name in (*named,) or by_variable]
    is_of_file = not named and _NAMING not in dict(command.variables)
    if not chosen or (is_of_file and tree.keys().isdisjoint(chosen)):
        usual = (root_relative(name, command.directory) for name in _FILES)
        first = next((path for path in usual if path in tree), "")
        chosen = [first, *(f"{first.rpartition('.')[0]}.override.{end}" for end in ("yml", "yaml"))]
    return [path for path in chosen if path in tree]


def starting(tree: Tree, read: ReadFile) -> Started:
    """For the compose files, and those of variables and of SQL, of `tree`."""

    def text(path: str) -> str:
        return text_of_file(path, tree, read)

    def started(command: CommandEvidence) -> JobServices:
        words = command.argv[1:] if command.argv[:1] == ("sudo",) else command.argv
        if words[:2] == ("docker", "container"):
            words = ("docker", *words[2:])
        if composed := composed_by(command, tree, read):
            found = JobServices.of(_started(composed, command))
        elif words[:2] == ("docker", "run"):
            found = JobServices.of(_run(words[2:], command, text))
        else:
            found = JobServices()
        return replace(found, databases=made_databases(command, text))

    return started


def _started(composed: Composed, command: CommandEvidence) -> Iterator[Service | str]:
    words = composed.words
    if composed.verb in _STARTS:
        wanted, options = _split(words, lambda word: word in _WITH_VALUE)
        wanted += [] if _is_alone(options) else composed.needed(wanted)
    elif composed.verb == _RUNS:
        options, name, _ = composed.named()
        wanted = [] if _is_alone(options) else composed.needed([name])
        if not wanted:
            return
    else:
        return
    if not composed.files:
        yield " ".join(command.argv)
    yield from services_in(composed.files, wanted, composed.profiles)


def _is_alone(options: Iterable[tuple[str, str]]) -> bool:
    return any(name == _ALONE and value in ("", "true") for name, value in options)


def _known(first: str, named: list[str], command: CommandEvidence, tree: Tree, read: ReadFile) -> Mapping[str, str]:
    """What stands for the variables in a compose file:
    https://docs.docker.com/compose/how-tos/environment-variables/variable-interpolation/"""
    paths = [root_relative(path, command.directory) for path in named] or [root_relative(".env", dirname(first))]
    found = {name: value for path in paths for name, value in pairs_of(text_of_file(path, tree, read))}
    return found | dict(command.variables)


def _run(words: tuple[str, ...], command: CommandEvidence, text: ReadText) -> Iterator[Service | str]:
    """One that is waited for is no server."""
    single = (part for word in words for part in (_apart(word) if _CLUSTER.fullmatch(word) else (word,)))
    plain, options = _split(single, lambda word: word not in _SWITCHES_OF_RUN)
    if plain and (_DETACHED & {name for name, _ in options} or command.is_beside):
        named = next((value for name, value in options if name in _NAME), "")
        image = plain[0] if plain[0] != NOT_KNOWN else named or NOT_KNOWN
        ports = [value for name, value in options if name in _PUBLISH]
        given = {key: value for name, value in options for key, value in _variables(name, value, command, text)}
        given |= told_to(word for option in options for word in option)
        variables = {name: value for name, value in given.items() if NOT_KNOWN not in value}
        yield service_of(image, named, command.source, ports, variables)


def _variables(option: str, value: str, command: CommandEvidence, text: ReadText) -> Iterator[tuple[str, str]]:
    """What an option of ``docker run`` sets: https://docs.docker.com/reference/cli/docker/container/run/#env"""
    if option == _ENV_FILE:
        yield from pairs_of(text(root_relative(value, command.directory)))
    elif option in _ENV:
        name, equals, said = value.partition("=")
        known = dict(command.variables)
        if equals or name in known:
            yield name, said if equals else known[name]


def _apart(cluster: str) -> tuple[str, ...]:
    """``-dp`` -> ``-d``, ``-p``."""
    return tuple(f"-{letter}" for letter in cluster[1:])


def _split(words: Iterable[str], takes_value: Callable[[str], bool]) -> tuple[list[str], list[tuple[str, str]]]:
    """(words that are no options, (option, value) of the others)."""
    plain: list[str] = []
    options: list[tuple[str, str]] = []
    rest = iter(words)
    for word in rest:
        name, equals, value = word.partition("=")
        if not word.startswith("-"):
            plain.append(word)
        else:
            options.append((name, value if equals else next(rest, "") if takes_value(word) else ""))
    return plain, options
