"""What Cython makes before a ``setup.py`` can compile it is made in set-up."""

import pytest

from repo_tools.environment.compiled import before_installs
from repo_tools.environment.contract import SetupCommand
from repo_tools.environment.python.install import UV_INSTALL, VENV
from tests.repo_tools.environment.python.test_detector import TESTS, detected

SETUP = "from setuptools import Extension, setup\nsetup(name='a', ext_modules=[Extension('a.x', sources=[%r])])\n"


def made_first(files: dict[str, str]) -> list[tuple[str, ...]]:
    """What stands before the project's own installation, and is made."""
    every: tuple[SetupCommand, ...] = detected({**TESTS, **files}).setup
    commands = tuple(each for each in every if each.typed != before_installs().typed)
    project = next(i for i, command in enumerate(commands) if "--editable" in command.argv)
    assert not any(command.required for command in commands[2:project])
    return [tuple(w for w in c.argv if w not in UV_INSTALL or w == f"{VENV}/bin/cython") for c in commands[2:project]]


@pytest.mark.parametrize(("source", "options"), [("a/x.c", ()), ("a/x.cpp", ("--cplus",))])
def test_sources_in_c_that_only_lie_there_as_what_they_are_made_of(source: str, options: tuple[str, ...]) -> None:
    files = {"setup.py": SETUP % source, "a/x.pyx": "", "a/y.pyx": ""}
    assert made_first(files) == [("cython",), (f"{VENV}/bin/cython", *options, "a/x.pyx")]


def test_by_the_version_that_the_repository_asks_for() -> None:
    files = {"setup.py": SETUP % "a/x.c", "a/x.pyx": "", "requirements-dev.txt": "pytest\nCython~=0.29.30\n"}
    assert made_first(files)[0] == ("Cython~=0.29.30",)


@pytest.mark.parametrize(
    "files",
    [
        {"setup.py": SETUP % "a/x.c", "a/x.c": "", "a/x.pyx": ""},
        {"setup.py": SETUP % "a/x.c"},
        {"setup.py": SETUP % "a/x.pyx", "a/x.pyx": ""},
        {"setup.py": "print 'two'", "a/x.pyx": ""},
    ],
)
def test_nothing_is_made_that_is_there_or_has_no_source(files: dict[str, str]) -> None:
    assert made_first(files) == []
