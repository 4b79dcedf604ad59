"""Services that a job starts by `docker compose up` or `docker run`, as services beside the tests. Nothing is run.

https://docs.docker.com/reference/compose-file/services/, https://docs.docker.com/reference/cli/docker/container/run/
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Set
from dataclasses import dataclass, replace
from posixpath import dirname

from repo_tools.changes import Tree
from repo_tools.environment.ci.commands import NOT_KNOWN, CommandEvidence
from repo_tools.environment.ci.files import content_at, parsed
from repo_tools.environment.ci.servers import made_databases, made_in, with_databases
from repo_tools.environment.ci.services import MOST_SERVICES, JobServices, service_of, told_to
from repo_tools.environment.ci.values import items_at, node_at, text_of
from repo_tools.environment.commands import root_relative
from repo_tools.environment.contract import ReadFile, Service
from repo_tools.environment.texts import as_text
from repo_tools.yaml_text import Node

Started = Callable[[CommandEvidence], JobServices]
"""What a command starts beside the tests."""

MAX_BYTES = 100_000
_FILES = ("compose.yaml", "compose.yml", "docker-compose.yaml", "docker-compose.yml")
_FILE = ("-f", "--file")
_ENV_FILE = "--env-file"
_FIRST = "/docker-entrypoint-initdb.d"
_FIRST_SCRIPT = re.compile(r".*\.(?:sql|sh)")
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
_EXPANSION = re.compile(r"\$\{(\w+)(?::?-([^}$]{0,200})|:?\?[^}$]{0,200})?\}|\$(\w+)")


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
        return replace(found, databases=made_databases(command, lambda path: _text(path, tree, read)))

    return started


def _composed(words: tuple[str, ...], command: CommandEvidence, tree: Tree, read: ReadFile) -> Iterator[Service | str]:
    plain, options = _split(words, lambda word: word in _WITH_VALUE)
    if not plain or plain[0] not in _STARTS:
        return
    named = [value for name, value in options if name in _FILE] or list(_FILES)
    there = [path for path in (root_relative(name, command.directory) for name in named) if path in tree]
    if not there:
        yield " ".join(command.argv)
    profiles = {value for name, value in options if name == "--profile"}
    known = _known(there[0], [v for name, v in options if name == _ENV_FILE], command, tree, read) if there else {}
    for path in there if any(name in _FILE for name, _ in options) else there[:1]:
        yield from _services(_File(path, known, tree, read), plain[1:], profiles)


def _known(first: str, named: list[str], command: CommandEvidence, tree: Tree, read: ReadFile) -> Mapping[str, str]:
    """What stands for the variables in a compose file:
    https://docs.docker.com/compose/how-tos/environment-variables/variable-interpolation/"""
    paths = [root_relative(path, command.directory) for path in named] or [root_relative(".env", dirname(first))]
    found = {name: value for path in paths for name, value in _pairs(_text(path, tree, read))}
    return found | dict(command.variables)


@dataclass(frozen=True)
class _File:
    """A compose file; `known`: variables that may stand in it."""

    path: str
    known: Mapping[str, str]
    tree: Tree
    read: ReadFile

    def text(self, node: Node | None) -> str:
        """Nobody here knows the variables of the machine: for those that nothing is said of, their defaults hold."""
        return _EXPANSION.sub(lambda found: self.known.get(found[1] or found[3]) or found[2] or "", text_of(node))

    def content(self, path: str) -> str:
        """Of one that it names."""
        return _text(root_relative(path, dirname(self.path)), self.tree, self.read)


def _services(file: _File, wanted: list[str], profiles: Set[str]) -> Iterator[Service | str]:
    """Those that are `wanted`, or all of no profile but `profiles`; one that is built from the repository itself is no
    server that could be had, if its port does not say which."""
    path, root = file.path, parsed(content_at(file.path, file.tree, file.read, MAX_BYTES))
    services = node_at(root, "services")
    for name, service in list(services.mapping.items() if services else ())[:MOST_SERVICES]:
        built = "build" in service.mapping
        image = f"{name} of {path}" if built else file.text(service.mapping.get("image"))
        if image and (name in wanted if wanted else _is_of(profiles, service)):
            source = f"{path}:{services.key_lines[name]}" if services else path
            said = dict(_of_files(service, file)) | _variables(service, file)
            variables = said | told_to(_command(service, file))
            found = service_of(image, name, source, _ports(service, file), variables)
            if isinstance(found, Service):
                yield from with_databases((found,), _made_first(service, found, file))
            elif not built:
                yield found


def _made_first(service: Node, known: Service, file: _File) -> Iterator[tuple[str, str]]:
    """What is made by what is put where an image looks for it at its first start:
    https://hub.docker.com/_/postgres#initialization-scripts"""
    for item in items_at(service, "volumes")[:MOST_SERVICES]:
        source, _, rest = file.text(item).partition(":")
        source = source or file.text(item.mapping.get("source"))
        target = rest.partition(":")[0] or file.text(item.mapping.get("target"))
        if target.startswith(_FIRST):
            place = root_relative(source, dirname(file.path))
            scripts = sorted(path for path in file.tree if place in (path, dirname(path)))
            for path in filter(_FIRST_SCRIPT.fullmatch, scripts[:MOST_SERVICES]):
                yield from made_in(_text(path, file.tree, file.read), known.kind)


def _is_of(profiles: Set[str], service: Node) -> bool:
    """https://docs.docker.com/compose/how-tos/profiles/"""
    own = {text_of(item) for item in items_at(service, "profiles")}
    return not own or "*" in profiles or bool(own & profiles)


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


def _ports(service: Node, file: _File) -> list[str]:
    return [file.text(item) or _long_port(item, file) for item in items_at(service, "ports")[:MOST_SERVICES]]


def _long_port(port: Node, file: _File) -> str:
    inside, outside = (file.text(port.mapping.get(key)) for key in ("target", "published"))
    return f"{outside}:{inside}" if outside else inside


def _variables(service: Node, file: _File) -> dict[str, str]:
    node = service.mapping.get("environment")
    if node is None:
        return {}
    pairs = [file.text(item).partition("=") for item in node.items]
    known = file.known
    given = {name: value if equals else known[name] for name, equals, value in pairs if equals or name in known}
    return given | {name: file.text(value) for name, value in node.mapping.items()}


def _of_files(service: Node, file: _File) -> Iterator[tuple[str, str]]:
    """https://docs.docker.com/reference/compose-file/services/#env_file"""
    node = service.mapping.get("env_file")
    for item in (node, *node.items) if node else ():
        yield from _pairs(file.content(file.text(item) or file.text(item.mapping.get("path"))))


def _pairs(text: str) -> Iterator[tuple[str, str]]:
    """Of a file that sets a variable in each line."""
    pairs = (line.partition("=") for line in text.splitlines() if not line.startswith("#"))
    yield from ((name.strip(), value.strip().strip("'\"")) for name, equals, value in pairs if equals)


def _command(service: Node, file: _File) -> list[str]:
    node = service.mapping.get("command")
    return [file.text(item) for item in node.items] or file.text(node).split() if node else []


def _text(path: str, tree: Tree, read: ReadFile) -> str:
    return as_text(content_at(path, tree, read, MAX_BYTES))
