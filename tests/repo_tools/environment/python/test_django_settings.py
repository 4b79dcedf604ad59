"""Which settings a Django suite runs with."""

import pytest

from tests.repo_tools.environment.python.test_detector import TESTS, detected, installed

SETUP = "class Test:\n    def options(self):\n        self.pytest_args = 'tests --ds=tests.app.settings --cov=x'\n"
MODULE = {"tests/app/settings.py": ""}
PROGRAM = "import os, pytest\nos.environ.setdefault('DJANGO_SETTINGS_MODULE', 'tests.app.settings')\npytest.main()\n"
APPS = "INSTALLED_APPS = []\n"
NAME = "DJANGO_SETTINGS_MODULE"


@pytest.mark.parametrize(
    "files",
    [
        {"setup.py": SETUP, **MODULE},
        {"Makefile": "test:\n\tpytest --ds tests.app.settings\n", **MODULE},
        {"tox.ini": "[testenv]\ncommands = pytest --ds=tests.app.settings\n", "tests/app/settings/__init__.py": ""},
        {"Makefile": f"test: develop\n\t{NAME}=tests.app.settings py.test tests\n", **MODULE},
        {
            "Makefile": f"run:\n\t{NAME}=app.dev ./manage.py run\ntest:\n\t{NAME}=tests.app.settings pytest\n",
            "app/dev.py": "",
            **MODULE,
        },
        {"Makefile": f"export {NAME} ?= tests.app.settings\ntest:\n\tpytest\n", **MODULE},
        {"runtests.py": PROGRAM, "pytest.ini": "[pytest]", **MODULE},
        {"manage.py": 'import os\nos.environ["DJANGO_SETTINGS_MODULE"] = "tests.app.settings"\n', **MODULE},
    ],
)
def test_settings_that_a_command_names_are_those_of_the_tests(files: dict[str, str]) -> None:
    assert detected({**files, **TESTS}).test_variables[NAME] == "tests.app.settings"


def test_settings_beside_the_tests_are_theirs_where_nothing_names_any() -> None:
    files = {"tests/settings.py": APPS, "tests/no_settings.py": "A = 1", "app/settings.py": APPS}
    environment = detected({**files, **TESTS})
    assert environment.test_variables[NAME] == "tests.settings"
    assert ["pytest-django"] in installed(environment)


@pytest.mark.parametrize("place", ["", "src/"])
def test_so_it_is_of_the_tests_of_a_package_whose_files_are_called_as_for_django(place: str) -> None:
    files = {
        f"{place}shop/tests/settings.py": APPS,
        f"{place}shop/tests/test_a.py": "",
        f"{place}shop/tests/tests.py": "",
    }
    environment = detected(
        {**files, f"{place}shop/settings.py": APPS, "setup.py": "from setuptools import setup\nsetup()\n"}
    )
    assert environment.test_variables[NAME] == "shop.tests.settings"
    assert ["pytest-django"] in installed(environment)
    assert environment.tests[0].argv[1:] == ("-o", "python_files=test*.py *_test.py")


@pytest.mark.parametrize(
    "files",
    [
        {"setup.py": SETUP},
        {"tests/app/settings.py": APPS},
        {"shop/tests/settings.py": APPS, "till/tests/settings.py": APPS},
        {"shop/parts/till/tests/settings.py": APPS},
        {"tests/settings.py": APPS, "tests/other_settings.py": APPS},
        {
            "tests/settings.py": APPS,
            "tests/conftest.py": "from django.conf import settings\nsettings.configure()\n",
        },
        {"tests/settings.py": APPS, "pytest.ini": f"[pytest]\n{NAME} = other\n"},
        {"Makefile": f"test:\n\t{NAME}=tests.app.other pytest\n", **MODULE},
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


def test_the_plug_in_is_not_guessed_where_settings_have_a_name() -> None:
    assert ["pytest-django"] not in installed(detected({"runtests.py": PROGRAM, **MODULE, **TESTS}))


MANAGE = "import sys\nfrom django.core import management\nmanagement.execute_from_command_line(sys.argv)\n"
OF_TESTS = {"shop/settings/base.py": APPS, "shop/settings/test.py": "from .base import *\n", "shop/tests.py": ""}


def test_a_manage_py_that_sets_no_settings_gets_those_that_are_called_after_tests() -> None:
    environment = detected({"manage.py": MANAGE, "requirements.txt": "django\n", **OF_TESTS})
    assert environment.tests[0].argv == ("python", "manage.py", "test")
    assert environment.test_variables[NAME] == "shop.settings.test"


@pytest.mark.parametrize(
    "files",
    [
        {"manage.py": f"import os\nos.environ.setdefault('{NAME}', 'shop.settings.base')\n{MANAGE}"},
        {"manage.py": MANAGE, "api/settings/test.py": APPS},
        {"manage.py": MANAGE, "Makefile": f"test:\n\t{NAME}=shop.settings.base python manage.py test\n"},
    ],
    ids=["it sets some", "there are two", "a command names others"],
)
def test_settings_that_are_called_after_tests_are_not_guessed_where(files: dict[str, str]) -> None:
    environment = detected({**files, "requirements.txt": "django\n", **OF_TESTS})
    assert environment.test_variables.get(NAME) != "shop.settings.test"


@pytest.mark.parametrize(("listed", "added"), [("pytest-django", True), ("pytest-django\nDjango<5", False)])
def test_django_is_installed_for_its_plug_in_where_no_list_names_it(listed: str, added: bool) -> None:
    environment = detected({"requirements-test.txt": f"pytest\n{listed}\n", "setup.py": "import setuptools", **TESTS})
    assert any("django" in words for words in installed(environment)) is added
