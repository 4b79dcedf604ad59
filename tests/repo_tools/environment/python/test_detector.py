from collections.abc import Mapping

import pytest

from repo_tools.changes import FileMode, TreeEntry
from repo_tools.environment.contract import Environment, NoTestsError, SetupCommand
from repo_tools.environment.detect import detect
from repo_tools.environment.python.install import LOCKED, PIP_INSTALL, UV_INSTALL, without_copies
from tests.support.trees import reader_of, tree_of

TESTS = {"tests/test_a.py": "def test_a(): pass"}


def detected(files: Mapping[str, str]) -> Environment:
    return detect(tree_of(files), reader_of(files))


def singles(environment: Environment) -> list[SetupCommand]:
    """Every installation, as it is tried where all of them at once cannot be had."""
    whole = [attempts(command)[-1] for command in environment.setup if command.argv[:3] == UV_INSTALL[:3]]
    found = [single for all_ in whole for single in (all_.otherwise if len(all_.otherwise) > 1 else (all_,))]
    return [single for single in found if single != without_copies()]


def attempts(command: SetupCommand) -> list[SetupCommand]:
    """To install all at once, each tried where the one before fails."""
    others = command.otherwise
    return [command, *(attempts(others[0]) if len(others) == 1 and others[0].argv[:3] == UV_INSTALL[:3] else [])]


def installed(environment: Environment) -> list[list[str]]:
    """What each installation is asked for."""
    return [list(command.argv[len(UV_INSTALL) :]) for command in singles(environment)]


def required(environment: Environment) -> list[str]:
    return [command.argv[-1] for command in singles(environment) if command.required]


@pytest.mark.parametrize(
    "files",
    [{}, {"README.md": "", "main.c": ""}, {"app.py": "print()"}, {"testing/data.json": ""}],
    ids=["empty", "no python", "no tests", "no python tests"],
)
def test_a_repository_without_tests_is_told_what_was_looked_for(files: dict[str, str]) -> None:
    with pytest.raises(NoTestsError, match=r"Looked for: Python test files \(test_\*\.py"):
        detected(files)


def test_a_bare_repository_of_modules_gets_pytest_and_nothing_else() -> None:
    environment = detected({"calc.py": "", "test_calc.py": ""})
    assert installed(environment) == [["pytest"]]
    assert environment.tests[0].argv == ("pytest",)


def test_a_suite_whose_files_pytest_would_not_look_for_is_named_to_it() -> None:
    environment = detected({"calc.py": "", "tests.py": ""})
    assert environment.tests[0].argv == ("pytest", "-o", "python_files=test*.py *_test.py")


def test_what_one_installer_cannot_do_the_other_tries() -> None:
    for command in singles(detected({"setup.py": "", "requirements-test.txt": "", **TESTS})):
        (other,) = command.otherwise
        assert other.argv == (*PIP_INSTALL, *command.argv[len(UV_INSTALL) :])
        assert other.required is command.required


def test_everything_is_installed_at_once_where_that_can_be_had() -> None:
    environment = detected({"setup.py": "", "requirements-test.txt": "", "tests/test_a.py": "import yaml"})
    together = environment.setup[-1]
    assert together.argv[len(UV_INSTALL) :] == ("--editable", ".", "-r", "requirements-test.txt", "pytest", "pyyaml")


def test_a_suite_with_the_names_that_nose_looks_for_is_found() -> None:
    environment = detected({"calc.py": "", "tests/calc_tests.py": ""})
    assert environment.tests[0].argv == ("pytest", "-o", "python_files=test*.py *_test.py *_tests.py")
    assert environment.test_file_patterns == ("test*.py", "*_test.py", "*_tests.py")
    assert detected({"calc_tests.py": "", **TESTS}).tests[0].argv == ("pytest",)


@pytest.mark.parametrize("place", ["", "src/"])
def test_what_setup_py_loads_a_package_of_is_looked_for_in_all_its_modules(place: str) -> None:
    files = {"cart": "class Cart(TestCase):\n", "old/__init__": "    def test_old(self):\n", "helpers": "def made():\n"}
    package = {f"{place}shop/checks/{name}.py": text for name, text in files.items()}
    environment = detected(
        {"setup.py": "setup(test_suite='shop.checks')", f"{place}shop/checks/__init__.py": "", **package}
    )
    patterns = (f"{place}shop/checks/*.py", f"{place}shop/checks/old/*.py")
    assert environment.tests[0].argv == ("pytest", "-o", f"python_files={' '.join(patterns)}")
    assert environment.test_file_patterns == patterns
    assert "setup.py test_suite: shop.checks" in environment.evidence


OWN_COMMAND = """
import shop
import shoptest

class RunTests(Command):
    def run(self):
        unittest.TextTestRunner().run(shoptest.suite())

setup(name="shop", cmdclass={"test": RunTests})
"""
OTHERWISE = {f"shoptest/{name}test.py": "class Test(unittest.TestCase):\n" for name in ("cart", "tax", "till")}
AMONG_THEM = {"shoptest/__init__.py": "", "shoptest/sale_test.py": "", "shop/__init__.py": "", **OTHERWISE}


@pytest.mark.parametrize("setup", [OWN_COMMAND, "setup(test_suite='shoptest')"])
def test_of_a_package_that_setup_py_tests_all_modules_are_the_suite_if_most_have_other_names(setup: str) -> None:
    environment = detected({"setup.py": setup, **AMONG_THEM})
    assert environment.shown_command == "pytest -o 'python_files=shoptest/*.py'"
    assert "setup.py test_suite: shoptest" in environment.evidence


@pytest.mark.parametrize(
    "files",
    [
        {"setup.py": OWN_COMMAND.replace('"test"', '"check"')},
        {"setup.py": OWN_COMMAND.replace("import shoptest", "")},
        {"setup.py": OWN_COMMAND, "tox.ini": "[testenv]\ncommands = pytest\n"},
        {"setup.py": OWN_COMMAND, "tox.ini": "[pytest]\naddopts = -q\n"},
        {"setup.py": OWN_COMMAND, **{f"shoptest/test_{i}.py": "def test_a(): pass" for i in range(3)}},
    ],
    ids=["another command", "of no package", "pytest is started", "pytest is configured", "most have usual names"],
)
def test_modules_of_other_names_are_passed_by_where_nothing_says_that_they_are_the_suite(files: dict[str, str]) -> None:
    assert detected({**AMONG_THEM, **files}).tests[0].argv == ("pytest",)


@pytest.mark.parametrize("name", ["calc-tests.py", "calc-test.py"])
def test_files_whose_names_end_so_behind_a_hyphen_are_found(name: str) -> None:
    environment = detected({"calc.py": "", f"tests/{name}": "class Any(unittest.TestCase):\n"})
    assert environment.tests[0].argv == ("pytest", "-o", f"python_files=*{name.removeprefix('calc')}")


def test_files_that_are_called_like_the_class_of_tests_in_them_are_found() -> None:
    environment = detected({"calc.py": "", "test/TestCalc.py": "class TestCalc(unittest.TestCase):\n"})
    assert environment.tests[0].argv == ("pytest", "-o", "python_files=Test*.py")
    assert environment.test_file_patterns == ("Test*.py",)


@pytest.mark.parametrize(
    "files",
    [
        {"test/TestData.py": "DATA = 1\n"},
        {"tools/TestRunner.py": "class TestRunner:\n    def test(self):\n"},
        {"tests/TestAll.py": "class TestAll:\n    pass\n"},
        {"setup.py": "setup(test_suite='checks')", "checks/__init__.py": "", "checks/data.py": "DATA = 1\n"},
        {"setup.py": "setup(test_suite='checks')", "checks/cart.py": "class Cart(TestCase):\n"},
    ],
    ids=["called like tests", "among tools", "no test in it", "none in the package", "no package"],
)
def test_files_without_tests_are_none_whatever_they_are_called(files: dict[str, str]) -> None:
    with pytest.raises(NoTestsError):
        detected(files)


def test_settings_in_a_section_that_pytest_refuses_by_now_are_said_on_its_command_line() -> None:
    cfg = "[pytest]\nminversion = 2\naddopts =\n  -v\n  --cov x\npython_files = check_*.py\nfilterwarnings =\n  error\n"
    environment = detected({"setup.cfg": cfg, "checks/check_a.py": ""})
    said = ("-o", "addopts=-v --cov x", "-o", "python_files=check_*.py", "-o", "filterwarnings=\nerror")
    assert environment.tests[0].argv == ("pytest", "-c", "/dev/null", *said)
    assert ["pytest-cov"] in installed(environment)
    assert detected({"setup.cfg": f"[tool:pytest]\n{cfg}", **TESTS}).tests[0].argv == ("pytest",)


def test_options_that_pytest_takes_without_a_plug_in_are_known() -> None:
    options = "-q --flake8 --doctest-modules --cov x -m 'not slow' --ignore=left --black"
    own = detected({"pytest.ini": f"[pytest]\naddopts = {options}\n", **TESTS}).tests[0].own_options
    assert own == ("--doctest-modules", "-m", "not slow", "--ignore=left")


@pytest.mark.parametrize(
    ("files", "options"),
    [
        ({"setup.py": "", "tests/requirements.txt": "mock\npytest-randomly>=3\n"}, ("-p", "no:randomly")),
        ({"tox.ini": "[pytest]\naddopts = -ra\n[testenv]\ndeps = Pytest_Randomly\n"}, ("-p", "no:randomly")),
        ({"tox.ini": "[pytest]\naddopts = -p randomly\n[testenv]\ndeps = pytest-randomly\n"}, ()),
        ({"tests/requirements.txt": "pytest\n"}, ()),
    ],
)
def test_a_suite_is_not_run_in_another_order_each_time(files: dict[str, str], options: tuple[str, ...]) -> None:
    assert detected({**files, **TESTS}).tests[0].argv == ("pytest", *options)


def test_a_configured_suite_keeps_its_own_patterns() -> None:
    environment = detected(
        {"pytest.ini": "[pytest]\npython_files = check_*.py\ntestpaths = checks", "checks/check_a.py": ""}
    )
    assert environment.tests[0].argv == ("pytest",)
    assert environment.test_paths == ("checks",)


def test_a_project_is_installed_in_place_with_everything_declared_for_its_tests() -> None:
    pyproject = """
[project]
name = "My.Pkg"
[project.optional-dependencies]
test = ["pytest", "hypothesis>=6"]
docs = ["sphinx"]
Dev = ["my-pkg[test,docs]", "ruff"]
[dependency-groups]
tests = ["responses", {include-group = "typing"}]
typing = ["mypy"]
[build-system]
requires = ["hatchling"]
"""
    environment = detected({"pyproject.toml": pyproject, "my/__init__.py": "", **TESTS})
    assert installed(environment) == [
        ["--editable", "."],
        ["pytest", "hypothesis>=6"],
        ["responses", "mypy"],
        ["pytest"],
    ]
    assert required(environment) == [".", "pytest"]


@pytest.mark.parametrize(
    ("more", "is_installed"),
    [
        ("dev = [{include-group = 'all'}, 'chai']\nall = [{include-group = 'test'}]\n", True),
        ("dev = ['chai']\n[tool.uv]\npackage = false\n", True),
        ("dev = ['chai']\n", False),
        ("dev = ['chai']\n[tool.uv]\ndefault-groups = []\n", False),
        ("docs = [{include-group = 'test'}, 'chai']\n", False),
    ],
)
def test_the_group_for_all_work_is_installed_beside_the_tests_where_uv_does_or_it_holds_theirs(
    more: str, is_installed: bool
) -> None:
    pyproject = f"[project]\nname = 'x'\n[dependency-groups]\ntest = ['mock']\n{more}"
    found = installed(detected({"pyproject.toml": pyproject, **TESTS}))
    assert ["mock"] in found or ["mock", "chai"] in found
    assert any("chai" in words for words in found) is is_installed


def test_a_pyproject_that_only_configures_tools_is_not_installed() -> None:
    environment = detected({"pyproject.toml": "[tool.ruff]\nline-length = 100\n", **TESTS})
    assert installed(environment) == [["pytest"]]


def test_requirements_files_for_development_and_tests_are_installed_compiled_ones_first() -> None:
    names = ["requirements.txt", "requirements-dev.in", "requirements-dev.txt", "requirements/test.txt"]
    names += ["requirements/docs.txt", "dev-requirements.txt", "docs/requirements.txt", "requirements/test-py27.txt"]
    names += ["requirements/test-ci-windows.txt", "requirements/tests-macos.in"]
    environment = detected({**dict.fromkeys(names, ""), **TESTS})
    assert installed(environment) == [["-r", "requirements.txt"], ["-r", "requirements/test.txt"], ["pytest"]]
    assert required(environment) == ["requirements.txt", "pytest"]
    names.remove("requirements/test.txt")
    environment = detected({**dict.fromkeys(names, ""), **TESTS})
    wanted = ["requirements.txt", "dev-requirements.txt", "requirements-dev.txt"]
    assert installed(environment) == [*(["-r", name] for name in wanted), ["pytest"]]


def test_a_project_whose_build_may_lack_a_submodule_does_with_what_it_needs_to_run() -> None:
    files = {"setup.py": "setup(name='shop', install_requires=['six'])", **TESTS}
    tree = tree_of(files)
    assert required(detect(tree, reader_of(files))) == [".", "pytest"]
    with_parser = {**tree, "vendor/parser": TreeEntry(FileMode.SUBMODULE, "2" * 40)}
    environment = detect(with_parser, reader_of(files))
    assert required(environment) == ["pytest"]
    own = next(command for command in singles(environment) if command.argv[-2:] == ("--editable", "."))
    assert "six" in str(own.otherwise)


def test_what_tests_import_undeclared_is_not_built_where_that_takes_long() -> None:
    environment = detected({"tests/test_a.py": "import numpy, six"})
    assert installed(environment) == [["pytest"], ["numpy", "six", "--only-binary=numpy"]]
    alone = next(command for command in singles(environment) if "six" in command.argv).otherwise[0].otherwise
    assert [command.argv[len(UV_INSTALL) :] for command in alone] == [("numpy", "--only-binary=numpy"), ("six",)]


def test_tools_that_cannot_be_had_do_not_make_what_tests_need_come_one_by_one() -> None:
    """Each alone, a plug-in and pytest would not know of each other."""
    listed = "pytest<5\npytest-xdist\ncodecov==2.0.15\n"
    environment = detected({"setup.py": "setup(name='shop')", "requirements-test.txt": listed, **TESTS})
    own = next(command for command in singles(environment) if "requirements-test.txt" in command.argv)
    (_, less) = attempts(own)
    assert less.argv[len(UV_INSTALL) :] == ("pytest<5", "pytest-xdist")
    (by_pip,) = less.otherwise
    assert [command.argv[len(UV_INSTALL) :] for command in by_pip.otherwise] == [("pytest<5",), ("pytest-xdist",)]


def test_what_setup_py_collects_in_a_dictionary_first_is_read_too() -> None:
    setup = """
given = {"name": "shop", "version": find_version()}
given["extras_require"] = {"test": ["six"]}
given |= more()
setup(**given, **other)
"""
    environment = detected({"setup.py": setup, **TESTS})
    assert installed(environment) == [["--editable", "."], ["six"], ["pytest"]]


def test_setup_py_is_read_and_never_run() -> None:
    setup = """
import os
raise SystemExit(os.environ["HOME"])
TESTS = ["pytest", "mock"]
setuptools.setup(
    name="x",
    tests_require=TESTS,
    extras_require={"test": TESTS + ["six"], "computed": open("x").read(), "dev": [open("y").read(), "black"]},
)
"""
    environment = detected({"setup.py": setup, **TESTS})
    wanted = [["--editable", "."], ["pytest", "mock", "six"], ["pytest", "mock"], ["pytest"]]
    assert installed(environment) == wanted


def test_what_an_old_flit_is_told_is_read() -> None:
    metadata = "[tool.flit.metadata]\nmodule = 'x'\nrequires = ['six']\ndev-requires = ['mock']\n"
    assert installed(detected({"pyproject.toml": metadata, **TESTS})) == [["six"], ["mock"], ["pytest"]]


def test_a_requirements_file_with_options_behind_a_name_is_taken_word_by_word_since_uv_cannot_read_it() -> None:
    files = {"requirements.txt": "-r requirements/live.txt\n-r requirements/base.txt  # all\n", "test_a.py": ""}
    lists = {
        "requirements/live.txt": "gevent\npsycopg2 --no-binary psycopg2  # odd\n",
        "requirements/base.txt": "django\n",
    }
    environment = detected({**files, **lists})
    assert installed(environment)[0] == ["gevent", "psycopg2", "django"]
    assert required(environment)[0] == "django"


@pytest.mark.parametrize(
    ("line", "is_pypi"),
    [
        ("-i https://pypi.python.org/simple", True),
        ("--index-url=http://pypi.python.org/simple/", True),
        ("--index-url https://pypi.tuna.tsinghua.edu.cn/simple", True),
        ("--extra-index-url https://mirrors.aliyun.com/pypi/simple/", True),
        ("-i https://pypi.org/simple", False),
        ("--extra-index-url https://pypi.example.org/simple", False),
        ("-i https://pypi.python.org/simple\n--extra-index-url https://pypi.example.org/simple", False),
        ("-i https://pypi.python.org/simple\n--find-links wheels", False),
    ],
)
def test_pypi_by_its_former_name_or_a_mirror_of_it_is_pypi_and_no_other_index_is(line: str, is_pypi: bool) -> None:
    files = {"requirements.txt": f"{line}\nflask==2.0 \\\n    --hash=sha256:00\n", "test_a.py": "import flask\n"}
    assert installed(detected(files))[0] == (["flask==2.0"] if is_pypi else ["-r", "requirements.txt"])


def test_requirements_that_setup_py_puts_together_are_whole_or_left_out() -> None:
    setup = """
OLD = "python_version < '3.8'"
VERSION = open("v").read()
setup(tests_require=["typing; " + OLD, f"zipp; {OLD}", "six==" + VERSION, f"chai=={VERSION}", "mock"])
"""
    wanted = ["typing; python_version < '3.8'", "zipp; python_version < '3.8'", "mock"]
    assert installed(detected({"setup.py": setup, **TESTS})) == [["--editable", "."], wanted, ["pytest"]]


def test_what_a_section_of_tox_takes_from_another_is_read_there() -> None:
    tox = "[base]\ndeps =\n    mock\n    six\n[testenv]\ndeps =\n    {[base]deps}\n    {[nobody]deps}\n    chai\n"
    assert installed(detected({"tox.ini": tox, **TESTS})) == [["mock", "six", "chai"], ["pytest"]]


def test_setup_cfg_and_tox_are_read() -> None:
    cfg = "[metadata]\nname = x\n[options.extras_require]\ntesting =\n    pytest\n    coverage>=5  # why\n"
    tox = "[testenv]\ndeps =\n    requests\n    py38: old\n    -r ci/reqs.txt\n    {toxinidir}/x\n    --pre\n"
    environment = detected({"setup.py": "", "setup.cfg": cfg, "tox.ini": tox, **TESTS})
    wanted = [["--editable", "."], ["pytest", "coverage>=5"], ["requests"], ["-r", "ci/reqs.txt"], ["pytest"]]
    assert installed(environment) == wanted


@pytest.mark.parametrize(
    ("value", "wanted"),
    [
        ("mock; six>=1 ; chai", ["mock", "six>=1", "chai"]),
        ("mock", ["mock"]),
        ("mock; python_version < '4'", ["mock; python_version < '4'"]),
        ("\n    mock; python_version < '4'\n    six", ["mock; python_version < '4'", "six"]),
        ("\n    mock; \\\n        # why\n        python_version < '4'\n    six", ["mock; python_version < '4'", "six"]),
    ],
)
@pytest.mark.parametrize("kind", ["[options.extras_require]\ntests = ", "[options]\ntests_require = "])
def test_lists_of_setup_cfg_are_read_as_setuptools_does(kind: str, value: str, wanted: list[str]) -> None:
    environment = detected({"setup.py": "", "setup.cfg": f"{kind}{value}\n", **TESTS})
    assert installed(environment) == [["--editable", "."], wanted, ["pytest"]]


def test_extras_are_read_as_pbr_writes_them() -> None:
    """https://docs.openstack.org/pbr/latest/user/features.html#extra-requirements"""
    cfg = "[extras]\ntest =\n    mock\n    futures>=3:python_version=='2.7'\n    six:(python_version>'3')\n"
    environment = detected({"setup.py": "setup(pbr=True)", "setup.cfg": cfg, **TESTS})
    wanted = ["mock", "futures>=3; python_version=='2.7'", "six; (python_version>'3')"]
    assert installed(environment) == [["--editable", "."], wanted, ["pytest"]]


@pytest.mark.parametrize("path", ["tests/runtests.py", "run_tests.py"])
def test_a_suite_that_is_nothing_but_a_program_of_unittest_is_run_by_it(path: str) -> None:
    environment = detected({"setup.py": "", "x/__init__.py": "", path: "import unittest\nunittest.main()\n"})
    assert [(command.runner, command.argv) for command in environment.tests] == [("unittest", ("python", path))]
    assert f"{path}: runs unittest" in environment.evidence


@pytest.mark.parametrize("suite", ["checks.Everything", "checks.Everything.suite"])
def test_a_suite_of_which_only_setup_py_tells_is_run_by_unittest(suite: str) -> None:
    files = {
        "checks/__init__.py": "",
        "checks/Everything.py": "from checks.Cart import *",
        "checks/Cart.py": "import mock",
    }
    environment = detected({"setup.py": f"setup(test_suite='{suite}')", **files})
    assert environment.tests[0].argv == ("python", "-m", "unittest", suite)
    assert f"setup.py test_suite: {suite}" in environment.evidence
    assert ["mock"] in installed(environment)


@pytest.mark.parametrize(
    "more",
    [
        {"tests/runtests.py": "print('nothing')\n"},
        {"tests/runtests.py": "import unittest\n", "pytest.ini": "[pytest]\n"},
        {"tools/runtests.py": "import unittest\n"},
        {"setup.py": "setup(test_suite='nose.collector')"},
        {"setup.py": "setup(test_suite='-x')", "-x.py": ""},
    ],
)
def test_any_other_program_is_no_suite(more: dict[str, str]) -> None:
    with pytest.raises(NoTestsError):
        detected({"setup.py": "", "x/__init__.py": "", **more})


@pytest.mark.parametrize(("name", "is_read"), [("development.txt", True), ("dev.txt", True), ("test.txt", False)])
def test_a_list_for_all_work_may_be_called_just_that(name: str, is_read: bool) -> None:
    assert (["-r", name] in installed(detected({name: "", "setup.py": "", **TESTS}))) is is_read


def test_what_is_declared_twice_is_installed_once() -> None:
    tox = "[testenv]\ndeps = -r requirements-dev.txt\n"
    environment = detected({"requirements-dev.txt": "", "tox.ini": tox, **TESTS})
    assert installed(environment) == [["-r", "requirements-dev.txt"], ["pytest"]]


def test_poetry_groups_become_requirements() -> None:
    pyproject = """
[build-system]
requires = ["poetry-core"]
[tool.poetry.group.dev.dependencies]
python = "^3.9"
pytest = "^8.0"
mock = "*"
pinned = "1.2"
both = ">=1,<3"
rich = {version = "~13.1", extras = ["jupyter"]}
young = "^0.2.3"
numpy = [{version = "^1.19", python = "<3.10"}, {version = ">=1.24", python = ">=3.10"}]
tomli = {version = "*", python = "~3.9", markers = "platform_python_implementation == 'CPython'"}
heavy = {version = "^1", optional = true}
"""
    environment = detected({"pyproject.toml": pyproject, **TESTS})
    assert installed(environment)[1] == [
        *("pytest>=8.0,<9", "mock", "pinned==1.2", "both>=1,<3", "rich[jupyter]>=13.1,<13.2", "young>=0.2.3,<0.3"),
        *("numpy>=1.19,<2; python_version < '3.10'", "numpy>=1.24; python_version >= '3.10'"),
        "tomli; python_version == '3.9' and (platform_python_implementation == 'CPython')",
    ]


@pytest.mark.parametrize(
    ("addopts", "wanted"),
    [
        ("--instafail -p no:doctest", [["pytest-instafail"]]),
        ("-p xdist -ppytest_cov", [["pytest-cov", "pytest-xdist"]]),
        ("-p own.plugin -p pytester", []),
    ],
)
def test_plug_ins_that_are_loaded_by_name_are_installed(addopts: str, wanted: list[list[str]]) -> None:
    assert installed(detected({"pytest.ini": f"[pytest]\naddopts = {addopts}", **TESTS}))[1:] == wanted
    words = [f"-{word}" for word in addopts.removeprefix("-").split(" -")]
    assert installed(detected({"pytest.toml": f"[pytest]\naddopts = {words}", **TESTS}))[1:] == wanted


def test_plugins_that_the_configuration_names_are_installed() -> None:
    ini = "[tool:pytest]\naddopts = -n auto --cov=pkg -q\nasyncio_mode = auto\n"
    environment = detected({"setup.cfg": ini, **TESTS})
    assert installed(environment)[-1] == ["pytest-asyncio", "pytest-cov", "pytest-xdist"]


@pytest.mark.parametrize("setting", ["DJANGO_SETTINGS_MODULE = shop.settings", "django_find_project = false"])
def test_settings_of_django_mean_django_itself_too(setting: str) -> None:
    environment = detected({"pytest.ini": f"[pytest]\n{setting}\n", **TESTS})
    assert installed(environment)[-1] == ["django", "pytest-django"]


@pytest.mark.parametrize("broken", ["[", "\x00", "a = = b", "[project]\nname = 1\noptional-dependencies = 'x'"])
@pytest.mark.parametrize("name", ["pyproject.toml", "setup.cfg", "setup.py", "tox.ini", "pytest.ini"])
def test_manifests_that_cannot_be_read_are_no_reason_to_fail(name: str, broken: str) -> None:
    assert installed(detected({name: broken, **TESTS}))[-1] == ["pytest"]


@pytest.mark.parametrize("evil", ["--index-url=http://x", "-e .", "-r /etc/passwd", "{root:uri}", "../x", "", 3])
def test_a_requirement_is_never_an_option_or_a_path(evil: object) -> None:
    pyproject = f"[project]\nname = 'x'\n[project.optional-dependencies]\ntest = [{evil!r}, 'good']\n"
    assert ["good"] in installed(detected({"pyproject.toml": pyproject, **TESTS}))


def test_manifests_name_what_a_layer_is_made_of() -> None:
    files = {
        "pyproject.toml": "",
        "pkg/__init__.py": "",
        "pkg/fast.pyx": "",
        "requirements/test.txt": "",
        "pkg/x.py": "",
    }
    environment = detected({**files, **TESTS})
    assert environment.manifests == ("pkg/__init__.py", "pkg/fast.pyx", "pyproject.toml", "requirements/test.txt")


def test_a_repository_that_keeps_its_version_in_history_can_be_installed_without_it() -> None:
    assert "SETUPTOOLS_SCM_PRETEND_VERSION" in detected({"setup.py": "setup(use_scm_version=True)", **TESTS}).variables


def test_dependencies_are_not_built_under_the_version_of_a_project_that_does_not_ask_git() -> None:
    variables = detected({"setup.py": "setup(version='1')", **TESTS}).variables
    assert not {"SETUPTOOLS_SCM_PRETEND_VERSION", "PBR_VERSION"} & variables.keys()


@pytest.mark.parametrize(
    ("name", "unset"),
    [
        ("setuptools_scm", ["SETUPTOOLS_SCM_PRETEND_VERSION"]),
        ("setuptools-scm", ["SETUPTOOLS_SCM_PRETEND_VERSION"]),
        ("pbr", ["PBR_VERSION"]),
        ("shop", []),
    ],
)
def test_a_tool_that_asks_git_is_tested_without_a_version_from_outside(name: str, unset: list[str]) -> None:
    found = detected({"setup.py": f"setup(name='{name}', use_scm_version=True)", **TESTS})
    assert "SETUPTOOLS_SCM_PRETEND_VERSION" in found.variables
    assert [variable for variable, value in found.test_variables.items() if not value] == unset


def test_where_everything_cannot_be_had_the_tools_and_what_is_no_indexs_are_left_out() -> None:
    files = {
        "setup.py": "",
        "dev-requirements.txt": "-e .[http2]\n-r more/tests.txt\nblack==20.8b1\nx @ git+https://example.org/x\n--pre\n",
        "more/tests.txt": "trustme>=1  # why\n-r tests.txt\nflake8-bugbear\n",
        **TESTS,
    }
    (first, second) = attempts(detected(files).setup[-1])
    assert first.argv[len(UV_INSTALL) :] == ("--editable", ".", "-r", "dev-requirements.txt", "pytest")
    assert second.argv[len(UV_INSTALL) :] == ("--editable", ".", "--editable", ".[http2]", "trustme>=1", "pytest")


def test_one_requirement_that_cannot_be_had_does_not_take_the_others_with_it() -> None:
    environment = detected({"setup.py": "", "requirements-test.txt": "mock\nsix==99999\nblack\n", **TESTS})
    (by_pip,) = attempts(singles(environment)[1])[-1].otherwise
    assert [(c.argv[len(UV_INSTALL) :], c.required) for c in by_pip.otherwise] == [
        (("mock",), False),
        (("six==99999",), False),
    ]


def test_where_setup_py_reads_a_list_what_that_holds_is_there_though_the_project_cannot_be_built() -> None:
    text = "needs = open('contrib/requirements.txt').read().splitlines()\nsetup(name='x', install_requires=needs)\n"
    lists = {"contrib/requirements.txt": "six>=1\nuncompilable\n", "contrib/requirements-hw.txt": "hid\n"}
    environment = detected({"setup.py": f"{text}open('contrib/requirements-hw.txt')\n", **lists, **TESTS})
    assert [way.argv[-1] for way in singles(environment)[0].otherwise][:2] == ["six>=1", "uncompilable"]
    assert "contrib/requirements.txt" in environment.manifests


def test_what_is_held_to_a_version_that_cannot_be_had_is_there_in_another() -> None:
    lines = "PyYAML==3.12\nlxml[html5]<4; python_version > '3'\nmock\nx @ git+https://example.org/x\nrequests==2.*\nsix>=1\n"
    environment = detected({"setup.py": "", "requirements-test.txt": lines, **TESTS})
    (by_pip,) = attempts(singles(environment)[1])[-1].otherwise
    others = [[other.argv[-1] for way in step.otherwise for other in way.otherwise] for step in by_pip.otherwise]
    assert others == [["PyYAML!=3.12"], ['lxml[html5]; python_version > "3"'], [], ["requests!=2.*"], []]


def _last(command: SetupCommand) -> list[list[str]]:
    """What is tried in the place of a list of an application's."""
    (by_pip,) = command.otherwise
    assert all(step.required for step in by_pip.otherwise)
    return [[way.argv[-1] for way in _ways(step)] for step in by_pip.otherwise]


def _ways(command: SetupCommand) -> list[SetupCommand]:
    return [command, *(way for other in command.otherwise for way in _ways(other))]


def test_what_an_application_is_frozen_with_and_cannot_be_had_is_there_in_a_later_release() -> None:
    lines = "psycopg2==2.7\nlxml[html5]<4; python_version > '3'\nmock\ncelery~=4.1.2,!=4.1.9\nrequests==2.*\nsix>=1\n"
    environment = detected({"requirements.txt": f"{lines}torch==1.9+cpu\n", **TESTS})
    command = next(step for step in singles(environment) if step.argv[-1] == "requirements.txt")
    assert _last(command) == [
        ["psycopg2==2.7", "psycopg2>2.7", "psycopg2==2.7"],
        [
            "lxml[html5]<4; python_version > '3'",
            'lxml[html5]>=4; python_version > "3"',
            "lxml[html5]<4; python_version > '3'",
        ],
        ["mock", "mock"],
        ["celery~=4.1.2,!=4.1.9", "celery!=4.1.9,>4.1.2", "celery~=4.1.2,!=4.1.9"],
        ["requests==2.*", "requests>2", "requests==2.*"],
        ["six>=1", "six>=1"],
        ["torch==1.9+cpu", "torch>1.9", "torch==1.9+cpu"],
    ]
    assert command.otherwise[0].otherwise[0].otherwise[0].otherwise[0].argv[: len(PIP_INSTALL)] == PIP_INSTALL


@pytest.mark.parametrize("lines", ["mock\nsix>=1\n", "x===two\n", "x @ git+https://example.org/x@1.0\n"])
def test_of_an_application_that_holds_no_release_nothing_else_is_tried(lines: str) -> None:
    environment = detected({"requirements.txt": lines, **TESTS})
    command = next(step for step in singles(environment) if step.argv[-1] == "requirements.txt")
    assert _last(command) == []


def test_of_an_extra_that_cannot_be_had_as_a_whole_the_rest_is_installed() -> None:
    extras = "extras_require={'http': ['httptools==0.1.*', 'x[ws]'], 'ws': ['wsproto']}"
    files = {"setup.py": f"setup(name='x', {extras})", "requirements.txt": "-e .[http, ws]\ntrustme\n"}
    named = {**files, "pyproject.toml": "[project]\nname = 'x'"}
    for each in (files, named):
        whole = next(s for s in singles(detected({**each, **TESTS})) if s.argv[-2:] == ("-r", "requirements.txt"))
        extra, _ = whole.otherwise[0].otherwise
        assert extra.argv[-2:] == ("--editable", ".[http, ws]")
        parts = [step.argv[-1] for step in extra.otherwise]
        assert parts == ["httptools==0.1.*", "wsproto" if each is named else "x[ws]", "wsproto"]
        assert not any(step.required for step in extra.otherwise)


def test_requirements_that_were_taken_once_are_written_as_they_are_taken_now() -> None:
    extras = "extras_require={'test': ['a>=0.4.*,<2.*; python_version<\"4\"', 'b==1.*', 'c!=1.2.*', 'd >= 1.0.*']}"
    files = {"setup.py": f"setup({extras})", **TESTS}
    expected = ['a>=0.4,<2; python_version<"4"', "b==1.*", "c!=1.2.*", "d >= 1.0"]
    assert expected in installed(detected(files))


def test_an_application_that_nobody_builds_gets_its_dependencies_all_the_same() -> None:
    application = "[project]\nname = 'x'\nversion = '1'\ndependencies = ['six']\n"
    (first, second) = attempts(detected({"pyproject.toml": application, **TESTS}).setup[-2])
    assert first.argv[len(UV_INSTALL) :] == ("--editable", ".", "pytest")
    assert second.argv[len(UV_INSTALL) :] == ("six", "pytest")
    poetry = "[tool.poetry]\npackage-mode = false\n[tool.poetry.dependencies]\nsix = '*'\n[build-system]\nrequires=[]\n"
    for text in (poetry, poetry.replace("package-mode = false", "").partition("[build-system]")[0]):
        assert installed(detected({"pyproject.toml": text, **TESTS})) == [["six"], ["pytest"]]


@pytest.mark.parametrize("lock", ["uv.lock", "poetry.lock", "pdm.lock", "pylock.toml", "Pipfile.lock"])
def test_the_versions_of_a_lock_file_are_tried_first(lock: str) -> None:
    environment = detected({"setup.py": "", "test-requirements.txt": "six", lock: "", **TESTS})
    writing, installing, probe = environment.setup[-3:]
    assert (writing.argv[-1], writing.required) == (lock, False)
    locked, free = attempts(installing)
    assert locked.argv == (*free.argv, "-c", LOCKED)
    assert "pytest" in probe.argv[-1]
    assert lock in environment.manifests


@pytest.mark.parametrize("place", ["deps{/}tested.in", "{toxinidir}{/}deps{/}tested.in", "{tox_root}/deps/tested.in"])
def test_files_that_tox_names_by_its_own_words_for_places_are_installed(place: str) -> None:
    environment = detected({"tox.ini": f"[testenv]\ndeps =\n  -r{place}\n", "deps/tested.in": "six\n", **TESTS})
    assert installed(environment) == [["-r", "deps/tested.in"], ["pytest"]]


def test_constraints_that_tox_names_hold() -> None:
    tox = "[testenv]\ndeps =\n    -c limits.txt\n    six\n"
    environment = detected({"tox.ini": tox, "limits.txt": "six<1.16\n", **TESTS})
    assert environment.setup[-1].argv[len(UV_INSTALL) :] == ("six", "pytest", "-c", "limits.txt")
    assert "limits.txt" in environment.manifests


def test_the_interpreter_is_looked_up_though_any_will_do() -> None:
    assert [tool.program for tool in detected(TESTS).tools] == ["python"]


@pytest.mark.parametrize(
    ("condition", "wanted"),
    [
        ("sys.version_info[0] == 3", "attrs"),
        ("sys.version_info >= (3,)", "attrs"),
        ("sys.version_info.major < 3", "six"),
        ("sys.version_info[:2] != (2, 7)", "attrs"),
        ("sys.version_info < 'x'", ""),
        ("sys.version_info >= (3, 10)", ""),
        ("sys.version_info[:2] == (3, 9)", ""),
        ("os.environ.get('A') == 3", ""),
    ],
)
def test_what_setup_py_lists_for_some_pythons_is_that_of_those_of_today(condition: str, wanted: str) -> None:
    lists = f"if {condition}:\n    needed = ['attrs']\nelse:\n    needed = ['six']\n"
    setup = f"{lists}from setuptools import setup\nsetup(name='shop', tests_require=needed)\n"
    environment = detected({"setup.py": setup, "tests/test_a.py": "def test_a(): pass"})
    assert [word for words in installed(environment) for word in words if word in ("attrs", "six")] == [
        *filter(None, [wanted])
    ]
