"""Packages that were given up, in a virtual environment of this Python."""

import subprocess
import sys
from pathlib import Path

from repo_tools.environment.contract import NOTE
from repo_tools.environment.given_up import standing_in

CASES = "import unittest2 as unittest\nfrom unittest2 import TestCase\nassert issubclass(TestCase, unittest.TestCase)\n"


def put_in_place(folder: Path, text: str) -> tuple[str, str]:
    """What is said with an unittest2 of this `text`, and the file that it is then."""
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder / "venv"], check=True)
    (library,) = (folder / "venv" / "lib").glob("python3*/site-packages")
    (library / "unittest2").mkdir()
    (library / "unittest2" / "__init__.py").write_text(text)
    python = str(folder / "venv" / "bin" / "python")
    done = subprocess.run([python, *standing_in().argv[1:]], capture_output=True, text=True, check=True)
    found = [python, "-c", f"{CASES}print(TestCase.__module__)"]
    return done.stdout, subprocess.run(found, capture_output=True, text=True, check=False).stdout


def test_the_librarys_own_stands_in_where_it_cannot_be_imported(tmp_path: Path) -> None:
    said, module = put_in_place(tmp_path, "from collections import MutableMapping\n")
    assert said.startswith(f"{NOTE}unittest2 was given up")
    assert module == "unittest.case\n"


def test_one_that_can_be_imported_stays(tmp_path: Path) -> None:
    text = "import unittest\nclass TestCase(unittest.TestCase): pass\n"
    assert put_in_place(tmp_path, text) == ("", "unittest2\n")
