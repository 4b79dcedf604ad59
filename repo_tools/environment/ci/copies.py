"""Files that a workflow makes of a template before its tests (``cp .env.example .env``): settings without which an
application does not start. Pure."""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from posixpath import basename, join, normpath

from repo_tools.changes import Tree
from repo_tools.environment.ci.commands import CommandEvidence
from repo_tools.environment.ci.programs import name_of, plain_words
from repo_tools.environment.contract import Environment, SetupCommand

MOST_COPIES = 10


def copies_of(commands: Iterable[CommandEvidence]) -> tuple[CommandEvidence, ...]:
    """Those that copy one file, as far as it is known which."""
    return tuple(c for c in commands if name_of(c.program) == "cp" and not c.in_part and len(_operands(c)) == 2)


def with_copies(environment: Environment, copies: Iterable[CommandEvidence], tree: Tree) -> Environment:
    """`environment` with the copies of its files that `tree` does not have; what it has stays as it is."""
    found = {to: (path, source) for path, to, source in _made(copies, tree)}
    made = list(found.items())[:MOST_COPIES]
    return replace(
        environment,
        setup=(*environment.setup, *(SetupCommand(("cp", path, to), required=False) for to, (path, _) in made)),
        manifests=tuple(sorted({*environment.manifests, *(path for _, (path, _) in made)})),
        evidence=(*environment.evidence, *(f"{source}: cp {path} {to}" for to, (path, source) in made)),
    )


def _made(copies: Iterable[CommandEvidence], tree: Tree) -> Iterator[tuple[str, str, str]]:
    """(file, its copy, what says so), root-relative."""
    folders = {path.rpartition("/")[0] for path in tree} | {"."}
    for command in copies:
        path, to = (normpath(join(command.directory, word)) for word in _operands(command))
        to = normpath(join(to, basename(path))) if to in folders else to
        if path in tree and tree[path].mode.is_file and to not in tree and not to.startswith(("/", "..")):
            yield path, to, command.source


def _operands(command: CommandEvidence) -> list[str]:
    return plain_words(command.program[1:])
