"""What the runners of JavaScript have in common; most report through a reporter of ours."""

from abc import ABC, abstractmethod
from dataclasses import replace

from repo_tools.environment.contract import TestCommand
from repo_tools.environment.runners.contract import Account, IsFile, OneTry, Reading, RunOrder
from repo_tools.environment.runners.javascript_account import read_account
from repo_tools.environment.runners.javascript_command import ScriptCommand, taken_apart
from repo_tools.environment.runners.javascript_launch import launched
from repo_tools.environment.runners.javascript_selectors import (
    Wanted,
    check_javascript_selector,
    narrowed,
    wanted_of,
)


class JavaScriptRunner(OneTry, ABC):
    """A `SuiteRunner` but for its name, and how it is recognised and started."""

    name: str
    selects = True

    @abstractmethod
    def starts(self, script: ScriptCommand) -> bool:
        """Whether `script` does."""

    @abstractmethod
    def started(self, script: ScriptCommand, wanted: Wanted) -> RunOrder:
        """By `script`, for what is wanted."""

    def recognises(self, argv: tuple[str, ...]) -> bool:
        return self.starts(taken_apart(argv))

    def order(self, command: TestCommand, selectors: tuple[str, ...]) -> RunOrder:
        return self.started(taken_apart(command.argv), wanted_of(selectors, command.directory))

    def check_selector(self, selector: str) -> None:
        check_javascript_selector(selector)

    def read(self, account: Account, command: TestCommand, is_file: IsFile) -> Reading:
        return read_account(account)

    def reporting(
        self,
        script: ScriptCommand,
        words: tuple[str, ...],
        wanted: Wanted,
        *,
        instead_of: tuple[str, ...] = (),
        expand: bool = False,
    ) -> RunOrder:
        """`script` with these `words` and our reporter; `instead_of` and `expand`: as `launched` takes them."""
        told = replace(script, words=words, variables={**script.variables, **narrowed(wanted)})
        return launched(told, reporter=self.name, expand=expand, instead_of=instead_of)
