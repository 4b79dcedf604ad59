"""``make check`` of automake, whose test harness says how each test ended
(https://www.gnu.org/software/automake/manual/html_node/Scripts_002dbased-Testsuites.html)."""

import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import replace
from posixpath import join, relpath

from repo_tools.environment.contract import TestCommand
from repo_tools.environment.junit import merged, shorten_message
from repo_tools.environment.runners.agreement import agreed
from repo_tools.environment.runners.contract import Account, IsFile, Reading, RunOrder
from repo_tools.environment.runners.ctest import NOT_BUILT, not_built
from repo_tools.environment.runners.exit_code import ExitCodeRunner
from repo_tools.sandbox.contract import WORKSPACE
from repo_tools.test_report import NO_FILE, TestCase, TestOutcome

_OUTCOMES = {
    "PASS": TestOutcome.PASSED,
    "FAIL": TestOutcome.FAILED,
    "XPASS": TestOutcome.FAILED,
    "ERROR": TestOutcome.ERROR,
    "SKIP": TestOutcome.SKIPPED,
    "XFAIL": TestOutcome.SKIPPED,
}
_RESULT = re.compile(rf"({'|'.join(_OUTCOMES)}): (\S.*)")
_FOLDER = re.compile(r"g?make(?:\[\d+\])?: (Entering|Leaving) directory ['`]([^']+)'")
_LOG_BEGINS = re.compile(r"\s+\S.*: (?:\S*/)?test-suite\.log")


class AutomakeRunner(ExitCodeRunner):
    """No test is run alone: of a suite, Makefiles below may know a name and others not."""

    name = "automake"

    def recognises(self, argv: tuple[str, ...]) -> bool:
        """The words are those of any Makefile: its detector knows."""
        return False

    def order(self, command: TestCommand, selectors: tuple[str, ...]) -> RunOrder:
        return RunOrder((*command.argv, "--keep-going", "VERBOSE=1"), hear_output=True)

    def read(self, account: Account, command: TestCommand, is_file: IsFile) -> Reading:
        cases = merged(_cases(account.results.decode("utf-8", "replace")))
        if not cases and not account.exit_code:
            return super().read(account, command, is_file)  # what its tests are started by is no harness of automake's
        why = not_built(account.output)
        reading = agreed(account, cases, found_none="No tests were run.", failed_without_red=why)
        return replace(reading, unbuilt=why != NOT_BUILT)


def _cases(text: str) -> Iterator[TestCase]:
    """With what each one's log says, where it is shown: behind the results of its folder. A name may come several
    times: what a build or an older harness' tests print looks like a result, too."""
    found: list[tuple[str, TestOutcome]] = []
    logs = defaultdict[str, list[str]](list)
    folders: list[str] = []
    shown: str | None = None  # whose log is read; empty: nobody's yet; None: results are
    before = ""
    for line in text.splitlines():
        result = _RESULT.fullmatch(line)
        if step := _FOLDER.fullmatch(line):
            shown = None
            if step[1] == "Entering":
                folders.append(relpath(step[2], WORKSPACE))
            else:
                del folders[-1:]
        elif _LOG_BEGINS.fullmatch(line):
            shown = ""
        elif shown is None and result:
            found.append((_within(folders, result[2]), _OUTCOMES[result[1]]))
        elif shown is not None and len(line) > 1 and set(line) == {"="} and len(line) == len(before):
            logs[shown or ""][-1:] = []
            shown = _within(folders, before.partition(": ")[2])
        elif line.startswith("Testsuite summary for "):
            shown = shown and ""
        elif shown:
            logs[shown].append(line)
        before = line
    for name, outcome in dict.fromkeys(found):
        message = "" if outcome is TestOutcome.PASSED else "\n".join(logs[name]).strip().rstrip("=\n")
        yield TestCase(f"{NO_FILE}::{name}", NO_FILE, outcome, 0.0, shorten_message(message))


def _within(folders: list[str], name: str) -> str:
    return join(*folders[-1:], name) if folders and folders[-1] != "." else name
