"""What the CI's own test job has the project's package manager install of extras and groups."""

from collections.abc import Iterator

from repo_tools.changes import Tree
from repo_tools.environment.ci.commands import CommandEvidence
from repo_tools.environment.ci.workflows import likeliest_python_job
from repo_tools.environment.contract import ReadFile
from repo_tools.environment.python.sync import named_by_sync
from repo_tools.environment.python.told import Told


def read_ci(tree: Tree, read: ReadFile) -> Iterator[Told]:
    """Of the likeliest job, each command in the root."""
    job = likeliest_python_job(tree, read)
    for command in (*job.installs, *job.tests) if job else ():
        extras, groups = _named(command)
        if (extras or groups) and not command.directory:
            yield Told(command.source, extras=extras, groups=groups)


def _named(command: CommandEvidence) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """``uv run`` installs before it starts a program; of every other, only the program itself counts."""
    return named_by_sync(command.program if command.is_install else command.argv)
