"""What the runners have in common that tests of JavaScript report through a reporter of ours."""

from repo_tools.environment.contract import TestCommand
from repo_tools.environment.runners.contract import Account, IsFile, Reading
from repo_tools.environment.runners.javascript_account import read_account
from repo_tools.environment.runners.javascript_selectors import check_javascript_selector


class JavaScriptRunner:
    """A `SuiteRunner` but for its name, and how it is recognised and started."""

    selects = True

    def check_selector(self, selector: str) -> str:
        return check_javascript_selector(selector)

    def second_try(self, command: TestCommand, account: Account) -> tuple[TestCommand, str] | None:
        return None

    def read(self, account: Account, command: TestCommand, is_file: IsFile) -> Reading:
        return read_account(account)
