"""The environment of a task that has no repository: constant but for well-known packages that its files show a need of,
so that one layer serves most of them."""

import re
from collections.abc import Iterable, Mapping
from pathlib import PurePosixPath

from repo_tools.checkout import Checkout
from repo_tools.environment.contract import Environment, TestCommand
from repo_tools.environment.python.distributions import distribution_of
from repo_tools.environment.python.imports import undeclared
from repo_tools.environment.python.install import MAKE_VENV_QUICKLY, install
from repo_tools.environment.python.requirement import name_of, normal

TEST_RUNNER = "pytest"
_PYTHON_FILES = ("test_*.py", "*_test.py")
_WORD = re.compile(r"[A-Za-z_]\w*")
_PANDAS = re.compile(r"pandas\b(?![-.])", re.IGNORECASE)
_READERS: Mapping[str, str] = {
    **dict.fromkeys((".xlsx", ".xlsm"), "openpyxl"),
    **dict.fromkeys((".parquet", ".feather", ".orc"), "pyarrow"),
    ".xls": "xlrd",
    ".ods": "odfpy",
    ".xlsb": "pyxlsb",
    **dict.fromkeys((".h5", ".hdf", ".hdf5"), "tables"),
    **dict.fromkeys((".sav", ".zsav", ".por"), "pyreadstat"),
    **dict.fromkeys((".html", ".htm", ".xml"), "lxml"),
    ".zst": "zstandard",
}
"""What pandas reads such files with (https://pandas.pydata.org/docs/getting_started/install.html)."""


def readers_of(requirements: tuple[str, ...], data: Iterable[str]) -> tuple[str, ...]:
    """What pandas, if it is one of `requirements`, needs for the files of `data`."""
    if not any(map(_PANDAS.match, requirements)):
        return ()
    return tuple(sorted({_READERS.get(PurePosixPath(path).suffix.lower(), "") for path in data} - {""}))


def used_by_tests(
    requirements: tuple[str, ...], checkout: Checkout, paths: Iterable[str], task: str
) -> tuple[str, ...]:
    """The well-known packages that the given Python files at `paths` use beside `requirements`. A module whose name is
    a word of the task may be what is to be made: its package would pass for the work."""
    declared = frozenset(map(name_of, (*requirements, TEST_RUNNER)))
    meant = {normal(distribution_of(word)) for word in _WORD.findall(task)}
    used = undeclared(checkout.tree, checkout.read, paths, declared)
    return tuple(package for package in used if name_of(package) not in meant)


def solving_environment(
    requirements: tuple[str, ...], test_files: tuple[str, ...] = (), beside: Iterable[str] = ()
) -> Environment:
    """`requirements` (as pip takes them), pytest, and of `beside` what can be installed; `test_files` hold tests
    whatever their names are.

    The version in the detector's name is part of the layer's key, as are the set-up commands.
    """
    beside = tuple(beside)
    names = " ".join((*_PYTHON_FILES, *test_files))
    return Environment(
        detector="solve/1",
        evidence=(f"agent-fix solve: {', '.join((*requirements, *beside, TEST_RUNNER))}",),
        setup=(
            *MAKE_VENV_QUICKLY,
            install(*requirements, TEST_RUNNER),
            *(install(package, required=False) for package in beside),
        ),
        tests=(TestCommand("pytest", ("pytest", "-o", f"python_files={names}")),),
        manifests=(),
        variables={"MPLBACKEND": "Agg", "PYTHONHASHSEED": "0"},
        test_file_patterns=test_files,
    )
