"""What a case decides by itself, before and beside any sandbox."""

from contextlib import nullcontext
from dataclasses import replace
from datetime import UTC, datetime
from types import SimpleNamespace
from typing import TypeVar

import pytest

from agent.budget import BudgetLimits
from agent.trials import Trials
from repo_tools.changes import ChangeSet
from repo_tools.checkout import Checkout
from repo_tools.environment.contract import PreparedEnvironment
from repo_tools.environment.solving import solving_environment
from repo_tools.errors import RepoError
from repo_tools.sandbox.contract import Layer
from repo_tools.test_report import TestOutcome
from repo_tools.verification.baseline import MeasuredSuite
from tests.support.files_checkout import FilesCheckout
from tests.support.memory_workspace import BASE, Recorder, report
from workers.case import Case
from workers.host import RunRequest
from workers.solve_case import SolveCase

SKIPPED = TestOutcome.SKIPPED
A_TEST = "def test_a():\n    ...\n"
AnyCase = TypeVar("AnyCase", bound=Case)


def a_case(
    kind: type[AnyCase],
    body: str = "It is wrong.",
    seconds: int | None = None,
    folder: str = "",
    requirements: tuple[str, ...] = (),
) -> AnyCase:
    """One whose host has nothing but a name, and whose engine nobody asks for anything."""
    run = RunRequest("run-1", "demo/repository", 1, 1, 1, "Totals", body, "maria", datetime.now(UTC))
    workshop = SimpleNamespace(
        budget=BudgetLimits(seconds=seconds), price=None, map_index=lambda _: None, solve_requirements=requirements
    )
    host = SimpleNamespace(repository_key=lambda _: "any", folder=lambda _: folder)
    return kind(run, host, workshop, SimpleNamespace(spend={}))  # type: ignore[arg-type]


def test_what_an_issue_hides_does_not_choose_the_project() -> None:
    files = {f"services/{name}/{path}": "" for name in ("api", "jobs") for path in ("setup.py", "test_a.py", "a.py")}
    folders = [
        a_case(Case, body).detect(FilesCheckout(files)).tests[0].directory
        for body in ("It is wrong.", "services/jobs/a.py is wrong", "It is wrong. <!-- services/jobs/a.py -->")
    ]
    assert folders == ["services/api", "services/jobs", "services/api"]


def test_the_folder_that_is_asked_about_chooses_the_project_where_the_issue_names_no_file() -> None:
    files = {f"services/{name}/{path}": "" for name in ("api", "jobs") for path in ("setup.py", "test_a.py", "a.py")}
    folders = [
        a_case(Case, body, folder="services/jobs").detect(FilesCheckout(files)).tests[0].directory
        for body in ("It is wrong.", "services/api/a.py is wrong")
    ]
    assert folders == ["services/jobs", "services/api"]


def test_an_issue_that_names_no_file_chooses_the_project_whose_words_it_uses() -> None:
    folders = ("api", "jobs")
    files = {f"services/{name}/{path}": "" for name in folders for path in ("setup.py", "test_a.py")}
    files |= {f"services/{name}/a.py": f"def open_{name}(): ...\n" for name in folders}
    bodies = ("open_jobs gives None", "It is wrong. <!-- open_jobs -->")
    chosen = [a_case(Case, body).detect(FilesCheckout(files)).tests[0].directory for body in bodies]
    assert chosen == ["services/jobs", "services/api"]


@pytest.mark.parametrize(("exit_code", "outcomes", "refused"), [(5, (), True), (5, (SKIPPED,), False), (1, (), False)])
def test_files_without_any_test_end_a_task_before_anything_is_spent(
    exit_code: int, outcomes: tuple[TestOutcome, ...], *, refused: bool
) -> None:
    class Measured(SolveCase):
        def run_baseline(self, checkout: Checkout, prepared: PreparedEnvironment) -> MeasuredSuite:
            found = report(*(("test_x.py", outcome) for outcome in outcomes))
            return MeasuredSuite(prepared, replace(found, exit_code=exit_code, problem="No tests were collected."))

    prepared = PreparedEnvironment(solving_environment(()), Layer("0" * 8, "none"), 0.0)
    with pytest.raises(RepoError, match="hold no tests") if refused else nullcontext():
        a_case(Measured).measure_baseline(FilesCheckout({"test_x.py": A_TEST}), prepared)


@pytest.mark.parametrize(
    ("content", "held", "may_hold"),
    [
        (A_TEST, True, True),
        ("async def test_a():\n    ...\n", True, True),
        ("class TestA:\n    async def test_a(self):\n        ...\n", True, True),
        ("class Sums(unittest.TestCase):\n    def test_a(self):\n        ...\n", True, True),
        ("class Base(unittest.TestCase):\n    def setUp(self):\n        ...\n", False, True),
        ("from contract import (\n    test_a,\n    test_b,\n)\n", False, True),
        ("test_a = made(1)\n", False, True),
        ("class Contract:\n    def test_a(self):\n        ...\n", False, True),
        ("from contract import *\n", False, True),
        ("from contract import test_a\n", False, True),
        ("Sums = machine(Sum).TestCase\n", False, True),
        ("from solution import add\nassert add(1, 2) == 3  # a test\n", False, False),
        ("CASES = [(1, 2, 3)]\n", False, False),
    ],
)
def test_files_that_hold_tests_are_told_from_those_that_support_them(
    content: str, *, held: bool, may_hold: bool
) -> None:
    """What is not made yet may keep all of them from being collected, so what they hold has to be read."""

    class Measured(SolveCase):
        def run_baseline(self, checkout: Checkout, prepared: PreparedEnvironment) -> MeasuredSuite:
            return MeasuredSuite(prepared, report(("cases.py", TestOutcome.ERROR)))

    prepared = PreparedEnvironment(solving_environment(()), Layer("0" * 8, "none"), 0.0)
    case, alone = a_case(Measured), FilesCheckout({"cases.py": content})
    with nullcontext() if may_hold else pytest.raises(RepoError, match="hold no tests"):
        case.measure_baseline(alone, prepared)
    both = FilesCheckout({"cases.py": content, "test_x.py": A_TEST})
    judge = case.judge(both, MeasuredSuite(prepared, report()), ())
    with_cases = {"cases.py"} if held else set()
    assert isinstance(judge, Trials)
    assert judge.holding == {"test_x.py"} | with_cases


def test_well_known_packages_that_given_tests_use_are_installed_but_for_what_the_task_may_be_about() -> None:
    files = {
        "test_x.py": "import hypothesis, semver, solution\nfrom helper import add\ndef test_a(mocker): ...\n",
        "helper.py": "import requests\n",
        "conftest.py": "import freezegun\n",
        "data/book.xlsb": "",
    }
    case = a_case(SolveCase, "Write semver.py.", requirements=("pandas>=2", "requests"))
    environment = case.detect(FilesCheckout(files))
    beside = ("pyxlsb", "freezegun", "hypothesis", "pytest-mock")
    assert case.packages == ("pandas>=2", "requests", *beside, "pytest")
    assert all(name in environment.evidence[0] for name in beside)
    assert [command.required for command in environment.setup[-4:]] == [False] * 4


def test_the_model_is_shown_the_tests_and_what_is_python_beside_them() -> None:
    files = {"test_x.py": A_TEST, "helper.py": "A = 1\n", "cases.json": "[]", "data/b.py": ""}
    prepared = PreparedEnvironment(solving_environment(()), Layer("0" * 8, "none"), 0.0)
    task = a_case(SolveCase).task(FilesCheckout(files), MeasuredSuite(prepared, report()))
    assert set(task.tests) == {"test_x.py", "helper.py"}
    assert set(task.files) == set(files)


UNCLOSED = """\
E     File "/workspace/{file}", line 4
E       assert fizz(1 == 2
E                  ^
E   SyntaxError: '(' was never closed
"""
IN_CONFTEST = """\
  File "/workspace/conftest.py", line 1
    def (:
        ^
SyntaxError: invalid syntax
"""


@pytest.mark.parametrize(
    ("message", "output", "refused"),
    [
        (UNCLOSED.format(file="test_x.py"), "", r"test_x\.py, line 4: SyntaxError: '\(' was never closed\. .* mend"),
        ("", IN_CONFTEST, r"conftest\.py, line 1: SyntaxError: invalid syntax\."),
        (UNCLOSED.format(file="fizz.py"), "", ""),
        ("E   SyntaxError: raised by a test", "", ""),
    ],
)
def test_given_files_that_are_no_python_end_a_task_before_anything_is_spent(
    message: str, output: str, refused: str
) -> None:
    class Measured(SolveCase):
        def run_baseline(self, checkout: Checkout, prepared: PreparedEnvironment) -> MeasuredSuite:
            found = report(("test_x.py", TestOutcome.ERROR))
            told = replace(found, cases=(replace(found.cases[0], message=message),), output=output)
            return MeasuredSuite(prepared, told)

    prepared = PreparedEnvironment(solving_environment(()), Layer("0" * 8, "none"), 0.0)
    with pytest.raises(RepoError, match=refused) if refused else nullcontext():
        a_case(Measured).measure_baseline(FilesCheckout({"test_x.py": A_TEST, "conftest.py": ""}), prepared)


def test_a_candidate_is_tried_for_as_long_as_its_own_run_took_whatever_is_left() -> None:
    case = a_case(SolveCase, seconds=40)
    assert case.trial_seconds() <= 40
    case.trials = Trials(frozenset({"test_x.py"}), lambda _: report())
    passed = replace(report(("test_x.py::a", TestOutcome.PASSED)), seconds=30.0)
    case.trials.tested(passed, ChangeSet(BASE), Recorder())
    assert case.trial_seconds() >= 60
