"""minitest, by a small program of ours that loads the files and says what comes of each test on a descriptor."""

import json
import re
from collections.abc import Iterator
from importlib.resources import files
from pathlib import PurePosixPath
from typing import Any

from repo_tools.environment.contract import TestCommand
from repo_tools.environment.junit import merged, shorten_message
from repo_tools.environment.runners.agreement import agreed
from repo_tools.environment.runners.contract import RESULTS, Account, IsFile, OneTry, Reading, RunOrder
from repo_tools.environment.selectors import below, split_selector
from repo_tools.sandbox.contract import WORKSPACE
from repo_tools.test_report import TestCase, TestOutcome

EXAMPLE = "test/stack_test.rb, test/stack_test.rb::StackTest#test_pop"
_ADDRESS = re.compile(r"\b0x[0-9a-f]{6,16}\b")
ANY_ADDRESS = "…"
_PROGRAMS = files("repo_tools.environment.box_programs")
_OUTCOMES = {
    "passed": TestOutcome.PASSED,
    "failed": TestOutcome.FAILED,
    "error": TestOutcome.ERROR,
    "skipped": TestOutcome.SKIPPED,
}


class MinitestRunner(OneTry):
    """`argv` is ``ruby``, its options, and the test files; ``bundle exec`` may stand before it."""

    name = "minitest"
    selects = True
    program = "minitest.rb"

    def recognises(self, argv: tuple[str, ...]) -> bool:
        words = argv[2:] if argv[:2] == ("bundle", "exec") else argv
        return words[:1] == ("ruby",) and len(words) > 1 and words[-1].endswith(".rb")

    def check_selector(self, selector: str) -> None:
        path, _ = split_selector(selector, EXAMPLE)
        if not path.endswith(".rb"):
            raise ValueError(f"{selector[:200]!r} names no tests. Write a test file: {EXAMPLE}.")

    def order(self, command: TestCommand, selectors: tuple[str, ...]) -> RunOrder:
        parts = [split_selector(selector, EXAMPLE) for selector in selectors]
        ruby = tuple(word for word in command.argv if not word.endswith(".rb"))
        own = tuple(word for word in command.argv if word.endswith(".rb"))
        wanted = tuple(sorted({below(path, command.directory) for path, _ in parts})) or own
        named = "|".join(sorted({_escaped(name) for _, name in parts})) if all(name for _, name in parts) else ""
        only = (f"--name=/^(?:{named})$/",) if named else ()
        program = (_PROGRAMS / self.program).read_text("utf-8")
        return RunOrder((*ruby, "-e", program, "--", RESULTS, *wanted, *only))

    def read(self, account: Account, command: TestCommand, is_file: IsFile) -> Reading:
        try:
            lines = [json.loads(line) for line in account.results.splitlines()]
            cases = merged(_cases(lines, command))
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
            return Reading((), "The test runner's results cannot be read.")
        if not lines or lines[-1].get("kind") != "end":
            return Reading((), f"The test runner died. (exit code {account.exit_code})")
        return agreed(account, cases, found_none="No tests were run.")


class TestUnitRunner(MinitestRunner):
    """The same for the gem test-unit, which is started no differently: a detector tells them apart."""

    __test__ = False
    name = "test_unit"
    program = "test_unit.rb"

    def recognises(self, argv: tuple[str, ...]) -> bool:
        return False


def without_addresses(name: str) -> str:
    """Of objects that a test is called after (``#<Proc:0x00007f1c5a8570a0>``), which differ from run to run."""
    return _ADDRESS.sub(ANY_ADDRESS, name)


def _escaped(name: str) -> str:
    plain = "".join(c if c.isalnum() or c in "_#:" else f"\\{c}" for c in name)
    return plain.replace(f"\\{ANY_ADDRESS}", "0x[0-9a-f]+")


def _cases(lines: list[dict[str, Any]], command: TestCommand) -> Iterator[TestCase]:
    for line in lines:
        path = _path(line.get("file"), command)
        if line["kind"] == "file":  # one that could not be loaded
            yield TestCase(path, path, TestOutcome.ERROR, 0.0, shorten_message(str(line["message"])))
        if line["kind"] != "test":
            continue
        name = without_addresses(f"{line['suite']}#{line['name']}")
        message = shorten_message(str(line.get("message", "")))
        yield TestCase(f"{path}::{name}", path, _OUTCOMES[line["how"]], float(line["seconds"]), message)


def _path(told: object, command: TestCommand) -> str:
    """Where the test is defined; a helper outside of the work tree is nobody's file."""
    place = PurePosixPath(str(told))
    if place.is_relative_to(WORKSPACE):
        return str(place.relative_to(WORKSPACE))
    return command.directory or "."
