"""Suites that Django's own command runs, as a maintainer starts it."""

import pytest

from tests.repo_tools.environment.python.test_detector import detected

SUITE = {
    "setup.py": "setup(name='shop')",
    "tests/settings.py": "INSTALLED_APPS = ['shop']\n",
    "tests/manage.py": "from django.core.management import execute_from_command_line\n",
    "tests/test_a.py": "from django.test import TestCase\n",
}


@pytest.mark.parametrize(
    ("command", "argv"),
    [
        ("coverage run -m django test --settings=tests.settings", "-m django test --settings=tests.settings"),
        ("coverage run {envbindir}/django-admin.py test -v 2", "-m django test -v 2"),
        ("coverage run {env:COVERAGE_OPTIONS:} {envbindir}/django-admin test -v 2", "-m django test -v 2"),
        ("django-admin test {posargs:tests}", "-m django test tests"),
        ("python -W error::DeprecationWarning {toxinidir}/tests/manage.py test core", "tests/manage.py test core"),
        (
            "python -Wd {envbindir}/coverage run tests/manage.py test -v2 {posargs:app}",
            "tests/manage.py test -v2 app",
        ),
        ("django-admin test --parallel=4 --parallel 4 --parallel tests", "-m django test tests"),
    ],
)
def test_its_own_command_is_used_because_it_alone_sets_up_what_the_tests_need(command: str, argv: str) -> None:
    environment = detected({**SUITE, "tox.ini": f"[testenv]\ncommands =\n    {command}\n    coverage report\n"})
    assert environment.tests[0].argv == ("python", *argv.split())
    assert environment.tests[0].runner == "unittest"


MAKEFILE = """\
test:
\tDJANGO_SETTINGS_MODULE=tests.settings \\
\t\tcoverage run --branch `which django-admin` test $${TEST_ARGS:-tests}
"""


@pytest.mark.parametrize(
    "starts",
    [
        {"tox.ini": "[testenv]\ncommands =\n    django-admin --version\n    make test TEST_ARGS={posargs:tests}\n"},
        {".travis.yml": "language: python\nscript: make test\n"},
        {".github/workflows/test.yml": "jobs:\n  test:\n    runs-on: ubuntu-latest\n    steps: [{run: make test}]\n"},
    ],
)
def test_it_is_found_in_the_goal_of_a_makefile_that_is_started(starts: dict[str, str]) -> None:
    environment = detected({**SUITE, "Makefile": MAKEFILE, **starts})
    assert environment.tests[0].shown() == "DJANGO_SETTINGS_MODULE=tests.settings python -m django test tests"
    assert "Makefile:2: Django's own test command" in environment.evidence


def test_it_is_started_in_the_folder_where_the_ci_starts_it() -> None:
    script = "script:\n- cd tests && ./manage.py test\n"
    environment = detected({**SUITE, ".travis.yml": f"language: python\n{script}"})
    assert environment.tests[0].shown() == "cd tests && python ./manage.py test"


@pytest.mark.parametrize(
    "command",
    ["django-admin makemigrations --check", "python other/manage.py test", "django-admin test --settings={envname}"],
)
def test_what_tests_nothing_or_is_not_there_or_known_in_part_is_no_such_command(command: str) -> None:
    environment = detected({**SUITE, "tox.ini": f"[testenv]\ncommands = {command}\n"})
    assert environment.tests[0].argv[0] == "pytest"


@pytest.mark.parametrize(
    "starts",
    [
        {"tox.ini": "[testenv]\ncommands =\n    coverage run -m pytest\n    python tests/manage.py test\n"},
        {"tox.ini": "[testenv]\ncommands =\n    python tests/manage.py test\n    coverage run -m pytest\n"},
        {".travis.yml": "language: python\nscript:\n- pytest\n- cd tests && ./manage.py test\n"},
    ],
)
def test_what_runs_beside_pytest_is_not_the_suite(starts: dict[str, str]) -> None:
    assert detected({**SUITE, **starts}).tests[0].argv[0] == "pytest"


@pytest.mark.parametrize(
    ("more", "shown"),
    [
        ({}, "cd tests && python manage.py test"),
        ({"shop/test_b.py": "from django.test import TestCase\n"}, "pytest"),
        ({"tox.ini": "[testenv]\ncommands = pytest\n"}, "pytest"),
        ({"tests/settings.py": "INSTALLED_APPS = ['shop']\n"}, "pytest"),
    ],
)
def test_a_project_among_the_tests_starts_them_where_nothing_else_does(more: dict[str, str], shown: str) -> None:
    project = {**SUITE, "tests/project/settings.py": SUITE["tests/settings.py"]}
    del project["tests/settings.py"]
    assert detected({**project, **more}).tests[0].shown() == shown


def test_pytest_runs_such_a_suite_where_its_configuration_is_there() -> None:
    tox = {"tox.ini": "[pytest]\nDJANGO_SETTINGS_MODULE = tests.settings\n[testenv]\ncommands = django-admin test\n"}
    assert detected({**SUITE, **tox}).tests[0].argv[0] == "pytest"


@pytest.mark.parametrize(
    "program",
    [
        "from django.core.management import call_command\ncall_command('test', *argv)\n",
        "from django.test.utils import get_runner\nget_runner(settings)().run_tests(['tests'])\n",
        "from django.test.runner import DiscoverRunner\n",
        "execute_from_command_line([sys.argv[0], 'test'])\n",
    ],
)
@pytest.mark.parametrize(
    "starts",
    [
        {"tox.ini": "[testenv]\ncommands = coverage run {toxinidir}/tests/run_tests.py\n"},
        {".travis.yml": "language: python\nscript: python tests/run_tests.py\n"},
    ],
)
def test_a_program_of_its_own_that_calls_it_is_used(program: str, starts: dict[str, str]) -> None:
    environment = detected({**SUITE, "tests/run_tests.py": program, **starts})
    assert environment.tests[0].shown() == "python tests/run_tests.py"


@pytest.mark.parametrize(
    ("command", "variable"),
    [
        ("python tests/manage.py test", None),
        ("env DJANGO_SETTINGS_MODULE=tests.settings python tests/manage.py test", "tests.settings"),
        ("django-admin test", "tests.settings"),
    ],
)
def test_a_program_s_own_settings_are_not_guessed(command: str, variable: str | None) -> None:
    environment = detected({**SUITE, "tox.ini": f"[testenv]\ncommands = {command}\n"})
    assert environment.test_variables.get("DJANGO_SETTINGS_MODULE") == variable


APPLICATION = {
    "manage.py": "import os, django\n",
    "requirements.txt": "django\n",
    "shop/tests.py": "from django.test import TestCase\n",
}


def of_workflow(*commands: str, more: str = "") -> dict[str, str]:
    steps = "".join(f"    - run: {command}\n" for command in commands)
    return {".github/workflows/test.yml": f"jobs:\n  test:\n    runs-on: ubuntu-latest\n{more}    steps:\n{steps}"}


@pytest.mark.parametrize(
    ("starts", "argv"),
    [
        ({}, "manage.py test"),
        (
            {"tox.ini": "[testenv]\ncommands = python manage.py test {posargs:shop} --settings=ci\n"},
            "--settings=ci shop",
        ),
        (of_workflow("python manage.py test shop -v 2 --failfast --parallel"), "-v 2 shop"),
        (
            of_workflow("coverage run manage.py test --exclude-tag slow --keepdb shop"),
            "--exclude-tag slow --keepdb shop",
        ),
        (of_workflow("python manage.py test shop -v2", "python manage.py test till -v2"), "-v2 shop till"),
        (of_workflow("python manage.py test shop --settings a", "python manage.py test --settings a"), "--settings a"),
        (of_workflow("python manage.py test shop --tag=a", "python manage.py test shop --tag=b"), "shop"),
        (of_workflow("python manage.py migrate", "python manage.py test --settings=ci"), "--settings=ci"),
        (
            of_workflow(
                "python manage.py test ${{ matrix.app }} --keepdb", more="    strategy: {matrix: {app: [shop]}}\n"
            ),
            "--keepdb",
        ),
        (
            of_workflow(
                "python manage.py test ${{ matrix.app }} --settings=shop.ci",
                more="    strategy: {matrix: {app: [shop]}}\n",
            ),
            "--settings=shop.ci",
        ),
        (of_workflow("python manage.py test --timing -- shop"), "--timing shop"),
        (of_workflow("python manage.py test --shuffle 42 --keepdb"), "--keepdb"),
        (
            of_workflow("python manage.py test --testrunner=xmlrunner.XMLTestRunner"),
            "--testrunner=xmlrunner.XMLTestRunner",
        ),
        (of_workflow("python manage.py test --configuration Test"), "--configuration Test"),
        ({**of_workflow("python manage.py test Till shop --keepdb"), "Till/tests.py": ""}, "--keepdb Till shop"),
        (
            of_workflow("python manage.py test shop --settings a", "python manage.py test b --settings b"),
            "--settings a shop",
        ),
        (of_workflow("python manage.py test shop.tests.CartTest --settings=ci"), ""),
        (of_workflow("python manage.py test --tag=smoke -k cart --settings=ci"), "--settings=ci"),
        ({**of_workflow("python manage.py test till --keepdb"), "till/tests.py": "", "a/tests.py": ""}, "--keepdb"),
        (of_workflow("python manage.py test ./shop --keepdb"), "--keepdb ./shop"),
        (of_workflow("python manage.py test . --keepdb"), "--keepdb ."),
        ({"Makefile": "S = ci\ntest:\n\tpython manage.py test --settings=$(S) shop\n"}, "--settings=ci shop"),
        ({"Makefile": "lint:\n\tpython manage.py test\n"}, ""),
        ({"Makefile": "test: up\n\tdocker-compose run web make check\n"}, ""),
    ],
)
def test_an_application_s_own_program_is_told_what_its_maintainers_tell_it(starts: dict[str, str], argv: str) -> None:
    environment = detected({**APPLICATION, **starts})
    words = argv.removeprefix("manage.py test").split()
    assert environment.tests[0].argv == ("python", "manage.py", "test", *words)
    assert not environment.tests[0].directory


def test_a_job_that_is_less_likely_the_one_of_the_tests_tells_an_application_s_program_nothing() -> None:
    job = "  {}:\n    runs-on: ubuntu-latest\n    steps:\n    - run: {}\n"
    jobs = job.format("test", "make test") + job.format("trackers", "TRACKERS=1 python manage.py test --settings=ci")
    command = detected({**APPLICATION, ".github/workflows/test.yml": f"jobs:\n{jobs}"}).tests[0]
    assert command.shown() == "python manage.py test"


def test_an_application_s_program_gives_way_to_what_its_tox_starts() -> None:
    program = {"tests/runtests.py": "import unittest\n", "tox.ini": "[testenv]\ncommands = python tests/runtests.py\n"}
    assert detected({**APPLICATION, **program}).tests[0].argv == ("python", "tests/runtests.py")


def test_commands_of_tox_are_started_in_the_folder_that_it_changes_to() -> None:
    files = {f"web/{path}": text for path, text in APPLICATION.items()} | {"setup.py": "setup(name='web')"}
    tox = "[testenv]\nchangedir = {toxinidir}/web\ncommands =\n    coverage run manage.py test {posargs}\n"
    environment = detected({**files, "tox.ini": tox})
    assert environment.tests[0].shown() == "cd web && python manage.py test"
    assert "tox.ini [testenv] commands: Django's own test command" in environment.evidence


@pytest.mark.parametrize(
    ("more", "shown"),
    [
        ({}, "cd src && python manage.py test"),
        (
            {"Makefile": "test:\n\tcd src && python manage.py test --keepdb\n"},
            "cd src && python manage.py test --keepdb",
        ),
        ({"tests/test_b.py": ""}, "pytest"),
        ({"example/manage.py": "import django\n"}, "pytest"),
        ({"src/shop/tests.py": "import pytest\n"}, "pytest"),
        ({"src/pytest.ini": "[pytest]\n"}, "pytest"),
        ({"src/pyproject.toml": "[tool.pytest.ini_options]\n"}, "pytest"),
        ({"src/manage.py": "from flask_script import Manager\n"}, "pytest"),
    ],
)
def test_the_program_of_an_application_in_a_folder_is_used_where_all_tests_are_its_own(
    more: dict[str, str], shown: str
) -> None:
    files = {f"src/{path}": text for path, text in APPLICATION.items() if path.endswith(".py")}
    command = detected({**files, "requirements.txt": "django\n", **more}).tests[0]
    assert command.shown() == shown or command.argv[0] == shown


def test_a_program_beside_examples_is_none_of_the_suite() -> None:
    files = {f"example/{path}": text for path, text in APPLICATION.items() if path.endswith(".py")}
    assert detected({**files, "setup.py": ""}).tests[0].argv[0] == "pytest"


OF_SETUP = {
    "setup.py": "setup(name='shop', test_suite='shop.checks.main')",
    "shop/__init__.py": "",
    "shop/checks.py": "from django.core.management import call_command\ndef main(a=1): exit(call_command('test'))\n",
    "shop/tests.py": "from django.test import TestCase\n",
}


@pytest.mark.parametrize(
    ("more", "suite"),
    [
        ({}, "shop.checks.main"),
        (
            {
                "setup.py": "setup(name='shop', test_suite='tests.main')",
                "tests/__init__.py": "import django\ndef main(): raise SystemExit(DiscoverRunner().run_tests(['a']))\n",
            },
            "tests.main",
        ),
    ],
)
def test_a_function_that_sets_django_up_is_called_as_setup_py_test_does(more: dict[str, str], suite: str) -> None:
    environment = detected({**OF_SETUP, **more})
    assert environment.tests[0].argv == ("python", "-m", "unittest", suite)
    assert environment.tests[0].runner == "unittest"
    assert f"setup.py test_suite: {suite}" in environment.evidence


@pytest.mark.parametrize(
    "more",
    [
        {"shop/checks.py": "import django, nose\ndef main(): nose.run_exit()\n"},
        {"shop/checks.py": "import django, pytest\ndef main(): pytest.main()\n"},
        {"shop/checks.py": "def main(): return suite\n"},
        {"shop/checks.py": "import django\ndef main(): call_command('test')\n"},
        {"shop/checks.py": "import django\ndef main(): return DiscoverRunner().run_tests(['a'])\n"},
        {"shop/checks.py": "import django\ndef main(*, verbosity): return suite\n"},
        {"shop/checks.py": "import django\ndef main(labels): return suite\n"},
        {"shop/checks.py": "import django\ndef main(): sys.exit(call_command('test', *sys.argv[1:]))\n"},
        {"shop/checks.py": "import django\ndef main(: return suite\n"},
        {"setup.py": "setup(name='shop', test_suite='-a.main')", "-a.py": "import django\ndef main(): return suite\n"},
        {"setup.py": "setup(name='shop', test_suite='shop.checks')"},
        {"setup.py": "setup(name='shop', test_suite='shop.checks.main', tests_require=['pytest-django'])"},
        {".travis.yml": "language: python\nscript: py.test\n"},
    ],
)
def test_any_other_function_that_setup_py_names_leaves_the_suite_to_pytest(more: dict[str, str]) -> None:
    assert detected({**OF_SETUP, **more}).tests[0].argv[0] == "pytest"
