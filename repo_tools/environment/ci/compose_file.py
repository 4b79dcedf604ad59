"""The services of a compose file, as services beside the tests. Nothing is run.

https://docs.docker.com/reference/compose-file/services/
"""

import re
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from itertools import islice
from posixpath import dirname

from repo_tools.changes import Tree
from repo_tools.environment.ci.dockerfile import Dockerfile, read_dockerfile, words_of
from repo_tools.environment.ci.files import content_at, parsed
from repo_tools.environment.ci.servers import made_in, with_databases
from repo_tools.environment.ci.services import MOST_SERVICES, kind_of, service_of, told_to
from repo_tools.environment.ci.values import items_at, node_at, text_of
from repo_tools.environment.commands import root_relative
from repo_tools.environment.contract import ReadFile, Service
from repo_tools.environment.texts import as_text
from repo_tools.yaml_text import Node

MAX_BYTES = 100_000
_FIRST = "/docker-entrypoint-initdb.d"
_MADE_FROM = (".example", ".sample", ".dist", ".template", "-example", "-sample", "_example", "_sample")
_QUOTED = re.compile(r"""(?P<mark>['"])(?P<text>.*?)(?P=mark)(?:\s.*)?""")
_MOST_CHARACTERS = 4_000
_MOST_DEEP = 3
"""Services that extend others."""
_FIRST_SCRIPT = re.compile(r".*\.(?:sql|sh)")
_EXPANSION = re.compile(r"\$\{(\w+)(?::?-([^}$]{0,200})|:?\?[^}$]{0,200})?\}|\$(\w+)")


@dataclass(frozen=True)
class ComposeFile:
    """A compose file; `folder`: where the paths that it names begin; `known`: variables that may stand in it."""

    path: str
    folder: str
    known: Mapping[str, str]
    tree: Tree
    read: ReadFile

    def text(self, node: Node | None) -> str:
        """Nobody here knows the variables of the machine: for those that nothing is said of, their defaults hold."""
        return _EXPANSION.sub(lambda found: self.known.get(found[1] or found[3]) or found[2] or "", text_of(node))

    def content(self, path: str) -> str:
        """Of one that it names."""
        return text_of_file(self.place(path), self.tree, self.read)

    def service(self, name: str) -> Node | None:
        found = node_at(self.root, "services", name)
        return found and _merged(found)

    @property
    def names(self) -> tuple[str, ...]:
        """Of its services."""
        services = node_at(self.root, "services")
        return tuple(services.mapping) if services else ()

    @property
    def included(self) -> "tuple[ComposeFile, ...]":
        """https://docs.docker.com/reference/compose-file/include/"""
        listed = items_at(self.root, "include")[:MOST_SERVICES]
        paths = [self.text(item) or self.text(item.mapping.get("path")) for item in listed]
        return tuple(self.beside(path) for path in paths if path)

    def source(self, name: str) -> str:
        """Where a service of its stands."""
        services = node_at(self.root, "services")
        return f"{self.path}:{services.key_lines[name]}" if services else self.path

    @cached_property
    def root(self) -> Node | None:
        return _parsed(content_at(self.path, self.tree, self.read, MAX_BYTES))

    def place(self, path: str) -> str:
        return root_relative(path, self.folder)

    def beside(self, path: str) -> "ComposeFile":
        """Another one that it names, in which paths begin where that lies."""
        place = self.place(path)
        return replace(self, path=place, folder=dirname(place))


@lru_cache(maxsize=32)
def _parsed(content: bytes) -> Node | None:
    """Hundreds of commands may name the same file."""
    return parsed(content)


def services_in(files: Sequence[ComposeFile], wanted: list[str], profiles: Set[str]) -> Iterator[Service | str]:
    """Those that are `wanted`, or all of no profile but `profiles`; one that is built from the repository itself is no
    server that could be had, if neither the image that it comes from nor its port says which. What a later one of
    `files` says of a service is added to what an earlier one does."""
    names = dict.fromkeys(name for file in files for name in file.names)
    for name in islice(names, MOST_SERVICES):
        told = [part for file in files for part in _told(name, file)]
        if name in wanted if wanted else all(_is_of(profiles, node) for node, _ in told):
            yield from _started(name, next(file for file in files if file.service(name)), told)


def _started(name: str, file: ComposeFile, told: Sequence[tuple[Node, ComposeFile]]) -> Iterator[Service | str]:
    """The one of this `name`, of which `file` is the first that says something; `told`: all that is said of it."""
    having_one = (part for part in reversed(told) if not {"image", "build"}.isdisjoint(part[0].mapping))
    own, its = next(having_one, (None, file))
    built = own is not None and "build" in own.mapping
    image = _image_of(name, own, its) if built else its.text(node_at(own, "image"))
    if not image:
        return
    variables = {key: value for part in told for key, value in said_to(*part).items()}
    variables |= told_to(next(filter(None, (command_of(*part) for part in reversed(told))), []))
    ports = [port for part in told for port in _ports(*part)]
    found = service_of(image, name, file.source(name), ports, variables)
    if isinstance(found, Service):
        found = replace(found, richer=f"{name} of {file.path}") if built else found
        yield from with_databases((found,), (made for part in told for made in _made_first(found, *part)))
    elif not built:
        yield found


def _told(name: str, file: ComposeFile, deep: int = _MOST_DEEP) -> Iterator[tuple[Node, ComposeFile]]:
    """What `file` says of a service, behind what that extends:
    https://docs.docker.com/reference/compose-file/services/#extends"""
    service = file.service(name)
    if service is None:
        return
    extended = service.mapping.get("extends")
    if extended and deep:
        path = file.text(node_at(extended, "file"))
        there = file.beside(path) if path else file
        yield from _told(file.text(extended) or file.text(node_at(extended, "service")), there, deep - 1)
    yield service, file


def _merged(service: Node) -> Node:
    """With what it says by the words of others: https://docs.docker.com/reference/compose-file/fragments/"""
    taken = service.mapping.get("<<")
    if taken is None:
        return service
    others = {key: value for other in (*reversed(taken.items), taken) for key, value in other.mapping.items()}
    return replace(service, value={**others, **service.mapping})


def needed_by(service: Node) -> list[str]:
    """The services that are started before it: https://docs.docker.com/reference/compose-file/services/#depends_on"""
    named = node_at(service, "depends_on")
    linked = (text_of(item).partition(":")[0] for item in items_at(service, "links"))
    listed = (*map(text_of, named.items), *named.mapping) if named else ()
    return [name for name in dict.fromkeys((*listed, *linked)) if name]


def said_to(service: Node, file: ComposeFile) -> dict[str, str]:
    """Its variables: https://docs.docker.com/compose/how-tos/environment-variables/envvars-precedence/"""
    return dict(_of_files(service, file)) | _variables(service, file)


def _image_of(name: str, service: Node | None, file: ComposeFile) -> str:
    """Of a server with something put in; else its name, as what is built here."""
    base = dockerfile_of(service, file)[0].base
    return base if kind_of(base) else f"{name} of {file.path}"


def dockerfile_of(service: Node | None, file: ComposeFile) -> tuple[Dockerfile, str]:
    """(what it is built by, the folder that it is built in): https://docs.docker.com/reference/compose-file/build/"""
    build = node_at(service, "build")
    told = {key: file.text(node_at(build, key)) for key in ("context", "dockerfile", "target")}
    context = file.place(told["context"] or file.text(build) or ".")
    path = root_relative(told["dockerfile"] or "Dockerfile", context)
    return read_dockerfile(text_of_file(path, file.tree, file.read), _arguments(build, file), told["target"]), context


def _arguments(build: Node | None, file: ComposeFile) -> dict[str, str]:
    node = node_at(build, "args")
    listed = (file.text(item).partition("=") for item in items_at(build, "args"))
    named = {name: file.text(value) for name, value in (node.mapping if node else {}).items()}
    return {name: value for name, _, value in listed if value} | named


def _made_first(known: Service, service: Node, file: ComposeFile) -> Iterator[tuple[str, str]]:
    """What is made by what is put where an image looks for it at its first start:
    https://hub.docker.com/_/postgres#initialization-scripts"""
    for item in items_at(service, "volumes")[:MOST_SERVICES]:
        source, _, rest = file.text(item).partition(":")
        source = source or file.text(item.mapping.get("source"))
        target = rest.partition(":")[0] or file.text(item.mapping.get("target"))
        if target.startswith(_FIRST):
            place = file.place(source)
            scripts = sorted(path for path in file.tree if place in (path, dirname(path)))
            for path in filter(_FIRST_SCRIPT.fullmatch, scripts[:MOST_SERVICES]):
                yield from made_in(text_of_file(path, file.tree, file.read), known.kind)


def _is_of(profiles: Set[str], service: Node) -> bool:
    """https://docs.docker.com/compose/how-tos/profiles/"""
    own = {text_of(item) for item in items_at(service, "profiles")}
    return not own or "*" in profiles or bool(own & profiles)


def _ports(service: Node, file: ComposeFile) -> list[str]:
    return [file.text(item) or _long_port(item, file) for item in items_at(service, "ports")[:MOST_SERVICES]]


def _long_port(port: Node, file: ComposeFile) -> str:
    inside, outside = (file.text(port.mapping.get(key)) for key in ("target", "published"))
    return f"{outside}:{inside}" if outside else inside


def _variables(service: Node, file: ComposeFile) -> dict[str, str]:
    node = service.mapping.get("environment")
    if node is None:
        return {}
    pairs = [file.text(item).partition("=") for item in node.items]
    known = file.known
    given = {name: value if equals else known[name] for name, equals, value in pairs if equals or name in known}
    return given | {name: file.text(value) for name, value in node.mapping.items()}


def _of_files(service: Node, file: ComposeFile) -> Iterator[tuple[str, str]]:
    """https://docs.docker.com/reference/compose-file/services/#env_file; of one that everybody has to make, what it is
    made from."""
    node = service.mapping.get("env_file")
    for item in (node, *node.items) if node else ():
        path = file.text(item) or file.text(item.mapping.get("path"))
        names = (path, *(f"{path}{end}" for end in _MADE_FROM)) if path else ()
        yield from pairs_of(next(filter(None, map(file.content, names)), ""))


def pairs_of(text: str) -> Iterator[tuple[str, str]]:
    """Of a file that sets a variable in each line, which later ones may name:
    https://docs.docker.com/compose/how-tos/environment-variables/variable-interpolation/#env-file-syntax"""
    known: dict[str, str] = {}
    for line in text.splitlines():
        name, equals, said = line.removeprefix("export ").partition("=")
        if equals and not line.startswith("#"):
            value = said.strip()
            quoted = _QUOTED.fullmatch(value)
            plain = quoted["text"] if quoted else value.partition(" #")[0].rstrip().strip("'\"")
            if not value.startswith("'"):
                plain = _EXPANSION.sub(lambda found: known.get(found[1] or found[3], found[0]), plain)
            known[name.strip()] = plain[:_MOST_CHARACTERS]
            yield name.strip(), known[name.strip()]


def command_of(service: Node, file: ComposeFile, key: str = "command") -> list[str]:
    node = service.mapping.get(key)
    return [file.text(item) for item in node.items] or words_of(file.text(node)) if node else []


def text_of_file(path: str, tree: Tree, read: ReadFile) -> str:
    """Empty where there is no such file, or too much in it."""
    return as_text(content_at(path, tree, read, MAX_BYTES))
