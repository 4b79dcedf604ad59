"""What the harness saw of the tests, in words that claim no more than that."""

from collections.abc import Sequence

from repo_tools.test_report import TestCase, TestReport, told_counts
from repo_tools.verification.contract import Verification
from workers.host import Evidence
from workers.publish.markdown import code, cut, fence, folded, html_code, table
from workers.publish.parts import MAX_OUTPUT, base

MAX_TESTS = 10
SEEN = "**Proved.** {tests} before this change and {pass_} with it{more}; {kept}."
MISSING = (
    "**Proved, but only by what was not there before.** No test was seen to fail on existing behaviour: {tests} before "
    "this change because something that the issue asks for is missing, and {pass_} with it; {kept}. {decide}"
)
NOT_SEEN = (
    "**Proved, but no test was seen to fail.** {files} could not be collected before this change, and {tests} {pass_} "
    "with it; {kept}. {decide}"
)
DECIDE = "Whether that shows the bug, or only something new, is for the reviewer to say."
NOT_COLLECTED = "could not be collected"


def red_case(verification: Verification, test: str) -> TestCase | None:
    """What stood for `test` before: its own failure, else the error of its file, whose tests nobody could run."""
    for name in (test, _file(test)):
        for report in (verification.red, verification.baseline):
            if report and name in report.red:
                return report.by_id[name]
    return None


def not_collected(verification: Verification) -> tuple[str, ...]:
    """The tests that turned green without having been seen to fail."""
    return tuple(test for test in verification.turned_green if not _was_seen(verification, test))


def unproven_reds(verification: Verification) -> tuple[str, ...]:
    """The tests that turned green whose red shows no more than that something was not there yet."""
    weak = {*not_collected(verification), *verification.red_by_import}
    return tuple(test for test in verification.turned_green if test in weak)


def is_only_new(verification: Verification) -> bool:
    """Whether all that turned green was red only because what the issue asks for was not there."""
    return bool(verification.turned_green) and set(verification.turned_green) <= set(verification.red_by_import)


def proof_sentence(verification: Verification) -> str:
    """How a proved change is proved."""
    weak, unseen, number = unproven_reds(verification), not_collected(verification), len(verification.turned_green)
    tests = [test for test in verification.turned_green if test not in weak] or verification.turned_green
    words = {"kept": _kept(verification), "pass_": "passes" if len(tests) <= 1 else "pass", "decide": DECIDE}
    if unseen and len(unseen) == number:
        files = list(dict.fromkeys(map(_file, unseen)))
        return NOT_SEEN.format(files=_first(files), tests=_first(tests), **words)
    fail = f"{_first(tests)} {'fails' if len(tests) <= 1 else 'fail'}"
    if weak and len(weak) == number:
        return MISSING.format(tests=fail, **words)
    more = f" (and {len(weak)} more, for which something was missing before)" if weak else ""
    return SEEN.format(tests=fail, more=more, **words)


def table_of_tests(verification: Verification) -> str:
    """What turned green, and the suite, before and after. What failed on its own comes first."""
    tests = _strongest_first(verification)
    rows = [(code(test), _before(verification, test, "fails"), "✓ passes") for test in tests[:MAX_TESTS]]
    more = tests[MAX_TESTS:]
    if more:
        words = dict.fromkeys(_before(verification, test, "fail") for test in more)
        rows.append((f"and {len(more)} more", " or ".join(words), "✓ pass"))
    rows.append((_suite(verification.baseline), counts(verification.baseline), counts(verification.regression)))
    return table(("test", "before", "with this change"), rows)


def _suite(baseline: TestReport) -> str:
    """What was compared: all of it, or so much; test by test, or by its end alone."""
    told = "the base commit's suite"
    if baseline.part:
        told += f", {baseline.part[0]} of {baseline.part[1]} test files (the whole takes too long)"
    return f"{told}, of which only the exit code is known" if baseline.only_exit_code else told


def counts(report: TestReport | None) -> str:
    """``40 passed, 1 failed, 1 of them flaky``."""
    if report is None:
        return "not run"
    if report.problem:
        return "no result"
    flaky = f"{len(report.flaky)} of them flaky" if report.flaky else ""
    return ", ".join(filter(None, (told_counts(report.counts()), flaky))) or "no tests"


def failure(verification: Verification) -> str:
    """What the first test that turned green said before, or its file where that could not be collected; folded."""
    for test in _strongest_first(verification):
        case = red_case(verification, test)
        if case and case.message:
            how = "How {} fails" if case.id == test else f"Why {{}} {NOT_COLLECTED}"
            return folded(f"{how.format(html_code(case.id))} without it", fence(cut(case.message, MAX_OUTPUT)))
    return ""


def conditions(evidence: Evidence, verification: Verification, commit_url: str | None) -> str:
    """Who saw it, how, and at which commit."""
    commands = [r.command for r in (verification.baseline, verification.green) if r and r.command]
    told = " and ".join(map(code, dict.fromkeys(commands)))
    return (
        f"Seen by the harness, not claimed by the model: {told} in fresh sandboxes without network "
        f"({code(evidence.engine)}), the base commit's tests and test configuration in force. "
        f"{base(evidence, commit_url)}"
    )


def _strongest_first(verification: Verification) -> list[str]:
    weak = unproven_reds(verification)
    return sorted(verification.turned_green, key=lambda test: test in weak)


def _was_seen(verification: Verification, test: str) -> bool:
    case = red_case(verification, test)
    return case is not None and case.id == test


def _before(verification: Verification, test: str, fails: str) -> str:
    if not _was_seen(verification, test):
        return f"✗ {NOT_COLLECTED}"
    return f"✗ {fails}: something is missing" if test in verification.red_by_import else f"✗ {fails}"


def _kept(verification: Verification) -> str:
    """A proof has no broken tests: one that passed before and was red with the change passed when run again."""
    red = verification.regression.red if verification.regression else frozenset[str]()
    flaky = sorted(verification.baseline.passed & red)
    told = "everything that passed before still passes"
    return f"{told}, though {_first(flaky)} failed once and passed only when run again" if flaky else told


def _first(names: Sequence[str]) -> str:
    """The first of `names`, and how many more there are."""
    first = code(names[0]) if names else "A test"
    return f"{first} and {len(names) - 1} more" if len(names) > 1 else first


def _file(test: str) -> str:
    return test.partition("::")[0]
