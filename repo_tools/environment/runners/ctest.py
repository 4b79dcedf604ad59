"""CTest, with its JUnit XML (https://cmake.org/cmake/help/latest/manual/ctest.1.html); what it tests is built first."""

import re
from dataclasses import replace
from itertools import pairwise
from xml.etree import ElementTree

from repo_tools.environment.contract import TestCommand
from repo_tools.environment.junit import Address, JUnitError, parse_junit, shorten_message
from repo_tools.environment.runners.agreement import agreed
from repo_tools.environment.runners.contract import FOLDER, Account, IsFile, OneTry, Reading, RunOrder
from repo_tools.environment.selectors import split_selector
from repo_tools.test_report import TestCase, TestOutcome

EXAMPLE = ".::parse_numbers"
NOT_BUILT = "Something did not build or run."
NO_PROGRAM = "It was not built."
"""The first line of what is told of a test whose program is not there."""
_RESULTS = f"{FOLDER}/ctest.xml"
_NOT_LINKED = "Unable to find executable"
"""As CTest says that a test's program is not there."""
_ERROR = re.compile(
    rb"^[^\s:]+:\d+:\d+: (?:fatal )?error: .*|^.*undefined reference to .*|^CMake Error\b.*(?:\n.+)?", re.MULTILINE
)
_MOST_ERRORS = 20
_LONGEST_ERROR = 300
# Configured again, because a list of sources may be a pattern: what is new matches it only then. Where something does
# not build, all the rest is built and tested: programs of an earlier build go first, and are only linked again.
_START = r"""
folder=$1; shift
if test -f "$folder/CMakeCache.txt"; then
  cmake "$folder" >/dev/null || exit 2
  cmake --build "$folder" --parallel 2 || {
    find "$folder" -type f -perm -u+x -exec grep -lZa -m1 '^.ELF' {} + | xargs -0r rm -f
    if test -f "$folder/build.ninja"; then on=-k0; else on=-k; fi
    cmake --build "$folder" --parallel 2 -- $on || partly=1
  }
fi
"$@"
code=$?
test -z "$partly" || echo "$0"
exit $code
"""
_PARTLY = "Not all of it was built."


class CTestRunner(OneTry):
    name = "ctest"
    selects = False  # but tests, by their names

    def recognises(self, argv: tuple[str, ...]) -> bool:
        return argv[:1] == ("ctest",)

    def check_selector(self, selector: str) -> None:
        path, name = split_selector(selector, EXAMPLE)
        if not name or path:
            raise ValueError(f"{selector[:200]!r} names no tests. Write the name of a test of CTest: {EXAMPLE}.")

    def order(self, command: TestCommand, selectors: tuple[str, ...]) -> RunOrder:
        names = sorted({split_selector(selector, EXAMPLE)[1] for selector in selectors})
        wanted = ("-R", f"^({'|'.join(map(_escaped, names))})$") if names else ()
        words = (*command.argv, "--output-junit", _RESULTS, *wanted)
        argv = ("sh", "-c", _START, _PARTLY, _folder(command.argv), *words)
        return RunOrder(argv, {"CTEST_OUTPUT_ON_FAILURE": "1"}, files=(_RESULTS,))

    def read(self, account: Account, command: TestCommand, is_file: IsFile) -> Reading:
        reading = _with_what_was_not_built(junit_reading(account, _address), account.output)
        return replace(reading, unbuilt=_PARTLY.encode() in account.output.splitlines())


def junit_reading(account: Account, address: Address) -> Reading:
    """Of the files of a run that begins with a build."""
    try:
        cases: tuple[TestCase, ...] = tuple(c for xml in account.files.values() for c in parse_junit(xml, address))
    except JUnitError as error:
        return Reading((), f"The test runner's result file cannot be read: {error}")
    return agreed(account, cases, found_none="No tests were run.", failed_without_red=not_built(account.output))


def not_built(output: bytes) -> str:
    """What it means that a run with a build before it fails, and no test does; with the compiler's first error."""
    found = _ERROR.search(output)
    return f"{NOT_BUILT} {found[0].decode('utf-8', 'replace')[:_LONGEST_ERROR]}" if found else NOT_BUILT


def _with_what_was_not_built(reading: Reading, output: bytes) -> Reading:
    """A test whose program is not there is an error, with the compiler's words; where none passes, no result."""
    skipped = (case for case in reading.cases if case.outcome is TestOutcome.SKIPPED)
    lacking = frozenset(case.id for case in skipped if case.message.startswith(_NOT_LINKED))
    if not lacking:
        return reading
    found = dict.fromkeys(error[0].decode("utf-8", "replace") for error in _ERROR.finditer(output))
    said = shorten_message("\n".join((NO_PROGRAM, *list(found)[:_MOST_ERRORS])))
    cases = tuple(replace(c, outcome=TestOutcome.ERROR, message=said) if c.id in lacking else c for c in reading.cases)
    if not any(case.outcome is TestOutcome.PASSED for case in cases):
        return Reading(cases, reading.problem or not_built(output))
    return Reading(cases, None if (reading.problem or "").startswith(NOT_BUILT) else reading.problem)


def _address(element: ElementTree.Element) -> tuple[str, tuple[str, ...]]:
    """CTest knows no files."""
    return ".", (element.get("name", ""),)


def _folder(argv: tuple[str, ...]) -> str:
    """Where the build is that `argv` tests."""
    named = [value for option, value in pairwise(argv) if option == "--test-dir"]
    joined = [word.partition("=")[2] for word in argv if word.startswith("--test-dir=")]
    return (*named, *joined, ".")[0]


def _escaped(name: str) -> str:
    """For CMake's regular expressions, which are not Python's."""
    return re.sub(r"[][().*+?^$|\\]", r"\\\g<0>", name)
