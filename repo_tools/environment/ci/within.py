"""What the CI of a repository does in the folder of one of its projects, as that project's own CI. Pure."""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from posixpath import relpath

from repo_tools.environment.ci.commands import CommandEvidence
from repo_tools.environment.ci.evidence import WorkflowEvidence
from repo_tools.environment.folders import is_below


def jobs_within(jobs: Iterable[WorkflowEvidence], folder: str) -> tuple[WorkflowEvidence, ...]:
    """The jobs that run tests in `folder`, with what they do there and below, by directories from there."""
    moved = (_within(job, folder) for job in jobs)
    return tuple(job for job in moved if job.tests)


def _within(job: WorkflowEvidence, folder: str) -> WorkflowEvidence:
    return replace(
        job,
        installs=tuple(_moved(job.installs, folder)),
        builds=tuple(_moved(job.builds, folder)),
        scripts=tuple(_moved(job.scripts, folder)),
        tests=tuple(_moved(job.tests, folder)),
        prepared=tuple(_moved(job.prepared, folder)),
    )


def _moved(commands: Iterable[CommandEvidence], folder: str) -> Iterator[CommandEvidence]:
    for command in commands:
        if is_below(command.directory, folder):
            there = relpath(command.directory, folder)
            yield replace(
                command,
                directory="" if there == "." else there,
                started=tuple(_moved(command.started, folder)),
            )
