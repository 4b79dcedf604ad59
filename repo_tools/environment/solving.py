"""The environment of a task that has no repository: constant, so that its layer is made once for all of them."""

import re
from collections.abc import Iterable, Mapping
from pathlib import PurePosixPath

from repo_tools.environment.contract import Environment, TestCommand
from repo_tools.environment.python.install import MAKE_VENV_QUICKLY, install

TEST_RUNNER = "pytest"
_PYTHON_FILES = ("test_*.py", "*_test.py")
_PANDAS = re.compile(r"pandas\b(?![-.])", re.IGNORECASE)
_READERS: Mapping[str, str] = {
    **dict.fromkeys((".xlsx", ".xlsm"), "openpyxl"),
    **dict.fromkeys((".parquet", ".feather", ".orc"), "pyarrow"),
    ".xls": "xlrd",
    ".ods": "odfpy",
}
"""What pandas reads such files with (https://pandas.pydata.org/docs/getting_started/install.html)."""


def solving_environment(
    requirements: tuple[str, ...], test_files: tuple[str, ...] = (), data: Iterable[str] = ()
) -> Environment:
    """`requirements` (as pip takes them), pytest, and what pandas, if it is one of them, needs for the files of `data`;
    `test_files` hold tests whatever their names are.

    The version in the detector's name is part of the layer's key, as are the set-up commands.
    """
    readers = sorted({_READERS.get(PurePosixPath(path).suffix.lower(), "") for path in data} - {""})
    if not any(map(_PANDAS.match, requirements)):
        readers = []
    names = " ".join((*_PYTHON_FILES, *test_files))
    return Environment(
        detector="solve/1",
        evidence=(f"agent-fix solve: {', '.join((*requirements, *readers, TEST_RUNNER))}",),
        setup=(
            *MAKE_VENV_QUICKLY,
            install(*requirements, TEST_RUNNER),
            *(install(reader, required=False) for reader in readers),
        ),
        tests=(TestCommand("pytest", ("pytest", "-o", f"python_files={names}")),),
        manifests=(),
        variables={"MPLBACKEND": "Agg", "PYTHONHASHSEED": "0"},
        test_file_patterns=test_files,
    )
