"""Test runs in real boxes: what a report says, and what it never says."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from repo_tools.environment.contract import PreparedEnvironment, SetupCommand, TestCommand
from repo_tools.environment.run import MAX_OUTPUT_CHARACTERS, NO_ROOM, run_tests
from repo_tools.environment.runners.crashed import WHY_KILLED
from repo_tools.git_checkout import GitCheckout
from repo_tools.sandbox.contract import DEFAULT_LIMITS, Limits, Sandbox
from repo_tools.test_report import TestOutcome, TestReport
from tests.support.long import first_of

pytestmark = [pytest.mark.bubblewrap, pytest.mark.registry, pytest.mark.timeout(900)]

TEST = "def test_a(): pass\n"
ALL_IS_WELL = (
    "import pytest\n@pytest.hookimpl(trylast=True)\ndef pytest_sessionfinish(session): session.exitstatus = 0\n"
)

Fill = Callable[..., Sandbox]
Run = Callable[..., TestReport]


@pytest.fixture
def run(fill: Fill, bare: tuple[GitCheckout, PreparedEnvironment]) -> Run:
    def run(
        files: dict[str, str],
        *selectors: str,
        seconds: float = 60.0,
        limits: Limits = DEFAULT_LIMITS,
        **variables: str,
    ) -> TestReport:
        command = TestCommand("pytest", ("pytest",), variables=tuple(variables.items()))
        environment = replace(bare[1].environment, tests=(command,))
        return run_tests(fill(files, limits), environment, selectors, timeout_seconds=seconds)

    return run


def test_ids_are_the_same_for_the_suite_and_for_a_part_of_it(run: Run) -> None:
    files = {"sub/tests/test_a.py": TEST, "sub/tests/test_b.py": TEST}
    assert run(files).ids() == {"sub/tests/test_a.py::test_a", "sub/tests/test_b.py::test_a"}
    assert run(files, "sub/tests/test_b.py").ids() == {"sub/tests/test_b.py::test_a"}
    report = run(files, "sub/tests/test_b.py::test_a")
    assert report.passed == {"sub/tests/test_b.py::test_a"}
    assert report.command == "pytest sub/tests/test_b.py::test_a"


def test_a_command_has_its_own_variables(run: Run) -> None:
    """The second try, too: without the project's options, which this pytest does not know."""
    files = {
        "pytest.ini": "[pytest]\naddopts = --of-a-plug-in\n",
        "test_a.py": "import os\ndef test_a(): assert os.environ['MODE'] == 'fast and loose'\n",
    }
    assert run(files, MODE="fast and loose").passed == {"test_a.py::test_a"}
    assert run(files, MODE="slow").red == {"test_a.py::test_a"}


@pytest.mark.parametrize(
    "command",
    [TestCommand("pytest", ("pytest",)), TestCommand("unittest", ("python3", "-m", "unittest", "test_a"))],
    ids=lambda command: command.runner,
)
def test_what_is_wanted_on_pythons_path_is_there_for_tests_and_in_the_place_of_nothing_of_the_runners(
    command: TestCommand, fill: Fill, bare: tuple[GitCheckout, PreparedEnvironment]
) -> None:
    ends = "import os\nos._exit(0)\n"
    test = (
        "import helper, os, unittest\nclass A(unittest.TestCase):\n"
        "    def test_a(self): self.assertEqual(os.environ['PYTHONPATH'], 'lib')\n"
    )
    files = {"lib/helper.py": "", "lib/json.py": ends, "lib/encodings/__init__.py": ends, "test_a.py": test}
    environment = replace(bare[1].environment, tests=(command,), test_variables={"PYTHONPATH": "lib"})
    report = run_tests(fill(files), environment, (), timeout_seconds=60)
    assert (report.problem, len(report.passed), report.red) == (None, 1, frozenset())


def test_what_is_done_before_the_tests_is_done_and_told_where_it_fails(
    fill: Fill, bare: tuple[GitCheckout, PreparedEnvironment]
) -> None:
    test = "from pathlib import Path\ndef test_a(): assert Path('/tmp/tables').read_text() == 'made\\n'\n"
    files = {"sub/make.py": "import os\nprint(os.environ['MODE'])\n", "test_a.py": test}
    made = SetupCommand(("sh", "-c", 'python make.py | tee "/tmp/tables"; exit $((2 * $MORE))'), directory="sub")
    for more in (0, 1):
        variables = {"MODE": "made", "MORE": str(more)}
        environment = replace(bare[1].environment, before_tests=(made,), test_variables=variables)
        report = run_tests(fill(files), environment, (), timeout_seconds=60)
        assert report.passed == {"test_a.py::test_a"}
        assert [note.rpartition(" failed ")[2] for note in report.notes] == ["(exit code 2): made"] * more


def test_what_does_not_end_before_the_tests_leaves_them_half_of_the_time_and_counts_as_theirs(
    fill: Fill, bare: tuple[GitCheckout, PreparedEnvironment]
) -> None:
    environment = replace(bare[1].environment, before_tests=(SetupCommand(("sleep", "60")),))
    report = run_tests(fill({"test_a.py": TEST}), environment, (), timeout_seconds=10)
    assert (report.problem, report.timed_out, report.passed) == (None, False, frozenset({"test_a.py::test_a"}))
    assert report.notes == ("Before the tests sleep 60 did not end within 5 seconds.",)
    assert 5 < report.seconds < 10


def test_processes_that_are_started_before_the_tests_are_not_there_with_them(
    fill: Fill, bare: tuple[GitCheckout, PreparedEnvironment]
) -> None:
    test = "import os\ndef test_a():\n    assert not any(b'987' in open(f'/proc/{p}/cmdline', 'rb').read()\n"
    test += "        for p in os.listdir('/proc') if p.isdigit() and os.path.exists(f'/proc/{p}/cmdline'))\n"
    started = SetupCommand(("sh", "-c", "setsid sleep 987 >/dev/null 2>&1 &"))
    environment = replace(bare[1].environment, before_tests=(started,))
    report = run_tests(fill({"test_a.py": test}), environment, (), timeout_seconds=60)
    assert (report.passed, report.notes) == (frozenset({"test_a.py::test_a"}), ())


@pytest.mark.parametrize(
    "said",
    [
        "rake aborted!\nPG::Error: no server\n\nTasks: TOP => db:create\n(See full trace by running)\n",
        "Traceback:\n  a line\nPG::Error: no server\n\tIs it there?\n(Background on this error at a place)\n",
    ],
    ids=["rake", "SQLAlchemy"],
)
def test_of_what_is_said_before_the_tests_the_error_is_told(
    fill: Fill, bare: tuple[GitCheckout, PreparedEnvironment], said: str
) -> None:
    made = SetupCommand(("sh", "-c", 'printf "$SAID"; exit 1'))
    environment = replace(bare[1].environment, before_tests=(made,), test_variables={"SAID": said})
    (note,) = run_tests(fill({"test_a.py": TEST}), environment, (), timeout_seconds=60).notes
    assert note.endswith(" failed (exit code 1): PG::Error: no server")


@pytest.mark.long(short="test_a_run_that_does_not_end_is_ended_and_tells_how_far_it_came")
def test_a_second_try_that_takes_too_long_does_not_undo_the_first(run: Run) -> None:
    test = (
        "import os, time, pytest\n"
        "def test_b():\n"
        "    if os.path.exists('/tmp/tried'): time.sleep(60)\n"
        "    open('/tmp/tried', 'w').close()\n"
        "    raise pytest.PytestDeprecationWarning('x')\n"
    )
    report = run({"test_a.py": TEST, "test_b.py": test}, seconds=8.0)
    assert report.passed == {"test_a.py::test_a"}
    assert report.red == {"test_b.py::test_b"}
    assert (report.problem, report.notes) == (None, ())


def test_what_a_test_puts_in_place_of_a_module_does_not_reach_the_account(run: Run) -> None:
    """pyfakefs gives every module that has it another `os`."""
    test = (
        "import sys, types, pytest\n"
        "@pytest.fixture\n"
        "def other(monkeypatch):\n"
        "    for name in ('os', 'json'):\n"
        "        monkeypatch.setattr(sys.modules['__main__'], name, types.SimpleNamespace())\n"
        "def test_a(other): pass\n"
        "def test_b(other): assert not other\n"
        "def test_c(other): assert other\n"
    )
    report = run({"test_a.py": test})
    assert report.problem is None
    assert report.passed == {"test_a.py::test_a", "test_a.py::test_b"}
    assert report.red == {"test_a.py::test_c"}


TAKES = "    taken = [bytearray(b'x') * (1 << 26) for _ in range(1 << 10)]\n"
FEW = Limits(memory_bytes=512 << 20)
"""Is sooner taken than what a box has by default."""


def test_a_test_that_wanted_more_memory_than_there_is_is_told_as_such(run: Run) -> None:
    report = run({"test_a.py": f"{TEST}def test_b():\n{TAKES}"}, limits=FEW)
    assert report.problem is None
    assert report.passed == {"test_a.py::test_a"}
    assert report.by_id["test_a.py::test_b"].message.endswith(WHY_KILLED)


def test_a_run_that_wanted_more_memory_than_there_is_is_told_as_such(run: Run) -> None:
    report = run({"test_a.py": f"def test_a():\n{TAKES}"}, limits=FEW)
    assert str(report.problem).endswith(WHY_KILLED)


def test_results_that_found_no_room_are_told_as_such(run: Run) -> None:
    test = (
        "def test_a():\n"
        "    with open('/tmp/all', 'wb', buffering=0) as file:\n"
        "        for size in (1 << 20, 1):\n"
        "            try:\n"
        "                while file.write(b'x' * size): pass\n"
        "            except OSError: pass\n"
    )
    assert run({"test_a.py": test}).problem == NO_ROOM


def test_an_inherited_test_has_the_id_of_the_file_that_inherits_it(run: Run) -> None:
    files = {
        "t/__init__.py": "",
        "t/base.py": "class Base:\n    def test_b(self): pass\n",
        "t/test_c.py": "from t.base import Base\nclass TestC(Base): pass\n",
    }
    assert run(files).passed == {"t/test_c.py::TestC::test_b"}


def test_a_test_file_that_starts_unittest_as_it_is_imported_is_collected_all_the_same(run: Run) -> None:
    """Written to be run as a program: `unittest.main()` would read pytest's arguments, and end the file's import."""
    case = "class TestA(unittest.TestCase):\n    def test_a(self): pass\n"
    files = {
        "test_a.py": f"import unittest\n{case}unittest.main()\n",
        "test_b.py": f"import unittest\nfrom unittest import main\n{case}main()\n",
        "test_c.py": "import unittest\ndef test_c():\n    assert unittest.main('os', None, ['x'], exit=False).result\n",
        "test_d.py": f"import unittest\n{case}unittest.TestProgram()\n",
        "test_e.py": f"import unittest\nclass Program(unittest.main): pass\nunittest.main.parseArgs\n{case}",
        "test_f.py": "import unittest\ndef result():\n    return unittest.main('os', None, ['x'], exit=False).result\n"
        "RESULT = result()\ndef test_f(): assert RESULT\n",
    }
    report = run(files)
    cases = {f"test_{name}.py::TestA::test_a" for name in "abde"}
    assert report.passed == {*cases, "test_c.py::test_c", "test_f.py::test_f"}
    assert not report.red
    assert report.problem is None


def test_the_whole_suite_is_run_although_the_project_stops_at_the_first_failure(run: Run) -> None:
    files = {"pytest.ini": "[pytest]\naddopts = -x", "test_a.py": "def test_a(): assert 0\ndef test_b(): pass\n"}
    assert len(run(files).cases) == 2


@pytest.mark.parametrize("addopts", ["-p no:junitxml", '"-p no:junitxml" -q'])
def test_a_project_that_wants_no_result_files_has_results(run: Run, addopts: str) -> None:
    files = {"pytest.ini": f"[pytest]\naddopts = {addopts}", "test_a.py": f"{TEST}def test_b(): assert 0\n"}
    report = run(files)
    assert report.problem is None
    assert report.passed == {"test_a.py::test_a"}
    assert report.red == {"test_a.py::test_b"}


def test_a_test_that_reads_is_run_where_that_is_not_refused_and_so_it_is_said(run: Run) -> None:
    test = f"import sys\ndef test_b(): assert sys.stdin.read() == ''\n{TEST}"
    report = run({"test_a.py": test})
    assert report.passed == {"test_a.py::test_a", "test_a.py::test_b"}
    assert report.command == "pytest -s"
    assert [note.partition(":")[0] for note in report.notes] == ["Output was not captured (`-s`)"]


def test_a_test_that_two_commands_run_is_as_red_as_in_the_worse_of_them(
    fill: Fill, bare: tuple[GitCheckout, PreparedEnvironment]
) -> None:
    plain = TestCommand("pytest", ("pytest",))
    commands = (plain, replace(plain, argv=("pytest", "-p", "no:terminalreporter")))
    for tests in (commands, commands[::-1]):
        box = fill({"test_a.py": "import sys\ndef test_a(pytestconfig): assert pytestconfig.get_terminal_writer()\n"})
        report = run_tests(box, replace(bare[1].environment, tests=tests), timeout_seconds=60)
        assert not report.passed
        assert report.red == {"test_a.py::test_a"}


def test_the_commands_of_one_run_share_a_place_for_what_they_have_built(
    fill: Fill, bare: tuple[GitCheckout, PreparedEnvironment]
) -> None:
    makes = TestCommand("exit_code", ("sh", "-c", 'mkdir "$AGENT_FIX_BUILT"'))
    finds = TestCommand("exit_code", ("sh", "-c", 'test -d "$AGENT_FIX_BUILT"'))
    environment = replace(bare[1].environment, tests=(makes, finds))
    box = fill({})
    for _ in range(2):
        assert len(run_tests(box, environment, timeout_seconds=60).passed) == 2


def test_one_file_that_cannot_be_imported_does_not_hide_the_others(run: Run) -> None:
    report = run({"test_a.py": "import nothing_there", "test_b.py": TEST})
    assert report.red == {"test_a.py"}
    assert report.passed == {"test_b.py::test_a"}
    assert report.problem is None


def test_a_child_that_a_test_forked_says_nothing_in_its_parents_name(run: Run) -> None:
    forking = "import os, sys\n\n\ndef test_a():\n    if os.fork() == 0:\n        sys.exit(0)\n    os.wait()\n"
    report = run({"test_a.py": forking, "test_b.py": TEST})
    assert report.problem is None
    assert report.passed == {"test_a.py::test_a", "test_b.py::test_a"}


def test_a_missing_plugin_does_not_hide_the_suite_and_is_said(run: Run) -> None:
    report = run({"pytest.ini": "[pytest]\naddopts = --made-up-option=1", "test_a.py": TEST})
    assert report.passed == {"test_a.py::test_a"}
    assert report.command == "pytest -o addopts="
    (note,) = report.notes
    assert note.startswith("The project's `addopts` were left out: the test runner does not know all of them")


OLD_PLUGIN = """
import pytest

class Check(pytest.Item):
    def runtest(self):
        pass

def pytest_collect_file(parent):
    return Check("check", parent)
"""


def test_a_plug_in_that_is_too_old_for_pytest_hides_no_suite(run: Run) -> None:
    files = {"pytest.ini": "[pytest]\naddopts = -p checks", "checks.py": OLD_PLUGIN}
    report = run({**files, "test_a.py": TEST})
    assert report.passed
    assert report.command == "pytest -o addopts="
    (note,) = report.notes
    assert note.endswith("too old for the test runner.")


def test_a_script_among_the_tests_that_ends_when_it_is_imported_hides_no_suite(run: Run) -> None:
    report = run({"test_a.py": TEST, "tests/test_script.py": "import sys\nsys.exit('usage')\n"})
    assert report.passed == {"test_a.py::test_a"}
    assert (report.problem, report.command) == (None, "pytest --ignore=tests/test_script.py")
    assert report.notes == ("tests/test_script.py was left out: it ends the process when it is imported.",)


def test_a_plug_in_whose_hooks_pytest_knows_no_more_hides_no_suite(run: Run) -> None:
    files = {"pytest.ini": "[pytest]\naddopts = -p checks", "checks.py": "def pytest_collect_file(old, parent): pass\n"}
    report = run({**files, "test_a.py": TEST})
    assert report.passed == {"test_a.py::test_a"}
    assert report.command == "pytest -p no:checks -o addopts="
    plug_in, options = report.notes
    assert plug_in.startswith("The plug-in checks was left out")
    assert options.startswith("The project's `addopts` were left out")


FAILING_PLUGIN = """
def pytest_runtest_logreport(report):
    raise TypeError("told in another way")
"""


def test_a_plug_in_that_fails_in_telling_of_tests_hides_no_suite(run: Run) -> None:
    metadata = {
        "teller-1.dist-info/METADATA": "Metadata-Version: 2.1\nName: teller\nVersion: 1\n",
        "teller-1.dist-info/entry_points.txt": "[pytest11]\ntells = teller\n",
    }
    report = run({**metadata, "teller.py": FAILING_PLUGIN, "test_a.py": TEST})
    assert report.passed == {"test_a.py::test_a"}
    assert report.command == "pytest -p no:tells"
    assert report.notes == ("The plug-in tells was left out: it ended the test runner with an internal error.",)


def test_a_check_of_one_folder_that_is_too_old_changes_nothing_for_the_others(run: Run) -> None:
    report = run({"a/conftest.py": OLD_PLUGIN, "a/test_a.py": TEST, "b/test_b.py": TEST})
    assert report.passed == {"b/test_b.py::test_a"}
    assert report.command == "pytest"


@pytest.mark.parametrize(
    ("files", "problem"),
    first_of(
        [
            ({}, "No tests were collected. (exit code 5)"),
            ({"test_a.py": "x = 1"}, "No tests were collected. (exit code 5)"),
            (
                {"conftest.py": ALL_IS_WELL, "test_a.py": "def test_a(): assert 0"},
                "as if there were none. (exit code 0)",
            ),
            ({"conftest.py": "import os\nos._exit(0)", "test_a.py": TEST}, "died. (exit code 0, no result file)"),
            ({"conftest.py": "def pytest_runtestloop(): raise KeyboardInterrupt", "test_a.py": TEST}, "interrupted"),
            ({"pytest.ini": "[pytest]\naddopts = --co", "test_a.py": TEST}, "No tests were collected."),
            (
                {"pytest.ini": "[pytest]\nminversion = 99", "test_a.py": TEST},
                "refused its command line or configuration",
            ),
            ({"conftest.py": "1 / 0", "test_a.py": TEST}, "A conftest.py of the suite's cannot be loaded."),
        ],
        always=4,
    ),
    ids=["nothing", "no test", "exit code 0", "os._exit", "interrupt", "collect only", "version", "conftest"],
)
def test_a_run_that_tells_nothing_is_a_problem_and_passes_nothing(
    run: Run, files: dict[str, str], problem: str
) -> None:
    report = run(files)
    assert problem in str(report.problem)
    assert report.ids() <= {"test_a.py", "test_a.py::test_a"}


ENDS = {
    "import ctypes; ctypes.string_at(0)": "SIGSEGV, exit code 139",
    "import os; os._exit(0)": "exit code 0",
    "import os; os.killpg(0, 15)": "SIGTERM, exit code 143",
    "import os; os.closerange(3, 200)": "exit code 1",
    "raise KeyboardInterrupt": "exit code 2",
    "import os; os.name = 'nt'; assert 0": "exit code 1",  # and so does pytest, as it shows where
}


@pytest.mark.parametrize("ends", ENDS)
def test_a_test_that_ends_the_whole_process_is_red_and_hides_no_other(run: Run, ends: str) -> None:
    report = run({"test_a.py": f"{TEST}def test_b(): {ends}\ndef test_b2(): pass"})
    assert report.problem is None
    assert report.passed == {"test_a.py::test_a", "test_a.py::test_b2"}
    assert report.red == {"test_a.py::test_b"}
    assert report.by_id["test_a.py::test_b"].message == f"It ended the whole process. ({ENDS[ends]})"
    assert report.notes == (
        f"The others were run without test_a.py::test_b: it ended the whole process ({ENDS[ends]}).",
    )


def test_a_run_without_a_test_that_ends_the_process_takes_the_time_of_both_and_does_not_end_well(run: Run) -> None:
    slow = "import os, time\ndef test_a(): time.sleep(2)\n"
    report = run({"test_a.py": f"{slow}def test_b(): os._exit(0)"})
    assert report.red == {"test_a.py::test_b"}
    assert report.seconds >= 4
    assert report.exit_code == 1


def test_a_test_that_ends_the_process_while_it_puts_away_what_it_used_hides_no_other(run: Run) -> None:
    ends = (
        "import os\nimport pytest\n@pytest.fixture\ndef used():\n    yield\n    os._exit(0)\ndef test_b(used): pass\n"
    )
    report = run({"test_a.py": f"{ends}{TEST}"})
    assert report.problem is None
    assert report.passed == {"test_a.py::test_a"}
    assert report.red == {"test_a.py::test_b"}


@pytest.mark.parametrize("ends", ["import os; os._exit(0)", "raise KeyboardInterrupt"])
def test_a_file_that_ends_the_whole_process_when_it_is_loaded_is_red_and_hides_no_other(run: Run, ends: str) -> None:
    report = run({"test_a.py": TEST, "test_b.py": f"{ends}\n{TEST}", "sub/test_c.py": TEST})
    assert report.problem is None
    assert report.red == {"test_b.py"}
    assert report.passed == {"test_a.py::test_a", "sub/test_c.py::test_a"}


def test_a_test_that_ends_the_whole_process_is_no_result_where_nothing_else_is_run(run: Run) -> None:
    report = run({"test_a.py": f"import os\n{TEST}def test_b(): os._exit(0)"}, "test_a.py::test_b")
    assert (report.problem, report.cases) == ("The test runner died. (exit code 0, no result file)", ())


def test_where_no_test_can_be_told_to_have_ended_the_process_there_is_no_result(run: Run) -> None:
    ends = (
        "import os\nimport pytest\n@pytest.fixture(scope='session', autouse=True)\ndef x():\n    yield\n    os._exit(0)"
    )
    names = [f"test_{number}" for number in range(8)]
    report = run({"conftest.py": ends, "test_a.py": "".join(f"def {name}(): pass\n" for name in names)})
    assert report.problem == "The test runner died. (exit code 0, no result file)"
    assert report.notes == ()


def test_a_program_that_reads_its_arguments_finds_those_that_a_person_typed(run: Run) -> None:
    test = "import sys\ndef test_a(): assert (sys.argv[0][-11:], sys.argv[1:]) == ('/bin/pytest', [])"
    assert run({"test_a.py": test}).passed == {"test_a.py::test_a"}


def test_a_process_that_a_test_spawns_finds_a_program_to_import(run: Run) -> None:
    test = (
        "import multiprocessing, os, sys\n"
        "def test_a(): assert sys.modules['__main__'].__file__[-11:] == '/bin/pytest'\n"
        "def test_b():\n"
        "    with multiprocessing.get_context('spawn').Pool(1) as pool:\n"
        "        assert pool.apply(os.path.basename, ['a/b']) == 'b'\n"
    )
    assert run({"test_a.py": test}).passed == {"test_a.py::test_a", "test_a.py::test_b"}


def test_a_run_that_does_not_end_is_ended_and_tells_how_far_it_came(run: Run) -> None:
    report = run({"test_a.py": f"{TEST}def test_b():\n    while True: pass\n"}, seconds=5)
    how_far = ": 1 tests had ended by then, and test_a.py::test_b had begun"
    assert (report.cases, report.timed_out) == ((), True)
    assert report.problem == f"The test run did not end within 5 seconds{how_far}."
    assert report.seconds < 30


def test_result_files_of_the_repositorys_own_are_not_read(run: Run) -> None:
    forged = (
        "<testsuites><testsuite><testcase classname='test_a' name='test_a' file='test_a.py'/></testsuite></testsuites>"
    )
    files = {
        "pytest.ini": "[pytest]\naddopts = --junit-xml=report.xml --junit-prefix=x",
        "report.xml": forged,
        "test_a.py": "def test_a(): assert 0",
    }
    assert run(files).passed == frozenset()


def test_what_tests_print_is_no_part_of_their_results(run: Run) -> None:
    settings = "[pytest]\njunit_logging = all\njunit_log_passing_tests = true\n"
    report = run({"pytest.ini": settings, "test_a.py": "def test_a(): print('x' * 70_000_000)"})
    assert report.problem is None
    assert report.ids() == {"test_a.py::test_a"}


def test_long_output_is_bounded(run: Run) -> None:
    report = run({"test_a.py": "def test_a():\n    for i in range(100_000): print('line', i)\n    assert 0\n"})
    assert len(report.output) <= MAX_OUTPUT_CHARACTERS
    assert "characters left out" in report.output
    assert report.red == {"test_a.py::test_a"}


def test_unittest_suites_are_run_test_by_test(run: Run) -> None:
    body = (
        "import unittest\nclass A(unittest.TestCase):\n    def test_a(self): pass\n    def test_b(self): self.fail()\n"
    )
    report = run({"tests/test_a.py": body})
    assert report.passed == {"tests/test_a.py::A::test_a"}
    assert report.red == {"tests/test_a.py::A::test_b"}


def test_a_test_with_a_skipped_subtest_counts_as_what_it_is_as_a_whole(run: Run) -> None:
    body = (
        "import pytest, unittest\n"
        "class A(unittest.TestCase):\n"
        "    def test_part(self):\n"
        "        with self.subTest(i=1): self.skipTest('not here')\n"
        "    def test_whole(self): self.skipTest('not here')\n"
        "    def test_red(self):\n"
        "        with self.subTest(i=1): self.skipTest('not here')\n"
        "        with self.subTest(i=2): self.fail()\n"
    )
    report = run({"test_a.py": body})
    outcomes = {case.id.rpartition("::")[2]: case.outcome for case in report.cases}
    assert outcomes == {
        "test_part": TestOutcome.PASSED,
        "test_whole": TestOutcome.SKIPPED,
        "test_red": TestOutcome.FAILED,
    }


def test_a_selector_that_is_none_is_refused_before_anything_runs(run: Run) -> None:
    """F10."""
    with pytest.raises(ValueError, match="names no tests"):
        run({"test_a.py": TEST}, "--collect-only")


def test_modules_at_the_root_are_importable_and_hide_nothing_that_is_installed(run: Run) -> None:
    files = {
        "calc.py": "x = 1\n",
        "iniconfig.py": "raise SystemExit('the wrong one')",
        "deep/tests/test_a.py": "import calc\ndef test_a(): assert calc.x == 1\n",
    }
    assert run(files).passed == {"deep/tests/test_a.py::test_a"}


def test_of_several_commands_what_each_ran_without_is_told_and_those_without_single_tests_are_named(
    fill: Fill, bare: tuple[GitCheckout, PreparedEnvironment]
) -> None:
    tests = (TestCommand("pytest", ("pytest",)), TestCommand("exit_code", ("make", "check")))
    environment = replace(bare[1].environment, tests=tests)
    options = "[pytest]\naddopts = --made-up-option=1"
    box = fill({"test_a.py": TEST, "Makefile": "check:\n\ttrue\n", "pytest.ini": options})
    report = run_tests(box, environment, timeout_seconds=60)
    assert report.passed == {"test_a.py::test_a", ".::make check"}
    left_out, silent = report.notes
    assert left_out.startswith("The project's `addopts` were left out")
    assert silent == "Only the exit code is known of make check, not the single tests."


def test_results_that_no_runner_writes_are_told_of(fill: Fill, bare: tuple[GitCheckout, PreparedEnvironment]) -> None:
    """F07. Whatever they hold: here a number that is none."""
    environment = replace(bare[1].environment, tests=(TestCommand("rspec", ("sh", "rspec.sh")),))
    results = '{"examples": [], "summary": {"errors_outside_of_examples_count": 1e999}}'
    script = f'for word; do [ "$before" = --out ] && echo \'{results}\' > "$word"; before=$word; done\n'
    report = run_tests(fill({"rspec.sh": script}), environment, timeout_seconds=60)
    assert report.problem is not None
    assert "results cannot be read: OverflowError" in report.problem
