"""Fixes in what a Python project compiles, which set-up compiled of the base commit: it is compiled again, with no
network."""

import pytest

from repo_tools.environment.run import run_tests
from repo_tools.fresh_box import fresh_box
from repo_tools.sandbox.contract import WORKSPACE
from repo_tools.verification.contract import Verdict
from tests.support.engine import shared_bubblewrap
from tests.support.laboratory import Laboratory, laboratory

pytestmark = [pytest.mark.bubblewrap, pytest.mark.registry, pytest.mark.timeout(900)]

C = """
#include <Python.h>
#include "price.h"
static PyObject *price(PyObject *self, PyObject *args) { return PyLong_FromLong(PRICE); }
static PyObject *rebate(PyObject *self, PyObject *args) { return PyLong_FromLong(REBATE); }
static PyMethodDef methods[] = {
    {"price", price, METH_NOARGS, ""}, {"rebate", rebate, METH_NOARGS, ""}, {NULL, NULL, 0, NULL}};
static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "till", "", -1, methods};
PyMODINIT_FUNC PyInit_till(void) { return PyModule_Create(&module); }
"""
SETUP = """
import subprocess
from Cython.Build import cythonize
from setuptools import Extension, find_packages, setup
subprocess.run(["sh", "helper.sh"], check=True)
till, tax = Extension("shop.till", ["shop/till.c"]), Extension("shop.tax", ["shop/tax.pyx"])
setup(name="shop", version="1", packages=find_packages(), ext_modules=[till, *cythonize(tax)])
"""
FILES = {
    "pyproject.toml": "[build-system]\nrequires = ['setuptools', 'cython']\nbuild-backend = 'setuptools.build_meta'\n",
    "setup.py": SETUP,
    "helper.sh": "date > shop/built.py\n",
    ".gitignore": "*.so\n/shop/built.py\n/shop/tax.c\n*.egg-info\n",
    "shop/__init__.py": "def total(price): return price + 1\n",
    "shop/till.c": C,
    "shop/price.h": "#define PRICE 5\n#define REBATE 3\n",
    "shop/tax.pyx": "def tax(price): return price * 2\n",
    "tests/test_shop.py": "from shop import tax, till\n\ndef test_price(): assert till.price() == 5\n"
    "def test_tax(): assert tax.tax(2) == 4\n",
}
PRICE, TAX = "tests/test_shop.py::test_price", "tests/test_shop.py::test_tax"
BOTH = {PRICE, TAX}
TEST = "from shop import till\n\ndef test_rebate(): assert till.rebate() == 4\n"


@pytest.fixture(scope="module")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> Laboratory:
    return laboratory(shared_bubblewrap(tmp_path_factory), tmp_path_factory.mktemp("compiled"), FILES)


def test_a_fix_in_c_is_proved(compiled: Laboratory) -> None:
    fix = C.replace("FromLong(REBATE)", "FromLong(4)")
    verification = compiled.verify({"shop/till.c": fix, "tests/test_new.py": TEST})
    assert (verification.verdict, verification.reasons) == (Verdict.PROVED, ())


def test_what_cannot_be_compiled_is_told_in_the_compilers_words(compiled: Laboratory) -> None:
    verification = compiled.verify({"shop/till.c": C.replace("FromLong(REBATE)", "FromLong(REBAT)")})
    assert verification.verdict is Verdict.NOT_PROVED
    assert "Something did not build or run. shop/till.c:5:" in verification.reasons[0]
    assert "REBAT" in verification.reasons[0]


def test_a_build_that_rewrites_the_tests_is_told_from_one_that_writes_what_it_did_before(compiled: Laboratory) -> None:
    fix, rewrite = C.replace("FromLong(REBATE)", "FromLong(5)"), "sed -i s/4/5/ tests/test_new.py || true\n"
    verification = compiled.verify({"shop/till.c": fix, "helper.sh": rewrite, "tests/test_new.py": TEST})
    assert verification.verdict is Verdict.NOT_PROVED
    told = "The build writes what tests may be run from, and did not on the base commit: tests/test_new.py"
    assert told in " ".join(verification.reasons)


@pytest.mark.long(short="test_a_fix_in_c_is_proved")
def test_in_one_box_what_is_compiled_follows_each_change(compiled: Laboratory) -> None:
    """As the model's own runs are. Where the build itself is changed, all stays as it was."""
    environment = compiled.prepared.environment
    with fresh_box(compiled.engine, compiled.checkout, compiled.prepared) as box:

        def run(**files: str) -> tuple[set[str], tuple[str, ...]]:
            for name, text in files.items():
                path = next(path for path in FILES if name in path)
                box.write(f"{WORKSPACE}/{path}", text.encode())
            report = run_tests(box, environment, timeout_seconds=60)
            assert not report.problem, report.output
            return set(report.passed), (*report.recompiled, *report.notes)

        assert run() == (BOTH, ())
        before = set(box.tree(WORKSPACE))
        assert run(init="def total(price): return price + 2\n") == (BOTH, ())
        assert run(price="#define PRICE 6\n#define REBATE 3\n") == ({TAX}, ("shop/price.h",))
        assert run() == ({TAX}, ())
        assert run(price=FILES["shop/price.h"]) == (BOTH, ("shop/price.h",))
        assert run(tax="def tax(price): return price * 3\n") == ({PRICE}, ("shop/tax.pyx",))
        passed, told = run(setup=SETUP + "# and more", price="#define PRICE 7\n#define REBATE 3\n")
        assert (passed, told[0][-26:], len(told)) == ({PRICE}, "changed too: shop/price.h.", 1)
        assert {path for path in box.tree(WORKSPACE) if "__pycache__" not in path and path not in before} == set()
