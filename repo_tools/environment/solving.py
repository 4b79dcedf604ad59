"""The environment of a task that has no repository: constant, so that its layer is made once for all of them."""

from repo_tools.environment.contract import Environment, SetupCommand, TestCommand
from repo_tools.environment.python_install import MAKE_VENV, PIP_INSTALL

TEST_RUNNER = "pytest"
_PYTHON_FILES = ("test_*.py", "*_test.py")


def solving_environment(requirements: tuple[str, ...], test_files: tuple[str, ...] = ()) -> Environment:
    """`requirements` (as pip takes them) and pytest; `test_files` hold tests whatever their names are.

    The version in the detector's name is part of the layer's key, as are the set-up commands.
    """
    names = " ".join((*_PYTHON_FILES, *test_files))
    return Environment(
        detector="solve/1",
        evidence=(f"agent-fix solve: {', '.join((*requirements, TEST_RUNNER))}",),
        setup=(*MAKE_VENV, SetupCommand((*PIP_INSTALL, *requirements, TEST_RUNNER))),
        tests=(TestCommand("pytest", ("pytest", "-o", f"python_files={names}")),),
        manifests=(),
        variables={"MPLBACKEND": "Agg", "PYTHONHASHSEED": "0"},
        test_file_patterns=test_files,
    )
