"""Suites that stestr, or testr, finds by unittest's discovery, in the words of its settings."""

import pytest

from tests.repo_tools.environment.python.test_detector import detected

SUITE = {
    "setup.py": "setup(name='shop')",
    "shop/__init__.py": "",
    "shop/tests/__init__.py": "",
    "shop/tests/unit/__init__.py": "",
    "shop/tests/unit/test_a.py": "import unittest\n",
    "shop/tests/functional/test_b.py": "import unittest\n",
}
TESTR = """\
[DEFAULT]
test_command=OS_TEST_TIMEOUT=${OS_TEST_TIMEOUT:-60} \\
             ${PYTHON:-python} -m subunit.run discover -t ./ ${OS_TEST_PATH:-./shop/tests/unit} $LISTOPT $IDOPTION
test_id_option=--load-list $IDFILE
"""
IN_UNIT = "discover -s shop/tests/unit -t ."


@pytest.mark.parametrize(
    ("said", "words"),
    [
        ({".stestr.conf": "[DEFAULT]\ntest_path=./shop/tests/unit\ntop_dir=./\n"}, IN_UNIT),
        ({".stestr.conf": "[DEFAULT]\ntest_path=${OS_TEST_PATH:-./shop/tests/unit}\n"}, IN_UNIT),
        ({"pyproject.toml": '[tool.stestr]\ntest_path = "shop/tests/unit"\n'}, IN_UNIT),
        ({"tox.ini": "[stestr]\ntest_path = shop/tests/unit\n"}, IN_UNIT),
        ({".testr.conf": TESTR}, IN_UNIT),
        ({".stestr.conf": "[DEFAULT]\ntest_path=.\n"}, "discover -s . -t ."),
        ({".testr.conf": "[DEFAULT]\ntest_command=python -m subunit.run discover . $LISTOPT\n"}, "discover -s . -t ."),
        (
            {
                ".stestr.conf": "[DEFAULT]\ntest_path=$OS_TEST_PATH\n",
                "tox.ini": "[testenv]\nsetenv = OS_TEST_PATH=./shop/tests/unit\ncommands = stestr run {posargs}\n",
            },
            IN_UNIT,
        ),
    ],
)
def test_unittest_looks_for_tests_where_its_settings_say(said: dict[str, str], words: str) -> None:
    environment = detected({**SUITE, **said})
    assert environment.tests[0].argv == ("python", "-m", "unittest", *words.split())
    assert environment.tests[0].runner == "unittest"
    assert any("found by unittest" in line for line in environment.evidence)


def test_what_testr_imports_from_the_folder_of_the_tests_itself_is_imported_from_there() -> None:
    testr = {".testr.conf": "[DEFAULT]\ntest_command=python -m subunit.run discover \\\n  ./shop/tests/unit $LISTOPT\n"}
    assert detected({**SUITE, **testr}).tests[0].argv[-4:] == ("-s", "shop/tests/unit", "-t", "shop/tests/unit")


CONF = {".stestr.conf": "[DEFAULT]\ntest_path=./shop/tests/unit\n"}
TRAVIS = "language: python\nscript: %s\n"


@pytest.mark.parametrize(
    ("others", "runner"),
    [
        ({"shop/tests/unit/test_c.py": "def test_c(): pass\n"}, "pytest"),
        ({"shop/tests/unit/test_c.py": "def test_double(): pass\n\n\nclass A(TestCase):\n    pass\n"}, "unittest"),
        ({"test-requirements.txt": "pytest\n"}, "pytest"),
        ({"test-requirements.txt": "pytest\nstestr\n"}, "unittest"),
        ({".travis.yml": TRAVIS % "python -m unittest shop.tests.unit.test_a"}, "pytest"),
        ({".travis.yml": TRAVIS % "trial shop"}, "pytest"),
        ({".travis.yml": TRAVIS % "tox"}, "unittest"),
    ],
)
def test_settings_that_were_left_behind_count_for_nothing(others: dict[str, str], runner: str) -> None:
    assert detected({**SUITE, **CONF, **others}).tests[0].runner == runner


def test_a_program_that_the_ci_starts_comes_before_them() -> None:
    program = {"run_tests.py": "import unittest\nunittest.main()\n", ".travis.yml": TRAVIS % "python run_tests.py"}
    assert detected({**SUITE, **CONF, **program}).tests[0].argv == ("python", "run_tests.py")


@pytest.mark.parametrize(
    "said",
    [
        {".stestr.conf": "[DEFAULT]\ntest_path=./elsewhere\n"},
        {".stestr.conf": "[DEFAULT]\ntest_path=/\n"},
        {".stestr.conf": "[DEFAULT]\ntest_path=./../shop/tests/unit\n"},
        {".stestr.conf": "[DEFAULT]\ntest_path=./shop/tests/unit\ntop_dir=./lib\n"},
        {".stestr.conf": "[DEFAULT]\ntest_path=./lib\n", "lib/__init__.py": "", "lib/deep/test_c.py": ""},
        {".stestr.conf": "[DEFAULT]\ntest_path=./lib\n", "lib/__init__.py": "", "lib/c_test.py": ""},
        {".testr.conf": "[DEFAULT]\ntest_command=python -m subunit.run discover -t . shop -p '*_check.py' $LISTOPT\n"},
        {".testr.conf": "[DEFAULT]\ntest_command=python -m subunit.run discover shop '*_check.py' $LISTOPT\n"},
        {".stestr.conf": "[DEFAULT]\ntest_path=$NOBODY_KNOWS\n"},
        {".stestr.conf": "[DEFAULT]\ntest_path=./shop/tests/functional\n"},
        {".stestr.conf": "[DEFAULT]\ngroup_regex=a\n"},
        {".testr.conf": "[DEFAULT]\ntest_command=python -m subunit.run shop.tests\n"},
        {".stestr.conf": "[DEFAULT]\ntest_path=./shop/tests/unit\n", "tox.ini": "[testenv]\ncommands = pytest\n"},
        {".stestr.conf": "[DEFAULT]\ntest_path=./shop\n", "shop/tests/unit/test_c.py": "import pytest\n"},
    ],
)
def test_settings_that_lead_nowhere_or_stand_beside_pytest_count_for_nothing(said: dict[str, str]) -> None:
    assert detected({**SUITE, **said}).tests[0].argv[0] == "pytest"
