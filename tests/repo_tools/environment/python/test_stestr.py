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


@pytest.mark.parametrize(
    "said",
    [
        {".stestr.conf": "[DEFAULT]\ntest_path=./elsewhere\n"},
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
