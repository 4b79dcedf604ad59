"""What suites that make an error of each warning are not warned of."""

import pytest

from tests.repo_tools.environment.python.test_detector import detected

MARKED = {"tests/test_a.py": "import pytest\n@pytest.mark.zone\ndef test_a(): pass\n"}
ERRORS = "[pytest]\nfilterwarnings =\n    error\n    ignore::ImportWarning\n"
IGNORED = ("pytest", "-W", "ignore:Unknown pytest.mark")


@pytest.mark.parametrize(
    "files",
    [
        {"pytest.ini": ERRORS},
        {"pytest.ini": "[pytest]\naddopts = -ra -W error\n"},
        {"pytest.ini": "[pytest]\naddopts = -Werror::Warning\n"},
        {"pyproject.toml": "[tool.pytest.ini_options]\nfilterwarnings = ['error', 3]\n"},
    ],
)
def test_markers_that_are_registered_nowhere_are_not_warned_of(files: dict[str, str]) -> None:
    assert detected({**MARKED, **files}).tests[0].argv == IGNORED


@pytest.mark.parametrize(
    "files",
    [
        {"pytest.ini": "[pytest]\nfilterwarnings =\n    error::DeprecationWarning\n"},
        {"pytest.ini": f"{ERRORS}markers = zone: of time\n"},
        {"pytest.ini": ERRORS, "tests/test_a.py": "import pytest\n@pytest.mark.skipif(True)\ndef test_a(): pass\n"},
        {"pytest.ini": ERRORS, "tests/test_a.py": "import pytest\n@pytest.mark.asyncio\ndef test_a(): pass\n"},
        {"pytest.ini": ERRORS, "conftest.py": "config.addinivalue_line('markers', 'zone')"},
    ],
)
def test_nothing_is_left_out_where_none_is_warned_of_or_the_warning_ends_nothing(files: dict[str, str]) -> None:
    assert detected({**MARKED, **files}).tests[0].argv == ("pytest",)


PLUGIN = {"setup.py": "setup(name='pytest-shop', entry_points={'pytest11': ['shop = shop.plugin']})"}
SUITE = {"tests/test_a.py": "def test_a(): pass\n"}


def test_neither_is_a_plugin_of_pytests_that_it_is_imported_from_where_it_lies() -> None:
    quiet = ("-W", "ignore:Module already imported so cannot be rewritten")
    assert detected({**PLUGIN, **SUITE, "pytest.ini": ERRORS}).tests[0].argv == ("pytest", *quiet)
    assert detected({**PLUGIN, **SUITE, "pytest.ini": "[pytest]\n"}).tests[0].argv == ("pytest",)
    assert detected({**SUITE, "pytest.ini": ERRORS}).tests[0].argv == ("pytest",)


def test_neither_are_versions_that_distutils_compares() -> None:
    compares = {"shop.py": "from distutils.version import LooseVersion\n"}
    quiet = ("-W", "ignore:distutils Version classes are deprecated")
    assert detected({**compares, **SUITE, "pytest.ini": ERRORS}).tests[0].argv == ("pytest", *quiet)
    assert detected({**compares, **SUITE, "pytest.ini": "[pytest]\n"}).tests[0].argv == ("pytest",)
    only_named = {"shop.py": "TEXT = 'from distutils.version import LooseVersion'\n"}
    assert detected({**only_named, **SUITE, "pytest.ini": ERRORS}).tests[0].argv == ("pytest",)
