"""The verdict as a table: test reports in, verdict and reasons out. Each id is ``file::test``."""

from dataclasses import replace

import pytest

from repo_tools.environment.runners.crashed import WHY_KILLED
from repo_tools.environment.runners.ctest import NOT_BUILT
from repo_tools.test_report import TestCase, TestOutcome, TestReport
from repo_tools.verification.contract import Verdict
from repo_tools.verification.judge import Judgement, judge
from repo_tools.verification.runs import Runs
from repo_tools.verification.touched import Touched

_OUTCOMES = {"P": TestOutcome.PASSED, "F": TestOutcome.FAILED, "E": TestOutcome.ERROR, "S": TestOutcome.SKIPPED}


def report(results: str, problem: str | None = None) -> TestReport:
    """``"t.py::a=P t.py::b=F"``; a name without ``::`` is a file that could not be collected."""
    pairs = (word.rpartition("=") for word in results.split())
    cases = tuple(TestCase(name, name.split("::")[0], _OUTCOMES[letter]) for name, _, letter in pairs)
    return TestReport("pytest", cases, 0, 0.1, "", problem)


NOTHING = report("", "No tests were collected.")
PRODUCT_ONLY = Touched(product=frozenset({"a.py"}))
OWN_FILE = Touched(product=frozenset({"a.py"}), test_files=frozenset({"t.py"}))


def judged(base: str, a: str, b: str | None = None, c: str | None = None, touched: Touched | None = None) -> Judgement:
    touched = touched or (PRODUCT_ONLY if b is None else OWN_FILE)
    runs = Runs(report(base), report(a), None if b is None else report(b), None if c is None else report(c))
    return judge(runs, touched)


def test_a_base_test_that_failed_and_passes_now_is_a_proof() -> None:
    verdict = judged("t.py::a=P t.py::bug=F", "t.py::a=P t.py::bug=P")
    assert verdict == Judgement(Verdict.PROVED, (), ("t.py::bug",), (), ())


def test_a_new_test_that_is_red_before_and_green_after_is_a_proof() -> None:
    verdict = judged("t.py::a=P", "t.py::a=P", "t.py::a=P t.py::bug=F", "t.py::a=P t.py::bug=P")
    assert (verdict.verdict, verdict.turned_green) == (Verdict.PROVED, ("t.py::bug",))


@pytest.mark.parametrize(
    ("base", "a", "b", "c"),
    [
        ("t.py::a=P b.py::mypy-status=F", "t.py::a=P b.py::mypy-status=P", None, None),
        ("t.py::a=P", "t.py::a=P", "t.py::a=P t.py::mypy=F", "t.py::a=P t.py::mypy=P"),
        ("t.py::a=P", "t.py::a=P", "t.py::a=P t.py::mypy::all=F", "t.py::a=P t.py::mypy::all=P"),
    ],
)
def test_what_linters_say_of_tests_and_other_files_proves_nothing(
    base: str, a: str, b: str | None, c: str | None
) -> None:
    touched = OWN_FILE if b else PRODUCT_ONLY
    linted = replace(touched, linters=frozenset({"mypy", "mypy-status"}))
    assert judged(base, a, b, c, touched).verdict is Verdict.PROVED
    assert judged(base, a, b, c, linted).verdict is Verdict.NOT_PROVED


@pytest.mark.parametrize(
    ("base", "verdict"),
    [("b.py::mypy=F", Verdict.PROVED), ("b.py::mypy=P", Verdict.NOT_PROVED), ("", Verdict.NOT_PROVED)],
)
def test_what_a_linter_said_of_all_files_before_stands_at_another_file(base: str, verdict: Verdict) -> None:
    touched = replace(OWN_FILE, linters=frozenset({"mypy"}))
    a, b, c = "t.py::a=P a.py::mypy=F", "t.py::a=P t.py::bug=F t.py::mypy=F", "t.py::a=P t.py::bug=P t.py::mypy=F"
    assert judged(f"t.py::a=P {base}", a, b, c, touched).verdict is verdict


@pytest.mark.parametrize(
    ("again", "a", "c", "verdict"),
    [
        ("t.py::a=P t.py::r[cod]=P", "t.py::r[eel]=P", "t.py::r[ray]=P", Verdict.PROVED),
        ("t.py::a=P t.py::r[cod]=P", "", "t.py::r[ray]=P", Verdict.NOT_PROVED),
        ("t.py::a=P t.py::r[cod]=P", "t.py::r[eel]=P", "", Verdict.NOT_PROVED),
        ("t.py::a=P t.py::r[cod]=P", "t.py::r[eel]=F", "t.py::r[ray]=P", Verdict.NOT_PROVED),
        ("t.py::a=P t.py::r[bass]=P", "t.py::r[eel]=P", "t.py::r[ray]=P", Verdict.NOT_PROVED),
        (None, "t.py::r[eel]=P", "t.py::r[ray]=P", Verdict.NOT_PROVED),
    ],
    ids=["drawn anew", "gone in A", "gone in C", "red in A", "the same on the base", "not asked"],
)
def test_a_base_test_with_another_name_in_each_run_of_the_base_is_found_under_any(
    again: str | None, a: str, c: str, verdict: Verdict
) -> None:
    base, on_base = report("t.py::a=P t.py::r[bass]=P"), () if again is None else (report(again),)
    own = report(f"t.py::a=P t.py::bug=P {c}")
    runs = Runs(base, report(f"t.py::a=P {a}"), report("t.py::a=P t.py::bug=F"), own, base_again=on_base)
    assert judge(runs, OWN_FILE).verdict is verdict


@pytest.mark.parametrize(
    ("c", "verdict"),
    [("t.py::r[x]=P t.py::r[ray]=P", Verdict.PROVED), ("t.py::r[ray]=P", Verdict.NOT_PROVED)],
)
def test_a_row_that_is_taken_away_has_no_name_that_is_drawn_by_lot_in_its_place(c: str, verdict: Verdict) -> None:
    base, again = report("t.py::r[x]=P t.py::r[bass]=P"), report("t.py::r[x]=P t.py::r[cod]=P")
    a, own = report("t.py::r[x]=P t.py::r[eel]=P"), report(f"t.py::bug=P {c}")
    runs = Runs(base, a, report("t.py::r[x]=P t.py::bug=F"), own, base_again=(again,))
    assert judge(runs, OWN_FILE).verdict is verdict


@pytest.mark.parametrize(
    ("a", "c", "verdict"),
    [("P", "P", Verdict.PROVED), ("P", "S", Verdict.NOT_PROVED), ("S", "P", Verdict.NOT_PROVED)],
)
def test_a_test_that_is_skipped_stands_for_none_whose_name_is_drawn_by_lot(a: str, c: str, verdict: Verdict) -> None:
    touched = Touched(test_files=frozenset({"t.js"}), made_by=lambda name: name if name.endswith("bug") else "t.js::r")
    red, green = report("t.js::bug=F t.js::fry=P"), report(f"t.js::bug=P t.js::ray={c}")
    runs = Runs(report("t.js::bass=P"), report(f"t.js::eel={a}"), red, green, base_again=(report("t.js::cod=P"),))
    assert judge(runs, touched).verdict is verdict


def test_an_edited_test_with_another_name_in_each_run_is_named() -> None:
    base, again = report("t.py::r[bass]=P"), report("t.py::r[cod]=P")
    own = report("t.py::bug=P t.py::r[ray]=P")
    runs = Runs(base, report("t.py::r[eel]=P"), report("t.py::bug=F t.py::r[fry]=P"), own, base_again=(again,))
    judgement = judge(runs, replace(OWN_FILE, edited=frozenset({"t.py::r[bass]"})))
    assert judgement.verdict is Verdict.PROVED
    assert "though they pass as they were: t.py::r[bass]." in "".join(judgement.reasons)


@pytest.mark.parametrize(
    ("together", "verdict"),
    [
        (("u.py::b=P",), Verdict.PROVED),
        (("u.py::b=F", "u.py::b=P"), Verdict.PROVED),
        (("u.py::b=F", "u.py::b=F"), Verdict.NOT_PROVED),
        (("u.py=E", "u.py=E"), Verdict.NOT_PROVED),
        (("u.py::b=P t.py::a=F",), Verdict.PROVED),
    ],
    ids=["holds", "is flaky", "is broken", "cannot be loaded", "is the change's own"],
)
def test_what_the_change_edits_beside_the_tests_breaks_no_other_test(
    together: tuple[str, ...], verdict: Verdict
) -> None:
    base, both = report("t.py::a=P u.py::b=P"), report("t.py::a=P t.py::bug=P")
    runs = Runs(base, base, report("t.py::a=P t.py::bug=F"), both, together=tuple(map(report, together)))
    assert judge(runs, OWN_FILE).verdict is verdict


def test_a_suite_that_gives_no_result_with_what_the_change_edits_beside_it_is_no_proof() -> None:
    base, both = report("t.py::a=P u.py::b=P"), report("t.py::a=P t.py::bug=P")
    cut = report("u.py::b=P", "The test run did not end within 9 seconds.")
    judgement = judge(Runs(base, base, report("t.py::a=P t.py::bug=F"), both, together=(cut,)), OWN_FILE)
    assert judgement.verdict is Verdict.NOT_PROVED
    assert judgement.reasons[0].startswith("The whole suite gave no result with your change: The test run did not end")


def test_a_test_that_is_called_after_a_moment_is_not_missed_among_all() -> None:
    base, both = report("t.py::a=P u.py::b[12:30:01]=P"), report("t.py::a=P t.py::bug=P")
    among_all = report("u.py::b[12:31:07]=P")
    runs = Runs(base, base, report("t.py::a=P t.py::bug=F"), both, together=(among_all,))
    assert judge(runs, OWN_FILE).verdict is Verdict.PROVED


@pytest.mark.parametrize(
    ("base", "b", "c", "among_all", "verdict"),
    [
        ("needy=P", "needy=F", "needy=F", "needy=P", Verdict.PROVED),
        ("needy=P", "needy=F", "needy=F", "needy=F", Verdict.NOT_PROVED),
        ("needy=P", "needy=P", "needy=F", "needy=P", Verdict.NOT_PROVED),
        ("other=P", "new=F", "new=F", "new=P", Verdict.NOT_PROVED),
    ],
    ids=["needs the others", "is broken", "fails alone with the change only", "is new"],
)
def test_a_base_test_that_needs_what_others_leave_behind_is_asked_among_them(
    base: str, b: str, c: str, among_all: str, verdict: Verdict
) -> None:
    base, b, c, among_all = (f"t.py::{each}" for each in (base, b, c, among_all))
    suite = report(base)
    runs = Runs(suite, suite, report(f"t.py::bug=F {b}"), report(f"t.py::bug=P {c}"))
    judgement = judge(replace(runs, green_among_all=report(f"t.py::bug=P {among_all}")), PRODUCT_ONLY)
    assert (judgement.verdict, judgement.turned_green) == (verdict, ("t.py::bug",))


@pytest.mark.parametrize(
    ("base", "b", "c", "verdict"),
    [
        ("old=E", "old=E i.py::new=E", "old=E i.py::new=E", Verdict.PROVED),
        ("old=E i.py::off=S", "old=E i.py::off=S i.py::new=F", "old=E i.py::off=S i.py::new=F", Verdict.PROVED),
        ("old=P", "old=P i.py::new=E", "old=P i.py::new=E", Verdict.NOT_PROVED),
        ("skipped=S", "skipped=S i.py::new=E", "skipped=S i.py::new=E", Verdict.NOT_PROVED),
        ("old=E", "old=E i.py::new=E", "old=P i.py::new=E", Verdict.NOT_PROVED),
        ("old=E", "old=E i.py::new=P", "old=E i.py::new=E", Verdict.NOT_PROVED),
    ],
    ids=[
        "needs what is not here",
        "beside a skipped one",
        "others pass",
        "none ran",
        "others pass now",
        "green before",
    ],
)
def test_a_new_test_in_a_file_of_which_nothing_passes_here_says_nothing(
    base: str, b: str, c: str, verdict: Verdict
) -> None:
    suite, touched = f"t.py::a=P i.py::{base}", Touched(test_files=frozenset({"t.py", "i.py"}))
    own = "t.py::a=P t.py::bug="
    judgement = judged(suite, suite, f"{own}F i.py::{b}", f"{own}P i.py::{c}", touched)
    assert (judgement.verdict, "t.py::bug" in judgement.turned_green) == (verdict, True)
    told = [reason for reason in judgement.reasons if reason.startswith("Not run, in effect")]
    assert [reason.rpartition(" ")[2] for reason in told] == (["i.py::new."] if verdict is Verdict.PROVED else [])


@pytest.mark.parametrize(
    ("edited", "b", "named"),
    [
        ("old[1]", "old[1]=P", ["t.py::old[1]"]),
        ("old[1]", "old[1]=P old[2]=F", []),
        ("bug", "old[1]=P bug=F", []),
        ("", "old[1]=P", []),
    ],
    ids=["asks for less, perhaps", "has a case more", "asks for more", "as it was"],
)
def test_a_base_test_that_passes_as_it_was_and_is_edited_is_named_for_the_reviewer(
    edited: str, b: str, named: list[str]
) -> None:
    suite, own = "t.py::old[1]=P t.py::bug=P", " ".join(f"t.py::{case}" for case in b.split())
    touched = replace(OWN_FILE, edited=frozenset({f"t.py::{edited}"}))
    red = f"{own} t.py::new=F{'' if 'bug' in b else ' t.py::bug=P'}"
    judgement = judged(suite, suite, red, red.replace("=F", "=P"), touched)
    assert judgement.verdict is Verdict.PROVED
    assert [reason.split(": ")[1].partition(". ")[0] for reason in judgement.reasons] == named


def test_a_part_of_an_edited_test_or_one_whose_name_is_made_is_not_named() -> None:
    suite = "t.py::tab=P t.py::tab/one=P t.py::made_1=P"
    names = ("tab", "tab/one", "made_1")
    touched = replace(
        OWN_FILE,
        edited=frozenset(f"t.py::{name}" for name in names),
        made_by=lambda name: name.replace("made_1", "made_"),
    )
    (told,) = judged(suite, suite, f"{suite} t.py::new=F", f"{suite} t.py::new=P", touched).reasons
    assert "as they were: t.py::tab. See" in told


def test_data_that_many_tests_may_read_is_named_once_and_not_by_each_of_them() -> None:
    suite, names = "t.py::a=P u.py::a=P u.py::b=P", frozenset({"t.py::a", "u.py::a", "u.py::b"})
    touched = replace(OWN_FILE, edited=names, readers={"data/a.json": names - {"t.py::a"}, "data/b.json": frozenset()})
    judgement = judged(suite, suite, f"{suite} t.py::new=F", f"{suite} t.py::new=P", touched)
    assert judgement.verdict is Verdict.PROVED
    itself, data = judgement.reasons
    assert "as they were: t.py::a. See" in itself
    assert "those pass as they were: data/a.json. See" in data


def test_data_of_which_a_reader_changes_its_contract_is_not_named() -> None:
    suite, names = "t.py::a=P u.py::a=P", frozenset({"t.py::a", "u.py::a"})
    touched = replace(OWN_FILE, edited=names, readers={"data/a.json": names})
    judgement = judged(suite, "t.py::a=F u.py::a=P", suite.replace("t.py::a=P", "t.py::a=F"), suite, touched)
    assert (judgement.verdict, judgement.reasons) == (Verdict.CONTRACT_CHANGED, ())


def test_where_the_suite_runs_no_file_of_the_change_it_is_told_to_join_one_that_it_runs() -> None:
    judgement = judge(Runs(report("t.py::a=P"), report("t.py::a=P"), NOTHING, NOTHING), OWN_FILE)
    assert judgement.verdict is Verdict.NOT_PROVED
    assert judgement.reasons[1].endswith("put the test into one it runs.")


def test_a_change_of_nothing_but_what_the_one_command_starts_is_told_that_it_counts_as_tests() -> None:
    green = replace(report(".::shop=P"), only_exit_code=True)
    touched = Touched(test_files=frozenset({"shop.py"}))
    judgement = judge(Runs(green, green, green, green), touched)
    assert judgement.verdict is Verdict.NOT_PROVED
    assert judgement.reasons[0].startswith("All that you changed counts as tests (shop.py)")
    more = replace(touched, product=frozenset({"till.py"}))
    assert judge(Runs(green, green, green, green), more).reasons[0].startswith("No test went from red to green")


def test_where_only_others_run_beside_its_own_files_it_is_told_that_the_suite_runs_none_of_these() -> None:
    touched = replace(OWN_FILE, test_files=frozenset({"e2e.py"}), never_run=frozenset({"e2e.py"}))
    judgement = judged("t.py::a=P", "t.py::a=P", "t.py::a=P", "t.py::a=P", touched)
    assert judgement.verdict is Verdict.NOT_PROVED
    assert "put the test into one it runs" in judgement.reasons[-1]
    assert "pass on the base commit too" not in judgement.reasons[-1]


def test_a_test_file_that_the_suite_never_runs_is_no_obstacle_and_no_proof() -> None:
    touched = Touched(test_files=frozenset({"t.py", "web.py"}), never_run=frozenset({"web.py"}))
    own, web = "t.py::a=P t.py::bug=", "web.py::old=F web.py::new=F"
    proved = judged("t.py::a=P", "t.py::a=P", f"{own}F {web}", f"{own}P {web}", touched)
    assert proved.verdict is Verdict.PROVED
    assert proved.reasons[-1].endswith("on the base commit neither: web.py::new, web.py::old.")
    alone = judged("t.py::a=P", "t.py::a=P", web, web, replace(touched, test_files=frozenset({"web.py"})))
    assert alone.verdict is Verdict.NOT_PROVED
    assert alone.reasons[0].endswith("because of the bug, in another file than web.py, of which no test passes here.")
    some = judged("t.py::a=P", "t.py::a=P", f"{own}F {web}", f"{own}P web.py::old=P web.py::new=F", touched)
    assert some.verdict is Verdict.NOT_PROVED


def test_a_test_that_is_called_after_all_of_its_code_is_named_by_the_beginning() -> None:
    name = f"t.js::valid>{'x' * 300}"
    (reason,) = judged(f"{name}=P t.js::bug=F", f"{name}=F t.js::bug=P").reasons
    assert reason == f"This test passes on the base commit and not with your change: {name[:240]}…."


@pytest.mark.parametrize(
    ("red", "green", "told"),
    [("t.py::b=P", "t.py::b=P", False), ("t.py::b=F", "t.py::b=F", True), ("t.py::b=S", "t.py::b=S", True)],
)
def test_where_every_new_test_passes_on_the_base_only_that_is_told(red: str, green: str, told: bool) -> None:
    reasons = judged("t.py::a=P", "t.py::a=P", f"t.py::a=P {red}", f"t.py::a=P {green}").reasons
    assert ("pass on the base commit too, or do not pass with your change" in reasons[-1]) is told
    assert "pass on the base commit too" in reasons[-1]


def test_where_no_test_passes_at_all_none_is_asked_for() -> None:
    dead = "t.py=E u.py=E"
    (reason,) = judged(dead, dead, "t.py=E", "t.py=E").reasons
    assert reason.startswith("No test of the suite passes, on the base commit or with your change")
    for alive in (judged(dead, dead), judged(dead, dead, "t.py=E v.py=E", "t.py=E v.py::a=P")):
        assert "No test of the suite passes" not in " ".join(alive.reasons)


def test_what_passes_with_the_change_under_the_base_s_tests_is_here() -> None:
    judgement = judged(
        "t.py::a=P i.py::old=F",
        "t.py::a=P i.py::old=P",
        "t.py::a=P t.py::bug=F i.py::old=F i.py::new=F",
        "t.py::a=P t.py::bug=P i.py::old=F i.py::new=F",
        Touched(test_files=frozenset({"t.py", "i.py"})),
    )
    assert judgement.verdict is Verdict.NOT_PROVED
    assert "i.py::new" in judgement.reasons[0]


def test_what_is_tested_by_nothing_is_still_to_be_built() -> None:
    """Tests of the base that do not compile any more may be a changed contract: with the change's own, all builds."""
    base, red, green = report(".::a=P"), report(".::a=P .::bug=F"), report(".::a=P .::bug=P")
    partly = replace(base, unbuilt=True)
    for runs, verdict in (
        (Runs(base, base, red, replace(green, unbuilt=True)), Verdict.NOT_PROVED),
        (Runs(base, partly, red, green), Verdict.PROVED),
        (Runs(partly, partly, red, replace(green, unbuilt=True)), Verdict.PROVED),
        (Runs(report(".::a=F"), partly), Verdict.NOT_PROVED),
    ):
        assert judge(runs, OWN_FILE).verdict is verdict


def test_what_passed_before_its_file_died_on_the_base_did_not_turn() -> None:
    verdict = judged("t.js::a=P", "t.js::a=P", "t.js::a=P t.js::new=P t.js=E", "t.js::a=P t.js::new=P t.js::later=P")
    assert verdict.turned_green == ("t.js::later",)


def test_suites_of_many_thousand_tests_are_soon_judged() -> None:
    base = report(" ".join(f"t{n % 100}.py::a{n}=P" for n in range(20_000)))
    new = " ".join(f"n.py::a{n}=F" for n in range(10_000))
    red, green = report(new), report(new.replace("=F", "=P"))
    judgement = judge(Runs(base, base, red, green, red_again=(red,), green_again=(green,)), OWN_FILE)
    assert len(judgement.turned_green) == 10_000


def test_a_test_that_waits_for_ever_on_the_base_is_to_fail_instead() -> None:
    suite = report("t.py::a=P")
    for told, timed_out, waits in (
        ("The tests did not end.", True, True),
        ("The tests did not end.", False, False),
        (f"The test runner died. {WHY_KILLED}", False, True),
    ):
        red = replace(report("", told), timed_out=timed_out)
        (reason, *_) = judge(Runs(suite, suite, red, report("t.py::a=P t.py::bug=P")), OWN_FILE).reasons
        assert ("write a test that fails instead of waiting" in reason) is waits


def test_a_base_test_made_stricter_is_a_proof_by_its_new_form() -> None:
    verdict = judged("t.py::a=P", "t.py::a=P", "t.py::a=F", "t.py::a=P")
    assert (verdict.verdict, verdict.turned_green) == (Verdict.PROVED, ("t.py::a",))


@pytest.mark.parametrize(("asked", "proved"), [({"total"}, Verdict.PROVED), ({"mean"}, Verdict.NOT_PROVED)])
def test_an_edited_base_test_whose_file_the_base_cannot_load_lacks_a_name(asked: set[str], proved: Verdict) -> None:
    """Where a file is compiled, its tests are red together."""
    both = report("t.rs::a=P t.rs::b=P")
    dead = replace(report("t.rs=E").cases[0], message="error[E0425]: cannot find function `total` in crate `shop`")
    red = replace(both, cases=(dead,))
    touched = replace(OWN_FILE, test_files=frozenset({"t.rs"}), edited=frozenset({"t.rs::a"}))
    judgement = judge(Runs(both, both, red, both), replace(touched, asked_for=frozenset(asked)))
    assert (judgement.verdict, judgement.turned_green, judgement.red_by_import) == (proved, ("t.rs::a",), ("t.rs::a",))
    said = "lacked only what was not there yet" if proved is Verdict.PROVED else "cannot find function `total`"
    assert any(said in reason for reason in judgement.reasons)
    told = any("t.rs::a. See that they ask for no less" in reason for reason in judgement.reasons)
    assert told is (proved is Verdict.PROVED)
    assert judge(Runs(both, both, red, both), replace(touched, edited=frozenset())).turned_green == ()


def test_a_new_file_that_cannot_be_collected_on_the_base_proves_nothing() -> None:
    verdict = judged("t.py::a=P", "t.py::a=P", "t.py::a=P new.py=E", "t.py::a=P new.py::bug=P")
    assert (verdict.verdict, verdict.turned_green) == (Verdict.NOT_PROVED, ("new.py::bug",))
    assert verdict.red_by_import == ("new.py::bug",)
    assert "(its file cannot be collected)" in verdict.reasons[0]
    assert "Write a test that runs on the base commit and fails there by what the code does" in verdict.reasons[0]


def test_a_file_that_died_in_a_test_was_begun_and_what_it_lacks_is_not_its_own() -> None:
    verdict = judged("t.js::a=P", "t.js::a=P", "t.js::a=P t.js=E", "t.js::a=P t.js::bug=P")
    assert (verdict.verdict, verdict.reasons, verdict.turned_green) == (Verdict.PROVED, (), ("t.js::bug",))


def failing(message: str, *, asked_for: str = "", others: str = "") -> Judgement:
    """`t.py::new`, red on the base with `message` and green with the change; `others` are red before, too."""
    base = report("t.py::a=P")
    red, green = report(f"t.py::a=P {others}"), report(f"t.py::a=P t.py::new=P {others.replace('=F', '=P')}")
    failed = TestCase("t.py::new", "t.py", TestOutcome.FAILED, message=message)
    touched = replace(OWN_FILE, asked_for=frozenset(asked_for.split()))
    return judge(Runs(base, base, replace(red, cases=(*red.cases, failed)), green), touched)


LACKS_F = "    from a import f\nE   ImportError: cannot import name 'f' from 'a'"


def test_a_red_by_what_the_code_does_is_a_proof_without_a_note() -> None:
    judgement = failing("E       AssertionError: assert 1 == 2")
    assert (judgement.verdict, judgement.reasons, judgement.red_by_import) == (Verdict.PROVED, (), ())


def test_a_red_only_because_a_name_is_missing_proves_nothing() -> None:
    judgement = failing(LACKS_F)
    assert (judgement.verdict, judgement.red_by_import) == (Verdict.NOT_PROVED, ("t.py::new",))
    (reason,) = judgement.reasons
    assert "(ImportError: cannot import name 'f' from 'a')" in reason


def test_the_absence_of_what_the_issue_names_is_the_defect() -> None:
    judgement = failing(LACKS_F, asked_for="add f to a")
    assert (judgement.verdict, judgement.red_by_import) == (Verdict.PROVED, ("t.py::new",))
    (note,) = judgement.reasons
    assert note.startswith("No test was seen to fail on existing behaviour: t.py::new lacked only")


def test_beside_a_real_red_a_missing_name_is_only_a_note() -> None:
    judgement = failing(LACKS_F, others="t.py::b=F")
    assert (judgement.verdict, judgement.red_by_import) == (Verdict.PROVED, ("t.py::new",))
    (note,) = judgement.reasons
    assert note.endswith("which does not show that the bug is gone: t.py::new.")


def test_a_contract_is_not_changed_by_a_test_that_lacks_a_name() -> None:
    base, after = report("t.py::a=P"), report("t.py::a=F")
    red = replace(base, cases=(TestCase("t.py::a", "t.py", TestOutcome.FAILED, message=LACKS_F),))
    judgement = judge(Runs(base, after, red, base), replace(OWN_FILE, edited=frozenset({"t.py::a"})))
    assert (judgement.verdict, judgement.contract_tests) == (Verdict.NOT_PROVED, ())


def test_only_what_was_asked_again_can_change_its_mind() -> None:
    base, green, red = report("t.py::a=P"), report("t.py::a=P u.py::b=P v.py::c=P"), report("t.py::a=P u.py=E v.py=E")
    runs = Runs(base, base, red, green, red_again=(red,), green_again=(report("u.py::b=F"),))
    assert judge(replace(runs, repeated=frozenset({"u.py"})), OWN_FILE).turned_green == ("v.py::c",)
    assert judge(runs, OWN_FILE).turned_green == ()


def test_old_tests_of_a_file_that_cannot_be_imported_on_the_base_do_not_count_as_turned() -> None:
    verdict = judged("t.py::a=P", "t.py::a=P", "t.py=E", "t.py::a=P")
    assert (verdict.verdict, verdict.turned_green) == (Verdict.NOT_PROVED, ())


@pytest.mark.parametrize(
    ("baseline", "regression"),
    [
        ("t.py::g[0]=P t.py::g[1]=F", "t.py::g[0]=P t.py::g[1]=P t.py::g[2]=F"),
        ("t.py::a=P o.py::g[0]=P", "t.py::a=P o.py::g[0]=P o.py::g[1]=E"),
        ("t.py::a=P o.js::x=P", "t.py::a=P o.js::x=P setup.js=E"),
        ("t.py::a=P o.js::x=P", "t.py::a=P o.js::x=P o.js=E"),
    ],
)
def test_what_is_red_with_the_change_and_was_not_there_is_a_regression(baseline: str, regression: str) -> None:
    """A test that the product's own data make takes the name of another where these change."""
    own = report("new.py::bug=F"), report("new.py::bug=P")
    runs = Runs(report(baseline), report(regression), *own)
    touched = Touched(frozenset({"shop.py"}), test_files=frozenset({"new.py"}))
    verdict = judge(runs, touched)
    assert (verdict.verdict, len(verdict.reasons)) == (Verdict.NOT_PROVED, 1)
    assert verdict.reasons[0].startswith("Red with your change, and not there on the base commit")
    once_more = report(" ".join(name.replace("=F", "=P").replace("=E", "=P") for name in regression.split()[1:]))
    assert judge(replace(runs, failed_again=(once_more,)), touched).verdict is Verdict.PROVED


def test_a_file_whose_tests_are_gone_is_told_by_them_alone() -> None:
    verdict = judged("a.py::a=P u.py::b=P", "a.py::a=P u.py=E", "t.py::bug=F", "t.py::bug=P")
    assert [reason.partition(":")[0] for reason in verdict.reasons] == [
        "Tests of the base commit are no longer found with your change"
    ]


def test_a_base_file_that_could_not_be_collected_and_passes_now_is_a_proof() -> None:
    verdict = judged("t.py::a=P u.py=E", "t.py::a=P u.py::b=P u.py::c=F")
    assert (verdict.verdict, verdict.turned_green) == (Verdict.PROVED, ("u.py::b",))


def test_other_failures_of_the_base_may_stay() -> None:
    verdict = judged("t.py::old=F t.py::bug=F", "t.py::old=F t.py::bug=P", "t.py::old=F", "t.py::old=F t.py::bug=P")
    assert verdict.verdict is Verdict.PROVED


@pytest.mark.parametrize("now", ["F", "E", "S"])
def test_a_base_test_that_no_longer_passes_is_named(now: str) -> None:
    verdict = judged("t.py::a=P t.py::bug=F", f"t.py::a={now} t.py::bug=P")
    assert verdict.verdict is Verdict.NOT_PROVED
    assert verdict.reasons == ("This test passes on the base commit and not with your change: t.py::a.",)
    assert verdict.broken == ("t.py::a",)


@pytest.mark.parametrize("before", ["P", "F", "S"])
def test_a_base_test_that_is_not_found_any_more_is_named_whatever_it_said(before: str) -> None:
    verdict = judged(f"t.py::a={before} t.py::bug=F", "t.py::bug=P")
    assert verdict.verdict is Verdict.NOT_PROVED
    assert "no longer found with your change: t.py::a" in verdict.reasons[0]


def test_a_test_that_is_called_after_a_line_proves_nothing_by_moving_onto_another() -> None:
    verdict = judged("t.py::e[shop.py:12]=P t.py::e[shop.py:20]=F", "t.py::e[shop.py:20]=P t.py::e[shop.py:28]=P")
    assert verdict.reasons
    assert not verdict.turned_green


def test_more_red_tests_of_lines_than_before_are_a_regression() -> None:
    verdict = judged("t.py::e[shop.py:12]=F t.py::bug=F", "t.py::e[shop.py:13]=F t.py::e[shop.py:20]=F t.py::bug=P")
    assert "not there" in verdict.reasons[0]


def test_what_passed_in_a_file_that_failed_as_a_whole_did_not_turn() -> None:
    assert not judged("t.js=E t.js::a=P", "t.js::a=P").turned_green


@pytest.mark.parametrize(
    ("lost", "new"), [("model[1]", "model[2]"), ("v1", "v2"), ("at[py:1]", "at[py:2]"), ("e[10.30:15]", "e[10.30:99]")]
)
def test_a_base_test_is_lost_where_one_with_another_number_comes_in_its_place(lost: str, new: str) -> None:
    verdict = judged(f"t.py::{lost}=P t.py::bug=F", f"t.py::{new}=P t.py::bug=P")
    assert verdict.reasons == (f"Tests of the base commit are no longer found with your change: t.py::{lost}.",)


@pytest.mark.parametrize(
    ("before", "after", "lost"),
    [
        ("t.py::ex[shop.py:10]=P t.py::ex[shop.py:20]=P", "t.py::ex[shop.py:12]=P t.py::ex[shop.py:22]=P", ()),
        ("t.py::ex[shop.py:10]=P t.py::ex[shop.py:20]=S", "t.py::ex[shop.py:12]=P t.py::ex[shop.py:22]=S", ()),
        ("shop.rst::line:3,column:1=P", "shop.rst::line:5,column:1=P shop.rst::line:9,column:1=P", ()),
        ("t.py::ex[shop.py:10]=P t.py::ex[shop.py:20]=P", "t.py::ex[shop.py:12]=P", ("10", "20")),
        ("t.py::ex[shop.py:10]=P t.py::ex[shop.py:20]=F", "t.py::ex[shop.py:12]=P t.py::ex[shop.py:22]=F", ()),
        ("t.py::ex[shop.py:10]=F t.py::ex[shop.py:20]=P", "t.py::ex[shop.py:12]=P t.py::ex[shop.py:22]=P", ()),
        ("t.py::ex[shop.py:10]=P t.py::ex[shop.py:20]=P", "t.py::ex[shop.py:10]=P t.py::ex[till.py:22]=P", ("20",)),
    ],
)
def test_a_base_test_that_is_called_after_a_line_of_the_product_is_found_where_that_moves(
    before: str, after: str, lost: tuple[str, ...]
) -> None:
    verdict = judged(f"{before} t.py::bug=F", f"{after} t.py::bug=P")
    named = ", ".join(f"t.py::ex[shop.py:{line}]" for line in lost)
    told = f"Tests of the base commit are no longer found with your change: {named}."
    assert verdict.reasons == ((told,) if lost else ())


@pytest.mark.parametrize(
    ("then", "now"),
    [
        ("11-29-2026T17:08:50", "11-30-2026T17:09:02"),
        ("2026-11-29", "2026-11-30"),
        ("17:08:50.123456", "17:09:02.5"),
        ("1795971230.25", "1795971293.5"),
        ("1795971230123", "1795971293123"),
        ("0.8437251907", "0.11732510934"),
        ("<f-at-0x7f3a2c10>", "<f-at-0x7f3a2d00>"),
        ("5b1e6f0a-1c2d-4e3f-8a9b-0c1d2e3f4a5b", "0b1e6f0a-1c2d-4e3f-8a9b-0c1d2e3f4a5c"),
        ("/tmp/tmpa1b2", "/tmp/tmpc3d4"),
    ],
)
def test_a_base_test_that_is_called_after_the_moment_of_a_run_is_found_at_another(then: str, now: str) -> None:
    def at(result: str) -> Judgement:
        return judged(f"t.py::e[{then}]=P t.py::bug=F", f"t.py::e[{now}]={result} t.py::bug=P")

    assert at("P").reasons == ()
    assert "not there on the base commit" in at("F").reasons[0]
    was_red = judged(f"t.py::e[{then}]=F t.py::bug=F", f"t.py::e[{now}]=F t.py::bug=P")
    assert (was_red.verdict, was_red.reasons) == (Verdict.PROVED, ())


def test_a_case_that_has_its_name_in_each_run_is_told_from_one_of_another_date() -> None:
    base, own = "t.py::e[2020-02-30]=F t.py::bug=F", "t.py::e[2020-02-28]=F t.py::bug="
    judgement = judged(base, base, f"{own}F", f"{own}P")
    assert "Tests in the files that you added or changed fail with your change: t.py::e[2020-02-28]" in " ".join(
        judgement.reasons
    )
    suite, own = "t.js::reads-2020-02-28=P", "t.js::reads-2021-02-28=P t.js::bug="
    of_script = Touched(product=frozenset({"a.js"}), test_files=frozenset({"t.js"}))
    assert "t.js::reads-2020-02-28" in judged(suite, suite, f"{own}F", f"{own}P", of_script).reasons[0]


WHY = ("Nothing shows that the bug is gone", "No test went from red to green", "These tests are not found on the base")


@pytest.mark.parametrize(
    ("base", "a", "b", "c"),
    [
        ("t.py::a=P", "t.py::a=P", None, None),
        ("t.py::bug=F", "t.py::bug=F", None, None),
        ("t.py::bug=F", "t.py::bug=S", None, None),
        ("t.py::a=P", "t.py::a=P", "t.py::new=P", "t.py::a=P t.py::new=P"),
        ("t.py::a=P", "t.py::a=P", "t.py::a=P t.py::new=S", "t.py::a=P t.py::new=S"),
        ("t.py::a=P", "t.py::a=P", "t.py::a=P", "t.py::a=P t.py::new=P"),
        ("t.py::a=P", "t.py::a=P", "t.py::a=P t.py::new=F", "t.py::a=P"),
    ],
    ids=["no test", "still red", "skipped", "green before", "skipped twice", "unseen before", "gone after"],
)
def test_without_something_from_red_to_green_nothing_is_proved(base: str, a: str, b: str | None, c: str | None) -> None:
    verdict = judged(base, a, b, c)
    assert verdict.verdict is Verdict.NOT_PROVED
    assert verdict.turned_green == ()
    assert verdict.reasons[0].startswith(WHY)


def test_an_own_test_that_fails_with_the_change_is_named() -> None:
    verdict = judged("t.py::a=P", "t.py::a=P", "t.py::x=F t.py::y=F t.py::a=P", "t.py::x=P t.py::y=F t.py::a=P")
    assert verdict.verdict is Verdict.NOT_PROVED
    assert "fail with your change: t.py::y" in verdict.reasons[0]


def test_a_doctest_in_a_changed_product_file_is_the_changes_own_word() -> None:
    assert judged("a.py::a.f=F", "a.py::a.f=P").verdict is Verdict.NOT_PROVED


@pytest.mark.parametrize(
    ("before", "after"),
    [("t.py::a=P t.py::b=P", "t.py::a=P"), ("t.py::p[1]=P t.py::p[2]=F", "t.py::p[1]=P"), ("t.py::a=F", "t.py::z=P")],
    ids=["deleted", "one case fewer", "renamed"],
)
def test_tests_of_the_base_may_not_be_taken_away(before: str, after: str) -> None:
    runs = Runs(report(before + " u.py::bug=F"), report(before + " u.py::bug=P"), report(after), report(after))
    verdict = judge(runs, OWN_FILE)
    assert verdict.verdict is Verdict.NOT_PROVED
    assert any("removes or renames tests of the base commit: t.py::" in reason for reason in verdict.reasons)


@pytest.mark.parametrize(
    ("after", "why"), [(".::new=P", "removes or renames tests of the base commit: .::a"), (".::new=P .::a=S", "skips")]
)
def test_tests_of_which_nobody_tells_the_file_may_not_be_taken_away_either(after: str, why: str) -> None:
    verdict = judged(".::a=P", ".::a=P", ".::new=F", after)
    assert verdict.verdict is Verdict.NOT_PROVED
    assert any(why in reason for reason in verdict.reasons)
    assert judged(".::a=P", ".::a=P", ".::a=P .::new=F", ".::a=P .::new=P").verdict is Verdict.PROVED


def test_a_deleted_test_file_takes_its_tests_away() -> None:
    verdict = judged("t.py::a=P u.py::bug=F", "t.py::a=P u.py::bug=P", touched=OWN_FILE)
    assert verdict.verdict is Verdict.NOT_PROVED
    assert "t.py::a. Put them back." in verdict.reasons[0]


def test_other_parameters_for_the_same_number_of_cases_are_no_loss() -> None:
    verdict = judged("t.py::p[1]=P", "t.py::p[1]=P", "t.py::p[1-x]=F", "t.py::p[1-x]=P")
    assert verdict.verdict is Verdict.PROVED


@pytest.mark.parametrize("before", ["P", "F"])
def test_a_base_test_may_not_be_skipped_by_the_change(before: str) -> None:
    base, a = f"t.py::a={before} u.py::bug=F", f"t.py::a={before} u.py::bug=P"
    for with_the_change in ("t.py::a=S", "t.py::a=P"):  # a test expected to fail counts as passed once it does not
        verdict = judged(base, a, "t.py::a=S", with_the_change)
        assert verdict.verdict is Verdict.NOT_PROVED
        assert "skips tests that ran on the base commit, or expects them to fail: t.py::a" in verdict.reasons[0]


EDITED = replace(OWN_FILE, edited=frozenset({"t.py::a"}))


def test_a_rewritten_test_may_have_more_parameters_which_its_old_form_cannot_pass() -> None:
    touched = replace(OWN_FILE, edited=frozenset({"t.py::g[0]"}))
    runs = ("t.py::g[0]=P", "t.py::g[0]=F t.py::g[1]=F", "t.py::g[0]=F", "t.py::g[0]=P t.py::g[1]=P")
    assert judged(*runs, touched).verdict is Verdict.CONTRACT_CHANGED
    assert judged(*runs).verdict is Verdict.NOT_PROVED


def test_a_rewritten_base_test_that_is_red_before_and_green_after_is_a_changed_contract() -> None:
    verdict = judged("t.py::a=P t.py::b=P", "t.py::a=F t.py::b=P", "t.py::a=F t.py::b=P", "t.py::a=P t.py::b=P", EDITED)
    assert verdict.verdict is Verdict.CONTRACT_CHANGED
    assert verdict.contract_tests == verdict.turned_green == ("t.py::a",)


@pytest.mark.parametrize(
    ("a", "b", "c", "touched"),
    [
        ("t.py::a=F t.py::b=F", "t.py::a=F t.py::b=P", "t.py::a=P t.py::b=P", EDITED),
        ("t.py::a=F t.py::b=P", "t.py::a=P t.py::b=P", "t.py::a=P t.py::b=P", EDITED),
        ("t.py::a=F t.py::b=P", "t.py::a=F t.py::b=P", "t.py::a=F t.py::b=P", EDITED),
        ("t.py::a=F t.py::b=P", "t.py::a=F t.py::b=P", "t.py::a=P t.py::b=P", OWN_FILE),
        ("t.py::a=F t.py::b=P", "t.py=E", "t.py::a=P t.py::b=P", EDITED),
        ("t.py::b=P", "t.py::a=F t.py::b=P", "t.py::a=P t.py::b=P", EDITED),
    ],
    ids=["another breaks", "green before", "red after", "not that very test", "file not collected", "not found in A"],
)
def test_every_other_broken_base_test_is_a_regression(a: str, b: str, c: str, touched: Touched) -> None:
    assert judged("t.py::a=P t.py::b=P", a, b, c, touched).verdict is Verdict.NOT_PROVED


BESIDE = replace(OWN_FILE, edited_beside=frozenset({"t.py::a"}))


def test_a_base_test_beside_which_the_change_edits_what_it_stands_on_has_a_changed_contract_too() -> None:
    suite, broken = "t.py::a=P t.py::b=P", "t.py::a=F t.py::b=P"
    verdict = judged(suite, broken, broken, suite, BESIDE)
    assert (verdict.verdict, verdict.contract_tests) == (Verdict.CONTRACT_CHANGED, ("t.py::a",))
    assert judged(suite, broken, "t.py=E", suite, BESIDE).verdict is Verdict.NOT_PROVED
    assert judged(suite, broken, broken, broken, BESIDE).verdict is Verdict.NOT_PROVED
    evaded = judged(suite, broken, f"{suite} t.py::bug=F", f"{suite} t.py::bug=P", BESIDE)
    assert evaded.verdict is Verdict.NOT_PROVED
    assert evaded.reasons[1].startswith("Your new form of t.py::a")


@pytest.mark.parametrize(("touched", "verdict"), [(EDITED, Verdict.CONTRACT_CHANGED), (BESIDE, Verdict.NOT_PROVED)])
def test_where_a_test_itself_is_not_edited_a_missing_name_shows_no_other_contract(
    touched: Touched, verdict: Verdict
) -> None:
    base, a = "t.py::a=P t.py::bug=F", "t.py::a=F t.py::bug=P"
    lacking = TestCase("t.py::a", "t.py", TestOutcome.FAILED, message=LACKS_F)
    red = replace(report(""), cases=(lacking, *report("t.py::bug=F").cases))
    runs = Runs(report(base), report(a), red, report("t.py::a=P t.py::bug=P"))
    assert judge(runs, touched).verdict is verdict
    assert judge(runs, replace(touched, asked_for=frozenset({"f"}))).verdict is Verdict.CONTRACT_CHANGED


@pytest.mark.parametrize(("red", "told"), [("t.py=E", True), ("t.py::a=P", False), ("t.py::a=F", False)])
def test_a_new_form_that_is_not_run_on_the_base_is_to_be_made_to(red: str, told: bool) -> None:
    touched = replace(OWN_FILE, edited=frozenset({"t.py::a"}))
    verdict = judged("t.py::a=P", "t.py::a=F", red, "t.py::a=P t.py::new=P", touched)
    assert any("Load what is new inside of the tests that use it" in reason for reason in verdict.reasons) is told
    assert verdict.verdict is (Verdict.CONTRACT_CHANGED if red.endswith("F") else Verdict.NOT_PROVED)


def test_a_changed_contract_is_red_on_the_base_each_time() -> None:
    runs = Runs(report("t.py::a=P"), report("t.py::a=F"), report("t.py::a=F"), report("t.py::a=P"))
    again = (report("t.py::a=F"), report("t.py::a=P"))
    for touched in (EDITED, BESIDE):
        assert judge(runs, touched).verdict is Verdict.CONTRACT_CHANGED
        assert judge(replace(runs, red_again=again, green_again=again[1:] * 2), touched).verdict is Verdict.NOT_PROVED


@pytest.mark.parametrize(
    ("b", "c", "verdict"),
    [
        ("t.py::g[1-3]=F", "t.py::g[1-3]=P", Verdict.CONTRACT_CHANGED),
        ("t.py::g[1-3]=F t.py::g[0-0]=P", "t.py::g[1-3]=P t.py::g[0-0]=P", Verdict.CONTRACT_CHANGED),
        ("t.py::g[1-3]=P", "t.py::g[1-3]=P", Verdict.NOT_PROVED),
        ("t.py::g[1-3]=F", "t.py::g[1-3]=F", Verdict.NOT_PROVED),
        ("t.py::h[1-3]=F", "t.py::h[1-3]=P", Verdict.NOT_PROVED),
        ("t.py=E", "t.py::g[1-3]=P", Verdict.NOT_PROVED),
    ],
    ids=["its new form", "and one more", "passes before", "fails after", "another's", "file not collected"],
)
@pytest.mark.parametrize("is_beside", [False, True])
def test_a_case_that_is_called_after_its_values_lives_on_in_a_new_one(
    b: str, c: str, verdict: Verdict, is_beside: bool
) -> None:
    ids = frozenset({"t.py::g[1-2]", "t.py::g[5-6]"})
    touched = replace(OWN_FILE, edited_beside=ids) if is_beside else replace(OWN_FILE, edited=ids)
    judgement = judged(
        "t.py::g[1-2]=P t.py::g[5-6]=P",
        "t.py::g[1-2]=F t.py::g[5-6]=P",
        f"{b} t.py::g[5-6]=P",
        f"{c} t.py::g[5-6]=P",
        touched,
    )
    assert judgement.verdict is verdict
    assert judgement.contract_tests == (("t.py::g[1-2]",) if verdict.earns_pull_request else ())


@pytest.mark.parametrize(
    ("names", "b", "verdict"),
    [
        ("x0-1 x1-2 x2-3", "P P F P", Verdict.CONTRACT_CHANGED),
        ("x0-1 x1-2 x2-3", "P P P P", Verdict.NOT_PROVED),
        ("x1-1 x2-2 x3-3", "P P F P", Verdict.NOT_PROVED),
        ("9-1 x1-2 x2-3", "P P F P", Verdict.CONTRACT_CHANGED),
        ("x0-1 y1-2 x2-3", "P P F P", Verdict.NOT_PROVED),
        ("9-1 x1-2 x3-3", "P P F P", Verdict.NOT_PROVED),
        ("9-1 x0-2 x1-3", "P P F P", Verdict.NOT_PROVED),
    ],
    ids=["by the place", "passes before", "by the value", "but one", "another name", "another place", "from another"],
)
def test_a_case_that_is_called_after_its_place_may_be_another_one_in_the_new_form(
    names: str, b: str, verdict: Verdict
) -> None:
    """Of values without words pytest counts the rows; one more above makes each the next one's."""
    base = [f"t.py::g[{name}]" for name in names.split()]
    suite, own = " ".join(f"{case}=P" for case in base), [*base, "t.py::g[x3-1]"]
    judgement = judged(
        suite,
        suite.replace("-2]=P", "-2]=F"),
        " ".join(f"{case}={outcome}" for case, outcome in zip(own, b.split(), strict=True)),
        f"{suite} {own[-1]}=P",
        replace(OWN_FILE, edited=frozenset(base)),
    )
    assert (judgement.verdict, judgement.contract_tests) == (
        (verdict, (base[1],)) if verdict.earns_pull_request else (verdict, ())
    )


@pytest.mark.parametrize(("c", "verdict"), [("t.py::g[c]=P", Verdict.PROVED), ("t.py::g[d]=P", Verdict.NOT_PROVED)])
def test_a_case_that_the_product_makes_may_find_what_it_expects_beside_its_test(c: str, verdict: Verdict) -> None:
    touched = replace(OWN_FILE, edited_beside=frozenset({"t.py::g[a]"}))
    runs = ("t.py::g[a]=P", "t.py::g[a]=P t.py::g[c]=F", "t.py::g[a]=P t.py::bug=F", f"t.py::g[a]=P t.py::bug=P {c}")
    assert judged(*runs, touched).verdict is verdict
    assert judged(*runs, OWN_FILE).verdict is Verdict.NOT_PROVED


def test_of_several_cases_that_broke_as_many_new_ones_are_to_be_red_before() -> None:
    touched = replace(OWN_FILE, edited=frozenset({"t.py::g[1]", "t.py::g[2]"}))
    base, a, c = "t.py::g[1]=P t.py::g[2]=P", "t.py::g[1]=F t.py::g[2]=F", "t.py::g[3]=P t.py::g[4]=P"
    assert judged(base, a, "t.py::g[3]=F t.py::g[4]=F", c, touched).verdict is Verdict.CONTRACT_CHANGED
    assert judged(base, a, "t.py::g[3]=F t.py::g[4]=P", c, touched).verdict is Verdict.NOT_PROVED


def test_a_broken_base_test_that_the_change_rewrites_to_pass_on_both_sides_is_told_why_that_is_no_proof() -> None:
    suite, broken = "t.py::a=P t.py::b=P", "t.py::a=F t.py::b=P"
    evaded = judged(suite, broken, f"{suite} t.py::bug=F", f"{suite} t.py::bug=P", EDITED)
    assert evaded.verdict is Verdict.NOT_PROVED
    assert evaded.reasons[1].startswith("Your new form of t.py::a, or of what that uses of its file, passes")
    (_, other) = judged(suite, "t.py::a=P t.py::b=F", suite, suite, EDITED).reasons
    assert "new form" not in other


def _with(runs: Runs, which: str, report: TestReport) -> Runs:
    return Runs(**{**vars(runs), which: report})


@pytest.mark.parametrize("which", ["baseline", "regression", "red", "green"])
def test_a_run_without_a_result_never_proves_anything(which: str) -> None:
    good = Runs(report("t.py::bug=F"), report("t.py::bug=P"), report("t.py::bug=F"), report("t.py::bug=P"))
    assert judge(good, OWN_FILE).verdict is Verdict.PROVED
    for nothing in (NOTHING, replace(getattr(good, which), problem="The test run did not end within 5 seconds.")):
        verdict = judge(_with(good, which, nothing), OWN_FILE)
        assert verdict.verdict is Verdict.NOT_PROVED
        assert "gave no result" in verdict.reasons[0]


def test_without_a_result_of_the_base_tests_nothing_else_is_held_against_a_change() -> None:
    verdict = judge(Runs(report("t.py::bug=F"), NOTHING), OWN_FILE)
    assert verdict.verdict is Verdict.NOT_PROVED
    assert verdict.reasons == (f"The base commit's tests gave no result on your change: {NOTHING.problem}",)


def test_a_change_with_which_the_tests_of_the_base_do_not_compile_is_told_what_has_to_stay() -> None:
    unbuilt = replace(NOTHING, problem=f"{NOT_BUILT} error[E0061]: this function takes 2 arguments")
    (reason,) = judge(Runs(report("t.py::bug=F"), unbuilt), OWN_FILE).reasons
    assert reason.endswith(
        " arguments. What the tests of the base commit use has to stay there, and to be called as they call it."
    )


def test_examples_that_are_worded_anew_are_told_to_the_reviewer() -> None:
    runs = Runs(report("t.py::bug=F shop.py::shop.sum=P"), report("t.py::bug=P shop.py::shop.sum=P"))
    (note,) = judge(runs, Touched(product=frozenset({"shop.py"}), reworded=frozenset({"shop.py"}))).reasons
    assert note.startswith(
        "Examples in documentation that the base commit's suite runs are worded anew, or gone: shop.py."
    )


def test_a_failure_that_does_not_come_again_is_flaky_and_said_to_be() -> None:
    runs = Runs(report("t.py::a=P t.py::bug=F"), report("t.py::a=F t.py::bug=P"))
    touched = Touched(frozenset({"a.py"}))
    verdict = judge(replace(runs, failed_again=(report("t.py::a=P"),)), touched)
    assert verdict.verdict is Verdict.PROVED
    assert verdict.reasons == ("Flaky (failed once and passed when run again, with the change): t.py::a.",)
    among_all = replace(runs, failed_again=(report("t.py::a=P"), report("t.py::a=F t.py::bug=P")))
    foul = replace(runs, failed_again=(report("t.py::a=P", "It altered t.py."),))
    for again in (replace(runs, failed_again=(report("t.py::a=F"),)), among_all, foul):
        assert judge(again, touched).verdict is Verdict.NOT_PROVED


@pytest.mark.parametrize(
    ("base", "a", "once_more", "is_flaky"),
    [("P", "P", "P", True), ("P", "P", "F", False), ("P", "P", None, False), ("", "", "P", False)],
    ids=["flaky", "broken by the change's tests", "not asked again", "new"],
)
def test_a_base_test_that_fails_beside_the_changes_own_is_flaky_where_it_passes_among_them_once_more(
    base: str, a: str, once_more: str | None, is_flaky: bool
) -> None:
    def slow(outcome: str) -> str:
        return f"t.py::slow={outcome}" if outcome else ""

    red, green = f"t.py::slow={base or 'F'} t.py::bug=F", "t.py::slow=F t.py::bug=P"
    runs = Runs(report(f"o.py::o=P {slow(base)}"), report(f"o.py::o=P {slow(a)}"), report(red), report(green))
    again = report(f"{slow(once_more)} t.py::bug=P") if once_more else None
    judgement = judge(replace(runs, green_once_more=again), OWN_FILE)
    foul = report("t.py::slow=P t.py::bug=P", "It altered t.py.")
    assert judge(replace(runs, green_once_more=foul), OWN_FILE).verdict is Verdict.NOT_PROVED
    assert judgement.verdict is (Verdict.PROVED if is_flaky else Verdict.NOT_PROVED)
    assert judgement.reasons[0].startswith("Flaky (failed once" if is_flaky else "Tests in the files that you added")


@pytest.mark.parametrize(
    ("red_again", "green_again"),
    [(["F", "P"], ["P", "P"]), (["F", "F"], ["P", "F"]), (["S", "F"], ["P", "P"])],
    ids=["green on the base once", "red with the change once", "skipped on the base once"],
)
def test_what_turns_green_only_sometimes_is_not_counted(red_again: list[str], green_again: list[str]) -> None:
    runs = Runs(report("t.py::bug=F"), report("t.py::bug=P"))
    steady = replace(runs, red_again=(report("t.py::bug=F"),) * 2, green_again=(report("t.py::bug=P"),) * 2)
    assert judge(steady, Touched()).verdict is Verdict.PROVED
    shaky = replace(
        runs,
        red_again=tuple(report(f"t.py::bug={letter}") for letter in red_again),
        green_again=tuple(report(f"t.py::bug={letter}") for letter in green_again),
    )
    verdict = judge(shaky, Touched())
    assert verdict.verdict is Verdict.NOT_PROVED
    assert "Not counted, because their result changes from run to run: t.py::bug." in verdict.reasons


def test_a_change_of_dependencies_is_said_not_to_be_installed() -> None:
    verdict = judged("t.py::bug=F", "t.py=E", touched=Touched(not_installed=("requirements.txt",)))
    assert verdict.verdict is Verdict.NOT_PROVED
    assert "not installed or compiled: requirements.txt." in verdict.reasons[-1]


def test_what_was_compiled_again_is_not_said_to_be_of_the_base_commit() -> None:
    runs = Runs(report("t.py::a=P"), replace(report("t.py::a=P"), recompiled=("a.c",)), None, None)
    verdict = judge(runs, Touched(product=frozenset(("a.c", "b.c")), not_installed=("a.c", "b.c")))
    assert "not installed or compiled: b.c." in verdict.reasons[-1]


@pytest.mark.parametrize("only", [True, False])
def test_where_one_command_is_red_anyway_the_change_is_told_that_no_test_of_its_own_is_seen(only: bool) -> None:
    red = replace(report(".::make=F"), only_exit_code=only)
    verdict = judge(Runs(red, red, red, red), OWN_FILE)
    assert verdict.verdict is Verdict.NOT_PROVED
    assert ("only the exit code is known" in str(verdict.reasons)) is only


@pytest.mark.parametrize(("path", "told"), [("tests/CMakeLists.txt", True), ("conftest.py", False)])
def test_where_a_build_file_is_left_out_the_change_is_told_where_its_test_is_built(path: str, told: bool) -> None:
    verdict = judged("t.py::bug=F", "t.py::bug=P", touched=Touched(left_out=(path,)))
    assert ("that is built already" in str(verdict.reasons)) is told


def test_a_proof_by_what_is_called_like_tests_says_so() -> None:
    touched = replace(PRODUCT_ONLY, called_like_tests=frozenset({"a/test_utils.py"}))
    verdict = judged("t.py::a=F", "t.py::a=P", touched=touched)
    assert verdict.verdict is Verdict.PROVED
    assert "and product here: a/test_utils.py." in verdict.reasons[0]


def test_a_proof_whose_tests_name_changed_data_of_the_product_says_so() -> None:
    touched = replace(PRODUCT_ONLY, named_by_tests=frozenset({"examples/sums.json"}))
    verdict = judged("t.py::a=F", "t.py::a=P", touched=touched)
    assert verdict.verdict is Verdict.PROVED
    assert "perhaps what they expect: examples/sums.json." in verdict.reasons[0]


def test_a_proof_says_what_was_left_out() -> None:
    verdict = judged("t.py::bug=F", "t.py::bug=P", touched=Touched(left_out=("conftest.py",)))
    assert verdict.verdict is Verdict.PROVED
    assert "left out: conftest.py." in verdict.reasons[0]
