"""Suites behind a program of the repository that its CI starts."""

import pytest

from repo_tools.environment.contract import Environment, TestCommand
from repo_tools.environment.detect import detect
from tests.support.ci_jobs import ci_running
from tests.support.files_checkout import FilesCheckout
from tests.support.trees import planned

CI = ".github/workflows/ci.yml"
HELPERS = {"tests/test_utils.py": "def test_nothing(): pass", "tests/sql.py": "import unittest", "shop.py": ""}
SUITE = "#!/usr/bin/env python3\nimport unittest\nunittest.main('tests')"


def plan_for(files: dict[str, str]) -> Environment:
    checkout = FilesCheckout(HELPERS | files)
    return detect(checkout.tree, checkout.read)


def command_for(files: dict[str, str]) -> TestCommand:
    return plan_for(files).tests[0]


@pytest.mark.parametrize(
    ("line", "program", "expected"),
    [
        ("python runtests.py", "runtests.py", TestCommand("unittest", ("python", "runtests.py"))),
        ("sudo python3 -W error run_tests.py -v2 --db=a", "run_tests.py", None),
        ("coverage run --source shop tests/alltests.py -q", "tests/alltests.py",
         TestCommand("unittest", ("python", "tests/alltests.py", "-q"))),
        ("cd tests && python ./run_tests.py", "tests/run_tests.py",
         TestCommand("unittest", ("python", "./run_tests.py"), "tests")),
        ("python -m tests -s", "tests/__main__.py", TestCommand("unittest", ("python", "-m", "tests", "-s"))),
        ("python bin/shop-testcases -v", "bin/shop-testcases",
         TestCommand("unittest", ("python", "bin/shop-testcases", "-v"))),
        ("poetry run python bin/shop-testcases", "bin/shop-testcases",
         TestCommand("unittest", ("python", "bin/shop-testcases"))),
        ("uv run -- coverage run bin/shop_tests", "bin/shop_tests",
         TestCommand("unittest", ("python", "bin/shop_tests"))),
        ("coverage run bin/shop_tests", "bin/shop_tests", TestCommand("unittest", ("python", "bin/shop_tests"))),
        ("python tests -v", "tests/__main__.py", TestCommand("unittest", ("python", "tests", "-v"))),
        ("./run-tests", "run-tests", TestCommand("unittest", ("python", "./run-tests"))),
        ("python -m run_tests", "run_tests.py", TestCommand("unittest", ("python", "-m", "run_tests"))),
    ],
)  # fmt: skip
def test_the_program_that_a_ci_starts_is_more_than_files_that_are_called_like_tests(
    line: str, program: str, expected: TestCommand | None
) -> None:
    expected = expected or TestCommand("unittest", ("python", "run_tests.py", "-v2", "--db=a"))
    assert command_for({**ci_running("pip install six", line), program: SUITE}) == expected


def test_so_is_the_one_that_a_goal_of_the_makefile_starts() -> None:
    files = {**ci_running("make test"), "Makefile": "test:\n\tcoverage run --source=shop ./tests/test.py -v\n"}
    expected = TestCommand("unittest", ("python", "./tests/test.py", "-v"))
    assert command_for({**files, "tests/test.py": SUITE}) == expected
    assert command_for({**files, "Makefile": "test:\n\tpytest\n\tpython runtests.py\n"}).runner == "pytest"


def test_the_program_that_the_ci_starts_comes_before_the_one_of_a_demonstration() -> None:
    manage = "import os\nfrom django.core.management import execute_from_command_line\n"
    program = "import django\nfrom django.test.utils import get_runner\nget_runner(None)().run_tests([])\n"
    files = {"manage.py": manage, "quicktest.py": program, "setup.py": ""}
    command = command_for({**files, **ci_running("coverage run quicktest.py")})
    assert command == TestCommand("unittest", ("python", "quicktest.py"))
    assert command_for(files | ci_running("python manage.py check")).argv[:2] == ("python", "manage.py")


def test_a_module_that_is_called_like_a_test_of_something_else_is_not_the_suite() -> None:
    files = {**ci_running("python -m load_test", "python run_all.py"), "load_test.py": SUITE}
    assert command_for(files).runner == "pytest"


def test_a_program_of_another_language_is_none_of_pythons() -> None:
    files = {**ci_running("./run-tests"), "run-tests": "#!/bin/sh\n: unittest\n"}
    assert command_for(files).runner == "pytest"


@pytest.mark.parametrize(
    "files",
    [
        ci_running("python runtests.py", "pytest"),
        ci_running("python runtests.py", "python -m unittest"),
        ci_running("pip install 'pytest<9'", "python runtests.py"),
        {**ci_running("python setup.py test"), "setup.py": "import unittest, setuptools; setuptools.setup(name='a')"},
        {**ci_running("python runtests.py"), "setup.cfg": "[tool:pytest]\naddopts = -q"},
        {**ci_running("python runtests.py"), "requirements-test.txt": "pytest"},
        {**ci_running("python runtests.py"), "tests/test_utils.py": "import pytest"},
        {**ci_running("python runtests.py"), "runtests.py": "import unittest, pytest; pytest.main()"},
        {**ci_running("python runtests.py"), "tests/conftest.py": ""},
        ci_running("python tests/runtests.py"),
        {},
    ],
    ids=["starts pytest", "starts unittest", "installs pytest", "setup.py", "configured", "declared", "imported",
         "is pytest", "conftest", "nowhere", "no CI"],
)  # fmt: skip
def test_pytest_is_taken_where_anything_speaks_for_it(files: dict[str, str]) -> None:
    assert command_for({"runtests.py": SUITE, **files}).runner == "pytest"


def test_a_program_that_is_none_of_unittests_counts_by_how_it_ends_and_only_where_pytest_finds_nothing() -> None:
    files = {**ci_running("python runtests.py"), "runtests.py": "import shop"}
    assert command_for(files).runner == "pytest"
    assert command_for({**files, "tests/test_utils.py": "x = 1"}) == TestCommand("exit_code", ("python", "runtests.py"))


def test_the_plan_says_where_the_program_is_started_and_how_little_is_known_of_it() -> None:
    files = {**ci_running("python runtests.py -q"), "runtests.py": SUITE}
    assert f"{CI}:5: python runtests.py -q" in plan_for(files).evidence
    silent = {**files, "runtests.py": "import shop", "tests/test_utils.py": "x = 1"}
    told = f"{CI}:5: python runtests.py -q, of which only the exit code is known"
    assert told in plan_for(silent).evidence


def test_a_program_with_arguments_that_only_a_run_knows_is_not_started() -> None:
    assert command_for({**ci_running("python runtests.py $DATABASE"), "runtests.py": SUITE}).argv == ("pytest",)


def test_a_package_of_tests_that_runs_itself_is_the_suite_whatever_its_files_are_called() -> None:
    files = {
        "shop/tests/__init__.py": "from .smoke import SmokeTest\n",
        "shop/tests/__main__.py": "import unittest\n\nunittest.main(module='shop.tests')\n",
        "shop/tests/smoke.py": "from unittest import TestCase\n\n\nclass SmokeTest(TestCase): ...\n",
        "shop/tests/helpers.py": "def helped(): ...\n",
        "pyproject.toml": "[project]\nname = 'shop'\n",
    }
    make = "PKG:=shop\ntest:\n\tpython -m coverage run -m $(PKG).tests\n\tpython -m mypy -p $(PKG)\n"
    travis = "language: python\nscript: make test\n"
    for said in (
        {},  # an archive of sources has nothing of the CI
        {"makefile": make, ".travis.yml": travis},
        {"Makefile": make, ".travis.yml": travis},
        {"tox.ini": "[testenv]\ncommands = python -m coverage run -m shop.tests\n"},
    ):
        checkout = FilesCheckout({**files, **said})
        environment = detect(checkout.tree, checkout.read)
        assert environment.detector.startswith("python/")
        assert environment.tests == (TestCommand("unittest", ("python", "-m", "shop.tests")),)
        assert environment.test_file_patterns == ("shop/tests/*.py",)


PACKAGE = {
    "Makefile": "test:\n\tpython -m coverage run -m shop.tests\n\tpython -m mypy shop\n",
    "src/shop/__init__.py": "",
    "src/shop/tests/__init__.py": "from .cart import CartTest\n",
    "src/shop/tests/__main__.py": "import unittest\n\nunittest.main(module='shop.tests')\n",
    "src/shop/tests/cart.py": "from unittest import TestCase\n\nclass CartTest(TestCase):\n    def test_a(self): ...\n",
    "setup.py": "",
}


def test_a_package_of_tests_that_is_a_program_of_unittest_runs_whatever_its_modules_are_called() -> None:
    environment = planned(PACKAGE)
    assert environment.tests == (TestCommand("unittest", ("python", "-m", "shop.tests")),)
    assert "src/shop/tests/__main__.py: runs unittest" in environment.evidence


@pytest.mark.parametrize(
    "more",
    [
        {"src/shop/tests/test_cart.py": "def test_a(): pass\n"},
        {"src/shop/tests/test_cart.py": PACKAGE["src/shop/tests/cart.py"], "src/shop/tests/cart.py": ""},
        {"pytest.ini": "[pytest]\npython_files = *.py\n"},
    ],
)
def test_pytest_runs_it_where_it_is_configured_or_finds_files_of_its_own(more: dict[str, str]) -> None:
    assert planned({**PACKAGE, **more}).tests[0].argv[0] == "pytest"


@pytest.mark.parametrize(
    "more",
    [
        {"src/shop/tests/__main__.py": "import pytest\nimport unittest\npytest.main()\n"},
        {"src/shop/tests/__main__.py": "print('hello')\n"},
        {"src/other/tests/__main__.py": "import unittest\nunittest.main()\n"},
    ],
)
def test_no_program_is_taken_that_is_not_unittests_or_not_the_only_one(more: dict[str, str]) -> None:
    assert planned({**PACKAGE, **more}).tests[0].argv[:1] == ("make",)
