"""What the harness saw of the tests, in words that claim no more than that."""

import shlex

from repo_tools.test_report import TestCase, TestReport
from repo_tools.verification.contract import Verification
from workers.host import Evidence
from workers.publish.markdown import code, cut, fence, folded, html_code, table
from workers.publish.parts import MAX_OUTPUT, base

MAX_TESTS = 10
SEEN = "**Proved.** {tests} before this change and {pass_} with it{more}; {kept}."
NOT_SEEN = (
    "**Proved, but no test was seen to fail.** {files} could not be collected before this change, and {tests} with it; "
    "{kept}. Whether that shows the bug, or only something that this change adds, is for the reviewer to say."
)
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


def proof_sentence(verification: Verification) -> str:
    """How a proved change is proved."""
    unseen = not_collected(verification)
    seen = [test for test in verification.turned_green if test not in unseen]
    if seen or not unseen:
        verb = "fails" if len(seen) <= 1 else "fail"
        told = "passes whose file" if len(unseen) == 1 else "pass whose files"
        more = f" (and {len(unseen)} more {told} {NOT_COLLECTED} before)" if unseen else ""
        pass_ = "passes" if len(seen) <= 1 else "pass"
        return SEEN.format(tests=f"{_first(seen)} {verb}", pass_=pass_, more=more, kept=_kept(verification))
    files = list(dict.fromkeys(map(_file, unseen)))
    tests = f"{_first(unseen)} {'passes' if len(unseen) == 1 else 'pass'}"
    return NOT_SEEN.format(files=_first(files), tests=tests, kept=_kept(verification))


def table_of_tests(verification: Verification) -> str:
    """What turned green, and the suite, before and after. What was seen to fail comes first."""
    tests = sorted(verification.turned_green, key=lambda test: not _was_seen(verification, test))
    rows = [(code(test), _before(verification, test, "fails"), "✓ passes") for test in tests[:MAX_TESTS]]
    more = tests[MAX_TESTS:]
    if more:
        words = dict.fromkeys(_before(verification, test, "fail") for test in more)
        rows.append((f"and {len(more)} more", " or ".join(words), "✓ pass"))
    rows.append(("the base commit's suite", counts(verification.baseline), counts(verification.regression)))
    return table(("test", "before", "with this change"), rows)


def counts(report: TestReport | None) -> str:
    """``40 passed, 1 failed``."""
    if report is None:
        return "not run"
    if report.problem:
        return "no result"
    told = [f"{number} {name}" for name, number in report.counts().items() if number]
    return ", ".join(told) or "no tests"


def failure(verification: Verification) -> str:
    """What the first test that turned green said before, or its file where that could not be collected; folded."""
    for test in sorted(verification.turned_green, key=lambda test: not _was_seen(verification, test)):
        case = red_case(verification, test)
        if case and case.message:
            how = "How {} fails" if case.id == test else f"Why {{}} {NOT_COLLECTED}"
            return folded(f"{how.format(html_code(case.id))} without it", fence(cut(case.message, MAX_OUTPUT)))
    return ""


def conditions(evidence: Evidence, verification: Verification, commit_url: str | None) -> str:
    """Who saw it, how, and at which commit."""
    commands = [r.command for r in (verification.baseline, verification.green) if r and r.command]
    told = " and ".join(code(shlex.join(command)) for command in dict.fromkeys(commands))
    return (
        f"Seen by the harness, not claimed by the model: {told} in fresh sandboxes without network "
        f"({code(evidence.engine)}), the base commit's tests and test configuration in force. "
        f"{base(evidence, commit_url)}"
    )


def _was_seen(verification: Verification, test: str) -> bool:
    case = red_case(verification, test)
    return case is not None and case.id == test


def _before(verification: Verification, test: str, fails: str) -> str:
    return f"✗ {fails if _was_seen(verification, test) else NOT_COLLECTED}"


def _kept(verification: Verification) -> str:
    """A proof has no broken tests: one that passed before and was red with the change passed when run again."""
    red = verification.regression.red if verification.regression else frozenset[str]()
    flaky = sorted(verification.baseline.passed & red)
    told = "everything that passed before still passes"
    return f"{told}, though {_first(flaky)} failed once and passed only when run again" if flaky else told


def _first(names: list[str] | tuple[str, ...]) -> str:
    """The first of `names`, and how many more there are."""
    first = code(names[0]) if names else "A test"
    return f"{first} and {len(names) - 1} more" if len(names) > 1 else first


def _file(test: str) -> str:
    return test.partition("::")[0]
