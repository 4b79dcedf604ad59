"""What Python's tests need that no list of theirs says: by imports, by tools' files, by the version without history."""

from collections.abc import Mapping

import pytest

from repo_tools.changes import Tree
from repo_tools.environment.contract import ReadFile, Tool
from repo_tools.environment.python.detector import PythonDetector
from repo_tools.environment.python.extras import declared_extras, of_extras
from repo_tools.environment.python.imports import undeclared
from repo_tools.environment.python.interpreter import python_tool
from repo_tools.environment.python.requirements import RequirementSource, declared_requirements, names_of
from repo_tools.environment.python.tox import read_tools
from repo_tools.environment.python.unittest import unittest_command
from repo_tools.environment.python.versions import version_without_history
from tests.support.trees import reader_of, tree_of

TOX = "[testenv]\ncommands =\n  "
HATCH = "[tool.hatch.envs.test.scripts]\nrun = %s\n"
UNITTEST = {"tests/test_a.py": "import unittest"}
SHIM = {"shop/test/__main__.py": "from shop.test.suite import main", "shop/test/suite.py": "import unittest"}


def repository(files: Mapping[str, str]) -> tuple[Tree, ReadFile]:
    tree = tree_of(files)
    return tree, reader_of(files)


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("import hypothesis, os, mine", ("hypothesis",)),
        ("from yaml import safe_load", ("pyyaml",)),
        ("import jwt", ("PyJWT",)),
        ("from pycodestyle import StyleGuide\nimport sekizai", ("django-sekizai", "pycodestyle")),
        ("def test_a():\n    import numpy.testing", ("numpy",)),
        ("from zope import interface", ("zope.interface",)),
        ("try:\n    import numpy\nexcept ImportError:\n    numpy = None", ()),
        (
            "try:\n    import numpy\nexcept ImportError as error:\n    raise RuntimeError('install numpy') from error",
            ("numpy",),
        ),
        ("if TYPE_CHECKING:\n    import numpy", ()),
        ("import sys\nif sys.version_info < (3, 8):\n    import mock", ()),
        ("import nobody_knows_this", ()),
        ("from . import yaml", ()),
        ("import declared_already, requests", ()),
        ("def test_a(mocker): pass", ("pytest-mock",)),
        ("@pytest.fixture\ndef mocker(): pass\ndef test_a(mocker): pass", ()),
        ("@pytest.fixture(autouse=True)\n@pytest.mark.django_db\ndef tables(): pass", ()),
        ("@pytest.mark.parametrize('benchmark', [1])\ndef test_a(benchmark): pass", ()),
        ("@pytest.mark.parametrize(argnames=['benchmark'], argvalues=[1])\ndef test_a(benchmark): pass", ()),
        ("@parametrize_bool('mocker', 'benchmark')\ndef test_a(mocker, benchmark): pass", ()),
        ("@parametrize(benchmark=[1])\ndef test_a(benchmark): pass", ()),
        (
            "@pytest.mark.parametrize('a', [1])\n@pytest.mark.benchmark(max_time=1)\ndef test_a(a, benchmark): pass",
            ("pytest-benchmark",),
        ),
        ("@pytest.mark.usefixtures('a')\n@pytest.mark.asyncio\nasync def test_a(): pass", ("pytest-asyncio",)),
        ("@pytest.mark.usefixtures('a')\ndef mocker(): pass\ndef test_a(mocker): pass", ("pytest-mock",)),
        ("@pytest.mark.asyncio\nasync def test_a(): pass", ("pytest-asyncio",)),
        ("pytestmark: list = [pytest.mark.asyncio]\nasync def test_a(): pass", ("pytest-asyncio",)),
        ("CASES = [pytest.param(1, marks=pytest.mark.asyncio)]", ("pytest-asyncio",)),
        ("def pytest_itemcollected(item):\n    item.add_marker(pytest.mark.asyncio)", ("pytest-asyncio",)),
        (
            "match sys.argv:\n    case []:\n        @pytest.mark.asyncio\n        def test_a(): pass",
            ("pytest-asyncio",),
        ),
        ("print 'python 2'", ()),
    ],
)
def test_only_well_known_libraries_are_guessed_from_tests(text: str, wanted: tuple[str, ...]) -> None:
    tree, read = repository({"tests/test_a.py": text, "mine.py": ""})
    assert undeclared(tree, read, ["tests/test_a.py"], frozenset({"requests"})) == wanted


def test_a_plug_in_of_pytest_is_not_installed_beside_its_own_sources() -> None:
    files = {"tests/test_a.py": "def test_a(mocker, benchmark): pass", "setup.py": "setup(name='pytest_mock')"}
    assert undeclared(*repository(files), ["tests/test_a.py"], frozenset()) == ("pytest-benchmark",)


@pytest.mark.parametrize(
    ("line", "known"),
    [
        ("hypothesis==3.1.0 ; python_version < '3.8'", False),
        ("hypothesis==5.5; platform_system != 'x' and python_full_version == '3.8.1'", False),
        ("hypothesis==6.0; python_version >= '3.8'", True),
        ("hypothesis; sys_platform == 'linux'", True),
        ("hypothesis", True),
    ],
)
def test_what_only_older_pythons_get_may_be_lacking(line: str, known: bool) -> None:
    assert ("hypothesis" in names_of([RequirementSource("r.txt", ("-r", "r.txt"))], lambda _: line.encode())) is known


def test_a_folder_of_a_package_does_not_hide_the_library_of_its_name() -> None:
    files = {
        "tests/test_a.py": "import flask, django",
        "shop/__init__.py": "",
        "shop/flask/views.py": "",
        "django/a.py": "",
    }
    assert undeclared(*repository(files), ["tests/test_a.py"], frozenset()) == ("flask",)


def test_the_helpers_that_tests_import_count_as_they_do_and_nothing_else_of_the_repository() -> None:
    files = {
        "tests/test_a.py": "import shop, helpers\nfrom ..shop.testing.web import get\nfrom shop.test import tools",
        "tests/helpers.py": "from . import more\nimport responses",
        "tests/more.py": "import freezegun, helpers",
        "tests/data.py": "import numpy",
        "shop/__init__.py": "import pandas",
        "shop/testing/web.py": "import requests_mock",
        "src/shop/test/tools.py": "from webtest import TestApp",
    }
    found = undeclared(*repository(files), ["tests/test_a.py"], frozenset())
    assert found == ("freezegun", "requests_mock", "responses", "webtest")


@pytest.mark.parametrize(
    ("text", "declared", "wanted"),
    [
        ("@pytest.mark.flaky\ndef test_a(): pass", "", ("pytest-rerunfailures",)),
        ("@pytest.mark.flaky\ndef test_a(): pass", "flaky", ()),
        ("import flaky\n@pytest.mark.flaky\ndef test_a(): pass", "", ("flaky",)),
        ("@pytest.mark.vcr\ndef test_a(snapshot): pass", "pytest-vcr", ("syrupy",)),
    ],
)
def test_no_plug_in_is_guessed_beside_one_that_has_the_same_names(
    text: str, declared: str, wanted: tuple[str, ...]
) -> None:
    found = undeclared(*repository({"tests/test_a.py": text}), ["tests/test_a.py"], frozenset({declared}))
    assert found == wanted


@pytest.mark.parametrize(
    "settings",
    [
        {"setup.cfg": "[tool:pytest]\nmarkers =\n    flaky: once in a while\n    run(times): often\n"},
        {"pyproject.toml": "[tool.pytest.ini_options]\nmarkers = ['flaky', 'run(times): often', 5]\n"},
    ],
)
def test_a_marker_that_the_project_registers_is_no_plug_ins(settings: dict[str, str]) -> None:
    text = "@pytest.mark.flaky\n@pytest.mark.run\n@pytest.mark.freeze_time\ndef test_a(): pass"
    found = undeclared(*repository({**settings, "tests/test_a.py": text}), ["tests/test_a.py"], frozenset())
    assert found == undeclared(
        *repository({"tests/test_a.py": "@pytest.mark.freeze_time\ndef test_a(): pass"}),
        ["tests/test_a.py"],
        frozenset(),
    )
    assert found


@pytest.mark.parametrize(
    ("files", "version"),
    [
        ({}, "99.0.0"),
        ({"PKG-INFO": "Metadata-Version: 2.1\nName: x\nVersion: 2.3.1\n\nVersion: 9.9"}, "2.3.1"),
        ({"PKG-INFO": "Name: x\nVersion: 20230430\n", "CHANGES": "v20230430\n---\n2.1\n---\n"}, "20230430"),
        ({"PKG-INFO": "Name: x\nVersion: 1!3.0rc1.post2.dev4+g1a.b\n"}, "1!3.0rc1.post2.dev4+g1a.b"),
        ({"PKG-INFO": "Name: x\nVersion: UNKNOWN\n", "CHANGES": "2.1\n---\n"}, "2.1"),
        ({"pyproject.toml": '[tool.setuptools_scm]\nfallback_version = "1.2"\n'}, "1.2"),
        ({"CHANGELOG.md": "# Changes\n\n## [Unreleased]\n\n## [4.5.6] - 2024-01-02\n## 4.5.5\n"}, "4.5.6"),
        ({"CHANGES.rst": "Changelog\n=========\n\nv3.1 (2020-02-03)\n-----\n"}, "3.1"),
        ({"docs/HISTORY.txt": "Version 1.0.2\n"}, "1.0.2"),
        ({"CHANGES": "0.4.6 Current release\n  * drops Python 3.5 and\n    3.6, which are EOL\n0.4.5\n"}, "0.4.5"),
        ({"CHANGES.md": "# Shop 1.0.1 and newer\n\nSee GitHub Releases.\n\n# Shop 1.0 - 2020-10-04\n"}, "99.0.0"),
        ({"CHANGES.md": "Python 3.6 and newer\n# 1.0.1 - 2020-10-05\n"}, "1.0.1"),
        ({"NEWS": "2024.1.2 was a fine day for 1.2.3\nWe need Python 3.11 now\n"}, "99.0.0"),
    ],
)
def test_a_version_is_what_the_repository_last_said(files: dict[str, str], version: str) -> None:
    assert version_without_history(*repository(files))[0] == version
    manifest = {"setup.cfg": "[options]\nsetup_requires =\n    pbr\n    setuptools-scm\n"}
    environment = PythonDetector().detect(*repository({**manifest, **files, "test_a.py": ""}))
    assert environment is not None
    assert environment.variables["SETUPTOOLS_SCM_PRETEND_VERSION"] == environment.variables["PBR_VERSION"] == version


@pytest.mark.parametrize(
    ("files", "tool"),
    [
        ({"a.py": ""}, None),
        (
            {"pyproject.toml": "[project]\nrequires-python = '>=3.9'"},
            Tool("python", ">=3.9", "pyproject.toml requires-python"),
        ),
        ({".python-version": "3.12.1\n"}, Tool("python", "", ".python-version", "==3.12.*")),
        (
            {"pyproject.toml": "[tool.poetry.dependencies]\npython = '^3.8'"},
            Tool("python", ">=3.8,<4", "pyproject.toml [tool.poetry.dependencies] python"),
        ),
        *(
            (
                {"pyproject.toml": f"[tool.poetry.dependencies]\npython = '{written}'"},
                Tool("python", span, "pyproject.toml [tool.poetry.dependencies] python") if span else None,
            )
            for written, span in (
                ("~2.7 || ^3.4", ">=3.4,<4"),
                ("^3.6|~2.7", ">=3.6,<4"),
                ("~3.9", ">=3.9,<3.10"),
                ("3.9.*", "==3.9.*"),
                ("3.9", "==3.9.*"),
                (">=3.8,!=3.9.7,<4.0", ">=3.8,!=3.9.7,<4.0"),
                ("*", ""),
                ("any that you like", ""),
            )
        ),
        ({".python-version": "pypy3.10"}, None),
        *(
            ({path: text}, Tool("python", "", path, "==3.9.*"))
            for path, text in (
                (".python-version", "# as on the servers\ncpython@3.9.18\n3.12\n"),
                ("runtime.txt", "python-3.9.1"),
                (".tool-versions", "nodejs 18.1.0\npython 3.9.1\n"),
                ("Pipfile", '[requires]\npython_version = "3.9"\n'),
                ("environment.yml", "dependencies:\n  - numpy\n  - python=3.9\n  - pip:\n    - python-dateutil==2.8\n"),
            )
        ),
        ({"environment.yml": "dependencies:\n  - python>=3.9\n"}, None),
        (
            {"setup.py": "setup(python_requires='>=3.6', classifiers=['Programming Language :: Python :: 3.9'])"},
            Tool("python", ">=3.6", "setup.py python_requires", ">=3.9,<=3.9.999"),
        ),
    ],
)
def test_the_interpreter_is_what_the_repository_asks_for(files: dict[str, str], tool: Tool | None) -> None:
    assert python_tool(*repository(files)) == tool


def test_toxs_commands_say_what_is_installed_before_the_tests_begin() -> None:
    ini = (
        "[testenv]\nskip_install = true\ncommands_pre = python -m pip install mock -r{toxinidir}/more.txt\n"
        "commands =\n    pip install -e .[d]\n    coverage erase\n    pytest tests \\\n        --cov\n"
        "    pip install -e .[jupyter]\n    pytest tests -m jupyter\n"
    )
    (told,) = read_tools(*repository({"tox.ini": ini}))
    assert (told.source, told.requirements, told.extras) == ("tox.ini [testenv] commands", ("mock",), ("d",))


def test_tox_says_what_is_installed_and_set_in_each_of_its_files() -> None:
    ini = (
        "[testenv]\ndeps =\n    py: mock\n    py38: old\n    -r{toxinidir}/ci/a.txt\n    -climits.txt\n"
        "extras = test, docs\n    mypy: types\n"
        "setenv =\n    MODE = strict\n    PATH = x\n    WHERE = {toxinidir}\n"
    )
    (told,) = read_tools(*repository({"tox.ini": ini}))
    assert told.constraints == ("limits.txt",)
    assert (told.requirements, told.files, told.extras, told.variables) == (
        ("mock",),
        ("ci/a.txt",),
        ("test", "docs"),
        {"MODE": "strict"},
    )
    toml = '[env_run_base]\ndeps = ["pytest"]\nextras = ["t"]\ndependency_groups = ["g"]\nset_env.A = "1"\n'
    (told,) = read_tools(*repository({"tox.toml": toml}))
    assert (told.requirements, told.extras, told.groups, told.variables) == (("pytest",), ("t",), ("g",), {"A": "1"})
    (told,) = read_tools(
        *repository({"pyproject.toml": '[tool.tox]\nlegacy_tox_ini = """\n[testenv]\ndeps = six\n"""'})
    )
    assert told.requirements == ("six",)


def test_nox_is_read_and_never_run() -> None:
    text = """
raise SystemExit
@nox.session
def tests(session):
    session.install("-e", ".[test]", "mock", "-r", "reqs.txt", "-c", "limits.txt", session.posargs)
    session.run("pytest")
@nox.session
def docs(session):
    session.install("sphinx")
"""
    (told,) = read_tools(*repository({"noxfile.py": text}))
    assert (told.requirements, told.files, told.extras) == (("mock",), ("reqs.txt",), ("test",))


def test_extras_of_old_flit_are_read() -> None:
    text = '[tool.flit.metadata.requires-extra]\ntest = ["shellingham"]\ndev = ["black"]\n'
    (source,) = declared_requirements(*repository({"pyproject.toml": text}))
    assert source.arguments == ("shellingham",)


def test_pipenv_and_conda_say_what_pip_would_install() -> None:
    files = {
        "Pipfile": '[packages]\nsix = "*"\n[dev-packages]\npytest = ">=7"\nlocal = {path = "."}\n',
        "environment.yml": "dependencies:\n  - numpy\n  - pip:\n    - responses\n    - -r x.txt\n",
    }
    found = {source.evidence: source.arguments for source in declared_requirements(*repository(files))}
    assert found == {
        "Pipfile [packages]": ("six",),
        "Pipfile [dev-packages]": ("pytest>=7",),
        "environment.yml pip": ("responses",),
    }


@pytest.mark.parametrize(
    ("files", "argv"),
    [
        ({"tests/test_a.py": "def load_tests(loader, tests, pattern): pass"}, "unittest discover -s tests"),
        ({"tests/test_a.py": "load_tests = scenarios.load_tests_apply_scenarios"}, "unittest discover -s tests"),
        ({"tests/test_a.py": "from scenarios import apply as load_tests"}, "unittest discover -s tests"),
        (
            {"tests/__init__.py": "", "tests/test_a.py": "def load_tests(a, b, c): pass"},
            "unittest discover -s tests -t .",
        ),
        ({"manage.py": "import django", "app/tests.py": "import unittest"}, "manage.py test"),
        ({"tests/test_a.py": "import unittest"}, ""),
        ({"pyproject.toml": HATCH % "['lint', 'python -m unittest {args:tests}']", **UNITTEST}, "unittest tests"),
        (
            {"pyproject.toml": HATCH % "'coverage run -m unittest discover -p \"*s.py\"'", **UNITTEST},
            "unittest discover -p *s.py",
        ),
        ({"pyproject.toml": HATCH % "'pytest {args}'", **UNITTEST}, ""),
        ({"pyproject.toml": HATCH % "[1, {a = 2}]", **UNITTEST}, ""),
        ({"django/__init__.py": "", "tests/runtests.py": "", "tests/x/tests.py": ""}, "runtests.py --parallel=1"),
        (
            {"tox.ini": f"{TOX}python -b -W always -m coverage run -m django test -v2 {{posargs:tests}}", **UNITTEST},
            "django test -v2 tests",
        ),
        (
            {"tox.ini": f"{TOX}coverage run --branch run_tests.py {{posargs}}", "run_tests.py": "unittest", **UNITTEST},
            "run_tests.py",
        ),
        ({"tox.ini": f"{TOX}pip list\n  flake: flake8\n  python -m unittest {{opts}} -v", **UNITTEST}, "unittest -v"),
        (
            {"tox.ini": f"{TOX}python -m unittest discover -s {{envsitepackagesdir}}/shop -p 'u*.py'", **UNITTEST},
            "unittest discover -s shop -p u*.py",
        ),
        ({"tox.ini": f"{TOX}python run_tests.py", "run_tests.py": "import nose", **UNITTEST}, ""),
        ({"tox.ini": f"{TOX}python -m unittest 'a", **UNITTEST}, ""),
        ({"tox.ini": f"{TOX}python -bb -m shop.test {{posargs:}}", **SHIM}, "shop.test"),
        (
            {"tox.ini": f"{TOX}coverage run -m shop.runtests -q", "src/shop/runtests.py": "import unittest"},
            "shop.runtests -q",
        ),
        ({"tox.ini": f"{TOX}python -m shop.test", "shop/test.py": "import unittest\nrun('pytest')"}, ""),
        ({"tox.ini": f"{TOX}python -m shop.test", "shop/test.py": "import nose"}, ""),
        ({"tox.ini": f"{TOX}python -m zope.testrunner", **UNITTEST}, "zope.testrunner"),
        ({"tox.ini": f"{TOX}python -m twisted.trial shop", **UNITTEST}, ""),
        ({"tests/test_a.py": "import pytest\ndef load_tests(a, b, c): pass"}, ""),
    ],
)
def test_a_suite_that_relies_on_unittests_own_loader_is_run_by_it(files: dict[str, str], argv: str) -> None:
    tests = tuple(path for path in files if path.rpartition("/")[2].startswith("test"))
    found = unittest_command(*repository(files), tests)
    assert (" ".join(found[0].argv).removeprefix("python ").removeprefix("-m ") if found else "") == argv


def test_installers_that_tests_start_do_not_ask_for_a_network_again_and_again() -> None:
    files = {"tests/test_a.py": ""}
    assert PythonDetector().detect(*repository(files)).test_variables["PIP_RETRIES"] == "0"  # type: ignore[union-attr]
    own = {**files, "tox.ini": "[testenv]\nsetenv =\n    UV_HTTP_RETRIES = 2\n    PIP_RETRIES = 3\n"}
    told = PythonDetector().detect(*repository(own)).test_variables  # type: ignore[union-attr]
    assert told == {"PIP_RETRIES": "0", "UV_HTTP_RETRIES": "0"}


PROJECT = "[project]\nname = 'p'\n[project.optional-dependencies]\nqa = ['six']\n[dependency-groups]\nqa = ['six']\n"
POETRY = "[tool.poetry.dependencies]\npython = '*'\n"
NOX = "import nox\n@nox.session\ndef tests(session):\n    "


@pytest.mark.parametrize(
    "files",
    [
        {"pyproject.toml": "[tool.rye]\ndev-dependencies = ['six']"},
        {
            "pyproject.toml": POETRY
            + "six = {version = '*', optional = true}\n[tool.poetry.extras]\ntest = ['six', 'no']"
        },
        {"setup.py": "setup(extras_require=dict(test=['six'], docs=['sphinx']))"},
        {"setup.py": "E = {}\nE['test'] = ['six']\nE['docs'] = ['sphinx']\nsetup(extras_require=E)"},
        {"setup.py": "E = {'q': ['six']}\nE['test'] = E['q'] + []\nE['dev'] = E['test']\nsetup(extras_require=E)"},
        {"setup.py": "E = {'test': []}\nE['test'] = E['test'] + ['six']\nsetup(extras_require=E)"},
        {"setup.py": "A = ['six']\nsetup(extras_require={'test': list([*A])}, tests_require=sorted({*A}))"},
        {"setup.py": "E = dict()\nE = {'q': ['six']}\nsetup(tests_require=E['q'], extras_require={'r': E['no']})"},
        {"setup.py": "A = ['six']\nB = [] + A\nC = B + []\nD = C + []\nsetup(extras_require={'test': D + [] + []})"},
        {"hatch.toml": "[envs.default]\ndependencies = ['six']"},
        {"hatch.toml": "[envs.hatch-test]\ndependencies = ['six']"},
        {"pyproject.toml": "[tool.hatch.envs.tests]\nextra-dependencies = ['six']"},
        {"pyproject.toml": PROJECT + "[tool.hatch.envs.test]\nfeatures = ['qa']"},
        {"pyproject.toml": PROJECT, "hatch.toml": "[envs.test]\ndependency-groups = ['qa']"},
        {"tox.ini": "[testenv:unit]\ndeps = six"},
        {"pyproject.toml": PROJECT, "tox.ini": "[testenv]\ndeps = -e .[qa]"},
        {"pyproject.toml": PROJECT, "tox.ini": "[testenv]\ndeps = {toxinidir}[qa]"},
        {"tox.ini": "[testenv]\ncommands = pip install -e {toxinidir} six"},
        {"noxfile.py": f"{NOX}session.install('-e', '.', 'six')"},
        {"tox.ini": "[testenv:py{39,310}]\ndeps = six"},
        {"setup.cfg": "[tox:tox]\nenvlist = py\n[testenv]\ndeps = six"},
        {"tox.toml": "[env.test]\ndeps = ['six']"},
        {"noxfile.py": f"NEEDED = ['six']\n{NOX}session.install('-q', *NEEDED)"},
        {
            "noxfile.py": NOX.replace("session\ndef tests", "session(name='unit')\ndef run_them")
            + "session.install('six')"
        },
        {"noxfile.py": f"def prepare(session):\n    session.install('six')\n{NOX}prepare(session)"},
        {"noxfile.py": f"{NOX}session.run('python', '-m', 'pip', 'install', 'six')"},
        {"pyproject.toml": PROJECT, "noxfile.py": f"{NOX}session.run('uv', 'sync', '-p', '3.12', '--group', 'qa')"},
        {"pyproject.toml": PROJECT, "noxfile.py": f"{NOX}session.run_install('uv', 'sync', '--extra=qa', env={{}})"},
        {"pyproject.toml": PROJECT, "noxfile.py": f"{NOX}session.install('.', '--group', 'qa')"},
        {"pyproject.toml": "[tool.flit.metadata]\ndev-requires = ['six']"},
    ],
    ids=str,
)
def test_wherever_a_tool_is_told_what_tests_need_it_is_found(files: dict[str, str]) -> None:
    assert [s.arguments for s in declared_requirements(*repository(files))] == [("six",)]


@pytest.mark.parametrize(
    ("sections", "needed"),
    [
        ("[testenv:py36]\ndeps = old\n[testenv:py310]\ndeps = six\n[testenv:py39]\ndeps = old", ["six"]),
        ("[testenv:py310]\ndeps =\n  {[testenv]deps}\n  six", ["general", "six"]),
        ("[testenv:py310]\nsetenv =\n  X = 1\n[testenv:py310-lint]\ndeps = black", ["general"]),
        ("[testenv:py33]\ndeps = old\n[tox]\nenvlist = py{33,311}, py", ["general"]),
        ("[testenv:py311]\ndeps = six\n[tox]\nenvlist = py{33,311}, py", ["six"]),
    ],
)
def test_what_toxs_environment_of_the_newest_python_needs_stands_in_the_place_of_the_general(
    sections: str, needed: list[str]
) -> None:
    sources = declared_requirements(*repository({"tox.ini": f"[testenv]\ndeps = general\n{sections}\n"}))
    assert [word for source in sources for word in source.arguments] == needed


@pytest.mark.parametrize(
    "files",
    [
        {"hatch.toml": "[envs.docs]\ndependencies = ['six']\n[envs]\ntest = 3"},
        {"tox.ini": "[testenv:docs]\ndeps = six\n[testenv:py27]\ndeps = six"},
        {"setup.cfg": "[testenv]\ndeps = six"},
        {"tox.toml": "[env.lint]\ndeps = ['six']"},
        {"noxfile.py": "import nox\n@nox.session\ndef docs(session):\n    session.install('six')"},
    ],
    ids=str,
)
def test_what_tools_install_for_other_ends_is_left_out(files: dict[str, str]) -> None:
    assert declared_requirements(*repository(files)) == ()


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("tox.toml", "[env_run_base]\ndeps = 3\nextras = 4\n"),
        ("hatch.toml", "[envs.test]\ndependencies = 3\nfeatures = {a = 1}\n"),
        ("pyproject.toml", "dependency-groups = 3\nproject = 4\nbuild-system = 5\n"),
        ("pyproject.toml", "[dependency-groups]\ntest = 3\n"),
        ("pyproject.toml", "[project]\nname = 'x'\ndependencies = 3\noptional-dependencies = {test = 3}\n"),
        ("pyproject.toml", "[tool]\npoetry = 3\nrye = 4\nhatch = 5\nuv = 6\npdm = 7\nsetuptools = 8\n"),
        ("pyproject.toml", "[tool.setuptools.dynamic]\ndependencies = {file = 3}\n"),
        (
            "setup.py",
            "from setuptools import setup\nsetup(extras_require=3, install_requires={1: 2})\nE = {}\nE[3] = 4\n",
        ),
        ("noxfile.py", "import nox\n@nox.session(name=3)\ndef test(s): s.install(*X); s.run()\n"),
        ("requirements.txt", "-r\n-r ../x\n-r requirements.txt\n-c\n-e\n"),
        (".travis.yml", "script: 3\nenv: [1, {a: b}]\npython: {a: b}\n"),
    ],
)
def test_values_of_another_kind_than_their_names_say_are_passed_over(name: str, text: str) -> None:
    found = PythonDetector().detect(*repository({"tests/test_a.py": "def test_a(): pass\n", "a.py": "", name: text}))
    assert found is not None
    assert found.tests[0].runner == "pytest"


@pytest.mark.parametrize("listed", ["E['q'] + sum(E.values(), [])", "['six', read('more')]", "lines_of(LIST)", "'six'"])
def test_an_extra_for_tests_that_cannot_be_read_is_installed_by_its_name(listed: str) -> None:
    files = {"setup.py": f"E = {{'q': ['six']}}\nsetup(extras_require={{'test': {listed}, 'dev': [call()]}})"}
    *read, by_name = [source.arguments for source in declared_requirements(*repository(files))]
    assert by_name == ("--editable", ".[test]")
    assert read in ([], [("six",)])


def test_what_the_name_of_an_extra_puts_a_condition_on_is_among_it() -> None:
    extras = """{
        "test": ["six"], 'test:python_version >= "3.5"': ["mock", "a; os_name == 'nt'"], 'dev:sys_platform': ["no"],
        ':python_version < "3"': ["enum34"], 'docs:python_version < "3"': unknown(),
    }"""
    files = repository({"setup.py": f"setup(extras_require={extras})"})
    [found] = declared_requirements(*files)
    conditional = 'a; os_name == "nt" and python_version >= "3.5"'
    assert [each.replace("'", '"') for each in found.arguments] == ["six", 'mock; python_version >= "3.5"', conditional]
    assert of_extras(*files)["enum34"] == 'enum34; python_version < "3"'


@pytest.mark.parametrize("extras", ["{'yaml': ['pyyaml>3'], 'docs': ['pyyaml==5']}", "{'docs': ['pyyaml>3']}"])
def test_what_writers_of_documents_pin_holds_for_nobody_else(extras: str) -> None:
    assert of_extras(*repository({"setup.py": f"setup(extras_require={extras})"})) == {"pyyaml": "pyyaml>3"}


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("import shopping_cart.items", ("shopping-cart>=2",)),
        ("from shopping_cart import add", ("shopping-cart>=2",)),
        ("import yaml, shelf", ("pyyaml",)),
        ("pytest.importorskip('shopping_cart.items')\nimport shopping_cart", ()),
        ("shopping_cart = pytest.importorskip('shopping_cart')", ()),
        ("try:\n    import shopping_cart\nexcept ImportError:\n    pass", ()),
        ("from .tools import shopping_cart", ()),
    ],
)
def test_what_tests_import_and_only_an_extra_of_the_project_names_is_installed(
    text: str, wanted: tuple[str, ...]
) -> None:
    files = {
        "pyproject.toml": "[project]\nname = 'shop'\n[project.optional-dependencies]\nx = ['shopping-cart >= 2', 5]\n",
        "tests/test_a.py": text,
        "shelf.py": "",
    }
    tree, read = repository(files)
    assert undeclared(tree, read, ["tests/test_a.py"], frozenset(), of_extras(tree, read)) == wanted
    environment = PythonDetector().detect(tree, read)
    assert environment is not None
    words = {word for command in environment.setup for word in command.argv}
    assert {*wanted} <= words
    assert wanted or not any("shopping" in word for word in words)


def test_a_package_of_tests_that_skips_them_for_want_of_an_extra_does_without() -> None:
    files = {"tests/cart/test_a.py": "import cart_lib", "tests/cart/__init__.py": "pytest.importorskip('cart_lib')"}
    found = undeclared(*repository(files), ["tests/cart/test_a.py"], frozenset(), {"cart-lib": "cart-lib"})
    assert found == ()


@pytest.mark.parametrize(
    ("project", "expected"),
    [
        ("[project.optional-dependencies]\ntests = ['mock']\n", ["mock"]),
        ("dynamic = ['optional-dependencies']\n", ["mock<2", "nose<1"]),
        ("", ["mock<2", "nose<1"]),
    ],
)
def test_extras_of_before_pyproject_toml_count_where_that_lists_none(project: str, expected: list[str]) -> None:
    """https://setuptools.pypa.io/en/latest/userguide/pyproject_config.html: what it lists stands in their place."""
    left = {
        "setup.cfg": "[options.extras_require]\ntests = mock<2\n",
        "setup.py": "from setuptools import setup\nsetup(extras_require={'test': ['nose<1']})\n",
    }
    tree, read = repository({**left, "pyproject.toml": f"[project]\nname = 'shop'\n{project}"})
    assert [word for source in declared_requirements(tree, read) for word in source.arguments] == expected
    assert declared_extras(tree, read).keys() == ({"tests"} if len(expected) == 1 else {"test", "tests"})


@pytest.mark.parametrize(
    ("said", "path"),
    [
        ("{toxinidir}:{toxinidir}/tests_app", "/workspace:/workspace/tests_app"),
        ("{tox_root}{/}lib:src", "/workspace/lib:/workspace/src"),
        ("{env:PYTHONPATH:}{:}{toxinidir}/lib", "/workspace/lib"),
        ("{toxinidir}/lib:{envsitepackagesdir}", "/workspace/lib"),
        ("{toxinidir}/a/../../b:/usr/lib/x:..:{toxinidir}/..", None),
        ("{env:PYTHONPATH:}", None),
    ],
)
def test_what_tox_puts_on_python_s_path_is_there(said: str, path: str | None) -> None:
    tree, read = repository({"tox.ini": f"[testenv]\nsetenv =\n    PYTHONPATH = {said}\n    HERE = {{toxinidir}}\n"})
    variables = {name: value for told in read_tools(tree, read) for name, value in told.variables.items()}
    assert variables == ({"PYTHONPATH": path} if path else {})
