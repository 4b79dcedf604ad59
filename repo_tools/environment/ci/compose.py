"""Services that a job starts by `docker compose up` or `docker run`, as services beside the tests. Nothing is run.

https://docs.docker.com/reference/cli/docker/compose/, https://docs.docker.com/reference/cli/docker/container/run/
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from posixpath import dirname

from repo_tools.changes import Tree
from repo_tools.environment.ci.commands import NOT_KNOWN, CommandEvidence
from repo_tools.environment.ci.compose_file import ComposeFile, pairs_of, services_in, text_of_file
from repo_tools.environment.ci.servers import made_databases
from repo_tools.environment.ci.services import JobServices, service_of, told_to
from repo_tools.environment.commands import root_relative
from repo_tools.environment.contract import ReadFile, Service

Started = Callable[[CommandEvidence], JobServices]
"""What a command starts beside the tests."""

_FILES = ("compose.yaml", "compose.yml", "docker-compose.yaml", "docker-compose.yml")
_FILE = ("-f", "--file")
_ENV_FILE = "--env-file"
_STARTS = frozenset(("up", "start"))
_WITH_VALUE = frozenset((
    *_FILE, "-p", "--profile", "--project-name", _ENV_FILE, "--project-directory", "--ansi", "--progress",
    "--scale", "-t", "--timeout", "--wait-timeout", "--pull", "--exit-code-from",
))  # fmt: skip
_SWITCHES_OF_RUN = frozenset((
    "-d", "-i", "-t", "-P", "-q", "--detach", "--interactive", "--tty", "--publish-all", "--quiet", "--rm", "--init",
    "--privileged", "--read-only", "--no-healthcheck", "--oom-kill-disable",
))  # fmt: skip
_CLUSTER = re.compile(r"-[ditPq]+[a-z]?")
_DETACHED = frozenset(("-d", "--detach"))
_PUBLISH, _ENV, _NAME = ("-p", "--publish"), ("-e", "--env"), ("--name",)


def starting(tree: Tree, read: ReadFile) -> Started:
    """For the compose files, and the files of SQL, of `tree`."""

    def started(command: CommandEvidence) -> JobServices:
        words = command.argv[1:] if command.argv[:1] == ("sudo",) else command.argv
        if words[:2] == ("docker", "container"):
            words = ("docker", *words[2:])
        if words[:1] == ("docker-compose",) or words[:2] == ("docker", "compose"):
            arguments = words[1 + (words[0] == "docker") :]
            found = JobServices.of(_composed(arguments, command, tree, read))
        elif words[:2] == ("docker", "run"):
            found = JobServices.of(_run(words[2:], command))
        else:
            found = JobServices()
        return replace(found, databases=made_databases(command, lambda path: text_of_file(path, tree, read)))

    return started


def _composed(words: tuple[str, ...], command: CommandEvidence, tree: Tree, read: ReadFile) -> Iterator[Service | str]:
    plain, options = _split(words, lambda word: word in _WITH_VALUE)
    if not plain or plain[0] not in _STARTS:
        return
    named = [value for name, value in options if name in _FILE] or list(_FILES)
    there = [path for path in (root_relative(name, command.directory) for name in named) if path in tree]
    if not there:
        yield " ".join(command.argv)
        return
    profiles = {value for name, value in options if name == "--profile"}
    known = _known(there[0], [value for name, value in options if name == _ENV_FILE], command, tree, read)
    are_named = any(name in _FILE for name, _ in options)
    for path in there if are_named else there[:1]:
        yield from services_in(ComposeFile(path, known, tree, read), plain[1:], profiles)


def _known(first: str, named: list[str], command: CommandEvidence, tree: Tree, read: ReadFile) -> Mapping[str, str]:
    """What stands for the variables in a compose file:
    https://docs.docker.com/compose/how-tos/environment-variables/variable-interpolation/"""
    paths = [root_relative(path, command.directory) for path in named] or [root_relative(".env", dirname(first))]
    found = {name: value for path in paths for name, value in pairs_of(text_of_file(path, tree, read))}
    return found | dict(command.variables)


def _run(words: tuple[str, ...], command: CommandEvidence) -> Iterator[Service | str]:
    """One that is waited for is no server."""
    single = (part for word in words for part in (_apart(word) if _CLUSTER.fullmatch(word) else (word,)))
    plain, options = _split(single, lambda word: word not in _SWITCHES_OF_RUN)
    if plain and _DETACHED & {name for name, _ in options}:
        named = next((value for name, value in options if name in _NAME), "")
        image = plain[0] if plain[0] != NOT_KNOWN else named or NOT_KNOWN
        ports = [value for name, value in options if name in _PUBLISH]
        given = dict(value.split("=", 1) for name, value in options if name in _ENV and "=" in value)
        given |= told_to(word for option in options for word in option)
        variables = {name: value for name, value in given.items() if NOT_KNOWN not in value}
        yield service_of(image, named, command.source, ports, variables)


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
