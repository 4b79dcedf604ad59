"""Python repositories: installed with pip into a virtual environment, tested with pytest.

pytest runs unittest suites too and reports them test by test, so that no second runner is needed; what it does not
honour is a module's own ``load_tests``.
"""

import re
from collections.abc import Iterator
from pathlib import PurePosixPath

from repo_tools.changes import FileMode, Tree
from repo_tools.environment.contract import Environment, ReadFile, Runner, SetupCommand, TestCommand
from repo_tools.environment.pytest_settings import PytestSettings, read_pytest_settings, read_toml
from repo_tools.environment.python_requirements import RequirementSource, declared_requirements
from repo_tools.sandbox.contract import ENVIRONMENT, WORKSPACE

VENV = f"{ENVIRONMENT}/venv"
PIP_INSTALL = (
    f"{VENV}/bin/python", "-m", "pip", "install",
    "--no-input", "--disable-pip-version-check", "--no-cache-dir", "--prefer-binary", "--progress-bar", "off",
)  # fmt: skip

_MAKE_VENV = (  # an interpreter without ensurepip borrows the box's own pip
    f"python3 -m venv {VENV} || {{ python3 -m venv --clear --without-pip {VENV}"
    f" && python3 -m pip --python {VENV}/bin/python install --no-input pip; }}"
)
_ROOT_ON_PATH = (  # last, so that no file of the repository hides an installed module
    f"import sysconfig; open(sysconfig.get_path('purelib') + '/zz_workspace.pth', 'w').write({WORKSPACE + chr(10)!r})"
)
_VERSION_WITHOUT_HISTORY = "99.0.0"  # high: dependencies that need this very project ask for a least version
VARIABLES = {
    "PBR_VERSION": _VERSION_WITHOUT_HISTORY,
    "PDM_BUILD_SCM_VERSION": _VERSION_WITHOUT_HISTORY,
    "POETRY_DYNAMIC_VERSIONING_BYPASS": _VERSION_WITHOUT_HISTORY,
    "PYTHONHASHSEED": "0",
    "SETUPTOOLS_SCM_PRETEND_VERSION": _VERSION_WITHOUT_HISTORY,
}
_DEFAULT_PYTHON_FILES = ("test*.py", "*_test.py")  # pytest's own and unittest's
_TEST_FILE = re.compile(r"(?:.*/)?(?:test[^/]*|[^/]*_test)\.py")
_MANIFEST = re.compile(
    r"pyproject\.toml|setup\.(?:py|cfg)|MANIFEST\.in|tox\.ini|meson\.build|CMakeLists\.txt|Cargo\.(?:toml|lock)|build\.py"
    r"|(?:src/)?[^/]+/(?:__init__|__about__|_?version)\.py"  # where versions and the list of packages are read from
    r"|(?:.*/)?[^/]*requirements[^/]*\.(?:txt|in)|requirements/.*|constraints[^/]*\.txt"
    r"|.*\.(?:c|cc|cpp|cxx|h|hh|hpp|pyx|pxd|pxi|rs|f|f90)"  # compiled once, at set-up
)


class PythonDetector:
    """The version in the name is part of each layer's key: raise it when the same manifests give other commands."""

    name = "python/1"
    looked_for = "Python test files (test_*.py, *_test.py, or what pytest's configuration names)"

    def detect(self, tree: Tree, read: ReadFile) -> Environment | None:
        settings = read_pytest_settings(tree, read)
        if not _has_tests(tree, settings):
            return None
        packaged = _packaging(tree, read)
        sources = declared_requirements(tree, read)
        return Environment(
            detector=self.name,
            evidence=tuple(_evidence(tree, settings, packaged, sources)),
            setup=tuple(_setup(packaged, sources, settings)),
            test=TestCommand(Runner.PYTEST, _test_command(tree, settings)),
            manifests=tuple(sorted(path for path in tree if _MANIFEST.fullmatch(path))),
            variables=VARIABLES,
            test_paths=settings.test_paths if settings else (),
            test_file_patterns=settings.python_files if settings else (),
        )


def _has_tests(tree: Tree, settings: PytestSettings | None) -> bool:
    python = [path for path, entry in tree.items() if path.endswith(".py") and entry.mode is not FileMode.SUBMODULE]
    patterns = settings.python_files if settings else ()
    return any(_TEST_FILE.fullmatch(p) or any(PurePosixPath(p).match(pattern) for pattern in patterns) for p in python)


def _packaging(tree: Tree, read: ReadFile) -> str | None:
    """The file by which pip can install the project."""
    if "pyproject.toml" in tree:
        document = read_toml(read("pyproject.toml").decode("utf-8", "replace"))
        if "project" in document or "build-system" in document:
            return "pyproject.toml"
    return "setup.py" if "setup.py" in tree else None


def _setup(
    packaged: str | None, sources: tuple[RequirementSource, ...], settings: PytestSettings | None
) -> Iterator[SetupCommand]:
    yield SetupCommand(("/bin/sh", "-c", _MAKE_VENV))
    yield SetupCommand((f"{VENV}/bin/python", "-c", _ROOT_ON_PATH))
    if packaged:
        yield SetupCommand((*PIP_INSTALL, "--editable", "."))
    for source in sources:
        required = source.evidence == "requirements.txt" and not packaged
        yield SetupCommand((*PIP_INSTALL, *source.arguments), required=required)
    yield SetupCommand((*PIP_INSTALL, "pytest"))
    if settings and settings.plugins:
        yield SetupCommand((*PIP_INSTALL, *settings.plugins), required=False)


def _test_command(tree: Tree, settings: PytestSettings | None) -> tuple[str, ...]:
    configured = settings is not None or any(PurePosixPath(path).name == "conftest.py" for path in tree)
    if configured:
        return ("pytest",)
    return ("pytest", "-o", f"python_files={' '.join(_DEFAULT_PYTHON_FILES)}")


def _evidence(
    tree: Tree, settings: PytestSettings | None, packaged: str | None, sources: tuple[RequirementSource, ...]
) -> Iterator[str]:
    if settings:
        yield f"{settings.source}: pytest's configuration"
    if any(PurePosixPath(path).name == "conftest.py" for path in tree):
        yield "conftest.py"
    yield (
        f"{packaged}: installed editable" if packaged else "no packaging metadata: imported from the repository's root"
    )
    yield from (source.evidence for source in sources)
