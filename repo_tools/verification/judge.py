"""The verdict: what five test runs say about a change. Pure; nothing here has run anything.

A change is *proved* when every base test that passed still passes (run A: the base's tests on the new product), every
base test is still collected and no other is red there, the change takes no test away, and something went from red to
green: a base test that failed before, or a test of the change that is red on the base's product (B) and green on the
new one (C), each time it is asked. Red only because a name is not there yet shows that the name is new, and counts
where the issue asks for it.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from repo_tools.environment.runners.contract import NONE_COLLECTED
from repo_tools.environment.runners.crashed import WHY_KILLED
from repo_tools.environment.runners.ctest import NOT_BUILT
from repo_tools.test_report import TestReport
from repo_tools.verification.contract import Verdict
from repo_tools.verification.findings import Findings
from repo_tools.verification.runs import Runs
from repo_tools.verification.test_names import is_build_file
from repo_tools.verification.touched import Touched

MAX_NAMED = 10
MAX_NAME = 240
"""Characters of one: a test may be called after all of the code that it is about."""
_HANGS = (
    " If it is the defect that the code does not come to its end, write a test that fails instead of waiting: it calls"
    " the code in a process of its own and gives that a few seconds, and little memory where the code takes ever more."
)
_KEEP = ". What the tests of the base commit use has to stay there, and to be called as they call it."
_ELSEWHERE = (
    " The suite's command runs none of the test files that you added or changed: put the test into one it runs."
)
_JOIN = (
    " A test that only they build is not run; one in a file, or of a pattern of names, that is built already is run."
)


@dataclass(frozen=True)
class Judgement:
    """`broken`: base tests that passed or were not there before, and do not pass with the change (flaky ones excepted).
    `red_by_import`: as in `Verification`."""

    verdict: Verdict
    reasons: tuple[str, ...]
    turned_green: tuple[str, ...]
    contract_tests: tuple[str, ...]
    broken: tuple[str, ...]
    red_by_import: tuple[str, ...] = ()


def judge(runs: Runs, touched: Touched) -> Judgement:
    """One verdict. `reasons` are what stands against a proof; where there is one, what a reviewer should know."""
    found = Findings(runs, touched)
    against = tuple(_against(found))
    contract = tuple(sorted(found.contract))
    earned = Verdict.CONTRACT_CHANGED if contract else Verdict.PROVED
    verdict = Verdict.NOT_PROVED if against else earned
    return Judgement(
        verdict,
        (*against, *_notes(found)) if against else (*_edited(found), *_notes(found)),
        tuple(sorted(found.turned.each_time)),
        contract if verdict is Verdict.CONTRACT_CHANGED else (),
        tuple(sorted(found.broken | found.appeared)),
        tuple(sorted(found.turned.red_by_import)),
    )


def _against(found: Findings) -> Iterator[str]:
    yield from _untrusted(found)
    yield from _regressions(found)
    yield from _tests_taken_away(found)
    yield from _own_tests_red(found)
    yield from _nothing_turned_green(found)
    yield from _nothing_reproduced(found)


def _notes(found: Findings) -> Iterator[str]:
    if found.turned.is_reproduced:
        yield from _only_new(found)
    if flaky := found.flaky | found.flaky_beside:
        yield f"Flaky (failed once and passed when run again, with the change): {_named(flaky)}."
    if found.turned.unsteady:
        yield f"Not counted, because their result changes from run to run: {_named(found.turned.unsteady)}."
    if found.without_means:
        yield (
            "Not run, in effect, because no test of the same file is run or passes here, on the base commit neither: "
            f"{_named(found.without_means)}."
        )
    if found.touched.called_like_tests:
        yield (
            "Called like tests, or what these stand on, and product here: "
            f"{_named(found.touched.called_like_tests)}. Where tests use them, see that they ask for no less "
            "than before."
        )
    if found.touched.named_by_tests:
        yield (
            "These are data of the product that tests of the base commit name, and perhaps what they expect: "
            f"{_named(found.touched.named_by_tests)}. See that it is right."
        )
    if found.touched.reworded:
        yield (
            "Examples in documentation that the base commit's suite runs are worded anew, or gone: "
            f"{_named(found.touched.reworded)}. They stand in the product, so that their old form did not judge the "
            "change; see that they ask for no less than before."
        )
    if found.touched.left_out:
        yield (
            "Test configuration is always the base commit's; these changes count for nothing and are left out: "
            f"{_named(found.touched.left_out)}."
            f"{_JOIN if any(map(is_build_file, found.touched.left_out)) else ''}"
        )
    if stale := frozenset(found.touched.not_installed).difference(found.runs.regression.recompiled):
        yield (
            "The tests ran with the dependencies and compiled code of the base commit; changes to these files are "
            f"not installed or compiled: {_named(stale)}."
        )


def _edited(found: Findings) -> Iterator[str]:
    """Edits that nothing called for: what they take away, no run shows."""
    if found.edited_unasked:
        yield (
            "The change edits these tests of the base commit, or what they read, though they pass as they were: "
            f"{_named(found.edited_unasked)}. See that they ask for no less than before."
        )
    if found.data_edited_unasked:
        yield (
            "The change edits what tests of the base commit may read, though those pass as they were: "
            f"{_named(found.data_edited_unasked)}. See that they ask for no less than before."
        )


def _untrusted(found: Findings) -> Iterator[str]:
    for report, what, remedy in (
        (found.runs.baseline, "The base commit's own tests gave no result", _none),
        (found.runs.regression, "The base commit's tests gave no result on your change", _if_not_built),
        (found.runs.red, "Your tests gave no result on the base commit, so that they prove nothing", _if_hanging),
        (found.runs.green, "Your tests gave no result with your change", _if_not_run),
        *((report, "The whole suite gave no result with your change", _none) for report in found.runs.together[:1]),
    ):
        if report is not None and report.problem is not None:
            yield f"{what}: {report.problem}{remedy(report, report.problem)}"


def _none(_report: TestReport, _problem: str) -> str:
    return ""


def _if_not_built(_report: TestReport, problem: str) -> str:
    return _KEEP if problem.startswith(NOT_BUILT) else ""


def _if_hanging(report: TestReport, problem: str) -> str:
    return _HANGS if report.timed_out or WHY_KILLED in problem else ""


def _if_not_run(_report: TestReport, problem: str) -> str:
    return _ELSEWHERE if problem.startswith(NONE_COLLECTED) else ""


def _regressions(found: Findings) -> Iterator[str]:
    if found.runs.regression.problem is not None:
        return
    if (found.runs.green or found.runs.regression).unbuilt and not found.runs.baseline.unbuilt:
        yield "With your change, something does not build that the base commit builds."
    if unexcused := found.broken - found.contract:
        yield f"{_count(unexcused)} on the base commit and not with your change: {_named(unexcused)}."
    if found.evaded:
        yield (
            f"Your new form of {_named(found.evaded)}, or of what that uses of its file, passes on the base commit "
            "too, so that nothing shows the old one to be wrong. Let the product do what the old one wants; or, if "
            "just that is the defect, let the new one expect what is different now, so that it fails on the base "
            "commit."
        )
    if found.unseen:
        yield (
            f"Your new form of {_named(found.unseen)} was not run on the base commit, on which its file cannot be "
            "loaded. Load what is new inside of the tests that use it, so that the others are seen to fail there."
        )
    if found.broken_together:
        yield (
            f"{_count(found.broken_together)} with what the base commit has beside the tests, and not with what your "
            f"change makes of that: {_named(found.broken_together)}. Leave there what other tests use."
        )
    if found.appeared:
        yield (
            "Red with your change, and not there on the base commit, whose own tests these are (of other parameters, "
            f"or in a file that can no longer be loaded): {_named(found.appeared)}."
        )
    if found.uncollected:
        yield f"Tests of the base commit are no longer found with your change: {_named(found.uncollected)}."


def _tests_taken_away(found: Findings) -> Iterator[str]:
    if gone := found.gone:
        yield f"Your change removes or renames tests of the base commit: {_named(gone)}. Put them back."
    if silenced := found.silenced:
        yield f"Your change skips tests that ran on the base commit, or expects them to fail: {_named(silenced)}."


def _own_tests_red(found: Findings) -> Iterator[str]:
    if found.own_red:
        yield f"Tests in the files that you added or changed fail with your change: {_named(found.own_red)}."


def _nothing_turned_green(found: Findings) -> Iterator[str]:
    if found.turned.each_time or found.runs.regression.problem is not None:
        return
    if found.runs.red is None:
        yield (
            "Nothing shows that the bug is gone: no failing test of the base commit passes now, and the change has "
            "no test of its own. Add one that fails on the base commit and passes with your change."
        )
    elif found.is_dark:
        yield (
            "The suite is one command, of which only the exit code is known, and it fails on the base commit and with "
            "your change: nobody sees what your test says. If all that fails there is the defect, make the command "
            "pass; else give up and say what fails besides."
        )
    elif found.is_dead:
        yield (
            "No test of the suite passes, on the base commit or with your change, so that none can show anything. If "
            "what they all fail by is the defect, make them pass; else give up and say what they lack."
        )
    elif found.is_tests_alone:
        yield (
            f"All that you changed counts as tests ({_named(found.touched.test_files)}): of the suite nothing is known "
            "but the exit code of one command, and what that starts holds its tests. No test can prove a change there; "
            "if the fix has to be made there, give up and say so."
        )
    elif found.turned.only_with_change:
        yield (
            f"These tests are not found on the base commit, where nothing runs what they stand in: "
            f"{_named(found.turned.only_with_change)}. Put one into a file or a module of tests that the base commit "
            "has, so that it is seen to fail there."
        )
    elif found.none_of_its_own:
        yield f"No test went from red to green.{_ELSEWHERE}"
    elif found.runs.red.problem is None:
        elsewhere = f", in another file than {_named(found.idle)}, of which no test passes here" if found.idle else ""
        or_red = "" if found.passes_on_both else ", or do not pass with your change"
        yield (
            f"No test went from red to green: the tests that you added or changed pass on the base commit too{or_red}. "
            f"Write one that fails because of the bug{elsewhere}."
        )


def _nothing_reproduced(found: Findings) -> Iterator[str]:
    if not found.turned.is_reproduced:
        yield (
            f"Your tests are red on the base commit only because a name is missing there ({_lacking(found)}): "
            "it is new, and nothing shows that the defect is gone. Write a test that runs on the base commit and "
            "fails there by what the code does: go through the entry that the issue names. If the issue asks for "
            "something new, use the name that it gives; if it gives none, give up and say which name is to be "
            "settled."
        )


def _only_new(found: Findings) -> Iterator[str]:
    """What a reviewer is told of reds that show no more than that something is new."""
    weak = found.turned.red_by_import
    if weak and found.turned.each_time <= weak.keys():
        yield (
            f"No test was seen to fail on existing behaviour: {_named(weak)} lacked only what was not there yet "
            f"({_lacking(found)}), which the issue asks for by name."
        )
    elif weak:
        yield (
            f"These tests are red on the base commit only because something is not there yet ({_lacking(found)}), "
            f"which does not show that the bug is gone: {_named(weak)}."
        )


def _lacking(found: Findings) -> str:
    return _named({lacks.words for lacks in found.turned.red_by_import.values()})


def _count(ids: frozenset[str]) -> str:
    return "This test passes" if len(ids) == 1 else f"These {len(ids)} tests pass"


def _named(ids: Iterable[str]) -> str:
    ordered = sorted(ids)
    more = f" and {len(ordered) - MAX_NAMED} more" if len(ordered) > MAX_NAMED else ""
    return ", ".join(name if len(name) <= MAX_NAME else f"{name[:MAX_NAME]}…" for name in ordered[:MAX_NAMED]) + more
