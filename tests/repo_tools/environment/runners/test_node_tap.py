"""node-tap's own command line: one run whose output is taken apart into its files."""

import json

import pytest

from repo_tools.environment.contract import TestCommand
from repo_tools.environment.runners import RUNNERS, recognise
from repo_tools.environment.runners.contract import Account, Reading
from repo_tools.environment.runners.node_tap import unmeasured

COMMAND = ("tap", "--disable-coverage", "--allow-empty-coverage")
WHOLE = """\
TAP version 14
1..4
# Subtest: test/a.ts
    # Subtest: adds
        ok 1 - one
        1..1
    ok 1 - adds # time=2.5ms
    
    # Subtest: fails
        not ok 1 - two
          ---
          at: test/a.ts
          ...
        1..1
    not ok 2 - fails # time=1ms
    
    1..2
    # failed 1 of 2 tests
not ok 1 - test/a.ts # time=300ms
  ---
  exitCode: 3
  ...

ok 2 - test/b.ts # time=100ms {
    ok 1 - alone
    1..1
}

ok 3 - test/c.ts # SKIP not here
# Subtest: test/d.ts
    1..0 # no tests found
ok 4 - test/d.ts # time=100ms

# { total: 4, pass: 3 }
"""  # noqa: W293 - as it is printed


def read(text: str, code: int = 1, *, directory: str = "", whole: bool = True) -> Reading:
    line = json.dumps({"path": ".", "code": code, "whole": whole, "text": text})
    return RUNNERS["node_tap"].read(
        Account(code, line.encode()), TestCommand("node_tap", COMMAND, directory), lambda _: True
    )


def outcomes(reading: Reading) -> dict[str, str]:
    return {case.id: str(case.outcome) for case in reading.cases}


def test_every_test_of_each_file_has_its_own_result() -> None:
    reading = read(WHOLE)
    assert reading.problem is None
    assert outcomes(reading) == {
        "test/a.ts::adds": "passed",
        "test/a.ts::fails": "failed",
        "test/b.ts::alone": "passed",
        "test/c.ts::(file)": "skipped",
    }
    assert {case.path for case in read(WHOLE, directory="packages/x").cases} == {
        f"packages/x/test/{name}.ts" for name in "abc"
    }


def test_a_file_that_dies_is_an_error_of_its_own() -> None:
    died = "TAP version 14\n1..1\n# Subtest: test/a.ts\nnot ok 1 - test/a.ts # time=9ms\n  ---\n  exitCode: 7\n  ...\n"
    reading = read(died)
    assert (reading.problem, outcomes(reading)) == (None, {"test/a.ts": "error"})
    assert "exit code 7" in reading.cases[0].message
    silent = "1..2\nok 1 - test/a.ts {\n    ok 1 - x\n    1..1\n}\n# Subtest: test/b.ts\n    ok 1 - y\n"
    reading = read(silent, 137)
    assert outcomes(reading) == {"test/a.ts::x": "passed", "test/b.ts::y": "passed", "test/b.ts": "error"}


@pytest.mark.parametrize(
    ("text", "code", "whole", "problem"),
    [
        (WHOLE.replace("1..4", "1..5", 1), 1, True, "5 test files planned, and 4 with results. (exit code 1)"),
        (WHOLE, 0, True, "reports failures and ends as if there were none"),
        ("Bail out! no disk\n", 1, True, "given up: no disk"),
        ("No valid test files found\n", 1, True, "No tests were collected. (exit code 1)"),
        ("1..1\n# Subtest: a.js\n    ok 1 - x\n    1..1\nok 1 - a.js\n", 1, True, "though no test failed"),
        (WHOLE, 1, False, "too long to be read"),
    ],
)
def test_an_account_that_does_not_agree_is_no_result(text: str, code: int, whole: bool, problem: str) -> None:
    assert problem in (read(text, code, whole=whole).problem or "")


@pytest.mark.parametrize("results", [b"", b"[]", b"{}", b"\xff", b'{"path": 1, "code": "x", "whole": 3, "text": null}'])
def test_whatever_comes_out_of_a_box_raises_nothing(results: bytes) -> None:
    reading = RUNNERS["node_tap"].read(Account(1, results), TestCommand("node_tap", COMMAND), lambda _: True)
    assert reading.problem


def order(*words: str, selectors: tuple[str, ...] = (), directory: str = "") -> list[str]:
    argv = RUNNERS["node_tap"].order(TestCommand("node_tap", words, directory), selectors).argv
    given = json.loads(argv[-1])
    assert (given["heard"], given["expand"], given["each"]) == (True, True, None)
    words_given: list[str] = given["argv"]
    return words_given


def test_one_run_prints_tap_whatever_reporter_is_asked_for() -> None:
    assert order(*COMMAND, "-R", "terse", "-j", "1", "test/*.ts") == [
        "tap",
        "--reporter=tap",
        *COMMAND[1:],
        "-j",
        "1",
        "test/*.ts",
    ]
    chosen = order(*COMMAND, "test/*.ts", selectors=("packages/x/test/a.ts::adds",), directory="packages/x")
    assert chosen == ["tap", "--reporter=tap", *COMMAND[1:], "test/a.ts"]


def test_coverage_is_never_measured() -> None:
    assert unmeasured(("tap", "--100", "test/*.ts"), 21) == (*COMMAND, "test/*.ts")
    assert unmeasured(("tap", "run", "--show-full-coverage"), None) == COMMAND
    assert unmeasured(("tap", "--no-coverage", "--ts"), 16) == ("tap", "--no-coverage", "--no-check-coverage", "--ts")
    assert recognise((*COMMAND, "x.ts")) == "node_tap"
    assert recognise(("tap", "x.ts")) == "exit_code"
