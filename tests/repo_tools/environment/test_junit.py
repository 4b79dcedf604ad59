"""Reports that the real pytest writes, and texts that it never would."""

import subprocess
import sys
import tracemalloc
from collections.abc import Mapping
from pathlib import Path
from xml.etree import ElementTree

import pytest

from repo_tools.environment.junit import (
    MAX_ELEMENTS,
    MAX_MESSAGE_CHARACTERS,
    Address,
    JUnitError,
    junit_root,
    parse_junit,
)
from repo_tools.environment.runners.pytest_address import pytest_address
from repo_tools.test_report import TestCase, TestOutcome
from tests.support.long import first_of

PASSED, FAILED, ERROR, SKIPPED = TestOutcome.PASSED, TestOutcome.FAILED, TestOutcome.ERROR, TestOutcome.SKIPPED


def pytest_addresses(folder: Path) -> Address:
    return lambda element: pytest_address(element, lambda path: (folder / path).is_file())


def nowhere(_: object) -> tuple[str, tuple[str, ...]]:
    return "", ()


def cases_of(folder: Path, files: Mapping[str, str], *options: str) -> dict[str, TestCase]:
    for path, text in files.items():
        place = folder / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text)
    command = [sys.executable, "-m", "pytest", f"--rootdir={folder}", "-p", "no:cacheprovider", *options]
    junit = ["--junit-xml=report.xml", "-o", "junit_family=xunit1", "--continue-on-collection-errors"]
    subprocess.run([*command, *junit], cwd=folder, capture_output=True, check=False)
    cases = parse_junit((folder / "report.xml").read_bytes(), pytest_addresses(folder))
    assert len({case.id for case in cases}) == len(cases)
    return {case.id: case for case in cases}


def outcomes_of(folder: Path, files: Mapping[str, str], *options: str) -> dict[str, TestOutcome]:
    return {name: case.outcome for name, case in cases_of(folder, files, *options).items()}


def test_ids_are_those_that_pytest_takes_as_selectors(tmp_path: Path) -> None:
    body = (
        "import pytest\n"
        "@pytest.mark.parametrize('x', ['a.b', 'c::d', 'e/f.py', 'g[h]', 'sp ace'])\n"
        "def test_p(x): pass\n"
        "class TestA:\n    class TestB:\n        def test_c(self): pass\n"
    )
    found = outcomes_of(tmp_path, {"v1.2/test_dots.py": body})
    path = "v1.2/test_dots.py"
    assert found == dict.fromkeys(
        [
            *(f"{path}::test_p[{value}]" for value in ["a.b", "c::d", "e/f.py", "g[h]", "sp ace"]),
            f"{path}::TestA::TestB::test_c",
        ],
        PASSED,
    )


@pytest.mark.parametrize("classname", ["tests.test_a.TestA.TestB.()", "tests.test_a.TestA.TestB"])
def test_a_class_within_another_has_the_id_that_it_is_asked_for_by(classname: str) -> None:
    """pytest 3 takes the first ``()`` out of ``test_a.py::TestA::()::TestB::()::test_c``, and leaves the others."""
    element = ElementTree.fromstring(f"<testcase classname='{classname}' name='test_c' file='tests/test_a.py'/>")
    assert pytest_address(element, lambda path: path == "tests/test_a.py") == (
        "tests/test_a.py",
        ("TestA", "TestB", "test_c"),
    )


DATA_FILES = """
import pytest

class Data(pytest.File):
    def collect(self):
        yield Check.from_parent(self, name="")

class Check(pytest.Item):
    def runtest(self):
        assert "wrong" not in self.path.read_text()

def pytest_collect_file(parent, file_path):
    return Data.from_parent(parent, path=file_path) if file_path.suffix == ".txt" else None
"""


def test_a_test_without_a_name_is_one_too(tmp_path: Path) -> None:
    """Suites that make a test of each data file leave its name empty."""
    files = {"tests/conftest.py": DATA_FILES, "tests/data/a.txt": "right", "tests/data/b.txt": "wrong"}
    assert outcomes_of(tmp_path, files) == {"tests/data/a.txt::": PASSED, "tests/data/b.txt::": FAILED}


def test_an_inherited_test_belongs_to_the_file_that_inherits_it(tmp_path: Path) -> None:
    found = outcomes_of(
        tmp_path,
        {
            "tests/__init__.py": "",
            "tests/base.py": "class Base:\n    def test_a(self): pass\n",
            "tests/test_x.py": "from tests.base import Base\nclass TestX(Base): pass\n",
        },
    )
    assert found == {"tests/test_x.py::TestX::test_a": PASSED}


def test_each_kind_of_ending_has_its_outcome(tmp_path: Path) -> None:
    body = """
import pytest, unittest
@pytest.fixture
def broken(): raise RuntimeError('in set-up')
@pytest.fixture
def torn():
    yield
    raise RuntimeError('in tear-down')
def test_pass(): pass
def test_fail(): assert 1 == 2
def test_setup(broken): pass
def test_teardown(torn): pass
def test_fail_and_teardown(torn): assert 0
@pytest.mark.skip
def test_skip(): pass
@pytest.mark.xfail
def test_xfail(): assert 0
@pytest.mark.xfail(strict=True)
def test_xpass_strict(): pass
@pytest.mark.xfail
def test_xpass(): pass
class TestUnit(unittest.TestCase):
    def test_sub(self):
        for i in range(3):
            with self.subTest(i=i):
                self.assertNotEqual(i, 1)
"""
    found = outcomes_of(tmp_path, {"test_k.py": body})
    assert {name.removeprefix("test_k.py::"): outcome for name, outcome in found.items()} == {
        "test_pass": PASSED,
        "test_fail": FAILED,
        "test_setup": ERROR,
        "test_teardown": ERROR,
        "test_fail_and_teardown": ERROR,
        "test_skip": SKIPPED,
        "test_xfail": SKIPPED,
        "test_xpass_strict": FAILED,
        "test_xpass": PASSED,
        "TestUnit::test_sub": FAILED,
    }


def test_a_file_that_cannot_be_collected_is_one_error_without_a_name(tmp_path: Path) -> None:
    found = cases_of(
        tmp_path, {"tests/test_a.py": "import nothing_of_this_name", "tests/test_b.py": "def test_b(): pass"}
    )
    assert {name: case.outcome for name, case in found.items()} == {
        "tests/test_a.py": ERROR,
        "tests/test_b.py::test_b": PASSED,
    }
    assert "nothing_of_this_name" in found["tests/test_a.py"].message


def test_a_module_that_skips_itself_is_a_skip_of_the_file(tmp_path: Path) -> None:
    body = "import pytest\npytest.importorskip('nothing_of_this_name')\ndef test_a(): pass"
    assert outcomes_of(tmp_path, {"test_a.py": body}) == {"test_a.py": SKIPPED}


PLUGIN = """
import pytest
class Status(pytest.Item):
    def runtest(self): pass
def pytest_collection_modifyitems(session, items):
    items.append(Status.from_parent(session, name="mypy-status"))
"""


def test_a_test_that_a_plugin_adds_to_the_whole_is_of_no_file(tmp_path: Path) -> None:
    assert outcomes_of(tmp_path, {"conftest.py": PLUGIN, "test_a.py": ""}) == {".::mypy-status": PASSED}


def test_doctests_belong_to_their_module(tmp_path: Path) -> None:
    body = '"""\n>>> 1\n1\n"""\ndef f():\n    """\n    >>> f()\n    2\n    """\n    return 1\n'
    found = outcomes_of(tmp_path, {"pkg/__init__.py": "", "pkg/mod.py": body}, "--doctest-modules")
    assert found == {"pkg/mod.py::pkg.mod": PASSED, "pkg/mod.py::pkg.mod.f": FAILED}


def test_a_failure_says_why_within_bounds(tmp_path: Path) -> None:
    found = cases_of(tmp_path, {"test_a.py": "def test_a(): raise ValueError('start' + 'x' * 50_000 + 'end')"})
    message = found["test_a.py::test_a"].message
    assert "characters left out" in message
    assert len(message) <= MAX_MESSAGE_CHARACTERS


def test_a_report_with_control_characters_is_read_without_them() -> None:
    xml = b'<testsuite><testcase name="a"><error message="\x1b[31mno\x1b[0m"/></testcase></testsuite>'
    (case,) = parse_junit(xml, lambda _: ("t.py", ("a",)))
    assert (case.id, case.outcome, case.message) == ("t.py::a", ERROR, "[31mno[0m")


def test_what_a_case_printed_is_its_message_where_nothing_else_is_said() -> None:
    xml = b"<testsuite><testcase name='a'><failure/><system-out>of C</system-out></testcase></testsuite>"
    assert [case.message for case in parse_junit(xml, nowhere)] == ["of C"]


def test_what_says_nothing_of_a_case_is_not_kept() -> None:
    more = b"<properties><property name='a'>of one<failure/></property></properties><system-err>b</system-err>"
    xml = b"<testsuites><testsuite>%s<testcase name='a'>%s<failure>no</failure></testcase></testsuite></testsuites>"
    root = junit_root(xml % (more, more))
    assert [element.tag for element in root.iter()] == ["testsuites", "testsuite", "testcase", "failure"]
    (case,) = parse_junit(xml % (more, more), nowhere)
    assert (case.outcome, case.message) == (FAILED, "no")


@pytest.mark.parametrize("element", first_of([b"<property/>", b"<testcase name='a'/>"]))
def test_a_report_without_end_is_refused_before_it_is_kept(element: bytes) -> None:
    xml = b"<testsuite>" + element * (MAX_ELEMENTS + 1) + b"</testsuite>"
    tracemalloc.start()
    with pytest.raises(JUnitError, match="more than 500,000 elements"):
        parse_junit(xml, nowhere)
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert most < 400 << 20


@pytest.mark.parametrize(
    "xml",
    [
        b"",
        b"not xml",
        b"<html/>",
        b"<testsuites><testsuite><testcase name='test_a'>",
        b"<!DOCTYPE x [<!ENTITY a 'b'>]><testsuites><testsuite><testcase name='&a;'/></testsuite></testsuites>",
        b"<!DOCTYPE x SYSTEM 'file:///etc/passwd'><testsuites/>",
        b"<?xml version='1.0' encoding='euc-jp'?><testsuites/>",
        b"<?xml version='1.0' encoding='nonesuch'?><testsuites/>",
    ],
)
def test_what_is_no_report_is_refused(xml: bytes) -> None:
    with pytest.raises(JUnitError):
        parse_junit(xml, nowhere)


@pytest.mark.parametrize(("told", "seconds"), [("1.5", 1.5), ("nan", 0.0), ("inf", 0.0), ("-3", 0.0), ("long", 0.0)])
def test_a_time_that_is_none_is_nought(told: str, seconds: float) -> None:
    xml = f"<testsuites><testsuite><testcase name='a' classname='b' time='{told}'/></testsuite></testsuites>".encode()
    assert [case.seconds for case in parse_junit(xml, nowhere)] == [seconds]


def test_an_empty_report_holds_no_cases() -> None:
    assert parse_junit(b"<testsuites><testsuite name='pytest'/></testsuites>", nowhere) == ()


def test_an_error_without_a_name_is_one_of_the_root() -> None:
    xml = b"<testsuites><testsuite><testcase classname='' name=''><error/></testcase></testsuite></testsuites>"
    (case,) = parse_junit(xml, lambda element: pytest_address(element, lambda _: False))
    assert (case.id, case.path, case.outcome) == (".", ".", ERROR)
