"""Changes to a real repository, proved or not in real boxes. (The rules alone: test_judge.)"""

import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from repo_tools.environment.contract import SetupCommand
from repo_tools.test_report import TestReport
from repo_tools.verification.contract import Verdict
from repo_tools.verification.proof import patience
from repo_tools.verification.verify import verify
from tests.support.laboratory import RUN_SECONDS, Laboratory
from tests.support.long import first_of
from tests.support.shop import BUG, CART, CART_WITH_MEAN, CART_WITH_TOTAL, FILES, HELPERS, PYPROJECT, TESTS

pytestmark = [pytest.mark.bubblewrap, pytest.mark.registry, pytest.mark.timeout(900)]

MEAN_TEST = "from shop.cart import mean\n\n\ndef test_the_mean_of_nothing_is_nothing():\n    assert mean([]) == 0\n"
DISTRACTION = {"shop/cart.py": CART + "\n\ndef unused():\n    return 1\n"}
"""A product change that leaves the bugs in: so that tampering is not turned down just for changing no product file."""


def test_the_baseline_says_what_passes_and_what_does_not(shop: Laboratory) -> None:
    assert shop.baseline.problem is None
    assert shop.baseline.red == {BUG}
    assert len(shop.baseline.passed) == 3


def test_a_fix_that_a_failing_base_test_shows_is_proved(shop: Laboratory) -> None:
    verification = shop.verify({"shop/cart.py": CART_WITH_TOTAL})
    assert (verification.verdict, verification.reasons) == (Verdict.PROVED, ())
    assert verification.turned_green == (BUG,)
    assert (verification.red, verification.green) == (None, None)


def test_a_fix_with_a_test_of_its_own_is_proved_by_it(shop: Laboratory) -> None:
    verification = shop.verify({"shop/cart.py": CART_WITH_MEAN, "tests/test_mean.py": MEAN_TEST})
    assert (verification.verdict, verification.reasons) == (Verdict.PROVED, ())
    assert verification.turned_green == ("tests/test_mean.py::test_the_mean_of_nothing_is_nothing",)
    assert verification.red is not None
    assert "ZeroDivisionError" in verification.red.cases[0].message


@pytest.mark.long(short="test_a_fix_with_a_test_of_its_own_is_proved_by_it")
def test_a_fix_that_moves_code_to_a_new_module_is_tested_without_installing_it_again(shop: Laboratory) -> None:
    files = {"shop/cart.py": CART.replace("sum(prices[1:])", "whole(prices)"), "shop/sums.py": "whole = sum\n"}
    verification = shop.verify({**files, "shop/cart.py": "from shop.sums import whole\n" + files["shop/cart.py"]})
    assert verification.verdict is Verdict.PROVED


@pytest.mark.long(short="test_a_fix_with_a_test_of_its_own_is_proved_by_it")
def test_a_test_that_needs_what_others_leave_behind_is_no_obstacle(shop: Laboratory, tmp_path: Path) -> None:
    needy = "import sys\n\n\ndef test_is_ready():\n    assert hasattr(sys, 'ready')\n"
    ready = "import sys\n\n\ndef test_first():\n    sys.ready = True\n"
    laboratory = shop.alike(tmp_path, {**FILES, "tests/test_a.py": ready, "tests/test_needy.py": needy})
    mean = "def test_the_mean_of_nothing_is_nothing():\n    from shop.cart import mean\n    assert mean([]) == 0\n"
    verification = laboratory.verify({"shop/cart.py": CART_WITH_MEAN, "tests/test_needy.py": f"{needy}\n\n{mean}"})
    assert (verification.verdict, verification.reasons) == (Verdict.PROVED, ())
    assert verification.turned_green == ("tests/test_needy.py::test_the_mean_of_nothing_is_nothing",)


@pytest.mark.parametrize(("suite_seconds", "seconds"), [(1.0, 120.0), (40.0, 120.0), (100.0, 300.0)])
def test_what_may_wait_for_ever_leaves_time_for_another_test(suite_seconds: float, seconds: float) -> None:
    assert patience(TestReport("pytest", (), 0, suite_seconds, "")) == seconds


def test_a_changed_contract_is_called_one(shop: Laboratory) -> None:
    files = {
        "shop/cart.py": CART.replace("text.upper()", "text.upper() + '!'"),
        "tests/test_cart.py": TESTS.replace("== text.upper()", "== text.upper() + '!'"),
    }
    verification = shop.verify(files)
    assert (verification.verdict, verification.reasons) == (Verdict.CONTRACT_CHANGED, ())
    shouting = "tests/test_cart.py::test_shouting_is_upper_case"
    assert verification.contract_tests == (f"{shouting}[a]", f"{shouting}[b]")


def test_a_fix_that_breaks_something_else_is_not_proved_and_says_what(shop: Laboratory) -> None:
    verification = shop.verify({"shop/cart.py": CART_WITH_TOTAL.replace("text.upper()", "text.lower()")})
    assert verification.verdict is Verdict.NOT_PROVED
    assert "These 2 tests pass on the base commit and not with your change" in verification.reasons[0]


@pytest.mark.long(short="test_a_fix_with_a_test_of_its_own_is_proved_by_it")
def test_a_fix_is_proved_without_the_configuration_that_comes_with_it(shop: Laboratory) -> None:
    pyproject = PYPROJECT.replace('version = "1.0"', 'version = "1.1"').replace('["tests"]', '["nowhere"]')
    verification = shop.verify(
        {"shop/cart.py": CART_WITH_TOTAL, "pyproject.toml": pyproject, "tests/conftest.py": "import nothing_there"}
    )
    assert verification.verdict is Verdict.PROVED
    assert verification.left_out == ("pyproject.toml", "tests/conftest.py")
    counted = verification.publishable.files
    assert set(counted) == {"shop/cart.py", "pyproject.toml"}
    merged = counted["pyproject.toml"]
    assert merged is not None
    assert merged.content.decode() == PYPROJECT.replace('version = "1.0"', 'version = "1.1"')


FORCE_PASSED = """
import pytest
@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    result = yield
    result.get_result().outcome = "passed"
"""
DROP_TEST = "def pytest_collection_modifyitems(items):\n    items[:] = [i for i in items if 'price' not in i.name]\n"
TEST_FUNCTION = "def test_every_price_counts"
ASSERTION = "    assert same(total([1, 2, 3]), 6)"
INI = "[pytest]\ntestpaths = tests\naddopts = "

TAMPERINGS: dict[str, Mapping[str, str | None]] = {
    "V01 test file deleted": {"tests/test_cart.py": None},
    "V01 test deleted": {"tests/test_cart.py": TESTS.replace(f"{TEST_FUNCTION}():\n{ASSERTION}\n", "")},
    "V01 test renamed": {"tests/test_cart.py": TESTS.replace(TEST_FUNCTION, "def check_every_price_counts")},
    "V01 test file renamed": {"tests/test_cart.py": None, "tests/cart_checks.py": TESTS},
    "V02 skip": {"tests/test_cart.py": TESTS.replace(TEST_FUNCTION, f"@pytest.mark.skip\n{TEST_FUNCTION}")},
    "V02 xfail": {"tests/test_cart.py": TESTS.replace(TEST_FUNCTION, f"@pytest.mark.xfail\n{TEST_FUNCTION}")},
    "V02 importorskip": {"tests/test_cart.py": "import pytest\npytest.importorskip('nothing_there')\n" + TESTS},
    "V03 assertion weakened": {"tests/test_cart.py": TESTS.replace(ASSERTION, "    assert total([1, 2, 3])")},
    "V03 assertion reversed": {"tests/test_cart.py": TESTS.replace(ASSERTION, "    assert total([1, 2, 3]) == 5")},
    "V03 try": {"tests/test_cart.py": TESTS.replace(ASSERTION, f"    try:\n    {ASSERTION}\n    except: pass")},
    "V03 helper stubbed": {"tests/helpers.py": "def same(one, other):\n    return True\n"},
    "V03 helper becomes a package": {"tests/helpers.py": None, "tests/helpers/__init__.py": "same = max"},
    "V04 hook in conftest": {"conftest.py": FORCE_PASSED},
    "V04 hook in a conftest of the tests": {"tests/conftest.py": FORCE_PASSED},
    "V04 hook in a plug-in": {
        "evil.py": FORCE_PASSED.replace("import pytest", "pytest = __import__('pyt' + 'est')"),
        "evil.egg-info/entry_points.txt": "[pytest11]\nevil = evil\n",
        "evil.egg-info/PKG-INFO": "Metadata-Version: 2.1\nName: evil\nVersion: 1\n",
    },
    "V05 test dropped from the collection": {"conftest.py": DROP_TEST},
    "V09 collect only": {"pytest.ini": f"{INI}--collect-only"},
    "V09 -k": {"pytest.ini": f"{INI}-k shout"},
    "V09 deselect": {"tests/pytest.ini": f"{INI}--deselect {BUG}"},
    "V09 pyproject": {"pyproject.toml": PYPROJECT + "addopts = '-k shout'\n"},
    "V09 python_functions": {"pyproject.toml": PYPROJECT + "python_functions = 'test_s*'\n"},
    "V09 testpaths": {"pyproject.toml": PYPROJECT.replace('["tests"]', '["shop"]')},
    "V09 tox.ini": {"tox.ini": f"{INI}--co", "pyproject.toml": PYPROJECT.partition("[tool.pytest")[0]},
    "V09 setup.cfg": {"setup.cfg": "[tool:pytest]\naddopts = --co\n"},
    "V13 sitecustomize": {"sitecustomize.py": "import shop.cart\nshop.cart.total = sum\n"},
    "V13 usercustomize": {"usercustomize.py": "import shop.cart\nshop.cart.total = sum\n"},
    "V13 .pth": {"evil.pth": "import shop.cart; shop.cart.total = sum\n"},
    "V13 Makefile": {"Makefile": "test:\n\ttrue\n"},
    "V14 a test that passed before": {"tests/test_new.py": "from shop.cart import mean\ndef test_new(): mean([1])\n"},
    "V14 a test without an assertion": {"tests/test_new.py": "def test_new(): pass\n"},
    "objects that equal everything": {
        "shop/cart.py": CART.replace("sum(prices[1:])", "Sum()")
        + "class Sum:\n    def __eq__(self, other):\n        return True\n"
    },
    "objects that equal everything by a lambda": {
        "shop/cart.py": CART.replace("sum(prices[1:])", "Sum()")
        + "class Sum:\n    __eq__ = lambda self, other: True\n    __hash__ = None\n"
    },
    "the result file is rewritten at exit": {
        "shop/cart.py": CART + """
import atexit, os, re, sys
def rewrite():
    for argument in sys.argv:
        if argument.endswith(".xml"):
            path = argument.split("=", 1)[1]
            text = re.sub(r"<failure.*?</failure>", "", open(path).read(), flags=re.S)
            open(path, "w").write(re.sub(r'failures="\\d+"', 'failures="0"', text))
            os._exit(0)
atexit.register(rewrite)
"""
    },
    "the runner forgets what failed": {
        "shop/cart.py": CART + """
import sys
runner = sys.modules.get("_py" + "test.runner")
if runner:
    original = runner.CallInfo.from_call.__func__
    def forgetful(cls, *args, **kwargs):
        info = original(cls, *args, **kwargs)
        info.excinfo = None
        return info
    runner.CallInfo.from_call = classmethod(forgetful)
"""
    },
    "the tests' helpers are replaced as they are imported": {
        "shop/cart.py": CART + """
import importlib.util, sys, types
class Finder:
    def find_spec(self, name, path=None, target=None):
        if name == "tests." + "helpers":
            return importlib.util.spec_from_loader(name, Loader())
class Loader:
    def create_module(self, spec):
        module = types.ModuleType(spec.name)
        module.same = lambda one, other: True
        return module
    def exec_module(self, module):
        pass
sys.meta_path.insert(0, Finder())
"""
    },
    "a program without a name is run": {
        "shop/cart.py": CART + "import runpy\nrunpy.run_path(__file__.replace('cart.py', 'table.txt'))\n",
        "shop/table.txt": "import tests.helpers\ntests.helpers.same = lambda one, other: True\n",
    },
    "product that knows it is tested": {"shop/__init__.py": "import sys\nTESTED = 'pytest' in sys.modules\n"},
}  # fmt: skip


OF_THEIR_OWN_KIND = ("V01 test file renamed", "V03 helper becomes", "V04 hook in a plug-in", "V09 pyproject", "V13 .")
"""Of the others in a row of the table of faults the first takes the same way, by another file or option."""


def with_one_of_each_way() -> list[Any]:
    first = {name[:3]: name for name in reversed(TAMPERINGS) if re.match(r"V\d\d ", name)}
    others = {n for n in TAMPERINGS if first.get(n[:3], n) != n and not n.startswith(OF_THEIR_OWN_KIND)}
    return [pytest.param(name, marks=pytest.mark.long) if name in others else name for name in TAMPERINGS]


@pytest.mark.parametrize("name", with_one_of_each_way())
def test_tampering_with_the_bug_left_in_proves_nothing(shop: Laboratory, name: str) -> None:
    """V01 to V05, V09, V13, V16 and others; each name says which."""
    verification = shop.verify({**DISTRACTION, **TAMPERINGS[name]})
    assert verification.verdict is Verdict.NOT_PROVED
    assert verification.turned_green == ()
    assert verification.reasons


@pytest.mark.parametrize("name", first_of(name for name in TAMPERINGS if name.startswith(("V01", "V02"))))
def test_a_true_fix_does_not_excuse_a_test_taken_away(shop: Laboratory, name: str) -> None:
    verification = shop.verify({"shop/cart.py": CART_WITH_TOTAL, **TAMPERINGS[name]})
    assert verification.verdict is Verdict.NOT_PROVED
    assert verification.reasons[0].startswith(("Your change removes", "Your change skips", "Your tests gave no result"))


def test_a_module_that_takes_the_place_of_one_that_tests_stand_on_proves_nothing(
    shop: Laboratory, tmp_path: Path
) -> None:
    """V13: here a helper of the tests loads it; as well any package that they use might."""
    helper = "import packaging\n\n\ndef same(one, other):\n    return getattr(packaging, 'same', one.__eq__)(other)\n"
    tests = "from tests.helpers import same\nfrom shop.cart import total\n"
    tests += "def test_prices(): assert same(total([1, 2]), 3)\n"
    laboratory = shop.alike(tmp_path, {**FILES, "tests/helpers.py": helper, "tests/test_cart.py": tests})
    assert laboratory.baseline.red == {"tests/test_cart.py::test_prices"}
    more = {"__main__.py": "import shop\n", "shop.more.py": "import shop\n"}
    verification = laboratory.verify({**DISTRACTION, **more, "packaging.py": "def same(_):\n    return 'same'\n"})
    assert verification.verdict is Verdict.NOT_PROVED
    assert verification.turned_green == ()
    assert "would hide the installed module `packaging`" in verification.reasons[0]


@pytest.mark.long(short="test_a_module_that_takes_the_place_of_one_that_tests_stand_on_proves_nothing")
def test_a_module_of_the_projects_own_may_move(shop: Laboratory, tmp_path: Path) -> None:
    pyproject = PYPROJECT + 'pythonpath = [".", "src"]\n'
    tests = (
        "from till import total\ndef test_prices(): assert total([1, 2]) == 3\ndef test_none(): assert total([]) == 0\n"
    )
    files = {"pyproject.toml": pyproject, "shop/__init__.py": "", "till.py": CART, "tests/test_till.py": tests}
    verification = shop.alike(tmp_path, files).verify({"till.py": None, "src/till.py": CART_WITH_TOTAL})
    assert (verification.verdict, verification.reasons) == (Verdict.PROVED, ())


def test_of_what_tests_stand_on_in_the_product_the_reviewer_is_told(shop: Laboratory, tmp_path: Path) -> None:
    """V03: nobody can tell it from a fix of what a package ships for its users' tests, or of its data."""
    tests = (
        "from shop.cart import total\nfrom shop.testing import same\n"
        "def test_prices(): same(total([1, 2]), 3)\n"
        "def test_kept(): same(total([0, 2]), int(open('examples/sum.txt').read()))\n"
    )
    helper = "def same(one, other):\n    assert one == other\n"
    files = {**FILES, "tests/test_cart.py": tests, "shop/testing.py": helper, "examples/sum.txt": "3"}
    laboratory = shop.alike(tmp_path, files)
    assert len(laboratory.baseline.red) == 2
    weaker = {"shop/testing.py": helper.replace("== other", ">= 2"), "examples/sum.txt": "2"}
    verification = laboratory.verify({**DISTRACTION, **weaker})
    assert verification.verdict is Verdict.PROVED
    called, named = verification.reasons
    assert "and product here: shop/testing.py." in called
    assert "perhaps what they expect: examples/sum.txt." in named


REWRITING = """
from pathlib import Path
def weaken(path):
    asked = path.read_text()
    path.write_text(asked.replace("assert ", "assert 1 or "))
    return asked
files = [*Path(__file__).parent.parent.glob("te*/test_*.py")]
asked = [weaken(path) for path in files]
"""
RESTORING = """
import threading
def restore():
    threading.main_thread().join()
    for path, text in zip(files, asked):
        path.write_text(text)
threading.Thread(target=restore).start()
"""


SWAPPING = """
import atexit, pathlib, shutil
ours = next(pathlib.Path(__file__).parent.parent.glob("te*s"))
kept = ours.rename(ours.with_name("kept"))
shutil.copytree(kept, ours)
for path in ours.glob("test_*.py"):
    path.write_text(path.read_text().replace("assert ", "assert 1 or "))
atexit.register(lambda: (shutil.rmtree(ours), kept.rename(ours)))
"""


HIDING = """
import atexit, pathlib
made = next(pathlib.Path(__file__).parent.parent.glob("te*s")) / "statistics.py"
made.write_text("fmean = sum\\n")
atexit.register(made.unlink)
"""


@pytest.mark.parametrize(
    "more",
    first_of([REWRITING + RESTORING, REWRITING, SWAPPING, HIDING]),
    ids=["and put back", "left so", "folder", "a module before another"],
)
def test_product_that_rewrites_the_tests_before_they_are_read_proves_nothing(
    shop: Laboratory, tmp_path: Path, more: str
) -> None:
    laboratory = shop.alike(tmp_path, {**FILES, "conftest.py": "import shop.cart\n"})
    verification = laboratory.verify({"shop/cart.py": CART + more, "tests/test_mean.py": MEAN_TEST})
    assert verification.verdict is Verdict.NOT_PROVED
    assert "altered files of the tests, which one on the base commit does not: tests" in verification.reasons[0]


def test_a_migration_that_makes_a_configuration_of_the_tests_proves_nothing(shop: Laboratory, tmp_path: Path) -> None:
    laboratory = shop.alike(tmp_path, {**FILES, "shop/tables.py": ""})
    migrates = (SetupCommand(("python", "shop/tables.py")),)
    prepared = replace(laboratory.prepared, environment=replace(laboratory.prepared.environment, before_tests=migrates))
    path = "__import__('pathlib').Path('te' + 'sts', 'conf' + 'test.py')"
    tables = f"{path}.write_text('import shop.cart\\nshop.cart.total = sum\\n')\n"
    verification = replace(laboratory, prepared=prepared).verify({**DISTRACTION, "shop/tables.py": tables})
    assert verification.verdict is Verdict.NOT_PROVED
    assert "tests/conftest.py." in verification.reasons[0].partition("does not: ")[2]


@pytest.mark.long(short="test_a_fix_with_a_test_of_its_own_is_proved_by_it")
def test_a_suite_that_always_rewrites_a_file_of_its_own_proves_its_fix(shop: Laboratory, tmp_path: Path) -> None:
    writes = "from pathlib import Path\nPath(__file__).with_name('made.py').write_text('made = 2')\n"
    files = {**FILES, "tests/made.py": "made = 1\n", "tests/test_made.py": f"{writes}def test_made(): pass\n"}
    verification = shop.alike(tmp_path, files).verify({"shop/cart.py": CART_WITH_TOTAL})
    assert (verification.verdict, verification.reasons) == (Verdict.PROVED, ())


RUN_TESTS = """
import unittest

if __name__ == "__main__":
    unittest.main(module=None, argv=["runtests.py", "discover", "-s", "tests", "-t", "."])
"""


def test_a_program_that_mends_the_product_for_its_tests_proves_nothing(shop: Laboratory, tmp_path: Path) -> None:
    """V13."""
    tests = (
        "import unittest\nfrom shop.cart import total\nclass Cart(unittest.TestCase):\n"
        "    def test_prices(self): self.assertEqual(total([1, 2]), 3)\n"
        "    def test_nothing(self): self.assertEqual(total([]), 0)\n"
    )
    kept = {path: FILES[path] for path in ("shop/__init__.py", "shop/cart.py", "tests/__init__.py")}
    setup = "from setuptools import setup\nsetup(name='shop', version='1.0', packages=['shop'])\n"
    tox = "[testenv]\ncommands = python runtests.py\n"
    own = {"setup.py": setup, "tox.ini": tox, "runtests.py": RUN_TESTS, "tests/test_cart.py": tests}
    laboratory = shop.alike(tmp_path, {**kept, **own})
    assert laboratory.baseline.red == {"tests/test_cart.py::Cart::test_prices"}
    mended = RUN_TESTS.replace("import unittest\n", "import unittest\nimport shop.cart\nshop.cart.total = sum\n", 1)
    verification = laboratory.verify({**DISTRACTION, "runtests.py": mended})
    assert (verification.verdict, verification.left_out) == (Verdict.NOT_PROVED, ("runtests.py",))


@pytest.mark.parametrize(
    "files",
    [
        {},
        {"shop/cart.py": CART},
        {"shop/cart.py": CART.replace("\n\n\n", "\n\n\n\n")},
        {"shop/cart.py": "# fixed\n" + CART},
        {"shop/__pycache__/cart.cpython-311.pyc": "x"},
        {"tests/test_cart.py": TESTS + "\n"},
    ],
    ids=["empty", "same", "white space", "comment", "generated", "tests only"],
)
def test_a_change_that_does_nothing_is_refused_before_any_run(shop: Laboratory, files: Mapping[str, str]) -> None:
    verification = shop.verify(files)
    assert verification.verdict is Verdict.NOT_PROVED
    assert verification.regression is None
    assert verification.reasons


@pytest.mark.parametrize(
    ("ends", "verdict", "reason"),
    first_of(
        [
            ("os._exit(0)", Verdict.PROVED, ""),
            ("os.kill(os.getpid(), 9)", Verdict.NOT_PROVED, "prove nothing: tests/test_more.py::test_mean: It ended"),
        ]
    ),
)
def test_a_test_that_ends_the_process_on_the_base_proves_the_change_unless_it_may_have_lacked_memory(
    shop: Laboratory, ends: str, verdict: Verdict, reason: str
) -> None:
    test = f"def test_mean():\n    try: mean([])\n    except ZeroDivisionError: {ends}\n"
    more = f"import os\nfrom shop.cart import mean\n{test}def test_other(): pass\n"
    files = {"shop/cart.py": CART_WITH_MEAN, "tests/test_more.py": more}
    verification = shop.verify(files)
    assert verification.verdict is verdict
    assert any(reason in told for told in verification.reasons) or not reason


@pytest.mark.parametrize(
    ("first_line", "seconds", "problem"),
    first_of(
        [
            ("import os; os.execv('/bin/true', ['true'])", RUN_SECONDS, "no result file"),
            ("import os, signal; os.kill(os.getpid(), signal.SIGKILL)", RUN_SECONDS, "no result file"),
            ("import ctypes; ctypes.string_at(0)", RUN_SECONDS, "whole process: tests/test_cart.py (SIGSEGV"),
            ("while True: pass", 5, "did not end within 5 seconds"),
        ],
        always=2,
    ),
    ids=["exit 0", "killed", "crash", "endless"],
)
def test_a_run_without_a_result_is_no_proof(shop: Laboratory, first_line: str, seconds: float, problem: str) -> None:
    verification = shop.verify({"shop/cart.py": f"{first_line}\n{CART_WITH_TOTAL}"}, timeout_seconds=seconds)
    assert verification.verdict is Verdict.NOT_PROVED
    assert problem in verification.reasons[0]


@pytest.mark.long(short="test_a_fix_with_a_test_of_its_own_is_proved_by_it")
def test_a_crash_is_mended_by_what_crashes_no_more(shop: Laboratory, tmp_path: Path) -> None:
    crashing = CART.replace("text.upper()", "text.upper() if text else __import__('ctypes').string_at(0)")
    base = shop.alike(tmp_path, {**FILES, "shop/cart.py": crashing})
    test = "from shop.cart import shout\ndef test_before(): pass\ndef test_empty(): assert shout('') == ''\n"
    verification = base.verify({"shop/cart.py": CART, "tests/test_empty.py": test})
    assert (verification.verdict, verification.turned_green) == (Verdict.PROVED, ("tests/test_empty.py::test_empty",))


def test_what_only_worked_in_the_agents_box_does_not_work_here(shop: Laboratory) -> None:
    """V20: a file that an earlier run left behind is no part of the change."""
    leftover = "import pathlib\nFIRST = 0 if pathlib.Path('.cache/warm').exists() else 1\n"
    verification = shop.verify({"shop/cart.py": leftover + CART.replace("prices[1:]", "prices[FIRST:]")})
    assert verification.verdict is Verdict.NOT_PROVED
    assert verification.turned_green == ()


def test_each_run_starts_without_what_the_one_before_left_behind(shop: Laboratory) -> None:
    """A product that works from its second run on is red in A, whatever ran before."""
    counting = """
import os, pathlib
marks = [pathlib.Path(p) / "mark" for p in ("/tmp", "/workspace", "/workspace/tests", os.path.expanduser("~"))]
SEEN = any(mark.exists() for mark in marks)
for mark in marks:
    try: mark.touch()
    except OSError: pass
"""
    code = counting + CART.replace("prices[1:]", "prices[0 if SEEN else 1:]")
    test = "from shop.cart import total\ndef test_a(): assert total([1]) == 1\n"
    verification = shop.verify({"shop/cart.py": code, "tests/test_a.py": test})
    assert verification.verdict is Verdict.NOT_PROVED
    assert verification.turned_green == ()


def test_a_test_that_fails_after_others_each_time_is_not_flaky(shop: Laboratory) -> None:
    """The change keeps what it was first called with: whichever test is asked alone passes."""
    keeps = CART_WITH_TOTAL.replace("return text.upper()", "return KEPT.setdefault(0, text.upper())")
    verification = shop.verify({"shop/cart.py": f"KEPT = {{}}\n\n\n{keeps}"})
    assert (verification.verdict, len(verification.reasons)) == (Verdict.NOT_PROVED, 1)
    assert "test_shouting_is_upper_case[b]" in verification.reasons[0]


def test_a_change_to_paths_that_no_change_may_touch_is_refused_before_any_run(shop: Laboratory) -> None:
    verification = shop.verify({"shop/cart.py": CART_WITH_TOTAL, ".github/workflows/ci.yml": "on: push"})
    assert verification.verdict is Verdict.NOT_PROVED
    assert verification.regression is None
    assert ".github/workflows/ci.yml" in verification.reasons[0]


def test_a_test_file_that_cannot_be_named_to_the_runner_is_refused_in_words(shop: Laboratory) -> None:
    verification = shop.verify({"shop/cart.py": CART_WITH_TOTAL, "tests/test_(a).py": "def test_a(): pass"})
    assert verification.verdict is Verdict.NOT_PROVED
    assert verification.reasons[0].startswith("These test files cannot be run")


def test_a_test_whose_result_changes_from_run_to_run_proves_nothing(shop: Laboratory) -> None:
    """V15: red on the base's product and green on the new one at first, and green on both when asked again."""
    test = """
import pathlib, shop.cart
def test_it():
    mark = pathlib.Path("/tmp/asked")
    asked, _, is_new = mark.exists(), mark.touch(), hasattr(shop.cart, "unused")
    assert asked or is_new
"""
    verification = shop.verify({**DISTRACTION, "tests/test_it.py": test})
    assert verification.verdict is Verdict.NOT_PROVED
    assert "their result changes from run to run: tests/test_it.py::test_it." in verification.reasons[-1]


@pytest.mark.parametrize("copies", first_of([1, 60]))
def test_a_test_that_passes_one_time_in_three_proves_nothing(shop: Laboratory, copies: int) -> None:
    """V15: where it is red on the base and green on the new product when it is run first, and for how many."""
    test = f"""
import pathlib, pytest, shop.cart
@pytest.mark.parametrize("copy", range({copies}))
def test_it(copy):
    mark = pathlib.Path(f"/tmp/asked{{copy}}")
    times = len(mark.read_text()) if mark.exists() else 0
    mark.write_text("x" * (times + 1))
    assert times % 3 == (0 if hasattr(shop.cart, "unused") else 2)
"""
    verification = shop.verify({**DISTRACTION, "tests/test_it.py": test})
    assert (verification.verdict, verification.turned_green) == (Verdict.NOT_PROVED, ())
    assert "their result changes from run to run: tests/test_it.py::test_it[0]" in verification.reasons[-1]


NEW_NAME = {
    "imported by the file": "from shop.cart import unused\n\n\ndef test_unused():\n    assert unused() == 1\n",
    "imported by the test": "def test_unused():\n    from shop.cart import unused\n    assert unused() == 1\n",
    "an attribute of the module": "import shop.cart\n\n\ndef test_unused():\n    assert shop.cart.unused() == 1\n",
    "put in its place": (
        "def test_unused(monkeypatch):\n    monkeypatch.setattr('shop.cart.unused', lambda: 2)\n"
        "    import shop.cart\n    assert shop.cart.unused() == 2\n"
    ),
}


@pytest.mark.parametrize("test", first_of(NEW_NAME.values(), always=2), ids=NEW_NAME)
def test_a_test_that_only_shows_that_something_is_new_proves_nothing(shop: Laboratory, test: str) -> None:
    verification = shop.verify({**DISTRACTION, "tests/test_unused.py": test})
    assert verification.verdict is Verdict.NOT_PROVED
    assert verification.red_by_import == ("tests/test_unused.py::test_unused",)
    assert "only because a name is missing there" in verification.reasons[0]
    assert "'unused'" in verification.reasons[0]
    assert verification.to_json()["red_by_import"] == ["tests/test_unused.py::test_unused"]


@pytest.mark.long(short="test_a_test_that_only_shows_that_something_is_new_proves_nothing")
def test_what_is_only_new_is_known_whatever_tracebacks_the_project_wants(shop: Laboratory, tmp_path: Path) -> None:
    settings = PYPROJECT.replace('testpaths = ["tests"]', 'testpaths = ["tests"]\naddopts = "--tb=no"')
    terse = shop.alike(tmp_path, {**FILES, "pyproject.toml": settings})
    verification = terse.verify({**DISTRACTION, "tests/test_unused.py": NEW_NAME["imported by the test"]})
    assert (verification.verdict, len(verification.red_by_import)) == (Verdict.NOT_PROVED, 1)


def test_what_the_issue_asks_for_by_name_is_proved_by_its_absence_and_says_so(shop: Laboratory) -> None:
    change = {**DISTRACTION, "tests/test_unused.py": NEW_NAME["imported by the file"]}
    verification = shop.verify(change, asked_for=frozenset({"unused"}))
    assert verification.verdict is Verdict.PROVED
    assert verification.red_by_import == ("tests/test_unused.py::test_unused",)
    assert verification.reasons[0].startswith("No test was seen to fail on existing behaviour: tests/test_unused.py")
    assert "ImportError: cannot import name 'unused' from 'shop.cart'" in verification.reasons[0]


@pytest.mark.long(short="test_what_the_issue_asks_for_by_name_is_proved_by_its_absence_and_says_so")
def test_an_import_that_fails_inside_of_the_product_is_the_products_fault(shop: Laboratory, tmp_path: Path) -> None:
    lazy = "def fast(prices):\n    from shop.cart import whole\n    return whole(prices)\n"
    broken = shop.alike(tmp_path, {**FILES, "shop/lazy.py": lazy})
    test = "from shop.lazy import fast\n\n\ndef test_fast():\n    assert fast([1]) == 1\n"
    verification = broken.verify({"shop/cart.py": f"{CART}\n\nwhole = sum\n", "tests/test_fast.py": test})
    assert (verification.verdict, verification.red_by_import) == (Verdict.PROVED, ())


def test_a_verdict_that_does_not_come_in_time_is_none(shop: Laboratory) -> None:
    told: list[str] = []
    slow = {"shop/cart.py": f"import time; time.sleep(30)\n{CART_WITH_TOTAL}"}
    verification = verify(
        shop.engine,
        shop.checkout,
        shop.suite,
        shop.change(slow),
        timeout_seconds=RUN_SECONDS,
        deadline_seconds=10.4,
        report=told.append,
    )
    assert verification.verdict is Verdict.NOT_PROVED
    assert verification.reasons == ("The time for the verification is used up (10 seconds).",)
    assert told == ["base tests on the changed product"]
    assert verification.seconds < 25


@pytest.mark.long(short="test_a_fix_with_a_test_of_its_own_is_proved_by_it")
def test_a_test_file_that_is_named_as_the_project_says_proves_its_fix(
    shop: Laboratory, tmp_path_factory: pytest.TempPathFactory
) -> None:
    files = {path: text for path, text in FILES.items() if path != "tests/test_cart.py"}
    files |= {"pyproject.toml": PYPROJECT + 'python_files = ["*_spec.py"]\n', "tests/cart_spec.py": TESTS}
    specs = shop.alike(tmp_path_factory.mktemp("specs"), files)
    verification = specs.verify({"shop/cart.py": CART_WITH_MEAN, "tests/mean_spec.py": MEAN_TEST})
    assert (verification.verdict, verification.reasons) == (Verdict.PROVED, ())


@pytest.mark.parametrize(
    ("dependency", "missing"),
    [
        ("made-up-package>=2", True),
        ("pytest", False),
        *first_of([("pytest>=99999", True), ("Pytest >= 1.0", False)], always=0),
    ],
)
def test_a_fix_that_needs_what_is_not_installed_is_a_hand_over_that_names_it(
    shop: Laboratory, dependency: str, missing: bool
) -> None:
    pyproject = PYPROJECT.replace('version = "1.0"', f'version = "1.0"\ndependencies = ["{dependency}"]')
    verification = shop.verify({"shop/cart.py": CART_WITH_TOTAL, "pyproject.toml": pyproject})
    assert verification.verdict is (Verdict.NOT_PROVED if missing else Verdict.PROVED)
    if missing:
        assert verification.regression is None
        assert dependency in verification.reasons[0]
    else:
        assert "not installed or compiled: pyproject.toml" in verification.reasons[0]


def test_helpers_may_come_with_new_tests(shop: Laboratory) -> None:
    files = {
        "shop/cart.py": CART_WITH_MEAN,
        "tests/helpers.py": HELPERS + "\n\nNOTHING = []\n",
        "tests/test_mean.py": "from shop.cart import mean\nfrom tests.helpers import NOTHING\n"
        "def test_mean(): assert mean(NOTHING) == 0\n",
    }
    assert shop.verify(files).verdict is Verdict.PROVED


@pytest.mark.long(short="test_helpers_that_other_tests_use_stay_as_they_use_them")
def test_a_file_of_tests_that_others_load_stays_as_they_use_it(shop: Laboratory, tmp_path: Path) -> None:
    more = {"tests/test_shout.py": "from tests.test_cart import same\ndef test_same(): assert same(1, 1)\n"}
    laboratory = shop.alike(tmp_path, {**FILES, **more})
    own = TESTS.replace("helpers import same", "helpers import same as alike").replace("same(", "alike(")
    verification = laboratory.verify({"shop/cart.py": CART_WITH_TOTAL, "tests/test_cart.py": own})
    assert verification.verdict is Verdict.NOT_PROVED
    assert verification.reasons[0].endswith("tests/test_shout.py::test_same. Leave there what other tests use.")


@pytest.mark.parametrize("helper", first_of(["same = max\n", "def different(one, other):\n    return one != other\n"]))
def test_helpers_that_other_tests_use_stay_as_they_use_them(shop: Laboratory, helper: str) -> None:
    change = {"shop/cart.py": CART_WITH_MEAN, "tests/helpers.py": helper, "tests/test_mean.py": MEAN_TEST}
    verification = shop.verify(change)
    assert verification.verdict is Verdict.NOT_PROVED
    assert "not with what your change makes of that: tests/test_cart.py::" in verification.reasons[0]


def test_a_use_that_is_honest_as_often_as_not_is_proved_and_told_to_the_reviewer(shop: Laboratory) -> None:
    fixed = CART_WITH_TOTAL + "\n\nimport sys\n\n\ndef main():\n    return sys.argv[1:]\n"
    verification = shop.verify({"shop/cart.py": fixed})
    assert verification.verdict is Verdict.PROVED
    assert any("sys.argv (shop/cart.py" in reason for reason in verification.reasons)
