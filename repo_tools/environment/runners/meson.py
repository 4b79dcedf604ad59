"""``meson test``, which builds before, with its JUnit XML (https://mesonbuild.com/Unit-tests.html)."""

from itertools import pairwise
from xml.etree import ElementTree

from repo_tools.environment.contract import TestCommand
from repo_tools.environment.runners.contract import Account, IsFile, Reading, RunOrder
from repo_tools.environment.runners.ctest import junit_reading

_LOGS = "meson-logs/testlog*.junit.xml"


class MesonRunner:
    name = "meson"
    selects = False

    def recognises(self, argv: tuple[str, ...]) -> bool:
        return argv[:2] == ("meson", "test")

    def check_selector(self, selector: str) -> str:
        raise ValueError(f"{selector[:200]!r} cannot be run alone: Meson's tests are run together.")

    def order(self, command: TestCommand, selectors: tuple[str, ...]) -> RunOrder:
        named = [value for option, value in pairwise(command.argv) if option == "-C"]
        folder = (*named, ".")[0]
        return RunOrder((*command.argv, "--print-errorlogs"), files=(f"{folder}/{_LOGS}",))

    def second_try(self, command: TestCommand, account: Account) -> tuple[TestCommand, str] | None:
        return None

    def read(self, account: Account, command: TestCommand, is_file: IsFile) -> Reading:
        return junit_reading(account, _address)


def _address(element: ElementTree.Element) -> tuple[str, tuple[str, ...]]:
    """A suite and a test: Meson tells no files."""
    suite, name = element.get("classname", ""), element.get("name", "")
    return ".", (*([suite] if suite else []), name)
