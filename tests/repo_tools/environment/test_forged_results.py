"""What code inside the runner's process does to its own results, in real boxes: nothing of it comes out as passed."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import pytest

from repo_tools.environment.contract import PreparedEnvironment, TestCommand
from repo_tools.environment.run import run_tests
from repo_tools.git_checkout import GitCheckout
from repo_tools.sandbox.contract import Sandbox
from repo_tools.test_report import TestReport

pytestmark = [pytest.mark.bubblewrap, pytest.mark.registry, pytest.mark.timeout(900)]

Forge = Callable[[str], TestReport]

FORGED = "<testsuites><testsuite><testcase classname='test_a' name='test_a' file='test_a.py'/></testsuite></testsuites>"
PIPES = """
import os, stat
def is_pipe(n):
    try:
        return stat.S_ISFIFO(os.fstat(n).st_mode)
    except OSError:
        return False
PIPES = [n for n in range(3, 100) if is_pipe(n)]
"""
ATTACKS = {
    "the result file is rewritten at exit": """
import atexit, os, re, sys
def rewrite():
    for path in [a.split("=", 1)[1] for a in sys.argv if a.startswith("--junit-xml")]:
        text = re.sub(r"<failure.*?</failure>", "", open(path).read(), flags=re.S)
        open(path, "w").write(text)
    os._exit(0)
atexit.register(rewrite)
""",
    "the process ends well before its results": "import atexit, os\natexit.register(os._exit, 0)\n",
    "the session is ended before its tests": """
import gc, os, pytest
session = next(o for o in gc.get_objects() if isinstance(o, pytest.Session))
session.exitstatus = 0
session.config.hook.pytest_sessionfinish(session=session, exitstatus=0)
os._exit(0)
""",
    "the session is ended before its tests, and again": """
import gc, pytest
session = next(o for o in gc.get_objects() if isinstance(o, pytest.Session))
session.config.hook.pytest_sessionfinish(session=session, exitstatus=0)
""",
    "the results are written anew after the end": """
import atexit, os
atexit.register(os._exit, 0)
import gc, pytest
session = next(o for o in gc.get_objects() if isinstance(o, pytest.Session))
class Late:
    def pytest_unconfigure(self, config):
        session.testsfailed, session.exitstatus = 0, 0
        for reporter in [o for o in gc.get_objects() if type(o).__name__ == "_NodeReporter"]:
            reporter.nodes = []
        session.config.hook.pytest_sessionfinish(session=session, exitstatus=0)
        os._exit(0)
session.config.pluginmanager.register(Late())
""",
    "results of its own, before the end": f"""
import os, sys
arguments = [a.split("=", 1)[1] for a in sys.argv if a.startswith("--junit-xml")]
for path in arguments + [f"/proc/self/fd/{{n}}" for n in range(3, 30)]:
    try:
        open(path, "w").write({FORGED!r})
    except OSError:
        pass
os._exit(0)
""",
    "results and an end of its own, in every pipe": PIPES
    + f"""
for n in PIPES:
    try:
        os.write(n, {FORGED.encode()!r})
        os.write(n, b'\\n["end", 0]\\n')
    except OSError:
        pass
os._exit(0)
""",
    "what a phase did is forgotten": """
import _pytest.runner
original = _pytest.runner.CallInfo.from_call.__func__
def forgetful(cls, *args, **kwargs):
    info = original(cls, *args, **kwargs)
    info.excinfo = None
    return info
_pytest.runner.CallInfo.from_call = classmethod(forgetful)
""",
    "reports are made to say passed": """
import _pytest.reports
original = _pytest.reports.TestReport.from_item_and_call.__func__
def forgiving(cls, *args):
    report = original(cls, *args)
    report.outcome = "passed"
    return report
_pytest.reports.TestReport.from_item_and_call = classmethod(forgiving)
""",
    "only the result file says passed": """
import _pytest.junitxml
_pytest.junitxml._NodeReporter.append_failure = _pytest.junitxml._NodeReporter.append_pass
""",
    "only the result file is without it": """
import _pytest.junitxml
_pytest.junitxml._NodeReporter.to_xml = lambda self: __import__("xml.etree.ElementTree").etree.ElementTree.Element("x")
""",
}


@pytest.fixture
def forge(
    fill: Callable[[Mapping[str, str]], Sandbox], bare: tuple[GitCheckout, PreparedEnvironment]
) -> Callable[[str], TestReport]:
    """Runs a failing test, and a passing one, whose product does `code` when it is imported."""

    def forge(code: str) -> TestReport:
        tests = "import product\ndef test_a(): assert 0\ndef test_b(): pass\n"
        environment = replace(bare[1].environment, tests=(TestCommand("pytest", ("pytest",)),))
        return run_tests(fill({"product.py": code, "test_a.py": tests}), environment, timeout_seconds=60)

    return forge


@pytest.mark.parametrize("code", ["session.exitstatus", "0", "7"])
@pytest.mark.parametrize("failing", [False, True])
def test_a_suite_that_leaves_at_once_when_its_session_is_over_has_its_results(
    fill: Callable[[Mapping[str, str]], Sandbox],
    bare: tuple[GitCheckout, PreparedEnvironment],
    code: str,
    *,
    failing: bool,
) -> None:
    """`os._exit` in `pytest_unconfigure`, as suites with threads that never end do; with a code of its own it lies."""
    conftest = f"""
import os
def pytest_sessionstart(session):
    global status
    status = lambda: {code}
def pytest_unconfigure(config):
    os._exit(int(status()))
"""
    tests = f"def test_a(): assert {not failing}\ndef test_b(): pass\n"
    environment = replace(bare[1].environment, tests=(TestCommand("pytest", ("pytest",)),))
    report = run_tests(fill({"conftest.py": conftest, "test_a.py": tests}), environment, timeout_seconds=60)
    honest = code == "session.exitstatus" or (code == "0" and not failing)
    assert (report.problem is None) is honest
    if honest:
        assert report.red == ({"test_a.py::test_a"} if failing else set())
        assert len(report.cases) == 2


@pytest.mark.long(short="test_a_suite_that_leaves_at_once_when_its_session_is_over_has_its_results")
def test_a_suite_that_leaves_a_thread_running_has_its_results(
    fill: Callable[[Mapping[str, str]], Sandbox], bare: tuple[GitCheckout, PreparedEnvironment]
) -> None:
    tests = "import threading\ndef test_a(): threading.Thread(target=threading.Event().wait).start()\n"
    environment = replace(bare[1].environment, tests=(TestCommand("pytest", ("pytest",)),))
    report = run_tests(fill({"test_a.py": tests}), environment, timeout_seconds=60)
    assert (report.problem, len(report.cases)) == (None, 1)


def test_without_an_attack_the_result_is_a_result(forge: Forge) -> None:
    report = forge("")
    assert report.problem is None
    assert report.red == {"test_a.py::test_a"}
    assert report.passed == {"test_a.py::test_b"}


@pytest.mark.parametrize("attack", ATTACKS)
def test_an_attack_on_the_results_leaves_no_result_or_the_true_one(forge: Forge, attack: str) -> None:
    report = forge(ATTACKS[attack])
    assert report.problem is not None or report.red == {"test_a.py::test_a"}, report.output


@pytest.mark.parametrize(
    "attack",
    ["what a phase did is forgotten", "only the result file says passed", "only the result file is without it"],
)
def test_accounts_that_differ_are_no_result(forge: Forge, attack: str) -> None:
    problem = forge(ATTACKS[attack]).problem
    assert problem is not None
    assert "as if there were none" in problem or problem.startswith("The test runner's accounts differ: ")


def test_the_process_around_the_runner_cannot_be_looked_into(forge: Forge) -> None:
    report = forge("import os\nopen(f'/proc/{os.getppid()}/mem', 'rb')\n")
    assert "PermissionError" in report.cases[0].message


@pytest.mark.parametrize(
    "place", ["' '.join(os.environ.values())", "open('/proc/self/cmdline').read()", "str(sys.argv)"]
)
def test_no_key_stands_where_tests_can_read_it(forge: Forge, place: str) -> None:
    """A key is 64 hex digits, the mark of each line 32; the cache's folder has 32 too, and leads nowhere."""
    code = (
        f"import os, re, sys\nassert not re.search('(?<!/tmp/)(?<![0-9a-f])(?:[0-9a-f]{{32}}){{1,2}}\\\\b', {place})\n"
    )
    assert forge(code).passed == {"test_a.py::test_b"}


SEEN = {"LD_DEBUG": "files", "LD_DEBUG_OUTPUT": "/tmp/loaded"}
"""A process that a loader's variable reaches tells so (ld.so(8)), as one would that is made to load a library."""


@pytest.mark.parametrize("where", ["variables", "test_variables", "tests"])
def test_no_variable_of_the_repository_reaches_the_processes_around_the_runner(
    fill: Callable[[Mapping[str, str]], Sandbox],
    bare: tuple[GitCheckout, PreparedEnvironment],
    where: str,
) -> None:
    tests = (
        "import os\n"
        "def parent(pid): return int(open(f'/proc/{pid}/stat').read().rpartition(')')[2].split()[1])\n"
        "def test_reached():\n"
        "    above, pid = [], os.getpid()\n"
        "    while pid := parent(pid): above.append(pid)\n"
        "    assert above\n"
        "    assert os.path.exists(f'/tmp/loaded.{os.getpid()}')\n"
        "    assert [pid for pid in above if os.path.exists(f'/tmp/loaded.{pid}')] == []\n"
    )
    command = TestCommand("pytest", ("pytest",), variables=tuple(SEEN.items()) if where == "tests" else ())
    given: dict[str, Any] = {where: (command,) if where == "tests" else SEEN}
    environment = replace(bare[1].environment, **{"tests": (command,), **given})
    report = run_tests(fill({"test_a.py": tests}), environment, timeout_seconds=60)
    assert report.passed == {"test_a.py::test_reached"}, report.output
