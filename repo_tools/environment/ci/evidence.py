"""What one job of a repository's CI tells of how the repository is tested. Pure."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from repo_tools.environment.ci.commands import CommandEvidence
from repo_tools.environment.ci.programs import DJANGO
from repo_tools.environment.contract import Service
from repo_tools.environment.runners.javascript_command import JAVASCRIPT_RUNNERS

_PROGRAMS = {
    **dict.fromkeys(("pytest", "py.test", "tox", "nox", "unittest", "setup.py", "manage.py", "hatch", "pdm"), "python"),
    **dict.fromkeys(DJANGO, "python"),
    **dict.fromkeys(("npm", "yarn", "pnpm", "bun", "node", "grunt", "gulp", "jake", "nx", "turbo", "lerna"), "node"),
    **dict.fromkeys(JAVASCRIPT_RUNNERS, "node"),
    **dict.fromkeys(("mvn", "mvnw", "gradle", "gradlew"), "java"),
    **dict.fromkeys(("rspec", "rake", "rails"), "ruby"),
    "go": "go",
    "gotestsum": "go",
    "cargo": "rust",
}


@dataclass(frozen=True)
class WorkflowEvidence:
    """One job that runs tests. `source` names it for a person: file, line and job.

    `versions`: language (``python``, ``node``, ``go``, ``ruby``, ``java``, ``rust``) -> versions that it is tested
    with, the newest first. `tests`, the `installs` that are for these and the `builds` before them, in the order of the
    steps; `scripts` that build stand before the last of them. `prepared`: every command up to the first of its tests.
    `variables`: what its tests find set, without those of `steering`, which say to tox and pytest what to do.
    `system_packages`: Debian packages that it installs. `unknown_services`: images that no kind of service stands for.
    `seldom`: its workflow runs by the clock or when somebody asks, whatever is changed. `may_fail`: nobody learns from
    it that its tests do.
    """

    source: str
    versions: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    installs: tuple[CommandEvidence, ...] = ()
    builds: tuple[CommandEvidence, ...] = ()
    scripts: tuple[CommandEvidence, ...] = ()
    tests: tuple[CommandEvidence, ...] = ()
    prepared: tuple[CommandEvidence, ...] = ()
    services: tuple[Service, ...] = ()
    variables: Mapping[str, str] = field(default_factory=dict)
    steering: Mapping[str, str] = field(default_factory=dict)
    system_packages: tuple[str, ...] = ()
    unknown_services: tuple[str, ...] = ()
    seldom: bool = False
    may_fail: bool = False

    @property
    def languages(self) -> frozenset[str]:
        """What the job is about, by its tests' programs, else by what it sets up; empty where neither says."""
        programs = {command.name for command in self.tests}
        return frozenset(_PROGRAMS[name] for name in programs if name in _PROGRAMS) or frozenset(self.versions)


def evidence_in(source: str, commands: Iterable[CommandEvidence]) -> WorkflowEvidence | None:
    """What the commands of a job say by themselves, in their order; None where none of them runs tests."""
    commands = tuple(commands)
    tests = tuple(command for command in commands if command.is_test)
    if not tests:
        return None
    before = commands[: commands.index(tests[0])]
    installs = (*(command for command in before if command.is_install), *_for_more(commands, tests))
    return WorkflowEvidence(
        source,
        installs=installs,
        builds=tuple(command for command in before if command.is_build),
        scripts=tuple(command for command in commands[: commands.index(tests[-1])] if command.built_script),
        tests=tests,
        prepared=(*before, tests[0]),
        system_packages=tuple(dict.fromkeys(name for command in installs for name in command.system_packages)),
    )


def _for_more(commands: tuple[CommandEvidence, ...], tests: tuple[CommandEvidence, ...]) -> Iterator[CommandEvidence]:
    """What is installed between the first and the last of the `tests`; not what has another round of them with other
    versions."""
    between = commands[commands.index(tests[0]) : len(commands) - commands[::-1].index(tests[-1])]
    return (command for command in between if command.is_install and not command.keeps_to_a_version)
