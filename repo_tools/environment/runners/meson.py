"""``meson test``, which builds before, with its JUnit XML (https://mesonbuild.com/Unit-tests.html)."""

import re
from itertools import pairwise
from xml.etree import ElementTree

from repo_tools.environment.contract import TestCommand
from repo_tools.environment.runners.contract import Account, IsFile, OneTry, Reading, RunOrder
from repo_tools.environment.runners.ctest import junit_reading
from repo_tools.environment.selectors import split_selector

EXAMPLE = ".::parse::numbers"
_PLAIN = re.compile(r"(?!-)[^:*?\[\]]+")
"""What Meson takes for a name, and for no pattern, option or subproject."""
_LOGS = "meson-logs/testlog*.junit.xml"


class MesonRunner(OneTry):
    name = "meson"
    selects = False  # but tests, by their names

    def recognises(self, argv: tuple[str, ...]) -> bool:
        return argv[:2] == ("meson", "test")

    def check_selector(self, selector: str) -> None:
        path, names = split_selector(selector, EXAMPLE)
        if path or not _PLAIN.fullmatch(_name(names)):
            raise ValueError(f"{selector[:200]!r} names no tests. Write the name of a test of Meson's: {EXAMPLE}.")

    def order(self, command: TestCommand, selectors: tuple[str, ...]) -> RunOrder:
        named = [value for option, value in pairwise(command.argv) if option == "-C"]
        folder = (*named, ".")[0]
        names = sorted({_name(split_selector(selector, EXAMPLE)[1]) for selector in selectors})
        return RunOrder((*command.argv, "--print-errorlogs", *names), files=(f"{folder}/{_LOGS}",))

    def read(self, account: Account, command: TestCommand, is_file: IsFile) -> Reading:
        return junit_reading(account, _address)


def _name(names: str) -> str:
    """Without the suite that may stand before it."""
    return names.rpartition("::")[2]


def _address(element: ElementTree.Element) -> tuple[str, tuple[str, ...]]:
    """A suite and a test: Meson tells no files."""
    suite, name = element.get("classname", ""), element.get("name", "")
    return ".", (*([suite] if suite else []), name)
