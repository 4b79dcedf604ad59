"""What a repository's workflows tell of its scripts. Pure.

Which they test with, where that is another one than ``test``: what ``test`` runs may want databases that only
maintainers have at hand. And which they build with before that: sources that are compiled in place, or members of a
workspace that others load, show in no manifest.
"""

import re
from collections.abc import Iterable

from repo_tools.changes import Tree
from repo_tools.environment.ci.commands import CommandEvidence
from repo_tools.environment.ci.evidence import WorkflowEvidence
from repo_tools.environment.ci.programs import MANAGERS
from repo_tools.environment.ci.ranking import as_likely
from repo_tools.environment.ci.workflows import read_workflows
from repo_tools.environment.contract import ReadFile
from repo_tools.environment.javascript.package_json import Package
from repo_tools.environment.javascript.scripts import NAMES, PARTS_OF_TESTS, ScriptOfCi
from repo_tools.environment.runners.javascript_command import ScriptCommand

_TEST = frozenset(("test", "t", "tst"))
COVERAGE = re.compile(r".*cov.*")
_OF_THE_WHOLE = re.compile(r"tests?[:_-].*integration.*")
"""Where the job of the tests runs these too, the one beside it is a part."""
_SEVERAL = re.compile(r"[\w:.-]*:\*{1,2}")
"""``test:*``, for `npm-run-all` and its kin."""


def script_of_ci(package: Package, tree: Tree, read: ReadFile) -> ScriptOfCi:
    """The one script that the likeliest job tests with; none where it, or a step of another, runs ``test``, or where
    that runs it too, or no more than a part beside another one. Where it runs ``test`` itself, with more around it, or
    there is no such script, nothing is left out: no source."""
    whole = "test" in package.scripts
    if package.folder or not (whole or package.scripts.keys().isdisjoint(NAMES)):
        return ScriptOfCi()
    jobs = read_workflows(tree, read)
    own = {name: source for name, source in _calls(jobs[:1]) if name in package.scripts}
    known = {name: source for name, source in own.items() if _may_stand_for_test(name)}
    known = known or {name: source for name, source in own.items() if not whole and COVERAGE.fullmatch(name)}
    if len(known) != 1 or not _TEST.isdisjoint((*_typed(jobs, package), *own)) or _runs(package, "test", *known):
        return ScriptOfCi()
    name, source = next(iter(known.items()))
    if whole and any(map(_OF_THE_WHOLE.fullmatch, own)):
        return ScriptOfCi()
    if not whole or _runs(package, name, "test"):
        return ScriptOfCi(name)
    measured = {other for other in own if COVERAGE.fullmatch(other) and not _runs(package, other, name)}
    others = [other for other in _typed(as_likely(jobs), package) if other in measured or other not in own]
    return ScriptOfCi(name, source, tuple(dict.fromkeys(o for o in others if not _runs(package, name, o))))


def builds_of_ci(root: Package, tree: Tree, read: ReadFile) -> tuple[CommandEvidence, ...]:
    """Scripts of the root that the likeliest job which tests with one builds with first."""
    jobs = (job for job in read_workflows(tree, read) if any(map(_of_a_manager, job.tests)))
    found = {c.built_script: c for job in list(jobs)[:1] for c in job.scripts if _of_a_manager(c)}
    return tuple(command for name, command in found.items() if name in root.scripts)


def scripts_called(job: WorkflowEvidence) -> tuple[str, ...]:
    """Up to the last of its tests, by its steps and by the root's own scripts."""
    return tuple(name for command in (*job.prepared, *job.tests) if _of_a_manager(command) for name in _called(command))


def started_by_ci(tree: Tree, read: ReadFile) -> list[tuple[ScriptCommand, str]]:
    """Commands that the likeliest job tests with in the root, and where each is run; no scripts of a manager's."""
    found = [command for job in read_workflows(tree, read)[:1] for command in job.tests if not command.directory]
    own = [command for command in found if not (command.in_part or _of_a_manager(command))]
    return [(ScriptCommand(command.argv, variables=dict(command.variables)), command.source) for command in own]


def _typed(jobs: Iterable[WorkflowEvidence], package: Package) -> list[str]:
    """The scripts that are called by a job's own steps, and not by another script."""
    return [name for name, source in _calls(jobs) if not source.startswith(f"{package.path}:")]


def _calls(jobs: Iterable[WorkflowEvidence]) -> list[tuple[str, str]]:
    """(script, where it is called) of the root's, in their order."""
    commands = (command for job in jobs for command in job.tests if _of_a_manager(command))
    return [(name, command.source) for command in commands for name in _called(command)]


def _of_a_manager(command: CommandEvidence) -> bool:
    return not command.directory and command.name in MANAGERS


def _called(command: CommandEvidence) -> list[str]:
    words = [word for word in command.program[1:] if not word.startswith("-")]
    return [word for word in words if word not in ("run", "run-script")][:1]


def _may_stand_for_test(name: str) -> bool:
    return bool(name in NAMES or PARTS_OF_TESTS.fullmatch(name)) and not COVERAGE.fullmatch(name)


def _runs(package: Package, name: str, wanted: str) -> bool:
    """Whether a script runs another one, however far away."""
    words = package.words_run_by(name)
    return (wanted in package.scripts and wanted in words) or any(map(_SEVERAL.fullmatch, words))
