"""Bun's own runner, with its JUnit XML (https://bun.com/docs/cli/test)."""

import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import takewhile
from posixpath import join, normpath
from xml.etree import ElementTree

from repo_tools.environment.contract import TestCommand
from repo_tools.environment.junit import JUnitError, cases_of, junit_root, shorten_message
from repo_tools.environment.runners.agreement import agreed
from repo_tools.environment.runners.contract import FOLDER, NONE_COLLECTED, Account, IsFile, Reading, RunOrder
from repo_tools.environment.runners.javascript_account import failed_build, numbered, test_id
from repo_tools.environment.runners.javascript_command import ScriptCommand, parted
from repo_tools.environment.runners.javascript_launch import launched
from repo_tools.environment.runners.javascript_runner import JavaScriptRunner
from repo_tools.environment.runners.javascript_selectors import Wanted, name_pattern
from repo_tools.test_report import TestCase, TestOutcome

_RESULTS = f"{FOLDER}/bun.xml"
_WITH_VALUE = frozenset((
    "-r", "--preload", "--require", "--import", "-c", "--config", "-t", "--test-name-pattern", "--timeout",
    "--rerun-each", "--bail", "--seed", "--max-concurrency", "--reporter", "--reporter-outfile", "--cwd",
    "--coverage-reporter", "--coverage-dir", "--env-file", "--path-ignore-patterns", "--conditions", "--define",
))  # fmt: skip
_NOT_OURS = frozenset((
    "--watch", "--hot", "--bail", "--coverage", "--coverage-reporter", "--coverage-dir", "-u",
    "--update-snapshots", "--reporter", "--reporter-outfile", "--only-failures", "--dots", "--pass-with-no-tests",
))  # fmt: skip
_FILE = re.compile(r"(?P<path>\S.{0,300}\.[cm]?[jt]sx?):")
_NOT_LOADED = "# Unhandled error between tests"
_RULE = re.compile(r"-{5,}")


class BunTestRunner(JavaScriptRunner):
    name = "bun_test"

    def starts(self, script: ScriptCommand) -> bool:
        return _is_bun_test(script.words)

    def started(self, script: ScriptCommand, wanted: Wanted) -> RunOrder:
        options, operands = parted(script.words[script.words.index("test") + 1 :], _NOT_OURS, _WITH_VALUE)
        ours = ["--reporter=junit", f"--reporter-outfile={_RESULTS}"]
        if wanted.names:
            ours += ["--test-name-pattern", name_pattern(wanted.names)]
        named = [f"./{path}" for path in wanted.places]  # what begins so is a path, and no part of one
        words = ("bun", "test", *options, *ours, *(named or operands))
        order = launched(replace(script, words=words), instead_of=operands)
        return replace(order, files=(*order.files, _RESULTS))

    def read(self, account: Account, command: TestCommand, is_file: IsFile) -> Reading:
        if built := failed_build(account):
            return Reading((), built)
        written = account.files.get(_RESULTS)
        try:
            cases = tuple(_cases(written, command.directory)) if written else ()
        except JUnitError as error:
            return Reading((), f"The test runner's result file cannot be read: {error}")
        every = numbered((*cases, *_not_loaded(account.output, command.directory)))
        return agreed(account, every, found_none=NONE_COLLECTED)


def _is_bun_test(words: tuple[str, ...]) -> bool:
    """Its own options may stand before the command, with their values after an equals sign."""
    return words[:1] == ("bun",) and next((w for w in words[1:] if not w.startswith("-")), "") == "test"


def _cases(xml: bytes, directory: str) -> Iterator[TestCase]:
    """Which suites are around a test is told by how the elements stand: its ``classname`` has them joined."""
    root = junit_root(xml)
    parents = {child: parent for parent in root.iter() for child in parent}

    def names_of(element: ElementTree.Element) -> Iterator[str]:
        if (parent := parents.get(element)) is not None:
            yield from names_of(parent)
        if element.get("line") or element.tag == "testcase":  # the suite of a file stands in no line
            yield element.get("name", "")

    def address(element: ElementTree.Element) -> tuple[str, tuple[str, ...]]:
        path = normpath(join(directory, element.get("file", ".")))
        return path, (test_id("", names_of(element)).removeprefix("::"),)

    return cases_of(root, address)


def _not_loaded(output: bytes, directory: str) -> Iterator[TestCase]:
    """Files whose tests its results leave out, because they raised outside of any. It prints them alone."""
    path, lines = "", iter(output.decode("utf-8", "replace").splitlines())
    for line in lines:
        if found := _FILE.fullmatch(line):
            path = normpath(join(directory, found["path"]))
        elif line == _NOT_LOADED:
            next(lines, "")  # a rule
            said = "\n".join(takewhile(lambda text: not _RULE.fullmatch(text), lines))
            yield TestCase(path or ".", path or ".", TestOutcome.ERROR, 0.0, shorten_message(said))
