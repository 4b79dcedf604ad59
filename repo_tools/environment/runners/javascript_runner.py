"""What the runners of JavaScript have in common; most report through a reporter of ours."""

from dataclasses import replace

from repo_tools.environment.contract import TestCommand
from repo_tools.environment.runners.contract import Account, IsFile, OneTry, Reading, RunOrder
from repo_tools.environment.runners.javascript_account import read_account
from repo_tools.environment.runners.javascript_command import ScriptCommand
from repo_tools.environment.runners.javascript_launch import launched
from repo_tools.environment.runners.javascript_selectors import Wanted, check_javascript_selector, narrowed


class JavaScriptRunner(OneTry):
    """A `SuiteRunner` but for its name, and how it is recognised and started."""

    name: str
    selects = True

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
