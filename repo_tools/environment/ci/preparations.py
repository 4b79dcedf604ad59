"""What a job does before its tests: files that it puts beside them, tables that it makes in their database. Pure."""

import re
import shlex
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from posixpath import basename, dirname, join

from repo_tools.changes import FileMode, Tree
from repo_tools.environment.ci.commands import CommandEvidence
from repo_tools.environment.ci.evidence import WorkflowEvidence
from repo_tools.environment.ci.programs import migrates, plain_words
from repo_tools.environment.ci.script_commands import IN_HOME
from repo_tools.environment.commands import root_relative
from repo_tools.environment.contract import Environment, SetupCommand
from repo_tools.sandbox.contract import WORKSPACE

_MOST_COPIES = 20
_RAILS = frozenset(("rails", "rake"))
_TABLES = re.compile(r"db:(?!drop\b|encrypt)[a-z_:]{1,60}")
"""https://guides.rubyonrails.org/active_record_migrations.html#running-migrations"""


def with_preparations(environment: Environment, evidence: WorkflowEvidence, tree: Tree) -> Environment:
    """`environment` with the files that the job copies to where none is (``cp config/database.ci.yml
    config/database.yml``) and, before the tests of Ruby and Python, the tables that it makes in their database:
    services are beside the tests alone."""
    copies = tuple(dict.fromkeys(copy for command in evidence.prepared for copy in _copies(command, tree)))
    copied = (SetupCommand(("cp", *copy), required=False) for copy in copies[:_MOST_COPIES])
    tables_of = _TABLES_OF.get(environment.family, lambda _: None)
    tables = tuple(dict.fromkeys(filter(None, map(tables_of, evidence.prepared))))
    typed = tuple((each.directory, shlex.join(each.argv)) for each in tables)
    told = [f"{source} as {target}" for source, target in copies[:_MOST_COPIES]] + [str(each) for each in tables]
    return replace(
        environment,
        setup=(*copied, *environment.setup),
        tests=tuple(replace(command, builds=(*command.builds, *typed)) for command in environment.tests),
        before_tests=tables,
        evidence=(*environment.evidence, *(f"{evidence.source}: {each}" for each in told)),
    )


def _copies(command: CommandEvidence, tree: Tree) -> Iterator[tuple[str, str]]:
    words = plain_words(command.program[1:])
    if command.name != "cp" or len(words) != 2:
        return
    source, target = (root_relative(word.removeprefix(f"{WORKSPACE}/"), command.directory) for word in words)
    if words[1].endswith("/") or not target or any(path.startswith(f"{target}/") for path in tree):
        target = join(target, basename(source))
    stands = not dirname(target) or any(path.startswith(f"{dirname(target)}/") for path in tree)
    outside = any(word.startswith(("/", "~")) and not word.startswith(WORKSPACE) for word in words)
    if source in tree and tree[source].mode is not FileMode.SUBMODULE and target not in tree and stands and not outside:
        yield source, target


def _of_rails(command: CommandEvidence) -> SetupCommand | None:
    tasks = [word for word in command.program[1:] if _TABLES.fullmatch(word)]
    if command.name not in _RAILS or not tasks or command.directory:
        return None
    launcher = command.argv[: len(command.argv) - len(command.program) + 1]
    return _given([pair for pair in command.variables if pair[0] == "RAILS_ENV"], (*launcher, *tasks))


def _of_python(command: CommandEvidence) -> SetupCommand | None:
    """Without what only starts it, which a box may not have."""
    if not migrates(command.program) or command.in_part:
        return None
    return _given(command.variables, command.program, command.directory)


def _given(variables: Iterable[tuple[str, str]], words: tuple[str, ...], directory: str = "") -> SetupCommand:
    given = [f"{name}={value}" for name, value in variables if not IN_HOME.search(value)]
    return SetupCommand((*(["env", *given] if given else []), *words), required=False, directory=directory)


_TABLES_OF: Mapping[str, Callable[[CommandEvidence], SetupCommand | None]] = {"ruby": _of_rails, "python": _of_python}
"""Family -> what makes tables, if a command of the job does."""
