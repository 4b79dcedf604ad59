"""CTest and Meson: how they are started, and what their JUnit files, as they leave them, mean."""

import os
import subprocess
from pathlib import Path

import pytest

from repo_tools.environment.contract import TestCommand
from repo_tools.environment.runners import RUNNERS, recognise
from repo_tools.environment.runners.contract import FOLDER, Account, Reading
from repo_tools.test_report import TestOutcome

CTEST = TestCommand("ctest", ("ctest", "--test-dir", "build"))
MESON = TestCommand("meson", ("meson", "test", "-C", "build"))
PASSED, FAILED, SKIPPED = TestOutcome.PASSED, TestOutcome.FAILED, TestOutcome.SKIPPED

CTEST_XML = b"""<?xml version="1.0" encoding="UTF-8"?>
<testsuite name="Linux-c++" tests="4" failures="1" disabled="1" skipped="1" hostname="" time="0">
 <testcase name="numbers" classname="numbers" time="0.004" status="run"><system-out>ok</system-out></testcase>
 <testcase name="text" classname="text" time="0.003" status="fail">
  <failure message=""/><properties/><system-out>text.c:14:test_cut:FAIL: Expected 2 Was 3</system-out>
 </testcase>
 <testcase name="slow" classname="slow" time="0" status="disabled"><disabled message="Disabled"/></testcase>
 <testcase name="odd" classname="odd" time="0" status="notrun"><skipped message="SKIP_RETURN_CODE=77"/></testcase>
</testsuite>"""
MESON_XML = b"""<?xml version='1.0' encoding='utf8'?>
<testsuites tests="2" errors="0" failures="1"><testsuite name="parse" tests="2" errors="0" failures="1">
 <testcase name="numbers" classname="parse" time="0.01" />
 <testcase name="text" classname="parse" time="0.01"><failure /><system-out>Expected 2</system-out></testcase>
</testsuite></testsuites>"""
CMAKE = """#!/bin/sh
echo "$(basename "$0") $*" >>"$ASKED"
case "$1" in --build) exit "$BUILD";; esac
"""


def read(command: TestCommand, account: Account) -> Reading:
    return RUNNERS[command.runner].read(account, command, lambda _: False)


def test_each_test_of_ctest_is_a_case_with_what_it_said() -> None:
    reading = read(CTEST, Account(8, files={f"{FOLDER}/ctest.xml": CTEST_XML}))
    assert reading.problem is None
    assert not reading.only_exit_code
    assert {case.id: case.outcome for case in reading.cases} == {
        ".::numbers": PASSED,
        ".::text": FAILED,
        ".::slow": SKIPPED,
        ".::odd": SKIPPED,
    }
    assert "Expected 2 Was 3" in next(case.message for case in reading.cases if case.id == ".::text")


def test_each_test_of_meson_is_a_case_of_its_suite() -> None:
    reading = read(MESON, Account(1, files={"build/meson-logs/testlog.junit.xml": MESON_XML}))
    assert {case.id: case.outcome for case in reading.cases} == {".::parse::numbers": PASSED, ".::parse::text": FAILED}


@pytest.mark.parametrize("command", [CTEST, MESON])
def test_a_build_that_fails_and_tests_that_cannot_be_started_are_no_result(command: TestCommand) -> None:
    assert "did not build" in str(read(command, Account(2)).problem)
    assert "run. a.c:3:5: error: no" in str(read(command, Account(2, output=b"x\na.c:3:5: error: no\n")).problem)
    xml = b'<testsuite><testcase name="a"><skipped message="Unable to find executable"/></testcase></testsuite>'
    assert "did not build" in str(read(command, Account(8, files={"a.xml": xml})).problem)


def test_where_one_program_is_not_built_and_nothing_passes_there_is_no_result() -> None:
    lacking = b'<testcase name="b" status="notrun"><skipped message="Unable to find executable"/></testcase>'
    xml = b'<testsuite><testcase name="a" status="fail"><failure message=""/></testcase>%s</testsuite>' % lacking
    assert "did not build" in str(read(CTEST, Account(8, files={"a.xml": xml})).problem)


def test_a_test_whose_program_was_not_built_is_red_beside_those_that_were() -> None:
    lacking = b'<testcase name="b" status="notrun"><skipped message="Unable to find executable"/></testcase>'
    xml = b'<testsuite><testcase name="a" status="run"/>%s</testsuite>' % lacking
    said = b"make: b\n/workspace/b.c:1:3: error: 'x' undeclared (first use)\n    1 | x\n"
    reading = read(CTEST, Account(8, files={"a.xml": xml}, output=said + said))
    assert reading.problem is None
    assert [(case.outcome, case.message) for case in reading.cases] == [
        (PASSED, ""),
        (TestOutcome.ERROR, "It was not built.\n/workspace/b.c:1:3: error: 'x' undeclared (first use)"),
    ]


def test_a_program_of_an_earlier_build_is_not_tested_where_it_does_not_build_any_more(tmp_path: Path) -> None:
    build = tmp_path / "build"
    (build / "CMakeFiles").mkdir(parents=True)
    (build / "CMakeCache.txt").write_text("")
    for name, content in (("stale", b"\x7fELF"), ("script", b"#!/bin/sh\n")):
        (build / name).write_bytes(content)
        (build / name).chmod(0o755)
    for program in ("cmake", "ctest"):
        (tmp_path / program).write_text(CMAKE)
        (tmp_path / program).chmod(0o755)
    variables = {"PATH": f"{tmp_path}:{os.environ['PATH']}", "ASKED": str(tmp_path / "asked"), "BUILD": "1"}
    order = RUNNERS["ctest"].order(CTEST, ())
    done = subprocess.run(order.argv, cwd=tmp_path, env=variables, check=False, stdout=subprocess.PIPE)
    xml = {"a.xml": b'<testsuite><testcase name="a" status="run"/></testsuite>'}
    reading = read(CTEST, Account(done.returncode, files=xml, output=done.stdout))
    assert (reading.unbuilt, reading.problem, reading.cases[0].outcome) == (True, None, PASSED)
    asked = (tmp_path / "asked").read_text().splitlines()
    assert asked[1:3] == ["cmake --build build --parallel 2", "cmake --build build --parallel 2 -- -k"]
    assert asked[3].startswith("ctest")
    assert ((build / "stale").exists(), (build / "script").exists()) == (False, True)


@pytest.mark.parametrize("command", [CTEST, MESON])
def test_no_tests_are_no_success_and_a_broken_file_is_no_result(command: TestCommand) -> None:
    assert "No tests were run" in str(read(command, Account(0)).problem)
    assert "cannot be read" in str(read(command, Account(0, files={"a.xml": b"<testsuite>"})).problem)


def test_what_ctest_tests_is_built_before(tmp_path: Path) -> None:
    (tmp_path / "build").mkdir()
    (tmp_path / "build" / "CMakeCache.txt").write_text("")
    for program in ("cmake", "ctest"):
        (tmp_path / program).write_text(CMAKE)
        (tmp_path / program).chmod(0o755)
    variables = {"PATH": f"{tmp_path}:{os.environ['PATH']}", "ASKED": str(tmp_path / "asked"), "BUILD": "0"}
    done = subprocess.run(RUNNERS["ctest"].order(CTEST, ()).argv, cwd=tmp_path, env=variables, check=False)
    first, second, *rest = (tmp_path / "asked").read_text().splitlines()
    assert (first, second.split()[:3]) == ("cmake build", ["cmake", "--build", "build"])
    assert [line.split()[0] for line in rest] == ["ctest"]
    assert done.returncode == 0


def test_tests_of_ctest_are_selected_by_name_whatever_it_holds() -> None:
    runner = RUNNERS["ctest"]
    runner.check_selector(".::cut (a|b)")
    order = runner.order(CTEST, (".::cut (a|b)", ".::numbers"))
    assert order.argv[-2:] == ("-R", r"^(cut \(a\|b\)|numbers)$")
    for wrong in ("tests/numbers.c", "tests/numbers.c::a", "."):
        with pytest.raises(ValueError, match="Write the name of a test"):
            runner.check_selector(wrong)


def test_tests_of_meson_are_selected_by_name() -> None:
    runner = RUNNERS["meson"]
    for right in (".::parse::cut text", ".::numbers"):
        runner.check_selector(right)
    argv = runner.order(MESON, (".::parse::numbers", ".::parse::cut text", ".::other::numbers")).argv
    assert argv == ("meson", "test", "-C", "build", "--print-errorlogs", "cut text", "numbers")
    for wrong in ("tests/numbers.c", ".", ".::parse::*", ".::-C", ".::sub:numbers", ".::"):
        with pytest.raises(ValueError, match="Write the name of a test"):
            runner.check_selector(wrong)


def test_both_are_known_by_their_command_line() -> None:
    assert [
        recognise(argv) for argv in (CTEST.argv, ("ctest", "-C", "Debug"), MESON.argv, ("meson", "setup", "b"))
    ] == [
        "ctest",
        "ctest",
        "meson",
        "exit_code",
    ]
    assert RUNNERS["ctest"].order(TestCommand("ctest", ("ctest",)), ()).argv[4] == "."
    assert RUNNERS["meson"].order(MESON, ()).files == ("build/meson-logs/testlog*.junit.xml",)


def test_many_tests_that_were_not_built_are_soon_told() -> None:
    each = b'<testcase name="%d" status="notrun"><skipped message="Unable to find executable"/></testcase>'
    xml = b"<testsuite>%s</testsuite>" % b"".join(each % number for number in range(20_000))
    assert {case.outcome for case in read(CTEST, Account(8, files={"a.xml": xml})).cases} == {TestOutcome.ERROR}
