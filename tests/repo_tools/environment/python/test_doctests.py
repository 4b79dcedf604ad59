"""Examples in the sources, which a repository's own command for pytest runs beside the suite."""

import pytest

from repo_tools.environment.python.detector import PythonDetector
from tests.repo_tools.environment.python.test_detector import detected
from tests.support.trees import reader_of, tree_of

TOX = "[testenv]\ncommands = pytest %s {posargs}\n"
CI = "jobs:\n  test:\n    runs-on: ubuntu-latest\n    steps:\n      - run: pip install pytest\n      - run: %s\n"
FILES = {"shop/__init__.py": "", "shop/till.py": "", "tests/test_a.py": "def test_a(): pass"}
PATH = ".github/workflows/ci.yml"


@pytest.mark.parametrize(
    ("said", "options"),
    [
        ({"tox.ini": TOX % "--doctest-modules shop tests"}, ("--doctest-modules",)),
        ({"tox.ini": TOX % "--doctest-glob='*.rst' -k fast"}, ("--doctest-glob=*.rst",)),
        (
            {"tox.ini": "[testenv]\ncommands = pytest --doctest-modules {posargs:./shop ./tests}\n"},
            ("--doctest-modules",),
        ),
        (
            {"tox.ini": TOX % "--doctest-modules {env_site_packages_dir}/shop {tox_root}/tests"},
            ("--doctest-modules",),
        ),
        ({"tox.ini": TOX % "--doctest-modules {envsitepackagesdir}{/}shop tests"}, ("--doctest-modules",)),
        ({PATH: CI % "python -m pytest --doctest-modules --cov=. ."}, ("--doctest-modules",)),
        ({PATH: CI % "pytest --doctest-modules --pyargs shop"}, ("--doctest-modules",)),
        ({PATH: CI % "make test", "Makefile": "test:\n\tpytest --doctest-modules shop\n"}, ("--doctest-modules",)),
        (
            {PATH: CI % "pytest -v --doctest-modules --ignore shop/till.py --ignore-glob='b*'"},
            ("--doctest-modules", "--ignore=shop/till.py", "--ignore-glob=b*"),
        ),
        ({PATH: CI % "nosetests --with-doctest shop"}, ("--doctest-modules",)),
        ({"setup.cfg": "[nosetests]\nwith-doctest = 1\n"}, ("--doctest-modules",)),
        (
            {"setup.cfg": "[nosetests]\nwith-doctest = 1\ndoctest-options = +ELLIPSIS, +REPORT_NDIFF\n"},
            ("--doctest-modules", "--override-ini=doctest_optionflags=ELLIPSIS"),
        ),
        (
            {PATH: CI % "nosetests --with-doctest --doctest-extension=rst shop"},
            ("--doctest-modules", "--doctest-glob=*.rst"),
        ),
        (
            {"setup.cfg": "[nosetests]\nwith-doctest = 1\ndoctest-extension = .md\n"},
            ("--doctest-modules", "--doctest-glob=*.md"),
        ),
        (
            {PATH: CI % "nosetests --with-doctest --doctest-options=+ELLIPSIS shop"},
            ("--doctest-modules", "--override-ini=doctest_optionflags=ELLIPSIS"),
        ),
        (
            {PATH: CI % "nosetests --with-doctest --doctest-options +ELLIPSIS,+OF_A_PLUG_IN shop"},
            ("--doctest-modules", "--override-ini=doctest_optionflags=ELLIPSIS"),
        ),
        (
            {"tox.ini": TOX % "--doctest-modules", "pytest.ini": "[pytest]\ntestpaths = tests shop\n"},
            ("--doctest-modules",),
        ),
    ],
)
def test_examples_that_the_maintainers_run_are_tests(said: dict[str, str], options: tuple[str, ...]) -> None:
    environment = detected({**FILES, **said})
    assert environment.tests[0].argv == ("pytest", *options)
    assert any(": pytest " in line for line in environment.evidence)


@pytest.mark.parametrize(
    "said",
    [
        {},
        {"tox.ini": TOX % "tests"},
        {"tox.ini": TOX % "--doctest-modules nowhere"},
        {"tox.ini": TOX % "--doctest-modules {envdir}/shop"},
        {"tox.ini": TOX % "--doctest-modules shop", "pytest.ini": "[pytest]\ntestpaths = tests\n"},
        {PATH: CI % "cd shop && pytest --doctest-modules"},
        {"setup.cfg": "[nosetests]\nwith-doctest = 0\n"},
        {"setup.cfg": "[nosetests]\nverbosity = 1\n"},
    ],
)
def test_without_a_word_of_theirs_nothing_but_tests_is_collected(said: dict[str, str]) -> None:
    assert detected({**FILES, **said}).tests[0].argv == ("pytest",)


def test_what_lies_outside_of_where_they_look_is_not_imported_for_its_examples() -> None:
    others = {"setup.py": "", "run.py": "", "tools/a.py": "", "docs/index.rst": "", "data/cases.yml": ""}
    environment = detected({**FILES, **others, "tox.ini": TOX % "--doctest-modules shop"})
    ignored = ("--ignore=run.py", "--ignore=setup.py", "--ignore=tools")
    assert environment.tests[0].argv == ("pytest", "--doctest-modules", *ignored)


def test_what_lies_beside_tests_and_is_none_is_not_imported_for_its_examples() -> None:
    beside = {"tests/profile.py": "", "tests/__init__.py": "", "tests/data/case.py": ""}
    environment = detected({**FILES, **beside, "tox.ini": TOX % "--doctest-modules shop"})
    assert environment.tests[0].argv == ("pytest", "--doctest-modules", "--ignore=tests/profile.py")
    many = {f"tests/helper{number}.py": "" for number in range(20)}
    environment = detected({**FILES, **many, "tox.ini": TOX % "--doctest-modules shop"})
    assert environment.tests[0].argv == ("pytest", "--doctest-modules")


def test_nose_looks_for_them_in_packages() -> None:
    others = {"run.py": "", "tools/a.py": "", "setup.cfg": "[nosetests]\nwith-doctest=true\n"}
    environment = detected({**FILES, **others})
    assert environment.tests[0].argv == ("pytest", "--doctest-modules", "--ignore=run.py", "--ignore=tools")


@pytest.mark.parametrize(
    ("said", "left_out"),
    [
        ({"tox.ini": TOX % "tests"}, ("--ignore=more.py", "--ignore=shop")),
        ({"tox.ini": TOX % "shop tests"}, ("--ignore=more.py",)),
        ({"tox.ini": TOX % "tests", PATH: CI % "pytest shop"}, ("--ignore=more.py",)),
        ({"tox.ini": TOX % "tests", PATH: CI % "pytest"}, ()),
        ({"tox.ini": TOX % "tests", PATH: CI % "pytest $INSTALLED"}, ()),
        (
            {"tox.ini": TOX % "tests", "setup.cfg": "[tool:pytest]\naddopts = --doctest-modules\ntestpaths = tests\n"},
            (),
        ),
        ({"tox.ini": TOX % "tests", "setup.cfg": "[tool:pytest]\naddopts = -q\n"}, ()),
        ({}, ()),
    ],
)
def test_where_settings_ask_for_them_they_are_looked_for_where_all_commands_look(
    said: dict[str, str], left_out: tuple[str, ...]
) -> None:
    files = {**FILES, "more.py": "", "setup.cfg": "[tool:pytest]\naddopts = --doctest-modules\n", **said}
    assert detected(files).tests[0].argv == ("pytest", *left_out)


EXAMPLE = '"""\n>>> 1 + 1\n2\n"""\n'
ONLY_EXAMPLES = {"setup.py": "from setuptools import setup\nsetup(name='shop')\n", "shop/__init__.py": EXAMPLE}


@pytest.mark.parametrize(
    "said",
    [
        {"pytest.ini": "[pytest]\naddopts = --doctest-modules\n"},
        {"tox.ini": TOX % "--doctest-modules shop"},
        {PATH: CI % "pytest --doctest-modules shop"},
        {"setup.cfg": "[nosetests]\nwith-doctest = 1\n"},
        {"pytest.ini": "[pytest]\naddopts = --doctest-glob=*.rst\n", "README.rst": "    >>> 1 + 1\n    2\n"},
        {PATH: CI % "pytest --doctest-glob='*.md'", "docs/start.md": ">>> 1 + 1\n2\n"},
    ],
)
def test_examples_are_the_suite_of_a_project_that_has_no_other(said: dict[str, str]) -> None:
    environment = detected({**ONLY_EXAMPLES, **said})
    assert environment.tests[0].argv[0] == "pytest"
    assert environment.test_file_patterns == environment.test_paths == ()  # what is to be fixed stands in these files


def test_of_examples_elsewhere_none_is_imported() -> None:
    files = {**ONLY_EXAMPLES, "setup.py": EXAMPLE, "tool.py": EXAMPLE, "tox.ini": TOX % "--doctest-modules shop"}
    assert detected(files).tests[0].argv == ("pytest", "--doctest-modules", "--ignore=setup.py", "--ignore=tool.py")


@pytest.mark.parametrize(
    "said",
    [
        {},
        {"pytest.ini": "[pytest]\n"},
        {"tox.ini": TOX % ""},
        {"tox.ini": TOX % "--doctest-modules build/lib"},
        {"tox.ini": TOX % "--doctest-modules more", "more/plain.py": ""},
        {"pytest.ini": "[pytest]\naddopts = --doctest-modules\ntestpaths = more\n", "more/plain.py": ""},
        {"pytest.ini": "[pytest]\naddopts = --doctest-glob=./\n"},
        {"pytest.ini": "[pytest]\naddopts = --doctest-modules\n", PATH: CI % "python runtests.py"},
    ],
)
def test_examples_that_nobody_runs_are_no_suite(said: dict[str, str]) -> None:
    files = {**ONLY_EXAMPLES, **said}
    assert PythonDetector().detect(tree_of(files), reader_of(files)) is None
