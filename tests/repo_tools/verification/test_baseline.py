"""What the base commit says, in real boxes: flaky tests told from failing ones, suites that take too long, and suites
of which only the exit code is known."""

from dataclasses import replace
from pathlib import Path

import pytest

from repo_tools.changes import FileMode, TreeEntry
from repo_tools.environment.contract import Environment, TestCommand
from repo_tools.local import LocalRepository
from repo_tools.verification.baseline import baseline, baseline_of_some, cut_baseline
from repo_tools.verification.contract import Verdict
from repo_tools.verification.scope import files_with_tests
from repo_tools.verification.verify import verify
from tests.support.engine import shared_bubblewrap
from tests.support.laboratory import RUN_SECONDS, Laboratory, laboratory
from tests.support.repositories import git, make_repository

pytestmark = [pytest.mark.bubblewrap, pytest.mark.registry, pytest.mark.timeout(900)]

SECOND_TIME_LUCKY = """
from pathlib import Path
SEEN = Path("/tmp/seen")

def test_flaky():
    seen, _ = SEEN.exists(), SEEN.touch()
    assert seen

def test_failing():
    assert 0
"""
HANGS = "import time\n\n\ndef test_slow():\n    time.sleep(600)\n"
SLOW = {
    "till.py": "def total(prices):\n    return sum(prices[1:])\n\n\ndef tax(price):\n    return price // 5\n",
    "tests/test_till.py": "from till import total\n\n\ndef test_total():\n    assert total([0, 2]) == 2\n",
    "tests/test_tax.py": "from till import tax\n\n\ndef test_tax():\n    assert tax(10) == 2\n",
    "tests/test_warehouse.py": HANGS,
    "tests/test_shelves.py": HANGS,
}
PART_SECONDS = 40.0
"""What a part of that suite may take, also one that hangs."""
TILL_TEST = "\n\ndef test_total_of_one():\n    assert total([3]) == 3\n"


@pytest.fixture(scope="module")
def slow(tmp_path_factory: pytest.TempPathFactory) -> Laboratory:
    engine = shared_bubblewrap(tmp_path_factory)
    lab = laboratory(engine, tmp_path_factory.mktemp("slow"), SLOW, seconds=3.0)
    assert lab.baseline.timed_out
    issue = "total() leaves out the first price"
    cut = cut_baseline(engine, lab.checkout, lab.prepared, issue, timeout_seconds=PART_SECONDS)
    assert cut is not None
    return Laboratory(engine, lab.checkout, *cut)


def test_a_test_that_is_red_only_now_and_then_is_told_from_one_that_fails(
    tmp_path: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    engine = shared_bubblewrap(tmp_path_factory)
    report = laboratory(engine, tmp_path / "repository", {"test_a.py": SECOND_TIME_LUCKY}).baseline
    assert report.red == {"test_a.py::test_flaky", "test_a.py::test_failing"}
    assert report.flaky == {"test_a.py::test_flaky"}


def test_a_suite_of_which_no_test_passes_says_so_beside_its_failures(
    tmp_path: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    engine = shared_bubblewrap(tmp_path_factory)
    report = laboratory(engine, tmp_path / "repository", {"test_a.py": "import of_another_day\n"}).baseline
    (note,) = report.notes
    assert note.endswith("1 of 1 end with ModuleNotFoundError: No module named 'of_another_day'")


def test_a_suite_that_takes_too_long_is_cut_to_what_the_issue_is_about(slow: Laboratory) -> None:
    assert slow.prepared.environment.scope == ("tests/test_till.py",)
    assert slow.baseline.passed == {"tests/test_till.py::test_total"}
    assert slow.baseline.part == (1, 4)


def test_files_that_the_whole_suite_waits_for_in_vain_are_left_out(slow: Laboratory) -> None:
    hanging = ("tests/test_shelves.py", "tests/test_warehouse.py")
    issue = "shelves and the warehouse"
    cut = cut_baseline(slow.engine, slow.checkout, slow.prepared, issue, hanging=hanging, timeout_seconds=PART_SECONDS)
    assert cut is not None
    assert cut[0].environment.scope == ("tests/test_tax.py", "tests/test_till.py")
    assert cut[1].part == (2, 4)
    assert cut[1].notes == (f"Left out, because the whole suite waited for them in vain: {', '.join(hanging)}.",)


def test_of_several_suites_those_that_can_be_run_stand_for_all(slow: Laboratory) -> None:
    broken, sound = TestCommand("pytest", ("pytest", "-c", "nowhere.ini")), TestCommand("pytest", ("pytest",))
    environment = replace(slow.prepared.environment, tests=(broken, sound))
    prepared = replace(slow.prepared, environment=environment)
    whole = baseline(slow.engine, slow.checkout, prepared, timeout_seconds=PART_SECONDS)
    assert whole.problem
    assert whole.broken == (0,)
    some = baseline_of_some(slow.engine, slow.checkout, prepared, whole, timeout_seconds=PART_SECONDS)
    assert some is not None
    assert some[0].environment.tests == (sound,)
    assert some[1].problem is None
    assert some[1].notes[0].startswith("Left out, because there is no result of it here: pytest -c nowhere.ini (")
    for other in (replace(whole, problem=None), replace(whole, broken=(0, 1)), replace(whole, timed_out=True)):
        assert baseline_of_some(slow.engine, slow.checkout, prepared, other, timeout_seconds=PART_SECONDS) is None


@pytest.mark.long(short="test_a_suite_that_takes_too_long_is_cut_to_what_the_issue_is_about")
def test_a_change_is_proved_on_the_same_part_and_on_the_tests_of_what_it_changes(slow: Laboratory) -> None:
    fixed = SLOW["till.py"].replace("prices[1:]", "prices")
    files = {"till.py": fixed, "tests/test_till.py": SLOW["tests/test_till.py"] + TILL_TEST}
    report = slow.verify(files, PART_SECONDS)
    assert report.verdict is Verdict.PROVED
    assert report.turned_green == ("tests/test_till.py::test_total_of_one",)


@pytest.mark.long(short="test_a_suite_that_takes_too_long_is_cut_to_what_the_issue_is_about")
def test_tests_outside_of_the_part_cannot_be_taken_away_unseen(slow: Laboratory) -> None:
    fixed = SLOW["till.py"].replace("prices[1:]", "prices")
    files = {"till.py": fixed, "tests/test_till.py": SLOW["tests/test_till.py"] + TILL_TEST, "tests/test_tax.py": None}
    assert slow.verify(files, PART_SECONDS).verdict is Verdict.NOT_PROVED


def test_files_with_tests_are_those_that_can_be_run_alone() -> None:
    entry = TreeEntry(FileMode.REGULAR, "0" * 40)
    paths = ("tests/test_a.py", "tests/data.py", "a.py", "a b;c_test.py", "a/b_test.py", "tests/conftest.py")
    tree = dict.fromkeys(paths, entry)
    environment = Environment("d", (), (), (TestCommand("pytest", ("pytest",)),), ())
    assert files_with_tests(tree, environment, lambda _: b"") == ("a/b_test.py", "tests/test_a.py")


MAKE = {
    "Makefile": "test:\n\tfor t in tests/*.sh; do sh $$t || exit 1; done\n",
    "greet.sh": 'echo "hello $1"\n',
    "tests/greeting.sh": 'test "$(sh greet.sh you)" = "hello you"\n',
}
NO_NAME_TEST = 'test "$(sh greet.sh)" = "hello stranger"\n'
NO_NAME_FIX = 'echo "hello ${1:-stranger}"\n'


@pytest.fixture(scope="module")
def make(tmp_path_factory: pytest.TempPathFactory) -> Laboratory:
    engine = shared_bubblewrap(tmp_path_factory)
    return laboratory(engine, tmp_path_factory.mktemp("make"), MAKE)


def test_a_suite_of_which_only_the_exit_code_is_known_says_so(make: Laboratory) -> None:
    assert make.baseline.problem is None
    assert make.baseline.only_exit_code
    assert make.baseline.passed == {".::make test"}


def test_what_was_never_in_the_plan_is_told_with_the_baseline(make: Laboratory) -> None:
    environment = replace(make.prepared.environment, left_out=("`karma start`, which needs a browser",))
    prepared = replace(make.prepared, environment=environment)
    report = baseline(make.engine, make.checkout, prepared, timeout_seconds=PART_SECONDS)
    assert report.notes == ("Left out: `karma start`, which needs a browser.",)


EMPTY = "Submodules are never fetched, so these folders are empty, and what needs them fails here: data."


@pytest.mark.parametrize("needs", ["test -s data/words", "no-such-program"], ids=["red", "no result"])
def test_a_suite_that_fails_beside_a_submodule_says_that_it_is_not_there(
    make: Laboratory, tmp_path: Path, needs: str
) -> None:
    folder = make_repository(tmp_path / "repository", {"Makefile": f"test:\n\t{needs}\n"})
    git(folder, "update-index", "--add", "--cacheinfo", f"160000,{make.checkout.commit},data")
    git(folder, "commit", "--quiet", "--message=data")
    repository = LocalRepository(folder)
    checkout = repository.checkout(repository.resolve("HEAD"))
    report = baseline(make.engine, checkout, make.prepared, timeout_seconds=PART_SECONDS)
    assert report.red or report.problem
    assert EMPTY in " ".join((*report.notes, report.problem or ""))


@pytest.mark.parametrize(
    ("files", "verdict"),
    [
        ({"greet.sh": NO_NAME_FIX, "tests/no_name.sh": NO_NAME_TEST}, Verdict.PROVED),
        ({"greet.sh": NO_NAME_FIX}, Verdict.NOT_PROVED),
        ({"tests/no_name.sh": NO_NAME_TEST}, Verdict.NOT_PROVED),
        ({"greet.sh": NO_NAME_FIX.replace("hello", "bye"), "tests/no_name.sh": "true\n"}, Verdict.NOT_PROVED),
        ({"greet.sh": NO_NAME_FIX, "Makefile": "test:\n\ttrue\n"}, Verdict.NOT_PROVED),
    ],
    ids=["fixed with a test", "no test", "only a test", "broken", "the command changed"],
)
def test_one_command_as_a_suite_proves_what_turns_it_from_red_to_green(
    make: Laboratory, files: dict[str, str | None], verdict: Verdict
) -> None:
    verification = verify(make.engine, make.checkout, make.suite, make.change(files), timeout_seconds=RUN_SECONDS)
    assert verification.verdict is verdict


WITHOUT_FILES = """
code=0
{
  echo "<testsuite>"
  for test in tests/*.sh; do
    if sh "$test"; then said=; else said="<failure/>" code=8; fi
    echo "<testcase name='$(basename "$test" .sh)'>$said</testcase>"
  done
  echo "</testsuite>"
} >"$2"
exit $code
"""
"""Stands for CTest (``--output-junit FILE``), which names tests and tells no files of theirs."""


@pytest.fixture(scope="module")
def without_files(make: Laboratory, tmp_path_factory: pytest.TempPathFactory) -> Laboratory:
    made = make.alike(tmp_path_factory.mktemp("ctest"), {**MAKE, "report.sh": WITHOUT_FILES})
    environment = replace(made.prepared.environment, tests=(TestCommand("ctest", ("sh", "report.sh")),))
    prepared = replace(made.prepared, environment=environment)
    return replace(
        made,
        prepared=prepared,
        baseline=baseline(made.engine, made.checkout, prepared, timeout_seconds=RUN_SECONDS),
    )


@pytest.mark.parametrize(
    ("files", "verdict"),
    [
        ({"greet.sh": NO_NAME_FIX, "tests/no_name.sh": NO_NAME_TEST}, Verdict.PROVED),
        ({"greet.sh": NO_NAME_FIX}, Verdict.NOT_PROVED),
        ({"greet.sh": NO_NAME_FIX, "tests/no_name.sh": NO_NAME_TEST, "tests/greeting.sh": None}, Verdict.NOT_PROVED),
    ],
    ids=["fixed with a test", "no test", "another test taken away"],
)
def test_a_change_whose_tests_no_file_names_is_proved_by_the_whole_suite(
    without_files: Laboratory, files: dict[str, str | None], verdict: Verdict
) -> None:
    assert without_files.baseline.passed == {".::greeting"}
    assert without_files.verify(files).verdict is verdict
