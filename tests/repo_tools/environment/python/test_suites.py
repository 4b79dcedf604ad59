"""Projects of one repository whose tests bear the same names."""

import pytest

from tests.repo_tools.environment.python.test_detector import detected

MEMBERS = {
    "pyproject.toml": "[tool.pytest.ini_options]\naddopts = '-q'\n",
    "api/pyproject.toml": "",
    "api/tests/__init__.py": "",
    "api/tests/test_api.py": "def test_a(): pass",
    "sdk/pyproject.toml": "",
    "sdk/tests/__init__.py": "",
    "sdk/tests/test_sdk.py": "def test_a(): pass",
}


def suites(files: dict[str, str]) -> list[str]:
    return [str(command) for command in detected(files).tests]


def test_projects_whose_packages_of_tests_have_one_name_are_tested_each_on_its_own() -> None:
    assert suites(MEMBERS) == ["cd api && pytest", "cd sdk && pytest"]


def test_files_of_one_name_in_folders_that_are_no_packages_have_the_same_trouble() -> None:
    files = {path: text for path, text in MEMBERS.items() if "tests/" not in path}
    both = {"api/tests/test_a.py": "def test_a(): pass", "sdk/tests/test_a.py": "def test_a(): pass"}
    assert suites({**files, **both}) == ["cd api && pytest", "cd sdk && pytest"]


def test_what_lies_in_no_project_or_in_a_deeper_one_is_run_once() -> None:
    deeper = {"sdk/more/setup.py": "", "sdk/more/test_more.py": "def test_a(): pass", "test_all.py": "def test_a(): 1"}
    assert suites({**MEMBERS, **deeper}) == [
        "pytest --ignore=api --ignore=sdk --ignore=sdk/more",
        "cd api && pytest",
        "cd sdk && pytest --ignore=more",
        "cd sdk/more && pytest",
    ]


@pytest.mark.parametrize(
    "files",
    [
        {"pyproject.toml": "[tool.pytest.ini_options]\ntestpaths = ['api', 'sdk']\n"},
        {"pyproject.toml": "[tool.pytest.ini_options]\naddopts = '--import-mode=importlib'\n"},
        {"api/__init__.py": "", "sdk/__init__.py": ""},
    ],
)
def test_one_run_does_where_pytest_can_tell_them_apart(files: dict[str, str]) -> None:
    assert suites({**MEMBERS, **files}) == ["pytest"]


def test_projects_that_tests_only_look_at_are_no_suites() -> None:
    looked_at = {f"tests/{path}": text for path, text in MEMBERS.items()}
    assert suites({"pytest.ini": "[pytest]\n", "tests/test_it.py": "def test_a(): pass", **looked_at}) == ["pytest"]


def test_parts_of_one_package_that_have_a_setup_file_each_are_one_suite() -> None:
    parts = {f"x/{part}/{name}": "" for part in ("draw", "io") for name in ("__init__.py", "setup.py")}
    tests = {f"x/{part}/tests/test_{part}.py": "def test_a(): pass" for part in ("draw", "io")}
    packages = {"x/draw/tests/__init__.py": "", "x/io/tests/__init__.py": ""}
    files = {"conftest.py": "", "setup.py": "", "x/__init__.py": "", "x/setup.py": "", **parts, **tests, **packages}
    assert suites(files) == ["pytest"]
