"""A repository that no other detector knows, as its own CI tests it: the job's install steps and test commands."""

import re
from collections.abc import Iterator
from posixpath import join, normpath

from repo_tools.changes import Tree
from repo_tools.environment.ci.builds import usable
from repo_tools.environment.ci.commands import CommandEvidence
from repo_tools.environment.ci.evidence import WorkflowEvidence
from repo_tools.environment.ci.programs import MANAGERS
from repo_tools.environment.ci.script_commands import IN_HOME
from repo_tools.environment.ci.workflows import read_workflows
from repo_tools.environment.contract import Environment, ReadFile, SetupCommand, TestCommand, Tool
from repo_tools.environment.javascript.package_json import read_package
from repo_tools.environment.javascript.programs import needs_browser
from repo_tools.environment.javascript.scripts import tests_in_a_browser
from repo_tools.environment.lenient import lenient
from repo_tools.environment.make import MAKEFILES, after_build, configuring, is_test_target, own_target, runner_of
from repo_tools.environment.other_languages import tools_for
from repo_tools.environment.python.install import MAKE_VENV, in_place
from repo_tools.environment.runners import JAVASCRIPT, recognise
from repo_tools.environment.runners.javascript_command import without_wrappers
from repo_tools.environment.texts import read_text

_SYSTEM = frozenset({"apt", "apt-get", "conda", "mamba", "brew"})
_AGAIN = frozenset({"make", "gmake", "ninja", "scons"})
"""Builders that only do what is left to do."""
_BUILD_FILES = (*MAKEFILES, "CMakeLists.txt")
_SET = re.compile(r"[A-Za-z_]\w*=.*", re.DOTALL)
_RUN_BY_OTHERS = re.compile(r"[A-Za-z_]\w*=(?:\S*/)?(?:valgrind|qemu-\S+|wine\d*|gdb|rr)\b.*", re.DOTALL)
_MANIFEST = re.compile(
    r"\.github/workflows/[^/]+\.ya?ml|[^/]*requirements[^/]*\.txt|[^/]+\.lock|Makefile|CMakeLists\.txt|composer\.json"
)


class WorkflowDetector:
    """Commands are taken out of the workflow and run in a box like any others; it is never executed itself."""

    name = "workflow/21"
    looked_for = "a test command in a GitHub workflow, .travis.yml or the file of CircleCI"
    suffixes = ()

    def detect(self, tree: Tree, read: ReadFile) -> Environment | None:
        job = next(iter(read_workflows(tree, read)), None)
        tests = [command for command in job.tests if _can_be_run(command, tree, read)] if job else []
        if job is None or not tests or _leaves_it_to_make(tests, tree, read):
            return None
        builds = [command for command in job.builds if _stands_in_the_tree(command, tree)]
        return Environment(
            detector=self.name,
            evidence=(job.source, *(command.source for command in tests)),
            setup=(*_installing(job), *_building(tests, builds, tree, read)),
            tests=tuple(dict.fromkeys(_test(command, builds, tree, read) for command in tests)),
            manifests=tuple(sorted(path for path in tree if _MANIFEST.fullmatch(path))),
            tools=_tools(tests, tree),
            services=job.services,
            test_variables=usable(job.variables),
        )


def _leaves_it_to_make(tests: list[CommandEvidence], tree: Tree, read: ReadFile) -> bool:
    """Whether the job only runs parts of what the Makefile has a target for: on another machine, in another mode."""
    if not own_target(tree, read) or any(command.name != "make" for command in tests):
        return False
    return not any(any(map(is_test_target, command.argv)) and "-C" not in command.argv for command in tests)


def _can_be_run(command: CommandEvidence, tree: Tree, read: ReadFile) -> bool:
    """Known in whole, and without a browser; not in a folder that a build of the workflow's own would make, nor by a
    Makefile that none would make here, nor with what lies in the home of the CI's machine."""
    if command.in_part or not _stands_in_the_tree(command, tree) or _wants_a_browser(command, read):
        return False
    if any(map(IN_HOME.search, command.argv)):
        return False
    below = f"{command.directory}/" if command.directory else ""
    return command.name != "make" or any(f"{below}{name}" in tree for name in (*MAKEFILES, "configure"))


def _wants_a_browser(command: CommandEvidence, read: ReadFile) -> bool:
    """Scripts of JavaScript that come to any other tests are known to their own detector; so are tasks, and runners."""
    is_its = command.name in (*MANAGERS, "gulp", "grunt") or recognise(command.argv) in JAVASCRIPT
    package = read_package(command.directory, read) if is_its else None
    return needs_browser(without_wrappers(command.argv)[1]) or bool(package and tests_in_a_browser(package))


def _stands_in_the_tree(command: CommandEvidence, tree: Tree) -> bool:
    return not command.directory or any(path.startswith(f"{command.directory}/") for path in tree)


def _installing(job: WorkflowEvidence) -> Iterator[SetupCommand]:
    """What the job installs, but for packages of the system: a box has what its image has."""
    python = "python" in job.languages
    yield from MAKE_VENV if python else ()
    for command in job.installs:
        if _SYSTEM.isdisjoint(command.program[:1]):
            yield _set_up(command.argv, command)
    if python:
        yield in_place()


def _building(
    tests: list[CommandEvidence], builds: list[CommandEvidence], tree: Tree, read: ReadFile
) -> Iterator[SetupCommand]:
    """What the job builds, or the root's own build where it tests by `make` and builds nothing before."""
    by_make = any(command.name == "make" and not command.directory for command in tests)
    if by_make and not builds and not own_target(tree, read):
        yield from configuring(tree)
    if builds or any(command.name in _AGAIN for command in tests):
        yield from lenient([read_text(read, path) for path in _BUILD_FILES if path in tree], tree, read)
    for command in builds:
        yield _set_up(_plain(command), command)


def _set_up(argv: tuple[str, ...], command: CommandEvidence) -> SetupCommand:
    return SetupCommand(argv, required=False, directory=command.directory)


def _test(command: CommandEvidence, builds: list[CommandEvidence], tree: Tree, read: ReadFile) -> TestCommand:
    """By automake's own harness, where that is what its ``make check`` starts. Of a command that only ends with a code
    nobody knows what it does: it is not told to build what it tests."""
    runner = recognise(command.argv)
    argv = _bounded(command) if command.name in _AGAIN else command.argv
    before = [_plain(b) for b in builds if b.name in _AGAIN and b.directory == command.directory]
    if before and runner == "exit_code":
        argv = after_build(before, argv)
    elif runner == "exit_code" and not command.directory and argv[:1] == ("make",):
        runner = runner_of(argv, tree, read)
    return TestCommand(runner, argv, command.directory)


def _tools(tests: list[CommandEvidence], tree: Tree) -> tuple[Tool, ...]:
    own = {each.name for each in tests if normpath(join(each.directory, *each.program[:1])) in tree}
    return tools_for({command.name: command.source for command in tests}, own=own)


def _plain(command: CommandEvidence) -> tuple[str, ...]:
    """What is set for one build of the CI (warnings that are errors, a sanitizer) is not what others build."""
    if command.name not in _AGAIN:
        return command.argv
    return tuple(word for word in _bounded(command) if not _SET.fullmatch(word))


def _bounded(command: CommandEvidence) -> tuple[str, ...]:
    """As many jobs as there is work are more than a box holds; and it has no other machine to run programs on."""
    words = zip(command.argv, (*command.argv[1:], ""), strict=True)
    kept = (word for word, after in words if word not in ("-j", "--jobs") or after.isdigit())
    return tuple(word for word in kept if not _RUN_BY_OTHERS.fullmatch(word))
