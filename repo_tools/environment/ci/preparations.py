"""What a job does before its tests: files that it puts beside them, tables that it makes in their database. Pure."""

import re
import shlex
from collections.abc import Iterator
from dataclasses import replace
from posixpath import basename, dirname, join

from repo_tools.changes import FileMode, Tree
from repo_tools.environment.ci.commands import CommandEvidence
from repo_tools.environment.ci.evidence import WorkflowEvidence
from repo_tools.environment.ci.programs import migrates, plain_words
from repo_tools.environment.commands import root_relative
from repo_tools.environment.contract import AND_RUN, Environment, SetupCommand, TestCommand
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
    told = [f"{evidence.source}: {source} as {target}" for source, target in copies[:_MOST_COPIES]]
    copied = (SetupCommand(("cp", *copy), required=False) for copy in copies[:_MOST_COPIES])
    tables = list(dict.fromkeys(filter(None, map(_tables, evidence.prepared))))
    if tables and environment.family == "ruby":
        environment = replace(environment, tests=tuple(_behind(tables, command) for command in environment.tests))
        told += [f"{evidence.source}: {' && '.join(tables)}"]
    if environment.family == "python":
        migrations = tuple(dict.fromkeys(map(_migration, filter(_is_migration, evidence.prepared))))
        typed = tuple((each.directory, str(replace(each, directory=""))) for each in migrations)
        tests = (replace(command, builds=(*command.builds, *typed)) for command in environment.tests)
        environment = replace(environment, tests=tuple(tests), before_tests=migrations)
        told += [f"{evidence.source}: {each}" for each in migrations]
    return replace(environment, setup=(*copied, *environment.setup), evidence=(*environment.evidence, *told))


def _is_migration(command: CommandEvidence) -> bool:
    return migrates(command.program) and not command.in_part


def _migration(command: CommandEvidence) -> SetupCommand:
    """Without what only starts it, which a box may not have."""
    given = [f"{name}={value}" for name, value in command.variables]
    return SetupCommand((*(["env", *given] if given else []), *command.program), False, command.directory)


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


def _tables(command: CommandEvidence) -> str:
    """What a person would type to make them; empty where the command makes none."""
    tasks = [word for word in command.program[1:] if _TABLES.fullmatch(word)]
    if command.name not in _RAILS or not tasks or command.directory:
        return ""
    launcher = command.argv[: len(command.argv) - len(command.program) + 1]
    mode = [f"RAILS_ENV={value}" for name, value in command.variables if name == "RAILS_ENV"]
    return shlex.join((*(["env", *mode] if mode else []), *launcher, *tasks))


def _behind(tables: list[str], command: TestCommand) -> TestCommand:
    """Tests that do without the database are run where there is none."""
    first = " && ".join(tables)
    text = f"{{ {first}; }} >&2 || true{AND_RUN}"
    typed = f"{first} && {command.typed or shlex.join(command.argv)}"
    return replace(command, argv=("sh", "-c", text, "sh", *command.argv), typed=typed)
