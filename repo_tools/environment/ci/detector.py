"""A repository that no other detector knows, as its own CI tests it: the job's install steps and test commands."""

import re
from dataclasses import replace
from posixpath import join, normpath

from repo_tools.changes import Tree
from repo_tools.environment.ci.builds import usable
from repo_tools.environment.ci.commands import CommandEvidence
from repo_tools.environment.ci.evidence import WorkflowEvidence
from repo_tools.environment.ci.programs import MANAGERS
from repo_tools.environment.ci.workflows import read_workflows
from repo_tools.environment.contract import Environment, ReadFile, SetupCommand, TestCommand
from repo_tools.environment.javascript.files import RUNNERS
from repo_tools.environment.javascript.package_json import read_package
from repo_tools.environment.javascript.programs import needs_browser
from repo_tools.environment.javascript.scripts import tests_in_a_browser
from repo_tools.environment.lenient import lenient
from repo_tools.environment.make import MAKEFILES, after_build, configuring, is_test_target, own_target, runner_of
from repo_tools.environment.other_languages import tools_for
from repo_tools.environment.python.install import MAKE_VENV, in_place
from repo_tools.environment.runners import recognise
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

    name = "workflow/16"
    looked_for = "a test command in a GitHub workflow, .travis.yml or the file of CircleCI, Azure or GitLab"
    suffixes = ()

    def detect(self, tree: Tree, read: ReadFile) -> Environment | None:
        evidence = next(iter(read_workflows(tree, read)), None)
        found = [command for command in evidence.tests if _can_be_run(command, tree)] if evidence else []
        tests = [command for command in found if not _wants_a_browser(command, read)]
        if evidence is None or not tests or _leaves_it_to_make(tests, tree, read):
            return None
        builds = [command for command in evidence.builds if _stands_in_the_tree(command, tree)]
        made = any(c.name == "make" and not c.directory for c in tests) and not own_target(tree, read)
        python = "python" in evidence.languages
        in_c = builds or any(command.name in _AGAIN for command in tests)
        own = [read_text(read, path) for path in _BUILD_FILES if path in tree]
        return Environment(
            detector=self.name,
            evidence=(evidence.source, *(command.source for command in tests)),
            setup=(
                *(MAKE_VENV if python else ()),
                *_installs(evidence),
                *((in_place(),) if python else ()),
                *(configuring(tree) if made and not builds else ()),
                *(lenient(own, tree, read) if in_c else ()),
                *(SetupCommand(_plain(command), required=False, directory=command.directory) for command in builds),
            ),
            tests=tuple(dict.fromkeys(_told(_test(command, builds), tree, read) for command in tests)),
            manifests=tuple(sorted(path for path in tree if _MANIFEST.fullmatch(path))),
            tools=tools_for(
                {command.name: command.source for command in tests},
                own={c.name for c in tests if normpath(join(c.directory, *c.program[:1])) in tree},
            ),
            services=evidence.services,
            test_variables=usable(evidence.variables),
        )


def _leaves_it_to_make(tests: list[CommandEvidence], tree: Tree, read: ReadFile) -> bool:
    """Whether the job only runs parts of what the Makefile has a target for: on another machine, in another mode."""
    if not own_target(tree, read) or any(command.name != "make" for command in tests):
        return False
    return not any(any(map(is_test_target, command.argv)) and "-C" not in command.argv for command in tests)


def _can_be_run(command: CommandEvidence, tree: Tree) -> bool:
    """Known in whole; not in a folder that a build of the workflow's own would make, nor by a Makefile that none would
    make here."""
    below = f"{command.directory}/" if command.directory else ""
    made_here = (f"{below}{name}" in tree for name in (*MAKEFILES, "configure"))
    stands = not command.in_part and _stands_in_the_tree(command, tree)
    return stands and (command.name != "make" or any(made_here))


def _wants_a_browser(command: CommandEvidence, read: ReadFile) -> bool:
    """Scripts of JavaScript that come to any other tests are known to their own detector; so are tasks, and runners."""
    is_its = command.name in (*MANAGERS, "gulp", "grunt") or recognise(command.argv) in RUNNERS
    package = read_package(command.directory, read) if is_its else None
    return needs_browser(without_wrappers(command.argv)[1]) or bool(package and tests_in_a_browser(package))


def _stands_in_the_tree(command: CommandEvidence, tree: Tree) -> bool:
    return not command.directory or any(path.startswith(f"{command.directory}/") for path in tree)


def _test(command: CommandEvidence, builds: list[CommandEvidence]) -> TestCommand:
    """Of a command that only ends with a code nobody knows what it does: it is not told to build what it tests."""
    runner = recognise(command.argv)
    before = [_plain(b) for b in builds if b.name in _AGAIN and b.directory == command.directory]
    own = _bounded(command) if command.name in _AGAIN else command.argv
    argv = after_build(before, own) if before and runner == "exit_code" else own
    return TestCommand(runner, argv, command.directory)


def _told(test: TestCommand, tree: Tree, read: ReadFile) -> TestCommand:
    """By automake's own harness, where that is what its ``make check`` starts."""
    is_plain = test.runner == "exit_code" and not test.directory and test.argv[:1] == ("make",)
    return replace(test, runner=runner_of(test.argv, tree, read)) if is_plain else test


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


def _installs(evidence: WorkflowEvidence) -> tuple[SetupCommand, ...]:
    """A box has what its image has: packages of the system are none of set-up's."""
    own = (command for command in evidence.installs if not _is_of_the_system(command))
    return tuple(SetupCommand(command.argv, required=False, directory=command.directory) for command in own)


def _is_of_the_system(command: CommandEvidence) -> bool:
    return not _SYSTEM.isdisjoint(command.program[:1])
