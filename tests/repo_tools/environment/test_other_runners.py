"""What Go, Rust, Java and Ruby runners print and leave, as they did, read into cases; and how they are started."""

import json
import os
import re
import subprocess
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import pytest

from repo_tools.environment.contract import AND_RUN, Environment, TestCommand
from repo_tools.environment.run import choose
from repo_tools.environment.runners import RUNNERS, recognise
from repo_tools.environment.runners.cargo import COMPILED
from repo_tools.environment.runners.contract import FOLDER, Account, Reading
from repo_tools.environment.runners.ctest import NOT_BUILT
from repo_tools.environment.runners.surefire import GRADLE_HOME
from repo_tools.sandbox.contract import WORKSPACE
from repo_tools.test_report import TestOutcome

PASSED, FAILED, ERROR, SKIPPED = TestOutcome.PASSED, TestOutcome.FAILED, TestOutcome.ERROR, TestOutcome.SKIPPED
CAPTURED = Path(__file__).parent / "captured"

GO = TestCommand("go_test", ("go", "test", "./..."))
CARGO = TestCommand("cargo", ("cargo", "test"))
CARGO_DOC = TestCommand("cargo_doc", ("cargo", "test", "--doc"))
NEXTEST = TestCommand("nextest", ("cargo", "nextest", "run"))
MAVEN = TestCommand("maven", ("mvn", "test"))
GRADLE = TestCommand("gradle", ("./gradlew", "test"))
RSPEC = TestCommand("rspec", ("bundle", "exec", "rspec"))
MINITEST = TestCommand("minitest", ("ruby", "-Ilib:test", "test/a_test.rb"))
TEST_UNIT = TestCommand("test_unit", ("ruby", "-Ilib:test", "test/test_a.rb"))


def read(command: TestCommand, account: Account, files: Iterable[str] = ()) -> Reading:
    there = frozenset(files)
    return RUNNERS[command.runner].read(account, command, lambda path: path in there)


def outcomes(reading: Reading) -> dict[str, TestOutcome]:
    return {case.id: case.outcome for case in reading.cases}


def argv(command: TestCommand, *selectors: str) -> tuple[str, ...]:
    for selector in selectors:
        RUNNERS[command.runner].check_selector(selector)
    return RUNNERS[command.runner].order(command, selectors).argv


def test_go_events_become_cases_of_their_package_and_a_package_that_does_not_build_an_error() -> None:
    account = Account(2, (CAPTURED / "go_test.jsonl").read_bytes(), output=b"{}\nsub/b_test.go:5:28: undefined: x")
    reading = read(GO, account)
    assert reading.problem is None
    assert outcomes(reading) == {
        ".::TestAdd": PASSED,
        ".::TestAdd/one_two": PASSED,
        ".::TestAdd/x/y": PASSED,
        ".::TestBad": FAILED,
        ".::TestSkip": SKIPPED,
        ".::ExampleAdd": FAILED,
        "sub": ERROR,
    }
    by_id = {case.id: case for case in reading.cases}
    assert by_id[".::TestBad"].message == "a_test.go:12: boom"
    assert by_id["sub"].message == "sub/b_test.go:5:28: undefined: x"


def test_what_a_go_build_says_is_told_of_its_own_package_and_of_none_that_ran() -> None:
    """As Go 1.19.8 says it."""
    results = (
        b"FAIL\ta/x [build failed]\nFAIL\ta/y [build failed]\nFAIL\ta/z [setup failed]\n"
        b'{"Action":"output","Package":"a/s","Output":"no database\\n"}\n{"Action":"fail","Package":"a/s"}\n'
    )
    said = b"# a/x [a/x.test]\nx/x_test.go:6:5: undefined: G\n# a/y\ny/y_test.go:7:2: Errorf call needs 1 arg\n"
    by_id = {case.id: case.message for case in read(GO, Account(2, results, output=said)).cases}
    assert by_id["a/x"] == "# a/x [a/x.test]\nx/x_test.go:6:5: undefined: G"
    assert by_id["a/y"] == "# a/y\ny/y_test.go:7:2: Errorf call needs 1 arg"
    assert "undefined: G" in by_id["a/z"]
    assert by_id["a/s"] == "no database"


def test_what_a_newer_go_says_of_a_build_is_told_of_its_own_package() -> None:
    reading = read(GO, Account(1, (CAPTURED / "go_test_1_24.jsonl").read_bytes()))
    by_id = {case.id: case for case in reading.cases}
    assert {name: case.outcome for name, case in by_id.items()} == {
        "example.org/a::TestAdd": PASSED,
        "example.org/a/sub": ERROR,
        "example.org/a/vet": ERROR,
    }
    assert "sub/b_test.go:5:28: undefined: undefined" in by_id["example.org/a/sub"].message
    assert "non-constant format string" in by_id["example.org/a/vet"].message
    assert "undefined" not in by_id["example.org/a/vet"].message


def test_a_go_test_that_a_panic_or_the_time_ended_with_its_package_is_an_error() -> None:
    events = [
        ("run", "TestA", ""),
        ("pass", "TestA", ""),
        ("run", "TestBad", ""),
        ("fail", "TestBad", ""),
        ("run", "TestWaits", ""),
        ("output", "", "panic: test timed out after 1s\n"),
        ("fail", "", ""),
    ]
    lines = [json.dumps({"Action": a, "Package": "p", "Test": t, "Output": o}) for a, t, o in events]
    reading = read(GO, Account(1, "\n".join(lines).encode()))
    assert outcomes(reading) == {"p::TestA": PASSED, "p::TestBad": FAILED, "p::TestWaits": ERROR}
    assert "timed out" in next(case.message for case in reading.cases if case.outcome is ERROR)


def test_go_packages_and_tests_are_selected_by_folder_and_pattern() -> None:
    assert argv(GO)[-4:] == ("test", "-json", "-count=1", "./...")
    assert argv(GO, "pkg/store/store_test.go")[-2:] == ("-count=1", "./pkg/store")
    assert argv(GO, ".::TestAdd/x", "sub::Test.B")[-3:] == (r"-run=^(?:Test\.B|TestAdd)$", ".", "./sub")
    assert argv(GO, "sub::TestB", "sub")[-2:] == ("-count=1", "./sub")


def test_go_output_that_a_test_prints_is_no_event() -> None:
    lines = b'{"Action":"output","Package":"p","Test":"TestA","Output":"{\\"Action\\":\\"pass\\"}"}\n'
    lines += b'{"Action":"fail","Package":"p","Test":"TestA","Elapsed":0.5}\n{"Action":"fail","Package":"p"}\n'
    assert outcomes(read(GO, Account(1, lines))) == {"p::TestA": FAILED}


def test_cargo_output_becomes_cases_of_their_target_file() -> None:
    account = Account(101, (CAPTURED / "cargo_test.txt").read_bytes())
    reading = read(CARGO, account, ("src/lib.rs", "tests/it.rs"))
    assert reading.problem is None
    assert outcomes(reading) == {
        "src/lib.rs::tests::adds": PASSED,
        "src/lib.rs::tests::p": PASSED,
        "src/lib.rs::tests::bad": FAILED,
        "src/lib.rs::tests::slow": SKIPPED,
        "tests/it.rs::works": PASSED,
        "src/lib.rs::add (line 2)": PASSED,
    }
    (bad,) = (case for case in reading.cases if case.outcome is FAILED)
    assert "assertion `left == right` failed: sum" in bad.message


def test_a_test_program_of_cargo_s_that_a_signal_ended_is_red_as_a_file() -> None:
    """As cargo 1.65 and 1.95 say it."""
    text = (
        b"     Running tests/it.rs (target/debug/deps/it-8d946e5aefae1540)\n\nrunning 2 tests\ntest before ... ok\n"
        b"error: test failed, to rerun pass `--test it`\n\nCaused by:\n  process didn't exit successfully: "
        b"`/workspace/target/debug/deps/it-8d946e5aefae1540` (signal: 6, SIGABRT: process abort signal)\n"
    )
    reading = read(CARGO, Account(101, text), ("tests/it.rs",))
    assert reading.problem is None
    assert outcomes(reading) == {"tests/it.rs::before": PASSED, "tests/it.rs": ERROR}
    assert reading.cases[1].message == "It was ended by signal 6, SIGABRT: process abort signal."


def test_a_member_of_a_cargo_workspace_is_found_by_the_name_of_its_crate() -> None:
    text = (
        b"     Running unittests src/lib.rs (target/debug/deps/my_crate-0123456789abcdef)\ntest a ... ok\n"
        b"     Running unittests src/lib.rs (target/debug/deps/other-0123456789abcdef)\ntest a ... ok\n"
    )
    files = ("crates/my-crate/src/lib.rs", "src/lib.rs.orig")
    assert set(outcomes(read(CARGO, Account(0, text), files))) == {
        "crates/my-crate/src/lib.rs::a",
        "other/src/lib.rs::a",
    }


def test_a_member_whose_folder_has_another_name_is_found_by_what_cargo_tells() -> None:
    targets = [
        ["grep-cli", "/workspace/crates/cli/src/lib.rs"],
        ["reads", "/workspace/crates/cli/tests/reads.rs"],
        ["it", "/workspace/crates/a/tests/it.rs"],
        ["it", "/workspace/crates/b/tests/it.rs"],
        ["far", "/elsewhere/far/src/lib.rs"],
    ]
    lines = [json.dumps({"targets": targets})]
    for path, crate in (("src/lib.rs", "grep_cli"), ("tests/reads.rs", "reads"), ("tests/it.rs", "it")):
        lines += [f"     Running {path} (target/debug/deps/{crate}-0123456789abcdef)", "test a ... ok"]
    assert set(outcomes(read(CARGO, Account(0, "\n".join(lines).encode())))) == {
        "crates/cli/src/lib.rs::a",
        "crates/cli/tests/reads.rs::a",
        "it/tests/it.rs::a",
    }


@pytest.mark.parametrize("told", ["{", '{"targets": 1}', '{"targets": [["a"]]}', '{"targets": [[1, null]]}'])
def test_what_is_told_of_targets_and_cannot_be_read_is_nothing(told: str) -> None:
    account = Account(0, f"{told}\ntest it ... ok\n".encode())
    assert outcomes(read(CARGO, account)) == {".::it": PASSED}


def test_cargo_goes_on_with_what_set_up_compiled_in_a_folder_of_the_box_s_own(tmp_path: Path) -> None:
    (tmp_path / "kept").mkdir()
    (tmp_path / "kept" / "serde").write_text("1")
    script = argv(CARGO)[2].replace(COMPILED, str(tmp_path / "kept"))
    (tmp_path / "work").mkdir()
    for _ in range(2):  # the second run finds it as the first left it
        become = ("import os, sys; os.execvp(sys.argv[2], sys.argv[2:])", "[]", "rm", "-f", "target/serde")
        subprocess.run(("sh", "-c", script, "sh", *become), cwd=tmp_path / "work", check=True)
        assert list((tmp_path / "work" / "target").iterdir()) == []
    assert (tmp_path / "kept" / "serde").exists()


def test_a_crate_that_does_not_compile_has_no_result_and_says_why() -> None:
    text = b"   Compiling rs v0.1.0\nerror[E0425]: cannot find function `nope` in this scope\nerror: could not compile"
    assert "E0425" in str(read(CARGO, Account(101, text)).problem)


def test_what_does_not_compile_is_a_case_of_its_crate_with_the_compilers_words() -> None:
    places = {"lib": "src/lib.rs", "test": "tests/all.rs"}
    told = {"targets": [[kind, f"{WORKSPACE}/{path}", kind, "till"] for kind, path in places.items()]}
    first = "error[E0425]: cannot find function `digits` in this scope\n --> src/parse.rs:6:59\n  |\n6 |  digits()"
    second = "error: cannot find macro `m` in this scope\n  --> tests/all.rs:12:5\n   |\n12 | m!()"
    other = "error[E0432]: unresolved import `till::gone`\n --> src/deep/mod.rs:1:5"
    end = "error: could not compile `till` (lib test) due to 2 previous errors"
    text = "\n\n".join((json.dumps(told), first, second, other, end))
    reading = read(CARGO, Account(101, text.encode()))
    assert str(reading.problem).startswith(f"{NOT_BUILT} error[E0425]: cannot find function `digits`")
    assert [(case.id, case.path, case.outcome, case.message) for case in reading.cases] == [
        ("src/lib.rs", "src/lib.rs", TestOutcome.ERROR, f"{first}\n\n{other}"),
        ("tests/all.rs", "tests/all.rs", TestOutcome.ERROR, second),
    ]


def test_what_does_not_compile_in_a_folder_of_unknown_crates_is_a_case_of_its_own_file() -> None:
    text = b"error[E0308]: mismatched types\n --> src/parse.rs:8:34\n\nerror: could not compile `till`"
    command = replace(CARGO, directory="core")
    assert [case.id for case in read(command, Account(101, text)).cases] == ["core/src/parse.rs"]


def test_a_test_program_that_ends_itself_is_red_by_its_file() -> None:
    lines = [
        "     Running tests/a.rs (target/debug/deps/a-0123456789abcdef)", "running 2 tests", "test x ... ok",
        "     Running tests/b.rs (target/debug/deps/b-0123456789abcdef)", "running 1 test", "test y ... ok",
        "test result: ok. 1 passed",
    ]  # fmt: skip
    reading = read(CARGO, Account(101, "\n".join(lines).encode()), ("tests/a.rs", "tests/b.rs"))
    assert outcomes(reading) == {"tests/a.rs::x": PASSED, "tests/a.rs": TestOutcome.ERROR, "tests/b.rs::y": PASSED}
    last = read(CARGO, Account(101, "\n".join(lines[:3]).encode()), ("tests/a.rs",))
    assert outcomes(last) == {"tests/a.rs::x": PASSED, "tests/a.rs": TestOutcome.ERROR}


def test_a_target_that_does_not_build_beside_others_that_do_is_a_problem() -> None:
    text = b"     Running tests/a.rs (target/debug/deps/a-0123456789abcdef)\ntest x ... ok\nerror: could not compile"
    assert "did not build" in str(read(CARGO, Account(101, text), ("tests/a.rs",)).problem)


def test_nextest_lines_become_cases() -> None:
    text = (
        b"        PASS [   0.004s] my-crate parser::tests::empty\n        FAIL [   0.010s] (2/2) my-crate::it reads\n"
    )
    assert outcomes(read(NEXTEST, Account(100, text))) == {
        "my-crate::parser::tests::empty": PASSED,
        "my-crate::it::reads": FAILED,
    }


@pytest.mark.parametrize(
    "line", ["   Running a (" + "a-" * 100_000, "test " + "a ... " * 30_000, "test a ... " + " " * 200_000]
)
def test_a_line_of_any_length_among_cargo_s_is_passed_over(line: str) -> None:
    reading = read(CARGO, Account(0, f"{line}\ntest it ... ok\n".encode()))
    assert outcomes(reading) == {".::it": PASSED}


def test_a_go_test_that_failed_stays_so_whatever_is_printed_later() -> None:
    ends = [json.dumps({"Action": how, "Package": "a", "Test": "TestA"}) for how in ("fail", "pass")]
    assert outcomes(read(GO, Account(1, "\n".join(ends).encode()))) == {"a::TestA": FAILED}


def test_a_program_that_make_does_not_find_is_no_red_test() -> None:
    make = TestCommand("exit_code", ("make", "test"))
    lacking = b"ctest\nmake: ctest: No such file or directory\nmake: *** [Makefile:2: test] Error 127\n"
    reading = read(make, Account(2, output=lacking))
    assert not reading.cases
    assert "cannot be run: make: *** [Makefile:2: test] Error 127" in (reading.problem or "")
    assert read(make, Account(2, output=b"make: *** [Makefile:2: test] Error 1\n")).problem is None


def test_a_list_of_tests_that_is_empty_is_no_success() -> None:
    ctest = TestCommand("exit_code", ("ctest",))
    reading = read(ctest, Account(0, output=b"Test project /workspace\nNo tests were found!!!\n"))
    assert (reading.cases, reading.problem) == ((), "No tests were run. (exit code 0)")


def test_a_command_that_only_ends_with_a_code_is_a_test_called_as_a_person_would_type_it() -> None:
    alone = ("sh", "-c", "PATH=x; node run.js")
    built = ("sh", "-c", f"{{ test -e there || make; }}{AND_RUN}", "sh", *alone)
    for command in (TestCommand("exit_code", alone), TestCommand("exit_code", built, typed=alone[2])):
        assert outcomes(read(command, Account(0))) == {".::PATH=x; node run.js": PASSED}


def test_cargo_s_remarks_are_no_part_of_a_test_s_name() -> None:
    lines = "test dies - should panic ... ok\ntest src/lib.rs - a (line 3) - compile fail ... said a thing ok\n"
    assert outcomes(read(CARGO, Account(0, lines.encode()))) == {".::dies": PASSED, "src/lib.rs::a (line 3)": PASSED}


CARGO_TARGETS = {
    "it": ("test", "/workspace/tests/it.rs"),
    "renamed": ("test", "/workspace/tests/tests.rs"),
    "suite": ("test", "/workspace/crates/b/tests/suite/main.rs"),
    "a": ("lib", "/workspace/src/lib.rs"),
    "tool": ("bin", "/workspace/src/main.rs"),
    "other": ("bin", "/workspace/src/bin/other.rs"),
    "shown": ("example", "/workspace/examples/shown.rs"),
    "build-script-build": ("custom-build", "/workspace/build.rs"),
}


@pytest.mark.parametrize(
    ("selectors", "asked"),
    [
        (("tests/it.rs::works",), "--test=it -- --color=never works"),
        (("tests/tests.rs",), "--test=renamed -- --color=never"),
        (("crates/b/tests/suite/more/parse.rs",), "--test=suite -- --color=never"),
        (("src/lib.rs::tests::bad",), "--lib -- --color=never tests::bad"),
        (("src/main.rs", "src/bin/other.rs"), "--bin=other --bin=tool -- --color=never"),
        (("examples/shown.rs",), "--example=shown -- --color=never"),
        (("src/parser.rs::tests::bad", "src/lib.rs::tests::bad"), "-- --color=never tests::bad"),
        (("src/lib.rs::add (line 2)",), "-- --color=never add (line 2)"),
        (("build.rs",), "-- --color=never"),
        ((), "-- --color=never"),
    ],
)
def test_cargo_is_asked_for_the_targets_of_files_as_it_names_them(
    selectors: tuple[str, ...], asked: str, tmp_path: Path
) -> None:
    targets = [{"name": name, "kind": [kind], "src_path": place} for name, (kind, place) in CARGO_TARGETS.items()]
    (tmp_path / "metadata.json").write_text(json.dumps({"packages": [{"name": "a", "targets": targets}]}))
    cargo = tmp_path / "cargo"
    cargo.write_text("#!/bin/sh\ntest $1 = test && exec echo $*\nexec cat metadata.json\n")
    cargo.chmod(0o755)
    run = subprocess.run(
        argv(CARGO, *selectors),
        cwd=tmp_path,
        env={"PATH": f"{tmp_path}:{os.environ['PATH']}"},
        capture_output=True,
        check=True,
    )
    told, line = run.stdout.decode().splitlines()
    assert line == f"test --no-fail-fast --color=never {asked}"
    assert ["it", "/workspace/tests/it.rs", "test", "a"] in json.loads(told)["targets"]


def test_cargo_takes_no_file_that_is_none_of_its_own() -> None:
    with pytest.raises(ValueError, match="names no tests"):
        argv(CARGO, "README.md")


def test_nextest_and_documentation_tests_each_take_their_own_selectors() -> None:
    environment = Environment("rust/4", (), (), (NEXTEST, CARGO_DOC), ())
    assert [c.runner for c, _ in choose(environment, ["src/lib.rs::add (line 2)"])] == ["cargo_doc"]
    assert [c.runner for c, _ in choose(environment, ["src/lib.rs"])] == ["nextest"]
    assert argv(NEXTEST, "src/lib.rs::a")[-3:] == ("--color=never", "--of-asked-files", "a")


def test_where_there_is_no_nextest_cargo_tests() -> None:
    lacking = Account(101, b"error: no such command: `nextest`\n\nhelp: view all installed commands\n")
    command = TestCommand("nextest", ("cargo", "nextest", "run", "--workspace"))
    other = RUNNERS["nextest"].second_try(command, lacking)
    assert other is not None
    assert other[0] == TestCommand("cargo", ("cargo", "test", "--workspace"))
    red = f"{NEXTEST_TRIES}error: test run failed\n".encode()
    assert RUNNERS["nextest"].second_try(command, Account(100, red)) is None


def test_a_workspace_of_which_one_member_does_not_build_is_tested_as_cargo_does_by_itself() -> None:
    command = TestCommand("cargo", ("cargo", "test", "--workspace", "--all-features"))
    failed = b"error: could not compile `window` (lib) due to 1 previous error\n"
    other = RUNNERS["cargo"].second_try(command, Account(101, failed))
    assert other is not None
    assert other[0].argv == ("cargo", "test", "--all-features")
    ran = b"     Running tests/it.rs (target/debug/deps/it-0123456789abcdef)\ntest a ... ok\n"
    assert RUNNERS["cargo"].second_try(command, Account(101, ran + failed)) is None
    assert RUNNERS["cargo"].second_try(other[0], Account(101, failed)) is None


NEXTEST_TRIES = """\
    Starting 5 tests across 3 binaries
        PASS [   0.004s] (1/5) my-crate parser::empty
        LEAK [   0.010s] (2/5) my-crate::it leaves_a_child
  TRY 1 FAIL [   0.010s] (3/5) my-crate::it flaky
  TRY 2 PASS [   0.010s] (3/5) my-crate::it flaky
  TRY 1 FAIL [   0.010s] (4/5) my-crate::bin/tool red
        SLOW [> 60.000s] my-crate::it hangs
  TRY 2 FAIL [   0.010s] (4/5) my-crate::bin/tool red
     SIGSEGV [   0.010s] (5/5) my-crate::it hangs
        INFO [worker] my-crate is_a_line_of_a_log
     Summary [  60.100s] 5 tests run: 3 passed (1 flaky, 1 leaky), 2 failed, 0 skipped
   FLAKY 2/2 [   0.010s] (3/5) my-crate::it flaky
  TRY 2 FAIL [   0.010s] (4/5) my-crate::bin/tool red
"""


def test_of_what_nextest_tries_again_the_last_try_counts_and_targets_are_files() -> None:
    targets = [
        ["my_crate", "/workspace/src/lib.rs", "lib", "my-crate"],
        ["it", "/workspace/tests/it.rs", "test", "my-crate"],
        ["tool", "/workspace/src/main.rs", "bin", "my-crate"],
    ]
    text = json.dumps({"targets": targets}) + "\n" + NEXTEST_TRIES
    assert outcomes(read(NEXTEST, Account(100, text.encode()))) == {
        "src/lib.rs::parser::empty": PASSED,
        "tests/it.rs::leaves_a_child": PASSED,
        "tests/it.rs::flaky": PASSED,
        "src/main.rs::red": FAILED,
        "tests/it.rs::hangs": FAILED,
    }


SUREFIRE = """<?xml version="1.0" encoding="UTF-8"?>
<testsuite name="org.example.StackTest" tests="4" errors="1" skipped="1" failures="1">
  <properties><property name="java.version" value="17"/></properties>
  <testcase name="pops" classname="org.example.StackTest" time="0.012"/>
  <testcase name="pushes[1]" classname="org.example.StackTest$Inner" time="0.001">
    <failure message="expected:&lt;1&gt; but was:&lt;2&gt;" type="java.lang.AssertionError">trace</failure>
  </testcase>
  <testcase name="throwsUp" classname="org.example.StackTest" time="0"><error type="E">boom</error></testcase>
  <testcase name="later" classname="org.example.StackTest" time="0"><skipped/></testcase>
</testsuite>"""


@pytest.mark.parametrize(
    ("command", "place"),
    [
        (MAVEN, "core/target/surefire-reports/TEST-org.example.StackTest.xml"),
        (GRADLE, "core/build/test-results/test/TEST-org.example.StackTest.xml"),
    ],
)
def test_junit_files_of_a_java_module_become_cases_of_their_source_file(command: TestCommand, place: str) -> None:
    account = Account(1, files={place: SUREFIRE.encode()})
    path = "core/src/test/kotlin/org/example/StackTest.kt"
    reading = read(command, account, (path,))
    assert reading.problem is None
    assert outcomes(reading) == {
        f"{path}::pops": PASSED,
        f"{path}::Inner::pushes[1]": FAILED,
        f"{path}::throwsUp": ERROR,
        f"{path}::later": SKIPPED,
    }


@pytest.mark.parametrize("folder", ["src/test", "test", "common/test"])
def test_java_tests_may_stand_where_the_build_says(folder: str) -> None:
    account = Account(1, files={"core/target/surefire-reports/TEST-org.example.StackTest.xml": SUREFIRE.encode()})
    path = f"core/{folder}/org/example/StackTest.java"
    assert f"{path}::pops" in outcomes(read(MAVEN, account, (path,)))
    assert argv(MAVEN, f"{path}::pops")[-1] == "-Dtest=org.example.StackTest#pops"
    assert argv(MAVEN, "latest/org/StackTest.java::pops")[-1] == "-Dtest=StackTest#pops"
    assert argv(MAVEN, "src/it/java/org/test/a/StackTest.java::pops")[-1] == "-Dtest=org.test.a.StackTest#pops"


def test_a_file_that_surefire_wrote_becomes_cases() -> None:
    xml = (CAPTURED / "surefire.xml").read_bytes()
    reading = read(MAVEN, Account(1, files={"target/surefire-reports/TEST-org.example.StackTest.xml": xml}))
    path = "src/test/java/org/example/StackTest.java"
    names = {"pops": PASSED, "bad": FAILED, "boom": ERROR, "later": SKIPPED}
    assert outcomes(reading) == {f"{path}::{name}": outcome for name, outcome in names.items()}


def test_java_tests_are_selected_by_class_and_method() -> None:
    path = "core/src/test/java/org/example/StackTest.java"
    assert argv(MAVEN, f"{path}::pops")[-1] == "-Dtest=org.example.StackTest#pops"
    assert argv(MAVEN, path)[-1] == "-Dtest=org.example.StackTest,org.example.StackTest$*"
    assert argv(MAVEN, f"{path}::Empty$Deep::pops(int)[1]")[-1] == "-Dtest=org.example.StackTest$Empty$Deep#pops*"
    assert argv(MAVEN, f"{path}::pops{{int}}[1]")[-1] == "-Dtest=org.example.StackTest#pops*"
    assert argv(GRADLE, f"{path}::Empty::pops")[-2:] == ("--tests", "org.example.StackTest$Empty.pops")
    assert argv(GRADLE, f"{path}::pops what was pushed")[-3::2] == ("org.example.StackTest", "org.example.StackTest$*")
    assert argv(GRADLE, f"{path}::pushes[1]")[-2:] == ("--tests", "org.example.StackTest.pushes*")


@pytest.mark.parametrize("there", [True, False])
def test_gradle_starts_with_what_set_up_fetched_in_a_home_that_it_may_write(there: bool, tmp_path: Path) -> None:
    fetched, home = tmp_path / "fetched", tmp_path / "home"
    if there:
        (fetched / "caches" / "modules-2").mkdir(parents=True)
        (fetched / "caches" / "modules-2" / "a.jar").write_text("jar")
        (fetched / "caches" / "modules-2" / "metadata.bin").write_text("records")
    script = argv(GRADLE)[2].replace(GRADLE_HOME, str(fetched)).replace(FOLDER, str(tmp_path))
    for _ in range(2):  # the second run finds it
        subprocess.run(
            ("sh", "-c", script, "sh", "true"), env={"PATH": os.environ["PATH"], "GRADLE_USER_HOME": str(home)},
            check=True,
        )  # fmt: skip
    made = {path.name: path.is_symlink() for path in home.rglob("*.*")}
    assert made == ({"a.jar": True, "metadata.bin": False} if there else {})
    assert argv(GRADLE)[3:6] == ("sh", "./gradlew", "test")
    assert "failOnNoMatchingTests = false" in (tmp_path / "settings.gradle").read_text()
    assert argv(GRADLE)[-2:] == ("--init-script", f"{FOLDER}/settings.gradle")


def test_a_java_build_that_fails_without_a_red_test_is_a_problem() -> None:
    assert "did not build" in str(read(MAVEN, Account(1)).problem)
    assert "No tests" in str(read(MAVEN, Account(0)).problem)
    for said in ("[ERROR] /workspace/a/ATest.java:[3,45] cannot find symbol", "/workspace/a/ATest.java:3: error: no"):
        problem = str(read(MAVEN, Account(1, output=f"[INFO] compiles\n{said}\n".encode())).problem)
        told = said.partition("java:")[2].replace("error: ", "")
        assert f"{NOT_BUILT} a/ATest.java:{told}" in problem


def test_a_module_that_does_not_compile_beside_one_that_does_is_red_by_its_files() -> None:
    said = b"[ERROR] /workspace/b/src/test/java/BTest.java:[3,45] cannot find symbol\n"
    files = {"a/target/surefire-reports/TEST-a.xml": b'<testsuite><testcase name="a" classname="a.ATest"/></testsuite>'}
    reading = read(MAVEN, Account(1, output=said, files=files))
    assert reading.problem is None
    assert [(case.path, case.outcome) for case in reading.cases] == [
        ("a/src/test/java/a/ATest.java", PASSED),
        ("b/src/test/java/BTest.java", TestOutcome.ERROR),
    ]
    assert [case.outcome for case in read(MAVEN, Account(0, output=said, files=files)).cases] == [PASSED]
    alone = read(MAVEN, Account(1, output=said))
    assert [case.path for case in alone.cases] == ["b/src/test/java/BTest.java"]
    assert str(alone.problem).startswith(NOT_BUILT)


OF_TWO_MODULES = b"""\
[ERROR] Tests run: 7, Failures: 1, Errors: 0, Skipped: 2, Time elapsed: 0.3 s <<< FAILURE! - in org.example.StackTest
[INFO] core ............................................... FAILURE [  9.014 s]
[INFO] web ................................................ SKIPPED
"""
"""As Maven 3.8.7 and Surefire 2.22.3 say it."""


def test_what_formats_sources_in_a_build_of_mavens_is_passed_over() -> None:
    """It would write a new test anew before it is run."""
    off = ("formatter.skip", "impsort.skip", "fmt.skip", "spotless.apply.skip")
    assert {f"-D{name}=true" for name in off} <= set(argv(MAVEN))


def test_modules_that_need_one_with_red_tests_are_tested_and_told_by_what_maven_prints() -> None:
    again = RUNNERS["maven"].second_try(MAVEN, Account(1, output=OF_TWO_MODULES))
    assert again is not None
    past, note = again
    assert "Modules that need one with red tests" in note
    assert [word for word in argv(past) if "test.failure.ignore" in word] == ["-Dmaven.test.failure.ignore=true"]
    assert RUNNERS["maven"].second_try(past, Account(1, output=OF_TWO_MODULES)) is None
    assert RUNNERS["maven"].second_try(MAVEN, Account(1, output=OF_TWO_MODULES.replace(b"SKIPPED", b"SUCCESS"))) is None
    unbuilt = OF_TWO_MODULES.replace(b"Failures: 1", b"Failures: 0")
    assert RUNNERS["maven"].second_try(MAVEN, Account(1, output=unbuilt)) is None
    red = {"target/surefire-reports/TEST-a.xml": SUREFIRE.encode()}
    green = {"target/surefire-reports/TEST-a.xml": b'<testsuite><testcase name="a" classname="b.CTest"/></testsuite>'}
    assert read(past, Account(0, output=OF_TWO_MODULES, files=red)).problem is None
    assert "did not build" in str(read(past, Account(0, output=OF_TWO_MODULES, files=green)).problem)
    assert "as if there were none" in str(read(past, Account(0, output=unbuilt, files=red)).problem)


@pytest.mark.parametrize("line", ["maven-surefire-plugin:2.22.3:test (default-test)", "surefire:2.12.4:test (a)"])
def test_a_surefire_that_passes_over_tests_of_junit_5_is_named(line: str) -> None:
    told = str(read(MAVEN, Account(0, output=f"[INFO] --- {line} @ core ---\nTests run: 0\n".encode())).problem)
    assert "JUnit 5 only from 2.22 on" in told
    newer = Account(0, output=b"[INFO] --- surefire:3.2.5:test (default-test) @ core ---\n")
    assert read(MAVEN, newer).problem == "No tests were run. (exit code 0)"


def test_a_test_for_several_platforms_stands_where_its_sources_are() -> None:
    xml = b'<testsuite><testcase name="cuts" classname="a.TextTest"/></testsuite>'
    place = "core/build/test-results/jvmTest/TEST-a.TextTest.xml"
    reading = read(GRADLE, Account(0, files={place: xml}), ["core/src/commonTest/kotlin/a/TextTest.kt"])
    assert outcomes(reading) == {"core/src/commonTest/kotlin/a/TextTest.kt::cuts": PASSED}
    assert argv(GRADLE, "core/src/commonTest/kotlin/a/TextTest.kt")[-3::2] == ("a.TextTest", "a.TextTest$*")


def test_rspec_examples_become_cases() -> None:
    reading = read(RSPEC, Account(1, (CAPTURED / "rspec.json").read_bytes()))
    assert reading.problem is None
    assert outcomes(reading) == {
        "spec/a_spec.rb::A thing works": PASSED,
        "spec/a_spec.rb::A thing fails": FAILED,
        "spec/a_spec.rb::A thing waits": SKIPPED,
        "spec/a_spec.rb::A thing when x raises": FAILED,
    }


def test_a_shared_example_is_of_the_file_that_takes_it_in() -> None:
    shared = {"full_description": "Stack like a list counts", "status": "passed", "file_path": "./spec/support/list.rb"}
    both = [{**shared, "id": "./spec/stack_spec.rb[1:2:1]"}, {**shared, "id": "odd"}]
    document = {"examples": both, "summary": {"errors_outside_of_examples_count": 0}}
    assert set(outcomes(read(RSPEC, Account(0, json.dumps(document).encode())))) == {
        "spec/stack_spec.rb::Stack like a list counts",
        "spec/support/list.rb::Stack like a list counts",
    }


def test_rspec_files_and_examples_are_selected() -> None:
    assert argv(RSPEC, "spec/a_spec.rb::A thing works")[-3:] == ("--example", "A thing works", "spec/a_spec.rb")
    assert argv(RSPEC, "spec/a_spec.rb")[-1] == "spec/a_spec.rb"


def test_an_example_that_rspec_named_once_it_ran_is_selected_by_its_group() -> None:
    assert argv(RSPEC, "spec/a_spec.rb::A thing is expected to eq 1")[-3:] == ("--example", "A thing", "spec/a_spec.rb")
    assert argv(RSPEC, "spec/a_spec.rb::A thing should not be nil")[-3:-1] == ("--example", "A thing")
    assert "--example" not in argv(RSPEC, "spec/a_spec.rb::is expected to eq 1")


NOT_LOADED = {
    "examples": [],
    "messages": ["\nAn error occurred while loading ./spec/a_spec.rb. - Did you mean?\n\nLoadError:\n  no"],
    "summary": {"errors_outside_of_examples_count": 1},
}
"""As RSpec 3.12.0 writes it."""


def test_what_a_repository_leaves_out_of_its_specs_is_not_taken_for_what_cannot_be_loaded() -> None:
    one = {"full_description": "B is", "status": "passed", "file_path": "./spec/b_spec.rb"}
    passed = Account(0, json.dumps({"examples": [one], "messages": [], "summary": {}}).encode())
    for own in (("--exclude-pattern", "spec/system/**/*_spec.rb"), ("--exclude-pattern=spec/system/*",)):
        command = replace(RSPEC, argv=(*RSPEC.argv, *own))
        reading = read(command, passed)
        assert (reading.problem, outcomes(reading)) == (None, {"spec/b_spec.rb::B is": PASSED})
        assert RUNNERS["rspec"].second_try(command, Account(1, json.dumps(NOT_LOADED).encode())) is None


def test_an_error_after_all_examples_is_no_file_that_was_left_out() -> None:
    again = RUNNERS["rspec"].second_try(RSPEC, Account(1, json.dumps(NOT_LOADED).encode()))
    assert again is not None
    one = {"full_description": "B is", "status": "passed", "file_path": "./spec/b_spec.rb"}
    told = {"examples": [one], "messages": [], "summary": {"errors_outside_of_examples_count": 1}}
    assert "1 error outside of the examples" in (read(again[0], Account(1, json.dumps(told).encode())).problem or "")


def test_a_spec_that_cannot_be_loaded_is_an_error_and_the_others_are_run_without() -> None:
    account = Account(1, json.dumps(NOT_LOADED).encode())
    reading = read(RSPEC, account)
    assert (reading.problem, outcomes(reading)) == (None, {"spec/a_spec.rb": ERROR})
    assert "LoadError" in reading.cases[0].message
    again = RUNNERS["rspec"].second_try(RSPEC, account)
    assert again is not None
    others, note = again
    assert others.argv[-2:] == ("--exclude-pattern", "spec/a_spec.rb")
    assert "spec/a_spec.rb cannot be loaded" in note
    one = {"full_description": "B is", "status": "passed", "file_path": "./spec/b_spec.rb"}
    run = Account(0, json.dumps({**NOT_LOADED, "examples": [one], "messages": [], "summary": {}}).encode())
    reading = read(others, run)
    assert (reading.problem, outcomes(reading)) == (None, {"spec/b_spec.rb::B is": PASSED, "spec/a_spec.rb": ERROR})
    assert RUNNERS["rspec"].second_try(others, account) is None
    assert argv(others, "spec/a_spec.rb", "spec/b_spec.rb")[-1] == "spec/b_spec.rb"
    assert argv(others, "spec/a_spec.rb")[-1] == "spec/a_spec.rb"


def test_errors_outside_of_specs_that_name_no_file_are_a_problem() -> None:
    results = b'{"examples": [], "summary": {"errors_outside_of_examples_count": 1}}'
    assert "not loaded" in str(read(RSPEC, Account(1, results)).problem)


def test_the_address_of_an_object_is_no_part_of_a_ruby_test_s_name() -> None:
    name = "test_0001_calls #<Proc:0x00007fc9b40e6908 (lambda)>"
    line = {"kind": "test", "suite": "A", "name": name, "file": "/workspace/a_test.rb", "how": "passed", "seconds": 0}
    results = f"{json.dumps(line)}\n{json.dumps({'kind': 'end'})}\n".encode()
    (told,) = outcomes(read(MINITEST, Account(0, results)))
    assert told == "a_test.rb::A#test_0001_calls #<Proc:… (lambda)>"
    assert re.search(argv(MINITEST, told)[-1].removeprefix("--name=/").removesuffix("/"), f"A#{name}")
    example = {"full_description": "A calls #<Proc:0x00007fc9b40e6908>", "status": "passed", "file_path": "./a_spec.rb"}
    (told,) = outcomes(read(RSPEC, Account(0, json.dumps({"examples": [example], "summary": {}}).encode())))
    assert told == "a_spec.rb::A calls #<Proc:…>"
    assert argv(RSPEC, told)[-3:-1] == ("--example", "A calls #<Proc:")


def test_a_file_of_minitest_that_cannot_be_loaded_is_an_error_beside_the_others() -> None:
    lines = [
        {"kind": "file", "file": "/workspace/test/new_test.rb", "message": "NameError\nuninitialized constant New"},
        {
            "kind": "test",
            "suite": "A",
            "name": "test_a",
            "file": "/workspace/test/a_test.rb",
            "how": "passed",
            "seconds": 0,
        },
        {"kind": "end"},
    ]
    results = "".join(f"{json.dumps(line)}\n" for line in lines).encode()
    for command in (MINITEST, TEST_UNIT):
        reading = read(command, Account(1, results))
        assert reading.problem is None
        assert outcomes(reading) == {"test/new_test.rb": ERROR, "test/a_test.rb::A#test_a": PASSED}


def test_minitest_results_without_their_end_are_no_result() -> None:
    line = (
        b'{"kind":"test","suite":"A","name":"test_a","file":"/workspace/test/a_test.rb","how":"passed","seconds":0}\n'
    )
    assert "died" in str(read(MINITEST, Account(0, line)).problem)
    assert outcomes(read(MINITEST, Account(0, line + b'{"kind":"end"}\n'))) == {"test/a_test.rb::A#test_a": PASSED}


@pytest.mark.parametrize(
    ("selector", "runner"),
    [("test/new_test.rb", "minitest"), ("spec/a_spec.rb", "rspec"), ("spec/a_spec.rb::A works", "rspec")],
)
def test_of_two_suites_in_one_folder_the_one_whose_files_they_are_runs_them(selector: str, runner: str) -> None:
    environment = Environment("ruby/3", (), (), (RSPEC, MINITEST), ())
    assert [command.runner for command, _ in choose(environment, (selector,))] == [runner]


@pytest.mark.parametrize(
    ("words", "folder", "selector", "runners"),
    [
        ("mocha ./test/unit/*.js", "", "test/unit/a.js", ["mocha"]),
        ("mocha ./test/unit/*.js", "", "src/a.js", ["jest"]),
        ("mocha -r ts-node/register", "", "test/a.ts", ["mocha", "jest"]),
        ("mocha test/*.js", "", "test", ["mocha", "jest"]),
        ("mocha test/*.js", "packages/a", "packages/a/test/a.js", ["mocha"]),
    ],
)
def test_a_suite_is_left_out_only_where_it_lists_other_files_of_that_kind(
    words: str, folder: str, selector: str, runners: list[str]
) -> None:
    tests = (TestCommand("mocha", tuple(words.split()), folder), TestCommand("jest", ("jest",), folder))
    environment = Environment("javascript/1", (), (), tests, ())
    assert [command.runner for command, _ in choose(environment, (selector,))] == runners


def test_test_unit_is_heard_by_its_own_program_and_read_as_minitest_is() -> None:
    lines = [
        {"kind": "test", "suite": "TestA", "name": "test_each[one]", "how": "passed"},
        {"kind": "test", "suite": "TestA", "name": "test: a described one", "how": "skipped"},
        {"kind": "test", "suite": "TestA", "name": "test_boom", "how": "error", "message": "RuntimeError: no"},
    ]
    told = [{**line, "file": "/workspace/test/test_a.rb", "seconds": 0.1} for line in lines]
    results = "".join(f"{json.dumps(line)}\n" for line in [*told, {"kind": "end"}])
    assert outcomes(read(TEST_UNIT, Account(1, results.encode()))) == {
        "test/test_a.rb::TestA#test_each[one]": PASSED,
        "test/test_a.rb::TestA#test: a described one": SKIPPED,
        "test/test_a.rb::TestA#test_boom": ERROR,
    }
    asked = argv(TEST_UNIT, "test/test_a.rb::TestA#test_each[one]")
    assert "AccountListener" in asked[asked.index("-e") + 1]
    assert asked[-2:] == ("test/test_a.rb", r"--name=/^(?:TestA#test_each\[one\])$/")


@pytest.mark.parametrize(
    "command", [GO, CARGO, CARGO_DOC, NEXTEST, MAVEN, GRADLE, RSPEC, MINITEST, TEST_UNIT], ids=lambda c: c.runner
)
@pytest.mark.parametrize(
    "noise",
    [b"", b"\xff\xfe\x00", b"{" * 5000, b'{"Package": 1}', b"[1]", b'{"examples": 1, "summary": 2}', b"null\n"],
)
def test_whatever_comes_out_never_raises_and_is_never_a_result(command: TestCommand, noise: bytes) -> None:
    reading = read(command, Account(0, noise, files={"target/surefire-reports/TEST-a.xml": noise} if noise else {}))
    assert reading.problem is not None


@pytest.mark.parametrize(
    "command", [GO, CARGO, CARGO_DOC, NEXTEST, MAVEN, GRADLE, RSPEC, MINITEST, TEST_UNIT], ids=lambda c: c.runner
)
@pytest.mark.parametrize(
    "selector", ["-x", "--help", "/etc/passwd", "../a.rs", "a/../../b", "a.rs::x\ny", "a;b", "$(x)"]
)
def test_a_selector_is_never_an_option_or_a_way_out(command: TestCommand, selector: str) -> None:
    with pytest.raises(ValueError, match=r"names no tests|leads out"):
        RUNNERS[command.runner].check_selector(selector)


@pytest.mark.parametrize(
    ("words", "runner"),
    [
        ("go test ./...", "go_test"),
        ("cargo test --all", "cargo"),
        ("cargo nextest run", "nextest"),
        ("cargo test --doc", "cargo_doc"),
        ("cargo build", "exit_code"),
        ("./mvnw verify", "maven"),
        ("gradle check", "gradle"),
        ("bundle exec rspec spec", "rspec"),
        ("ruby -Itest test/a_test.rb", "minitest"),
        ("make test", "exit_code"),
        ("python -m pytest -q", "pytest"),
    ],
)
def test_a_command_is_recognised_by_its_words(words: str, runner: str) -> None:
    assert recognise(tuple(words.split())) == runner


def test_automake_s_harness_tells_each_test_of_each_folder_with_its_log() -> None:
    check = TestCommand("automake", ("make", "check"))
    reading = read(check, Account(2, (CAPTURED / "automake.txt").read_bytes()))
    assert reading.problem is None
    assert not reading.only_exit_code
    assert outcomes(reading) == {
        ".::top.sh": PASSED,
        ".::tests/a": PASSED,
        ".::tests/b": FAILED,
        ".::tests/sk.sh": SKIPPED,
        ".::tests/xf.sh": SKIPPED,
    }
    message = next(case.message for case in reading.cases if case.outcome is FAILED)
    assert message == "PASS: sub one\nexpected 2, was 3\nFAIL b (exit status: 1)"
    assert RUNNERS["automake"].order(check, ()).argv == ("make", "check", "--keep-going", "VERBOSE=1")


def test_what_automake_does_not_build_is_no_result_and_other_harnesses_end_with_a_code() -> None:
    check = TestCommand("automake", ("make", "check"))
    assert "did not build" in str(read(check, Account(2, b"gcc -c a.c\n")).problem)
    silent = read(check, Account(0, b"all is well\n"))
    assert (silent.problem, silent.only_exit_code) == (None, True)


def test_a_build_that_fails_beside_a_red_test_of_automake_s_is_told() -> None:
    check = TestCommand("automake", ("make", "check"))
    for said, unbuilt in ((b"FAIL: a\na.c:1:1: error: no\n", True), (b"FAIL: a\n", False)):
        reading = read(check, Account(2, b"FAIL: a\n", output=said))
        assert (reading.problem, reading.unbuilt) == (None, unbuilt)


def test_what_is_printed_before_or_behind_a_result_of_automake_s_does_not_hide_that_it_failed() -> None:
    check = TestCommand("automake", ("make", "check"))
    for lines in (b"PASS: b\nFAIL: b\n", b"FAIL: b\nPASS: b\n"):
        assert outcomes(read(check, Account(2, b"FAIL: a\n" + lines))) == {".::a": FAILED, ".::b": FAILED}


def test_automake_s_output_is_soon_read_whatever_it_holds() -> None:
    check = TestCommand("automake", ("make", "check"))
    log = b"  x: test-suite.log\nFAIL: b\n=======\n" + b"y\n" * 100_000
    for text in (b"make: Entering directory '/workspace/a'\n" * 200_000, b"FAIL: b\n" * 200_000 + log):
        assert read(check, Account(2, text)).problem is None or b"Entering" in text
