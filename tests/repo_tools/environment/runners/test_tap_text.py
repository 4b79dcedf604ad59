"""TAP as tape, brittle, node-tap and others print it."""

import pytest

from repo_tools.environment.runners.tap_text import read_tap
from repo_tools.test_report import TestOutcome

TAPE = """\
TAP version 13
# one
ok 1 yes
ok 2 should be strictly equal
# two
ok I print
not ok 3 one is two
  ---
    operator: equal
    expected: 2
    actual:   1
    stack: |-
      Error: one is two
          at Test.assert [as _assert] (/workspace/node_modules/tape/lib/test.js:548:48)
  ...
# SKIP three
# four
# sub
ok 4 should be truthy
# TODO five
not ok 5 x # TODO
  ---
    operator: fail
  ...

1..5
# tests 5
# pass  4
# fail  1

"""
NODE_TAP = """\
TAP version 13
# Subtest: one
    ok 1 - yes
    # Subtest: deep
        not ok 1 - no
          ---
          compare: ===
          at:
            line: 1
          ...
        
        1..1
        # failed 1 test
    not ok 2 - deep # time=178.661ms
    
    1..2
    # failed 1 of 2 tests
not ok 1 - one # time=266.006ms

ok 2 - sk # SKIP why
ok 3 - td # TODO
ok 4 - bare
# Subtest: prom
    ok 1 - expect truthy value
    1..1
ok 5 - prom # time=1.264ms

1..5
# failed 1 of 5 tests
# todo: 1
# skip: 1
# time=313.667ms
"""  # noqa: W293 - as it was printed
BRITTLE = """\
TAP version 13

# adds
    ok 1 - should be equal
ok 1 - adds # time = 3.9ms

# fails
    not ok 1 - same number
      ---
      actual: 1
      expected: 2
      ...
    not ok 2 - should deep equal
not ok 2 - fails # time = 9.1ms

# left
ok 3 - left # SKIP

# prints
    not ok 7
ok 4 - prints # time = 0.1ms

1..4
# tests = 3/4 pass
# asserts = 1/3 pass
# time = 20ms

# not ok
"""
BUFFERED = """\
TAP version 14
ok 1 - outer # time=5.5ms {
    ok 1 - inner # time=2ms {
        ok 1 - a
        1..1
    }

    1..1
}

1..1
"""


def outcomes(text: str) -> dict[str, str]:
    return {" > ".join(case.names): str(case.outcome) for case in read_tap(text).cases}


def test_tapes_headings_are_tests_and_its_assertions_are_not() -> None:
    assert outcomes(TAPE) == {"one": "passed", "two": "failed", "three": "skipped", "sub": "passed", "five": "skipped"}
    assert read_tap(TAPE).problem is None


def test_the_message_of_a_failure_is_its_diagnostics() -> None:
    (failed,) = [case for case in read_tap(TAPE).cases if case.outcome is TestOutcome.FAILED]
    assert failed.message.startswith("not ok: one is two\n  operator: equal\n  expected: 2\n  actual:   1\n")


def test_subtests_are_tests_with_the_names_around_them() -> None:
    assert outcomes(NODE_TAP) == {
        "one > deep": "failed",
        "one": "failed",
        "sk": "skipped",
        "td": "skipped",
        "bare": "passed",
        "prom": "passed",
    }
    assert read_tap(NODE_TAP).problem is None
    assert len(read_tap(NODE_TAP).cases) == len(outcomes(NODE_TAP))  # an assertion that fails is no test beside its own
    assert next(case for case in read_tap(NODE_TAP).cases if case.names == ("prom",)).seconds == pytest.approx(0.001264)


def test_of_brittles_tests_each_has_a_point_of_its_own_and_what_failed_in_it() -> None:
    assert outcomes(BRITTLE) == {"adds": "passed", "fails": "failed", "left": "skipped", "prints": "passed"}
    assert read_tap(BRITTLE).problem is None
    (failed,) = [case for case in read_tap(BRITTLE).cases if case.outcome is TestOutcome.FAILED]
    told = ("not ok: fails", "not ok 1 - same number", "actual: 1", "expected: 2", "not ok 2 - should deep equal")
    assert failed.message.splitlines() == [*told]


def test_buffered_subtests_are_read_too() -> None:
    result = read_tap(BUFFERED)
    assert result.problem is None
    assert not result.failed


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("ok 1 - a\n", "no plan"),
        ("1..2\nok 1 - a\n", "2 tests planned, and 1 with results"),
        ("ok 1 - a\n1..1\n1..1\n", "two plans"),
        ("1..1\nok 1 - a\nok 2 - b\n", "1 test planned, and 2 with"),
        ("ok 1 - a\nok 1 - a\n1..2\n", "test point 1 where 2 was to come"),
        ("ok 1 - a\nBail out! no database\n", "given up: no database"),
        ("# Subtest: x\n    ok 1 - a\n", "never ends"),
    ],
)
def test_an_account_that_is_cut_or_forged_is_not_trusted(text: str, problem: str) -> None:
    assert problem in (read_tap(text).problem or "")


def test_lists_one_after_the_other_as_two_copies_of_a_library_print_them_are_one() -> None:
    first, second = (
        "TAP version 13\n# a\nok 1 x\nok 2 y\n\n1..2\n# tests 2\n# pass 2\n\n# ok\n\n",
        "# b\nnot ok 1 z\n1..1\n",
    )
    assert outcomes(f"{first}TAP version 13\n{second}") == {"a": "passed", "b": "failed"}
    assert "two plans" in (read_tap(first + second.replace("1 z", "3 z")).problem or "")
    assert "1 test planned" in (read_tap(f"{first}TAP version 13\n1..1\n").problem or "")


def test_a_list_that_begins_before_the_other_has_ended_is_not_trusted() -> None:
    text = "TAP version 13\n# a\nok 1 x\nTAP version 13\n# b\nok 1 y\n1..1\n1..1\n"
    assert "test point 1" in (read_tap(text).problem or "")


def test_a_suite_that_prints_is_read_all_the_same() -> None:
    text = "hello\n  ok then\n    1..9\nok 1 - a\n# a comment with not ok 2 in it\nnot okay\n1..1\n"
    assert outcomes(text) == {"a": "passed"}


def test_a_point_behind_what_was_printed_without_an_end_of_line_counts() -> None:
    text = "# a\n\x1b[2K> world\x1b8ok 1 moves\n# b\nall ok 1 time\n? 2not ok 2 ends\n# c\nok 3 yes\n1..3\n"
    assert outcomes(text) == {"a": "passed", "b": "failed", "c": "passed"}


def test_nothing_at_all_is_no_result_and_no_problem() -> None:
    assert (read_tap("").cases, read_tap("").problem) == ([], None)


@pytest.mark.parametrize(
    "text", ["# Subtest: x\n" * 500, "ok {\n" * 500, "1..99999999999999999999\n", "ok 1 # SKIP \\# {\n"]
)
def test_odd_text_never_raises(text: str) -> None:
    assert all(case.outcome in TestOutcome for case in read_tap(text).cases)


@pytest.mark.parametrize(
    "line",
    ["1.." + "9" * 5_000, "ok " + "9" * 5_000 + " a", "ok 1 a # time=" + "9" * 5_000],
    ids=["plan", "number", "time"],
)
def test_a_number_of_any_length_is_read_or_not_but_raises_nothing(line: str) -> None:
    assert all(case.seconds < 1e21 for case in read_tap(f"{line}\n1..1").cases)


def test_a_name_that_ends_with_a_brace_opens_no_block_where_none_follows() -> None:
    result = read_tap("ok 1 - reads {\nok 2 - reads }\n1..2")
    assert result.problem is None
    assert [case.names for case in result.cases] == [("reads {",), ("reads }",)]


@pytest.mark.parametrize(
    "line", ["ok 1 a" + " " * 200_000 + "b", "not ok" + " " * 200_000 + "b", "ok 1 " + "# " * 100_000]
)
def test_a_line_of_any_length_is_read_in_one_pass(line: str) -> None:
    assert len(read_tap(f"{line}\n1..1").cases) == 1
