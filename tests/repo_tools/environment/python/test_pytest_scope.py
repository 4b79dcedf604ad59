"""Examples, and tests of the whole, beside the suite, which a maintainer's own command passes by."""

import pytest

from tests.repo_tools.environment.python.test_detector import detected

TOX = "[testenv]\ncommands = {toxinidir}/clean.sh\n    pytest %s []\n"
CI = "jobs:\n  t:\n    runs-on: ubuntu-latest\n    steps:\n      - run: pip install pytest\n      - run: pytest %s\n"
FILES = {
    "setup.cfg": "[tool:pytest]\n",
    "tests/test_a.py": "def test_a(): pass",
    "examples/shop/tests/conftest.py": "import nowhere",
    "examples/shop/tests/test_shop.py": "def test_a(): pass",
}


@pytest.mark.parametrize(
    "said",
    [
        {"tox.ini": TOX % "tests"},
        {"tox.ini": TOX % "--cov=shop -n 4 ./tests/ {posargs}"},
        {"tox.ini": TOX % "{posargs:--cov=shop tests}"},
        {".github/workflows/ci.yml": CI % "tests"},
        {"hatch.toml": "[envs.test.scripts]\nrun = 'pytest tests'\n"},
        {"hatch.toml": "[envs.test.scripts]\nrun = 'pytest {args:tests}'\n"},
        {"tox.ini": TOX % "tests", "shop/tests/test_b.py": "def test_b(): pass"},
    ],
)
def test_examples_that_the_maintainers_pass_by_are_not_collected(said: dict[str, str]) -> None:
    environment = detected({**FILES, **said})
    assert environment.tests[0].argv == ("pytest", "--ignore=examples")
    assert any(line.endswith(": tests in tests") for line in environment.evidence)


def test_neither_are_tests_of_the_whole_beside_those_of_its_units() -> None:
    files = dict.fromkeys(("tests/unit/test_a.py", "tests/functional/test_b.py", "tests/more/test_c.py"), "")
    assert detected({**files, "tox.ini": TOX % "tests/unit"}).tests[0].argv == ("pytest", "--ignore=tests/functional")
    both = {"tox.ini": TOX % "tests/unit", ".github/workflows/ci.yml": CI % "tests/functional"}
    for told in (both, {"tox.ini": TOX % "tests"}):
        assert detected({**files, **told}).tests[0].argv == ("pytest",)


def test_documents_that_they_name_and_a_conftest_makes_tests_of_stay() -> None:
    files = {"docs/conftest.py": "pytest_collect_file = Sybil().pytest()", "docs/a.rst": "", "tests/test_a.py": ""}
    assert detected({**files, "tox.ini": TOX % "docs tests"}).tests[0].argv == ("pytest",)
    assert detected({**files, "tox.ini": TOX % "tests"}).tests[0].argv == ("pytest", "--ignore=docs")
    assert detected({**files, ".travis.yml": "script:\n- pytest tests docs\n"}).tests[0].argv == ("pytest",)
    alone = {".github/workflows/docs.yml": "jobs:\n  docs:\n    steps:\n    - run: pytest docs\n"}
    assert detected({**files, "tox.ini": TOX % "tests", **alone}).tests[0].argv == ("pytest", "--ignore=docs")


def test_what_they_name_among_examples_is_collected_and_nothing_else_of_them() -> None:
    names = ("shop/tests/test_shop.py", "shop/tests/test_more.py", "shop/test_b.py", "other/test_c.py", "test_d.py")
    files = dict.fromkeys((f"examples/{name}" for name in names), "") | {"tests/test_a.py": ""}
    left_out = [f"--ignore=examples/{name}" for name in ("other", "shop/test_b.py", "test_d.py")]
    environment = detected({**files, "tox.ini": TOX % "tests examples/shop/tests"})
    assert environment.tests[0].argv == ("pytest", *left_out)


def test_a_folder_in_which_pytest_is_started_is_named_so_too_also_where_nothing_configures_it() -> None:
    workflow = (CI % "--cov shop").replace("run: pytest --cov", "run: cd tests/ && py.test --cov")
    files = {".github/workflows/ci.yml": workflow, "tests/test_a.py": "", "extra/test_b.py": "", "more/test_c.py": ""}
    assert detected(files).tests[0].argv == ("pytest", "--ignore=extra")


@pytest.mark.parametrize(
    "said",
    [
        {"tox.ini": TOX.replace("pytest", "nosetests") % "tests"},
        {"setup.cfg": "[nosetests]\nmatch=^test\nwhere=tests\n"},
        {"setup.cfg": "[nosetests]\ntests = ./tests/, more\n"},
        {"setup.py": "setup(name='shop', test_suite='tests')"},
        {"setup.py": "setup(test_suite='shop.tests')", "src/shop/tests/test_a.py": "def test_a(): pass"},
    ],
)
def test_so_are_those_outside_of_where_nose_and_setuptools_look(said: dict[str, str]) -> None:
    assert detected({**FILES, "setup.cfg": "", **said}).tests[0].argv == ("pytest", "--ignore=examples")


@pytest.mark.parametrize(
    "files",
    [
        {},
        {"setup.cfg": "[nosetests]\nverbosity = 2\n"},
        {"setup.py": "setup(name='shop', test_suite='nose.collector')"},
        {"setup.py": "setup(name='shop', test_suite='tests')"},
        {"tox.ini": TOX % ""},
        {"tox.ini": TOX % "tests examples"},
        {"tox.ini": TOX % "tests", ".github/workflows/ci.yml": CI % "examples"},
        {"tox.ini": TOX % "'tests"},
        {".github/workflows/ci.yml": CI % "tests $EXAMPLES"},
        {"tox.ini": TOX % "tests", "setup.cfg": "[tool:pytest]\ntestpaths = tests\n"},
    ],
)
def test_without_such_a_command_pytest_finds_what_it_finds(files: dict[str, str]) -> None:
    assert detected({**FILES, **files}).tests[0].argv == ("pytest",)


@pytest.mark.parametrize(
    "said",
    [
        {"tox.ini": "[testenv]\ncommands = nosetests -vv tests/mock_tests.py\n"},
        {"tox.ini": "[testenv]\ncommands = python -m pytest ./tests/mock_tests.py::TestA tests/test_a.py\n"},
        {".travis.yml": "language: python\nscript: nosetests tests/mock_tests.py\n"},
    ],
)
def test_a_file_of_tests_that_is_called_like_none_is_one_where_a_command_names_it(said: dict[str, str]) -> None:
    files = {"tests/mock_tests.py": "def test_a(): pass", "tests/test_a.py": "", "shop.py": ""}
    environment = detected({**files, **said})
    assert environment.tests[0].argv == ("pytest", "-o", "python_files=test_*.py *_test.py tests/mock_tests.py")
    assert environment.test_file_patterns == ("tests/mock_tests.py",)


@pytest.mark.parametrize("name", ["benchmarks", "bench", "benchmark"])
def test_measurements_that_lie_among_tests_are_none(name: str) -> None:
    files = {f"tests/{name}.py": "def test_a(benchmark): pass", "tests/test_a.py": "", "shop.py": ""}
    said = {".github/workflows/ci.yml": CI % f"tests/{name}.py --benchmark-only"}
    assert detected({**files, **said}).tests[0].argv == ("pytest",)


MAKE = "test:\n\tcoverage run --source=shop --omit=shop/a.py ./tests/test.py -v\n"


@pytest.mark.parametrize(
    "said",
    [
        {"tox.ini": "[testenv]\ncommands = python tests/test.py -v\n"},
        {
            ".github/workflows/ci.yml": CI.replace("pip install pytest", "pip install .").replace(
                "pytest %s", "make test"
            )
        },
        {".travis.yml": "language: python\nscript: make test\n"},
    ],
)
def test_so_is_one_that_a_command_starts_by_itself(said: dict[str, str]) -> None:
    files = {
        "tests/test.py": "def test_a(): pass",
        "tests/data/test_a.py": "def test_b(): pass",
        "shop.py": "",
        "Makefile": MAKE,
    }
    environment = detected({**files, **said})
    assert environment.tests[0].argv == ("pytest", "-o", "python_files=test_*.py *_test.py tests/test.py")
    assert detected({**files, **said, "tests/test.py": "import helpers"}).tests[0].argv == ("pytest",)


def test_it_joins_those_that_the_settings_name() -> None:
    settings = "[pytest]\npython_files = check_*.py\n[testenv]\ncommands = pytest tests/all.py\n"
    environment = detected({"tox.ini": settings, "tests/check_a.py": "", "tests/all.py": ""})
    assert environment.tests[0].argv == ("pytest", "-o", "python_files=check_*.py tests/all.py")


@pytest.mark.parametrize(
    "named",
    [
        *("shop.py", "tests/test_a.py", "tests/none.py", "tests", "tests/data.txt"),
        *(
            "tests/conftest.py",
            "tests/__init__.py",
            "--ignore tests/gui_main.py tests",
            "--cov-config tests/gui_main.py",
        ),
    ],
)
def test_what_is_named_and_is_product_or_collected_anyway_changes_nothing(named: str) -> None:
    files = {
        "tests/test_a.py": "",
        "shop.py": "",
        "tests/data.txt": "",
        **dict.fromkeys(("tests/conftest.py", "tests/__init__.py", "tests/gui_main.py"), ""),
        "tox.ini": f"[testenv]\ncommands = pytest {named}",
    }
    assert detected(files).tests[0].argv == ("pytest",)


def test_tests_of_a_template_that_the_suite_fills_in_are_not_collected() -> None:
    names = ("conftest.py", "test_app.py", "docs/conftest.py")
    template = {f"{{{{cookiecutter.slug}}}}/{name}": "import django" for name in names}
    files = {**template, "setup.cfg": "[tool:pytest]\n", "tests/test_bake.py": "def test_a(cookies): pass"}
    environment = detected(files)
    assert environment.tests[0].argv == ("pytest", "--ignore={{cookiecutter.slug}}")
    assert not any("django" in line for line in (*environment.evidence, *map(str, environment.setup)))
    files["setup.cfg"] = "[tool:pytest]\ntestpaths = tests\n"
    assert detected(files).tests[0].argv == ("pytest",)


def test_what_they_pass_by_in_one_job_is_collected_where_another_one_starts_pytest_on_all() -> None:
    files = dict.fromkeys(("tests/unit/test_a.py", "tests/functional/test_b.py"), "")
    jobs = {".github/workflows/ci.yml": CI % "tests/unit", ".github/workflows/all.yml": CI % "-n 4 --cov"}
    assert detected({**files, **jobs}).tests[0].argv == ("pytest",)
    for part in ("-m unit", "--ignore=tests/functional", "-k unit"):
        jobs[".github/workflows/all.yml"] = CI % part
        assert "--ignore=tests/functional" in detected({**files, **jobs}).tests[0].argv
