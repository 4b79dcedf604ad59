"""A suite whose folder configures pytest is started so that pytest reads that, and installed as the root says."""

from collections.abc import Mapping

import pytest

from repo_tools.environment.contract import Environment
from repo_tools.environment.detect import detect
from repo_tools.environment.python.configured_below import folder_of_suite
from tests.support.files_checkout import FilesCheckout

INI = "[pytest]\nDJANGO_SETTINGS_MODULE = conf.settings\npython_files = tests.py test_*.py\n"
FILES = {
    "requirements.txt": "django\n",
    "requirements-dev.txt": "pytest\n",
    "src/pytest.ini": INI,
    "src/manage.py": "",
    "src/conf/settings.py": "",
    "src/shop/tests.py": "",
    "src/shop/tests/test_a.py": "",
}
CI = "jobs:\n  test:\n    steps:\n      - run: %s\n"


def planned(files: Mapping[str, str]) -> Environment:
    checkout = FilesCheckout(files)
    return detect(checkout.tree, checkout.read)


def suite_of(files: Mapping[str, str]) -> tuple[str, str]:
    (test,) = planned(files).tests
    return test.directory, " ".join(test.argv)


def test_it_is_started_in_the_folder_with_what_the_root_lists_and_what_its_settings_need() -> None:
    plan = planned(FILES)
    assert [(test.directory, test.argv) for test in plan.tests] == [("src", ("pytest",))]
    installed = next(c.argv for c in plan.setup if "requirements.txt" in c.argv)
    assert {"requirements-dev.txt", "pytest-django"} <= {*installed}
    assert plan.evidence[0] == "src/pytest.ini: pytest's configuration"
    assert plan.test_file_patterns == ("tests.py", "test_*.py")
    assert "requirements.txt" in plan.manifests
    assert all(not command.directory for command in plan.setup)


@pytest.mark.parametrize("name", ["setup.cfg", "tox.ini", "pyproject.toml"])
def test_any_file_of_pytest_s_configures_it(name: str) -> None:
    text = {
        "setup.cfg": "[tool:pytest]\n",
        "tox.ini": "[pytest]\n",
        "pyproject.toml": "[tool.pytest.ini_options]\na=1\n",
    }
    files = {path: content for path, content in FILES.items() if path != "src/pytest.ini"}
    assert suite_of({**files, f"src/{name}": text[name]})[0] == "src"


def test_a_folder_of_tests_is_told_of_from_the_root() -> None:
    files = {"requirements.txt": "six\n", "tests/pytest.ini": "[pytest]\nasyncio_mode = auto\n", "tests/test_a.py": ""}
    assert suite_of(files) == ("", "pytest -c tests/pytest.ini")
    assert suite_of({**files, "run_tests.py": ""}) == suite_of(files)


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        ({".github/workflows/ci.yml": CI % "cd src && pytest"}, ("src", "pytest")),
        ({".github/workflows/ci.yml": CI % "cd src && python -m pytest shop"}, ("src", "pytest")),
        ({".github/workflows/ci.yml": CI % "pytest src"}, ("", "pytest -c src/pytest.ini")),
        ({"tox.ini": "[testenv]\nchangedir = src\ncommands = pytest\n"}, ("src", "pytest")),
    ],
)
def test_what_starts_it_says_from_where(files: dict[str, str], expected: tuple[str, str]) -> None:
    assert suite_of({**FILES, **files}) == expected


@pytest.mark.parametrize(
    "files",
    [
        {".github/workflows/ci.yml": CI % "pytest"},
        {"tox.ini": "[testenv]\ncommands = pytest\n"},
        {"pytest.ini": "[pytest]\n"},
        {"setup.cfg": "[tool:pytest]\n"},
        {"test_more.py": ""},
        {"conftest.py": ""},
        {"noxfile.py": ""},
        {"tox.toml": "[env_run_base]\ndeps = ['mock']\n"},
        {"src/setup.py": ""},
        {"other/pytest.ini": "[pytest]\n", "other/test_b.py": ""},
    ],
)
def test_a_root_that_says_so_itself_or_has_tests_of_its_own_is_where_it_is_started(files: dict[str, str]) -> None:
    (directory, words) = suite_of({**FILES, **files})
    assert (directory, "src/pytest.ini" in words) == ("", False)


@pytest.mark.parametrize("folder", ["examples/src", "vendor/src", ".hidden", "{{cookiecutter.name}}"])
def test_a_folder_that_serves_readers_or_others_configures_nothing(folder: str) -> None:
    checkout = FilesCheckout({path.replace("src/", f"{folder}/"): text for path, text in FILES.items()})
    assert folder_of_suite(checkout.tree, checkout.read) == ""


def test_what_the_ci_names_in_the_folder_is_known_there() -> None:
    ci = CI % "cd src && pytest -m 'not slow' tests/checks.py"
    files = {**FILES, "src/tests/checks.py": "def test_it(): pass\n", ".github/workflows/ci.yml": ci}
    assert planned(files).test_file_patterns == ("tests.py", "test_*.py", "tests/checks.py")


def test_where_a_command_for_the_folder_names_places_in_it_it_is_started_there() -> None:
    files = {"requirements.txt": "six\n", "tests/setup.cfg": "[pytest]\n", "tests/test_a.py": ""}
    directory, words = suite_of(files)
    assert (directory, words.split()[:2]) == ("tests", ["pytest", "-c"])
