"""Whether the CI tests a package as it is installed, with nothing built: then its tests load the sources, and what a
build would make is nothing to wait for, in set-up and before each run. Pure."""

import re
import shlex

from repo_tools.changes import Tree
from repo_tools.environment.ci.commands import CommandEvidence
from repo_tools.environment.ci.evidence import WorkflowEvidence
from repo_tools.environment.ci.programs import MANAGERS
from repo_tools.environment.ci.workflows import read_workflows
from repo_tools.environment.contract import ReadFile
from repo_tools.environment.javascript.ci_script import scripts_called
from repo_tools.environment.javascript.package_json import Package
from repo_tools.environment.javascript.scripts import comes_to_something
from repo_tools.environment.javascript.suites import ProjectSuites
from repo_tools.environment.texts import as_text

_OF_INSTALLATION = ("preinstall", "install", "postinstall", "prepublish", "preprepare", "prepare", "postprepare")
"""https://docs.npmjs.com/cli/using-npm/scripts#life-cycle-operation-order, and that of before npm 7"""
_BRINGS = re.compile(
    r"(?i)download\w{0,20}-?artifact|attach_workspace|actions/cache/restore"
    r"|\bkeys?:[^\n#]{0,200}(?:github\.sha|\.Revision\b)|\buses:[^\n#]{0,200}build"
    r"|(?:\|\||\bthen|\bdo)\s[^\n]{0,200}build|\bbuild\b[^\n]{0,200}\|\|"
)
"""Brings what another job has built, or builds by an action, or in a branch of a script, of which evidence tells
nothing."""
_ACTION = re.compile(r"\.github/.*/action\.ya?ml")
_MAKES_NOTHING = frozenset(("git", "echo", "corepack", "cat", "ls"))
_ASKS = (("--version",), ("-v",), ("config",))
_SCRIPT = re.compile(r"package\.json scripts\.(\S+?)(?::\s.*|$)", re.DOTALL)


def is_tested_unbuilt(packages: tuple[Package, ...], found: ProjectSuites, tree: Tree, read: ReadFile) -> bool:
    """`packages`: the root first. False, too, where it is not sure: the suites are others, or more, than the likeliest
    job's, the job does something else before them, or installing runs a script that may build."""
    root, jobs = packages[0], read_workflows(tree, read)
    plain = all(not command.directory and command.argv[0] != "sh" for command in found.commands)
    on_installing = (name for package in packages for name in _OF_INSTALLATION if comes_to_something(name, package))
    if not (plain and jobs) or any(on_installing):
        return False
    return _tests_all(jobs[0], found, root) and _only_installs(jobs[0], root, tree, read)


def _tests_all(job: WorkflowEvidence, found: ProjectSuites, root: Package) -> bool:
    """Whether the job calls the scripts that the suites are of, with more words maybe, or starts their runner itself
    (``pnpm vitest --coverage``)."""
    called = [name for name in scripts_called(job) if name in root.scripts]
    run = root.words_run_by(*called) | {*called}
    names = [match[1] if (match := _SCRIPT.fullmatch(source)) else "" for source in found.sources]
    if all(name in run or any(_adds_to(name, each, root) for each in called) for name in names):
        return True
    started = {_operands(command.program) for command in job.tests if not command.directory}
    return all(len(own := _operands(command.argv)) == 1 and own in started for command in found.commands)


def _operands(words: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(word for word in words if word not in (*MANAGERS, "exec", "run") and not word.startswith("-"))


def _adds_to(name: str, other: str, root: Package) -> bool:
    """``vitest run --coverage`` to ``vitest run``."""
    return name in root.scripts and root.scripts[other].startswith(f"{root.scripts[name]} ")


def _only_installs(job: WorkflowEvidence, root: Package, tree: Tree, read: ReadFile) -> bool:
    """Whether the job installs, checks what nothing comes of, and tests. Of a project in a folder it is not known."""
    path = job.source.partition(":")[0]
    read_too = (each for each in tree if each == path or _ACTION.fullmatch(each))
    brings = path not in tree or any(_BRINGS.search(as_text(read(f))) for f in read_too)
    own = [command for command in job.prepared[:-1] if not command.source.startswith(f"{root.path}:")]
    makes = job.builds or job.scripts or not all(_makes_nothing(command, root) for command in own)
    before = any(comes_to_something(f"pre{name}", root) for name in scripts_called(job))
    return not (makes or brings or before)


def _makes_nothing(command: CommandEvidence, root: Package) -> bool:
    if command.is_install:  # of a goal of a Makefile nothing else is known
        return command.name in MANAGERS and command.source.partition(":")[0].endswith((".yml", ".yaml"))
    if command.name in _MAKES_NOTHING or command.argv[1:2] in _ASKS:
        return True
    script = root.with_scripts({**root.scripts, "": shlex.join(command.argv)})
    return not (command.directory or command.in_part or comes_to_something("", script))
