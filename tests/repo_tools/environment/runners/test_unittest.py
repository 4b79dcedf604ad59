"""unittest in real boxes: every test by its name, and nothing that a test writes in the runner's place."""

import json
from collections.abc import Callable, Mapping
from dataclasses import replace

import pytest

from repo_tools.environment.box_programs.unittest_account import UNEXPECTED
from repo_tools.environment.contract import PreparedEnvironment, TestCommand
from repo_tools.environment.run import run_tests
from repo_tools.environment.runners import recognise
from repo_tools.environment.runners.contract import Account
from repo_tools.environment.runners.unittest import UnittestRunner
from repo_tools.fresh_box import fresh_box
from repo_tools.git_checkout import GitCheckout
from repo_tools.sandbox.bubblewrap import BubblewrapEngine
from repo_tools.sandbox.contract import Sandbox
from repo_tools.test_report import TestOutcome, TestReport
from tests.support.laboratory import prepared_for

COMMAND = TestCommand("unittest", ("python", "-m", "unittest", "discover", "-s", "tests", "-t", "."))
ALL_KINDS = """
import unittest

class TestKinds(unittest.TestCase):
    def test_good(self): pass
    def test_bad(self): self.assertEqual(1, 2)
    def test_broken(self): raise KeyError("x")
    @unittest.skip("why")
    def test_left_out(self): pass
    @unittest.expectedFailure
    def test_known(self): self.fail()
    @unittest.expectedFailure
    def test_surprise(self): pass
    def test_parts(self):
        for number in range(3):
            with self.subTest(number=number):
                if number == 0: self.skipTest("not this one")
                self.assertNotEqual(number, 1)

class TestNotSetUp(unittest.TestCase):
    @classmethod
    def setUpClass(cls): raise OSError("no server")
    def test_never(self): pass
"""
LOADED = """
import unittest
class Case(unittest.TestCase):
    def __init__(self, name): super().__init__("check"); self.name = name
    def check(self): self.assertTrue(self.name)
def load_tests(loader, tests, pattern):
    return unittest.TestSuite([Case("a")])
"""
Run = Callable[..., TestReport]


@pytest.fixture
def run(fill: Callable[[Mapping[str, str]], Sandbox], bare: tuple[GitCheckout, PreparedEnvironment]) -> Run:
    def run(files: dict[str, str], *selectors: str, command: TestCommand = COMMAND) -> TestReport:
        environment = replace(bare[1].environment, tests=(command,))
        return run_tests(fill({"tests/__init__.py": "", **files}), environment, selectors, timeout_seconds=60)

    return run


@pytest.mark.bubblewrap
@pytest.mark.registry
def test_every_test_is_told_as_it_ended(run: Run) -> None:
    report = run({"tests/test_kinds.py": ALL_KINDS, "tests/test_lost.py": "import nowhere"})
    assert report.problem is None
    kinds = {case.id.removeprefix("tests/test_kinds.py::"): str(case.outcome) for case in report.cases}
    assert kinds == {
        "TestKinds::test_good": "passed",
        "TestKinds::test_bad": "failed",
        "TestKinds::test_broken": "error",
        "TestKinds::test_left_out": "skipped",
        "TestKinds::test_known": "skipped",
        "TestKinds::test_surprise": "failed",
        "TestKinds::test_parts": "failed",
        "TestNotSetUp::setUpClass": "error",
        "tests/test_lost.py": "error",
    }
    assert "1 != 2" in report.by_id["tests/test_kinds.py::TestKinds::test_bad"].message


@pytest.mark.bubblewrap
@pytest.mark.registry
def test_examples_of_docstrings_have_names_of_their_own(run: Run) -> None:
    shop = 'def one():\n    """\n    >>> 1\n    1\n    """\ndef two():\n    """\n    >>> 2\n    3\n    """\n'
    loads = "import doctest, shop\ndef load_tests(loader, tests, pattern):\n    return doctest.DocTestSuite(shop)\n"
    files = {"shop.py": shop, "tests/test_docs.py": loads}
    found = {case.id: case.outcome for case in run(files).cases}
    assert found == {"shop.py::shop.one": "passed", "shop.py::shop.two": "failed"}
    assert [case.id for case in run(files, "shop.py::shop.one").cases] == ["shop.py::shop.one"]


def test_a_part_of_the_suite_is_run_by_the_ids_of_the_whole(run: Run) -> None:
    files = {"tests/test_kinds.py": ALL_KINDS, "tests/test_loaded.py": LOADED}
    assert run(files, "tests/test_loaded.py").ids() == {"tests/test_loaded.py::Case::check"}
    one = "tests/test_kinds.py::TestKinds::test_good"
    assert run(files, one).passed == {one}
    assert len(run(files, "tests").cases) == 9


@pytest.mark.bubblewrap
@pytest.mark.registry
def test_a_program_of_the_repositorys_own_reports_through_the_same_runner(run: Run) -> None:
    program = "import unittest\nunittest.main(module='tests.test_loaded', argv=['x'])\n"
    report = run(
        {"runtests.py": program, "tests/test_loaded.py": LOADED},
        command=TestCommand("unittest", ("python", "runtests.py")),
    )
    assert report.passed == {"tests/test_loaded.py::Case::check"}


OWN_TESTS = """
import os, unittest
os.chdir(os.path.dirname(__file__))

class TestShop(unittest.TestCase):
    def test_open(self): pass
    def test_till(self): self.fail()

if __name__ == "__main__":
    unittest.main()
"""


@pytest.mark.bubblewrap
@pytest.mark.registry
@pytest.mark.parametrize("program", ["test.py", "checks/test.py"])
def test_tests_of_a_program_itself_are_told_and_chosen_by_its_file(run: Run, program: str) -> None:
    told = frozenset({f"{program}::TestShop::test_open", f"{program}::TestShop::test_till"})
    for selectors in ((), (program,)):
        report = run({program: OWN_TESTS}, *selectors, command=TestCommand("unittest", ("python", program)))
        assert (report.problem, report.ids()) == (None, told)


RUNS_A_SUITE = """
import io, unittest

class TestRunner(unittest.TestCase):
    def test_red_ones_are_counted(self):
        tried = unittest.defaultTestLoader.loadTestsFromName("tests.tried")
        result = unittest.TextTestRunner(stream=io.StringIO()).run(tried)
        self.assertEqual(len(result.failures), 1)
"""


@pytest.mark.bubblewrap
@pytest.mark.registry
@pytest.mark.parametrize("selectors", [(), ("tests/test_runner.py",)])
def test_a_suite_that_a_test_runs_is_the_test_s_own(run: Run, selectors: tuple[str, ...]) -> None:
    tried = "import unittest\nclass Tried(unittest.TestCase):\n    def test_red(self): self.fail()\n"
    report = run({"tests/tried.py": tried, "tests/test_runner.py": RUNS_A_SUITE}, *selectors)
    assert (report.problem, report.ids()) == (None, report.passed)
    assert report.passed == {"tests/test_runner.py::TestRunner::test_red_ones_are_counted"}


OWN_RUNNER = """
import unittest

class Results(unittest.TextTestResult):
    def addSkip(self, test, reason):
        pass

class Runner(unittest.TextTestRunner):
    %s

unittest.main(module="tests.test_kinds", testRunner=Runner)
"""


@pytest.mark.bubblewrap
@pytest.mark.registry
@pytest.mark.parametrize(
    "own",
    [
        "resultclass = Results",
        "__init__ = lambda self, **words: super(Runner, self).__init__(**{**words, 'resultclass': Results})",
        "_makeResult = lambda self: Results(self.stream, self.descriptions, self.verbosity)",
        "run = lambda self, tests: tests(self.resultclass(self.stream, self.descriptions, self.verbosity))",
        "resultclass, _makeResult = None, lambda self: (self.resultclass or Results)(self.stream, True, 1)",
    ],
)
def test_results_of_a_runner_that_a_program_makes_itself_are_told(run: Run, own: str) -> None:
    files = {"runtests.py": OWN_RUNNER % own, "tests/test_kinds.py": ALL_KINDS}
    report = run(files, command=TestCommand("unittest", ("python", "runtests.py")))
    assert report.problem is None
    assert len(report.cases) == 8
    assert report.passed == {"tests/test_kinds.py::TestKinds::test_good"}


ENDING_RUNNER = """
import sys, unittest

class Runner(unittest.TextTestRunner):
    def run(self, tests, loud):
        result = %s.run(tests)
        %s

sys.exit(Runner().run(unittest.defaultTestLoader.loadTestsFromName("tests.test_loaded"), loud=True))
"""


@pytest.mark.bubblewrap
@pytest.mark.registry
@pytest.mark.parametrize("end", ["return not result.wasSuccessful()", "sys.exit(not result.wasSuccessful())"])
@pytest.mark.parametrize("runner", ["super()", "unittest.TextTestRunner()"])
def test_a_runner_that_a_program_makes_itself_takes_and_gives_what_it_likes(run: Run, runner: str, end: str) -> None:
    files = {"runtests.py": ENDING_RUNNER % (runner, end), "tests/test_loaded.py": LOADED}
    report = run(files, command=TestCommand("unittest", ("python", "runtests.py")))
    assert report.problem is None
    assert report.passed == {"tests/test_loaded.py::Case::check"}


@pytest.mark.bubblewrap
@pytest.mark.registry
def test_a_module_that_a_program_names_and_this_python_cannot_read_ends_no_other(run: Run) -> None:
    files = {
        "runtests.py": "import unittest\ndef all():\n"
        "    return unittest.defaultTestLoader.loadTestsFromNames(['checks.good', 'checks.older'])\n"
        "unittest.main(defaultTest='all')\n",
        "checks/__init__.py": "",
        "checks/good.py": "import unittest\nclass T(unittest.TestCase):\n    def test_a(self): pass\n",
        "checks/older.py": "import asyncio\nasyncio.async(1)\n",
    }
    report = run(files, command=TestCommand("unittest", ("python", "runtests.py")))
    assert report.problem is None
    assert report.passed == {"checks/good.py::T::test_a"}
    assert report.red == {"checks/older.py"}


@pytest.mark.bubblewrap
@pytest.mark.registry
def test_a_module_that_starts_unittest_is_started_as_one(run: Run) -> None:
    module = "import sys, unittest\nassert (__name__, sys.argv[1:]) == ('__main__', ['test'])\n"
    module += "sys.argv[1:] = ['tests.test_a']\nunittest.main(module=None)\n"
    files = {"tests/test_a.py": ALL_KINDS, "django.py": module}
    report = run(files, command=TestCommand("unittest", ("python", "-m", "django", "test")))
    assert "tests/test_a.py::TestKinds::test_good" in report.passed


@pytest.mark.bubblewrap
@pytest.mark.registry
def test_a_test_cannot_speak_for_the_runner(run: Run) -> None:
    body = (
        "import os\n        for n in range(3, 300):\n            try: os.write(n, b'[\"end\", 0]\\n')\n"
        "            except OSError: pass\n        self.fail()"
    )
    text = f"import unittest\nclass A(unittest.TestCase):\n    def test_a(self):\n        {body}\n"
    report = run({"tests/test_a.py": text})
    assert "not its own" in (report.problem or "")


@pytest.mark.bubblewrap
@pytest.mark.registry
@pytest.mark.parametrize(
    ("body", "told"), [("import os; os._exit(0)", "exit code 0"), ("raise KeyboardInterrupt", "SIGINT, exit code 130")]
)
def test_a_test_that_ends_the_whole_process_is_red_and_hides_no_other(run: Run, body: str, told: str) -> None:
    text = "import unittest\nclass A(unittest.TestCase):\n    def test_a(self): pass\n"
    report = run({"tests/test_a.py": f"{text}    def test_b(self): {body}\n    def test_b2(self): pass\n"})
    test = "tests/test_a.py::A::test_b"
    assert report.problem is None
    assert report.red == {test}
    assert report.passed == {"tests/test_a.py::A::test_a", f"{test}2"}
    assert report.notes == (f"The others were run without {test}: it ended the whole process ({told}).",)


def test_of_tests_of_one_id_the_worst_counts() -> None:
    case = ["case", "t/a.py", "t/a.py::T::x"]
    told = [[*case, "failed", 0.1, "no"], [*case, "passed", 0.1, ""], ["end", 1]]
    said = b"".join(b"n" + json.dumps(line).encode() + b"\n" for line in told)
    reading = UnittestRunner().read(Account(1, said=said, nonce=b"n"), COMMAND, lambda _: False)
    assert [(each.id, str(each.outcome)) for each in reading.cases] == [("t/a.py::T::x", "failed")]


ZOPE = {
    "tox.ini": "[testenv]\ndeps = zope.testrunner\ncommands = zope-testrunner --test-path={toxinidir}/src []\n",
    "src/shop/__init__.py": "",
    "src/shop/tests/__init__.py": "",
    "src/shop/tests/prices.txt": ">>> 1 + 1\n2\n",
    "src/shop/tests/test_docs.py": "import doctest\ndef test_suite(): return doctest.DocFileSuite('prices.txt')\n",
    "src/shop/tests/test_kinds.py": ALL_KINDS,
    "src/shop/tests/test_lost.py": "import nowhere\n",
    "src/shop/tests/test_layers.py": """
import unittest
class Layer:
    up = False
    @classmethod
    def setUp(cls): cls.up = True
    @classmethod
    def tearDown(cls): raise NotImplementedError
class Broken(Layer):
    @classmethod
    def setUp(cls): raise OSError("no server")
class TestA(unittest.TestCase):
    layer = Layer
    def test_a(self): self.assertTrue(Layer.up)
class TestB(unittest.TestCase):
    layer = Broken
    def test_b(self): pass
""",
}


@pytest.mark.bubblewrap
@pytest.mark.registry
def test_zopes_runner_tells_every_test_also_those_that_a_module_makes_itself(
    repository: Callable[[Mapping[str, str]], GitCheckout], engine: BubblewrapEngine
) -> None:
    checkout = repository(ZOPE)
    prepared = prepared_for(engine, checkout)
    assert prepared.environment.tests[0].argv == ("python", "-m", "zope.testrunner", "--test-path=src")
    with fresh_box(engine, checkout, prepared) as box:
        report = run_tests(box, prepared.environment, (), timeout_seconds=60)
        part = run_tests(box, prepared.environment, ("src/shop/tests/test_layers.py::TestA",), timeout_seconds=60)
    assert report.problem is None
    outcomes = {case.id.removeprefix("src/shop/tests/"): str(case.outcome) for case in report.cases}
    assert len(outcomes) == 12
    assert outcomes["prices.txt::prices.txt"] == outcomes["test_layers.py::TestA::test_a"] == "passed"
    assert outcomes["test_kinds.py::TestKinds::test_bad"] == "failed"
    assert outcomes["test_lost.py"] == outcomes["Layer: shop.tests.test_layers.Broken.setUp"] == "error"
    assert part.problem is None
    assert part.ids() == {"src/shop/tests/test_layers.py::TestA::test_a"}


def test_command_lines_of_unittest_and_of_programs_that_use_it_are_recognised() -> None:
    assert recognise(("python", "-m", "unittest", "discover")) == "unittest"
    assert recognise(("python3", "manage.py", "test", "app")) == "unittest"
    assert recognise(("python", "-m", "django", "test")) == "unittest"
    assert recognise(("python", "tests/run_tests.py")) == "unittest"
    assert recognise(("python", "setup.py", "test")) != "unittest"
    assert recognise(("pytest",)) == "pytest"


def account(*lines: list[object], code: int = 0, nonce: bytes = b"n") -> Account:
    return Account(code, said=b"".join(nonce + json.dumps(line).encode() + b"\n" for line in lines), nonce=b"n")


CASE = ["case", "a.py", "a.py::A::test", "passed", 0.1, ""]


@pytest.mark.parametrize(
    ("told", "problem"),
    [
        (account(CASE), "did not come to its end"),
        (account(CASE, ["end", 0], code=1), "did not come to its end"),
        (account(CASE, ["end", 1], code=1), "reports none and ends as if it were otherwise"),
        (account([*CASE[:3], "failed", 0.1, ""], ["end", 0]), "reports failures and ends as if it were otherwise"),
        (account(["end", 5], code=5), "No tests were collected"),
        (account(CASE, ["end", 0], nonce=b"m"), "holds lines that are not its own"),
        (account(["end", 0], CASE), "holds lines that are not its own"),
        (account(["case"], ["end", 0]), "holds lines that are not its own"),
        (account([*CASE[:3], "splendid", 0.1, ""], ["end", 0]), "holds lines that are not its own"),
    ],
)
def test_an_account_that_does_not_agree_with_itself_is_a_problem(told: Account, problem: str) -> None:
    assert problem in (UnittestRunner().read(told, COMMAND, lambda _path: True).problem or "")


def test_a_test_that_ends_the_whole_process_is_named_and_red() -> None:
    told = account(CASE, ["began", "a.py::A::test_b"], code=134)
    reading = UnittestRunner().read(told, COMMAND, lambda _path: True)
    assert reading.problem == "A test ended the whole process: a.py::A::test_b (SIGABRT, exit code 134)"
    assert [(case.id, case.outcome) for case in reading.cases] == [("a.py::A::test_b", TestOutcome.ERROR)]


@pytest.mark.parametrize("code", [0, 1, 137, 143])
def test_a_run_that_is_ended_from_outside_blames_no_test(code: int) -> None:
    told = account(CASE, ["began", "a.py::A::test_b"], code=code)
    reading = UnittestRunner().read(told, COMMAND, lambda _path: True)
    assert (reading.cases, "did not come to its end" in str(reading.problem)) == ((), True)


@pytest.mark.parametrize(
    ("words", "directory", "path"),
    [
        (("runtests.py", "-v"), "tests", "tests/runtests.py"),
        (("-m", "shop.test.runtests"), ".", "shop/test/runtests.py"),
        (("-m", "shop.test"), ".", "shop/test/__main__.py"),
    ],
)
def test_a_program_that_ends_by_more_than_its_tests_is_one_test_more(
    words: tuple[str, ...], directory: str, path: str
) -> None:
    command = TestCommand("unittest", ("python", *words), directory)
    reading = UnittestRunner().read(account(CASE, ["end", 1], code=1), command, lambda each: each == path)
    assert reading.problem is None
    assert [(case.id, case.outcome) for case in reading.cases[1:]] == [(f"{path}::exit_code", TestOutcome.FAILED)]
    again = UnittestRunner().order(command, (f"{path}::exit_code", "a.py"))
    assert again.argv[5] == "[]"  # which only the whole run tells


@pytest.mark.parametrize(("code", "outcome"), [(0, TestOutcome.PASSED), (1, TestOutcome.FAILED)])
def test_what_was_expected_to_fail_and_does_not_counts_as_the_program_s_end_has_it(
    code: int, outcome: TestOutcome
) -> None:
    command = TestCommand("unittest", ("python", "runtests.py"))
    unexpected = ["case", "a.py", "a.py::A::test_b", "failed", 0.1, UNEXPECTED]
    reading = UnittestRunner().read(account(CASE, unexpected, ["end", code], code=code), command, lambda _path: True)
    assert (reading.problem, reading.cases[1].outcome) == (None, outcome)


@pytest.mark.parametrize("code", [2, 130])
def test_a_program_that_ends_otherwise_than_by_its_verdict_is_no_such_test(code: int) -> None:
    command = TestCommand("unittest", ("python", "runtests.py"))
    reading = UnittestRunner().read(account(CASE, ["end", code], code=code), command, lambda _path: True)
    assert reading.problem == f"The test runner reports none and ends as if it were otherwise. (exit code {code})"
