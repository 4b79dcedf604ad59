"""What a failing test says: its failure, not the parameters of all the others."""

import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

from repo_tools.environment.runners.pytest_messages import shorten_failures, without_decorators

FEW = "@pytest.mark.parametrize('n', [1])\n"
MANY = "@pytest.mark.parametrize(\n    'n',\n    [\n" + "        1,\n" * 20 + "    ],\n)\n"
BODY = "def test_f({given}):\n    one = n\n    assert one == 2\n"


def said(folder: Path, source: str) -> str:
    """What pytest's own report says of the first red test, shortened."""
    (folder / "test_a.py").write_text(f"import pytest\n\n{source}")
    argv = (sys.executable, "-m", "pytest", "-q", "--junitxml=results.xml", "-p", "no:cacheprovider", "test_a.py")
    subprocess.run(argv, cwd=folder, capture_output=True, check=False)
    root = ElementTree.parse(folder / "results.xml").getroot()
    shorten_failures(root)
    found = root.find(".//failure")
    assert found is not None
    return found.text or ""


def indented(text: str) -> str:
    return "".join(f"    {line}\n" for line in text.splitlines())


@pytest.mark.parametrize(
    "source", [MANY + BODY.format(given="n"), "class TestA:\n" + indented(MANY + BODY.format(given="self, n"))]
)
def test_of_long_decorators_the_first_line_and_their_length_are_left(tmp_path: Path, source: str) -> None:
    message = said(tmp_path, source)
    decorators = "    @pytest.mark.parametrize(\n    [… 24 lines of decorators left out …]\n    def test_f("
    assert decorators in message
    assert "\n>       assert one == 2\nE       assert 1 == 2\n" in message


def test_short_ones_stay(tmp_path: Path) -> None:
    assert f"\n{indented(FEW)}    def test_f(" in said(tmp_path, FEW + BODY.format(given="n"))


def test_what_only_looks_like_a_decorator_stays() -> None:
    message = "\n".join(("    @ is what the text begins with", *["    more of it"] * 50))
    assert without_decorators(message) == message
