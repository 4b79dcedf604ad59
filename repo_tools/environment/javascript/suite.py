"""What the scripts of a package come to. Pure."""

from dataclasses import dataclass

from repo_tools.environment.javascript.chains import split_chain
from repo_tools.environment.runners.javascript_command import ScriptCommand

BY_EXIT_CODE = "PATH=$PWD/node_modules/.bin:$PATH; "
"""What stands before a script of which only the exit code is known."""


@dataclass(frozen=True)
class Suite:
    """One test command of a package. `everywhere`: it runs the scripts of a workspace's members."""

    command: ScriptCommand
    runner: str
    source: str
    everywhere: bool = False

    @property
    def commands(self) -> list[str]:
        """Of one of which only the exit code would be known: what its script comes to."""
        return split_chain(self.command.words[-1].removeprefix(BY_EXIT_CODE))


@dataclass(frozen=True)
class Scripted:
    """What scripts come to. `left_out`: what belongs to the tests and is not run, and why, for a person."""

    suites: tuple[Suite, ...] = ()
    left_out: tuple[str, ...] = ()

    @property
    def has_runner(self) -> bool:
        """Whether more than an exit code will be known."""
        return any(suite.runner != "exit_code" for suite in self.suites)
