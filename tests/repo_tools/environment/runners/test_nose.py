"""What nose does and pytest does not, or does no more, for suites that rely on it."""

import os
import subprocess
import venv
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from xml.etree import ElementTree

import pytest

from repo_tools.environment.box_programs import nose_habits
from repo_tools.environment.contract import PreparedEnvironment, TestCommand
from repo_tools.environment.run import run_tests
from repo_tools.git_checkout import GitCheckout
from repo_tools.sandbox.contract import Sandbox

pytestmark = pytest.mark.timeout(900)

SUITE = """
import functools
import os
import tempfile
import unittest

def check(value):
    assert value < 2

def test_yields():
    for value in range(3):
        yield check, value

def test_breaks():
    yield check, 0
    raise OSError("broken")

def test_leaves_out():
    yield check, 0
    raise unittest.SkipTest("not here")

LOG = []

class TestPlain:
    @classmethod
    def setUpClass(cls):
        LOG.append("class")

    @classmethod
    def tearDownClass(cls):
        LOG.append("end of class")

    def setUp(self):
        self.value = 1

    def tearDown(self):
        LOG.append("test")

    def test_set_up(self):
        assert self.value == 1

    def check(self, value):
        self.value += 1
        assert self.value == value

    def test_yields(self):
        yield self.check, 2
        yield "check", 3
        yield check, 0

def test_helper(value):
    yield check, value

test_helper.__test__ = False

def test_in_turn():
    for number in range(3):
        def inner():
            assert number != 1
        yield inner

def is_there(folder):
    assert os.path.isdir(folder)

def test_until_it_ends():
    folder = tempfile.mkdtemp()
    try:
        yield is_there, folder
        yield is_there, folder
    finally:
        os.rmdir(folder)

class TestOfClass:
    @classmethod
    def setUpClass(cls):
        cls.values = [1, 1]

    def setup(self):
        self.count = getattr(self, "count", 0) + 1

    def check(self, value):
        assert self.count == value

    def test_yields(self):
        for value in self.values:
            yield self.check, value

class TestBroken:
    @classmethod
    def setUpClass(cls):
        raise OSError("broken")

    def test_one(self):
        pass

    def test_two(self):
        pass

class TestLower(object):
    def setup(self):
        self.value = getattr(self, "value", 0) + 1

    def test_once(self):
        assert self.value == 1

class TestUnit(unittest.TestCase):
    def setUp(self):
        self.value = getattr(self, "value", 0) + 1

    def test_once(self):
        self.assertEqual(self.value, 1)

def given(value):
    def decorate(test):
        @functools.wraps(test)
        def wrapper(*others):
            return test(*others, value)
        return wrapper
    return decorate

@given(3)
def test_given(value):
    assert value == 3

def test_what_was_done():
    assert LOG == ["class", *["test"] * 4, "end of class"]
"""
PASSED = {
    *("test_yields[0]", "test_yields[1]", "test_breaks[0]", "test_leaves_out[0]", "test_what_was_done"),
    *("TestPlain::test_set_up", "TestPlain::test_yields[2]", "TestPlain::test_yields[0]"),
    *("test_given", "test_in_turn[0]", "test_in_turn[2]", "test_until_it_ends[0]", "test_until_it_ends[1]"),
    *("TestOfClass::test_yields[0]", "TestLower::test_once", "TestUnit::test_once"),
}
FAILED = {"test_yields[2]", "test_breaks[1]", "TestPlain::test_yields[3]", "test_in_turn[1]"}
BROKEN = {"TestBroken::test_one", "TestBroken::test_two"}
COMMAND = TestCommand("nose", ("pytest",))

Fill = Callable[[Mapping[str, str]], Sandbox]


def test_each_yielded_test_has_a_label_of_its_own() -> None:
    def test_all() -> Iterator[object]:
        yield print
        yield print, "a", int, None, 1.5
        yield from ((print, "a"), (print, "a-3"), (print, "a"), (print, "/tmp/x"), (print, 6), (print, 7))
        raise OSError("broken")

    labels = nose_habits.Generator(SimpleNamespace(test_all=test_all), "test_all").labels
    assert labels == ["0", "a-int-None-1.5", "a", "a-3", "a-4", "5", "6", "7", "8"]


class Proxy:
    """Like Flask's ``request`` without a request, or Django's settings without any."""

    def __getattr__(self, name: str) -> object:
        raise RuntimeError("nothing yet")

    @property  # type: ignore[misc]
    def __class__(self) -> type:
        raise RuntimeError("nothing yet")


@pytest.mark.parametrize("name", ["request", "test_request"])
def test_what_a_module_imports_is_not_asked_what_it_is_unless_it_is_a_function(name: str) -> None:
    collector = SimpleNamespace(istestfunction=lambda _, name: name.startswith("test"))
    assert nose_habits.NoseHabits().pytest_pycollect_makeitem(collector, name, Proxy()) is None


@pytest.mark.registry
@pytest.mark.bubblewrap
def test_a_suite_for_nose_says_what_nose_would(fill: Fill, bare: tuple[GitCheckout, PreparedEnvironment]) -> None:
    environment = replace(bare[1].environment, tests=(COMMAND,))
    report = run_tests(fill({"tests/test_a.py": SUITE}), environment, (), timeout_seconds=60)
    assert report.problem is None
    assert report.passed == {f"tests/test_a.py::{name}" for name in PASSED}
    assert report.red == {f"tests/test_a.py::{name}" for name in FAILED | BROKEN}
    one = "tests/test_a.py::TestPlain::test_yields[3]"
    assert run_tests(fill({"tests/test_a.py": SUITE}), environment, (one,), timeout_seconds=60).red == {one}


@pytest.mark.registry
@pytest.mark.long(short="test_a_suite_for_nose_says_what_nose_would")
@pytest.mark.parametrize("version", ["6.2.5", "7.4.4"])
def test_so_it_does_with_an_older_pytest(version: str, tmp_path: Path) -> None:
    """Which takes a yielded test of a class for the one that yields it, until 7.0, and calls some fixtures itself."""
    venv.create(tmp_path / "venv", with_pip=True)
    python = str(tmp_path / "venv/bin/python")
    subprocess.run([python, "-m", "pip", "install", "--quiet", f"pytest=={version}"], check=True)
    (tmp_path / "test_a.py").write_text(SUITE)
    source = str(Path(nose_habits.__file__).parent)
    program = f"import sys; sys.path.append({source!r})\nimport pytest, nose_habits\n"
    program += "pytest.main(['--junit-xml=said.xml', '-p', 'no:cacheprovider'], plugins=[nose_habits.NoseHabits()])\n"
    clean = {name: value for name, value in os.environ.items() if not name.startswith(("PYTEST_", "PYTHONPATH"))}
    subprocess.run([python, "-c", program], cwd=tmp_path, check=True, capture_output=True, env=clean)
    cases = [*ElementTree.parse(tmp_path / "said.xml").getroot().iter("testcase")]
    names = {
        case: f"{case.get('classname')}::{case.get('name')}".replace("test_a.", "").removeprefix("test_a::")
        for case in cases
    }
    assert {name for case, name in names.items() if not len(case)} == PASSED
    for kind, expected in (("failure", FAILED), ("error", BROKEN)):
        assert {name for case, name in names.items() if case.find(kind) is not None} == expected
