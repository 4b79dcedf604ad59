"""Bun's runner: how it is started, and what its JUnit file, as it leaves it, and what it prints mean."""

import json

import pytest

from repo_tools.environment.contract import TestCommand
from repo_tools.environment.runners import RUNNERS
from repo_tools.environment.runners.contract import FOLDER, Account, Reading

XML = b"""<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="bun test" tests="5" assertions="4" failures="1" skipped="1" time="0.07">
  <testsuite name="test/a.test.ts" file="test/a.test.ts" tests="5" failures="1" skipped="1" time="0" hostname="vm">
    <testsuite name="outer" file="test/a.test.ts" line="2" tests="4" failures="1" skipped="1" time="0" hostname="vm">
      <testsuite name="inner &gt; x" file="test/a.test.ts" line="2" tests="3" failures="1" skipped="1" time="0">
        <testcase name="works" classname="inner &amp;gt; x &amp;gt; outer" time="0.5" file="test/a.test.ts" line="2" />
        <testcase name="fails" classname="inner &amp;gt; x &amp;gt; outer" time="0.0001" file="test/a.test.ts" line="2">
          <failure type="AssertionError" message="expected 2">Expected: 2 Received: 1</failure>
        </testcase>
        <testcase name="later" classname="inner &amp;gt; x &amp;gt; outer" time="0" file="test/a.test.ts" line="2">
          <skipped message="TODO" />
        </testcase>
      </testsuite>
      <testcase name="works" classname="outer" time="0.000004" file="test/a.test.ts" line="2" />
      <testcase name="works" classname="outer" time="0.000004" file="test/a.test.ts" line="3" />
    </testsuite>
    <testcase name="top" classname="" time="0.000004" file="test/a.test.ts" line="3" />
  </testsuite>
</testsuites>"""
PRINTED = b"""
test/a.test.ts:
(pass) top

test/deep/b.test.js:

# Unhandled error between tests
-------------------------------
1 | throw new Error("broken at load");
error: broken at load
-------------------------------

 1 pass
 1 error
"""


def read(code: int = 1, xml: bytes = XML, output: bytes = b"", directory: str = "") -> Reading:
    command = TestCommand("bun_test", ("bun", "test"), directory)
    return RUNNERS["bun_test"].read(Account(code, files={f"{FOLDER}/bun.xml": xml}, output=output), command, bool)


def words(command: str, *selectors: str, directory: str = "") -> list[str]:
    order = RUNNERS["bun_test"].order(TestCommand("bun_test", tuple(command.split()), directory), selectors)
    assert f"{FOLDER}/bun.xml" in order.files
    return list(json.loads(order.argv[-1])["argv"])


def test_each_test_of_bun_is_a_case_below_its_suites() -> None:
    reading = read()
    assert reading.problem is None
    assert {case.id: str(case.outcome) for case in reading.cases} == {
        "test/a.test.ts::outer > inner > x > works": "passed",
        "test/a.test.ts::outer > inner > x > fails": "failed",
        "test/a.test.ts::outer > inner > x > later": "skipped",
        "test/a.test.ts::outer > works": "passed",
        "test/a.test.ts::outer > works #2": "passed",
        "test/a.test.ts::top": "passed",
    }
    assert {case.path for case in read(directory="libs/a").cases} == {"libs/a/test/a.test.ts"}
    assert "Received: 1" in reading.cases[1].message


def test_a_file_that_raises_before_any_test_of_it_is_an_error_though_the_results_leave_it_out() -> None:
    (broken,) = (case for case in read(output=PRINTED).cases if case.outcome == "error")
    assert (broken.id, "broken at load" in broken.message) == ("test/deep/b.test.js", True)
    only = read(xml=b"", output=PRINTED)
    assert [case.id for case in only.cases] == ["test/deep/b.test.js"]
    assert only.problem is None


@pytest.mark.parametrize(
    ("code", "xml", "problem"),
    [
        (0, XML, "ends as if there were none"),
        (1, XML.replace(b"failure", b"system-out"), "fails, and none of its tests does"),
        (1, b"", "No tests were collected"),
        (127, b"", "is not there"),
        (1, XML[:300], "cannot be read"),
        (1, b'<!DOCTYPE x [<!ENTITY a "b">]><testsuites/>', "declares a document type"),
    ],
)
def test_what_does_not_agree_with_how_it_ended_is_no_result(code: int, xml: bytes, problem: str) -> None:
    assert problem in str(read(code, xml).problem)


def test_bun_is_narrowed_to_files_and_names_and_never_stops_early() -> None:
    found = words(
        "bun test --coverage --bail=1 --timeout 500 src", "libs/a/b.test.ts::outer > adds", directory="libs/a"
    )
    assert found[:4] == ["bun", "test", "--timeout", "500"]
    assert found[-3:] == ["--test-name-pattern", r"^outer\s+(?:>\s+)?adds", "./b.test.ts"]
    assert not any(word.startswith(("--bail", "--coverage")) for word in found)
    assert words("bun test src")[-1] == "src"
