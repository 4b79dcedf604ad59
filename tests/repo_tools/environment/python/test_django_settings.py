"""Which settings a Django suite runs with."""

import pytest

from tests.repo_tools.environment.python.test_detector import TESTS, detected

SETUP = "class Test:\n    def options(self):\n        self.pytest_args = 'tests --ds=tests.app.settings --cov=x'\n"
MODULE = {"tests/app/settings.py": ""}
PROGRAM = "import os, pytest\nos.environ.setdefault('DJANGO_SETTINGS_MODULE', 'tests.app.settings')\npytest.main()\n"
NAME = "DJANGO_SETTINGS_MODULE"


@pytest.mark.parametrize(
    "files",
    [
        {"setup.py": SETUP, **MODULE},
        {"Makefile": "test:\n\tpytest --ds tests.app.settings\n", **MODULE},
        {"tox.ini": "[testenv]\ncommands = pytest --ds=tests.app.settings\n", "tests/app/settings/__init__.py": ""},
        {"runtests.py": PROGRAM, "pytest.ini": "[pytest]", **MODULE},
        {"manage.py": 'import os\nos.environ["DJANGO_SETTINGS_MODULE"] = "tests.app.settings"\n', **MODULE},
    ],
)
def test_settings_that_a_command_names_are_those_of_the_tests(files: dict[str, str]) -> None:
    assert detected({**files, **TESTS}).test_variables[NAME] == "tests.app.settings"


@pytest.mark.parametrize(
    "files",
    [
        {"setup.py": SETUP},
        {"setup.py": SETUP, **MODULE, "pytest.ini": f"[pytest]\n{NAME} = other\n"},
        {"setup.py": SETUP, **MODULE, "pytest.ini": "[pytest]\naddopts = --ds=other\n"},
        {
            "runtests.py": PROGRAM,
            **MODULE,
            "tests/conftest.py": "from django.conf import settings\nsettings.configure()\n",
        },
        {
            "runtests.py": PROGRAM,
            **MODULE,
            "conftest.py": "import os\nos.environ['DJANGO_SETTINGS_MODULE'] = 'other'\n",
        },
    ],
)
def test_what_is_not_there_or_configured_for_pytest_is_left_to_it(files: dict[str, str]) -> None:
    assert NAME not in detected({**files, **TESTS}).test_variables
