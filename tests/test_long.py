"""No long proof is without a short form."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.long import Named, first_of, without_short_form

ROOT = Path(__file__).parent.parent


def test_a_long_proof_names_a_short_form_that_is_always_run() -> None:
    tests = [
        Named("a.py::always", None),
        Named("a.py::some_of_many", None),
        Named("a.py::some_of_many", "a.py::some_of_many"),
        Named("b.py::whole", "a.py::always"),
    ]
    assert without_short_form(tests) == []
    tests += [
        Named("b.py::alone", "b.py::alone"),
        Named("b.py::misnamed", "a.py::never"),
        Named("b.py::on_a_long_one", "b.py::whole"),
    ]
    assert without_short_form(tests) == ["b.py::alone", "b.py::misnamed", "b.py::on_a_long_one"]


def test_of_many_values_the_first_are_always_run() -> None:
    one, two, three = first_of(["a", ("b", 1), ("c", 2)], always=2)
    assert (one, two) == ("a", ("b", 1))
    assert (three.values, [mark.name for mark in three.marks]) == (("c", 2), ["long"])


@pytest.mark.parametrize(("short", "code"), [("test_other", 0), ("test_missing", 4)])
def test_pytest_refuses_a_long_proof_whose_short_form_is_not_there(tmp_path: Path, short: str, code: int) -> None:
    (tmp_path / "conftest.py").write_text("from tests.conftest import pytest_collection_modifyitems\n")
    mark = f"import pytest\n@pytest.mark.long(short='{short}')\n"
    (tmp_path / "test_a.py").write_text(f"{mark}def test_whole(): pass\ndef test_other(): pass\n")
    argv = (sys.executable, "-m", "pytest", "-q", "-m", "not long", "-W", "ignore")
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(argv, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    assert (done.returncode, "test_a.py::test_whole" in done.stderr) == (code, code != 0), done.stdout
