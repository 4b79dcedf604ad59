import pytest

from repo_tools.environment.python.tox_factors import as_started, conditioned, limited_versions, own_factors
from tests.repo_tools.environment.python.test_detector import TESTS, detected, installed


def test_a_library_that_tox_tests_in_several_versions_is_none_that_it_does_not_test() -> None:
    deps = (
        "django111: Django>=1.11,<2.0\n    django22: Django>=2.2,<3.0\n    djangomaster: https://x/y.tar.gz\n    mock"
    )
    tests = {"tests/test_a.py": "import django, mock\ndef test_a(): pass"}
    environment = detected({"tox.ini": f"[testenv]\ndeps =\n    {deps}\n", **tests})
    assert installed(environment) == [["mock", "Django<3.0"], ["pytest"]]


@pytest.mark.parametrize(
    ("line", "started"),
    [
        ("pytest {posargs:tests} -v", "pytest tests -v"),
        ("pytest --ignore={toxinidir}/docs {tox_root}{/}tests", "pytest --ignore=docs tests"),
        ("pytest -c{toxinidir}/a.ini {posargs:{toxinidir}/tests}", "pytest -ca.ini tests"),
        ("python {toxinidir}/run.py --root={toxinidir} {envdir}/x", "python run.py --root=. {envdir}/x"),
        ("pytest {root}/tests {args:-q}", "pytest tests -q"),
    ],
)
def test_a_line_of_commands_stands_as_it_is_started_in_the_root(line: str, started: str) -> None:
    assert as_started(line) == started


@pytest.mark.parametrize(
    ("line", "started"),
    [
        ("pytest {toxinidir}/tests {toxinidir}", "pytest ../../tests ../.."),
        ("python run.py {posargs:{toxinidir}/a}", "python run.py ../../a"),
    ],
)
def test_a_line_of_commands_stands_as_it_is_started_in_a_folder(line: str, started: str) -> None:
    assert as_started(line, "src/web") == started


@pytest.mark.parametrize(
    ("tox", "shown"),
    [
        ("changedir = web\ncommands = python -m unittest discover\n", "cd web && python -m unittest discover"),
        ("change_dir = {tox_root}/web\ncommands = python {toxinidir}/runtests.py\n", "cd web && python ../runtests.py"),
        ("changedir = web\ncommands = python runtests.py\n", "cd web && python runtests.py"),
        ("changedir = web\ncommands = python -m till.tests\n", "cd web && python -m till.tests"),
        ("changedir = {envtmpdir}\ncommands = python -m unittest discover web\n", "python -m unittest discover web"),
        ("changedir = build\ncommands = python -m unittest discover web\n", "python -m unittest discover web"),
        ("changedir = ../web\ncommands = python -m unittest discover\n", "python -m unittest discover"),
    ],
)
def test_commands_are_started_in_the_folder_that_tox_changes_to_if_it_is_the_repository_s(tox: str, shown: str) -> None:
    suite = "import unittest\nclass ATest(unittest.TestCase): pass\n"
    files = dict.fromkeys(("runtests.py", "web/runtests.py", "web/till/tests.py", "web/test_a.py"), suite)
    assert detected({**files, "tox.ini": f"[testenv]\n{tox}"}).shown_command == shown


def test_the_folder_of_the_environment_whose_commands_count_comes_before_the_general_one() -> None:
    tox = "[testenv]\nchangedir = docs\n[testenv:py39]\nchangedir = web\ncommands = python -m unittest discover\n"
    files = {"web/test_a.py": "import unittest\n", "docs/index.rst": "", "tox.ini": tox}
    assert detected(files).shown_command == "cd web && python -m unittest discover"


def test_a_variable_on_a_condition_is_set_where_that_holds() -> None:
    tox = (
        "[tox]\nenvlist = py{36,37}-{plain,fast}\n"
        "[testenv]\nsetenv =\n    A = 1\n    plain: B = no\n    fast: B=yes\n    !fast: C=3\n    py36: D=4\n"
    )
    variables = detected({"tox.ini": tox, "tests/test_a.py": ""}).test_variables
    assert [variables.get(name) for name in "ABCD"] == ["1", "no", "3", None]


@pytest.mark.parametrize(
    ("lines", "wanted"),
    [
        (["dj42: Django~=4.2.0", "dj51: Django~=5.1.0"], ["Django<5.2"]),
        (["dj42: Django==4.2.*", "dj51: Django==5.1.*"], ["Django<5.2"]),
        (["{py36,py37}-sqla13: sqlalchemy==1.3.24", "sqla12: sqlalchemy<1.3"], ["sqlalchemy<=1.3.24"]),
        (["django5: Django>=5.0a1", "django4: Django<5"], ["Django"]),
        (["django{40,41}: Django>=4.0,<4.2", "django42: django>=4.2,<4.3"], ["django<4.3"]),
        (["numpy1: numpy<2"], []),
        (["py27: mock<4", "py38: mock<5", "pypy3: mock<6"], []),
        (["lowest: attrs==19", "newest: attrs"], []),
        (["tw18: Twisted<19", "tw20: Twisted<21", "twcurrent: Twisted", "twtrunk: https://h/x.zip"], ["Twisted"]),
        (["torch1: torch==1.13.1+cpu", "torch2: torch==2.0.0+cpu"], ["torch<=2.0.0"]),
        (["rest3: rest_framework<3", "rest4: rest-framework<4"], ["rest-framework<4"]),
        ([f"dj1: Django<{'9' * 5000}", "dj2: Django<2"], []),
        ([f"{'a' * 50_000}: Django<2"], []),
        (["dj1: not a requirement !", "dj2: Django<2", "dj3: x @ https://h/x.zip"], []),
    ],
)
def test_versions_are_read_from_numbered_factors(lines: list[str], wanted: list[str]) -> None:
    assert list(limited_versions(lines)) == wanted


@pytest.mark.parametrize(
    ("listed", "script", "wanted"),
    [
        ("py27-dj{18,19}, py36-dj111, pep8", "tox", ["Django<2", "filter<1.1", "rest"]),
        ("py36-dj{19,111}-rest2, py36-dj111-rest2-fast, py35-dj20", "tox", ["Django<2", "filter<1.1", "rest"]),
        ("py{27,36}-dj{18,111}", "tox", ["Django<2", "filter<1.1"]),
        ("py36-dj{111,20}", "tox", ["Django<2"]),
        ("py36, py36-dj111", "tox", ["Django<2"]),
        ("py36-dj111", "tox -e py", ["Django<2"]),
        ("py36", "tox -e py36-dj18", ["Django<2", "filter<1.1"]),
        ("py36-dj111", "tox && tox -e coverage", ["Django<2", "filter<1.1", "rest"]),
    ],
)
def test_what_each_environment_for_the_newest_python_has_is_there(listed: str, script: str, wanted: list[str]) -> None:
    deps = ("dj{18,19}: Django<1.10", "dj111: Django<2", "dj{18,19,111}: filter>=1,<1.1", "rest2: rest", "dj111: rest")
    lines = "\n    ".join((*deps, "fast: ujson", "py36: mock"))
    files = {
        "tox.ini": f"[tox]\nenvlist = {listed}\n[testenv]\ndeps =\n    {lines}\n",
        ".travis.yml": f"language: python\nscript: {script}\n",
    }
    (found, _) = installed(detected({**files, **TESTS}))
    assert [word for word in found if word != "mock"] == wanted


@pytest.mark.parametrize(
    ("listed", "script", "wanted"),
    [
        ("py{27,36}-dj{18,19}, lint", "tox", ["reqs/19.txt"]),
        ("py27-dj19, py36-dj18", "tox", ["reqs/18.txt"]),
        ("py{27,36}-dj{18,19}", "tox -e py27-dj18", ["reqs/19.txt"]),
        ("py{27,36}-dj{18,19}", "tox -e py36-dj18", ["reqs/18.txt"]),
        ("clean, py27-dj{18,19}, report", "tox", ["reqs/19.txt"]),
        ("dj18, dj19, docs", "tox", ["reqs/19.txt"]),
        ("py36-lint-dj19", "tox", []),
        ("py36", "tox", []),
        ("py36-dj{18,19,master}", "tox", ["reqs/19.txt"]),
        ("py36-{latest,dj18,min}", "tox", ["reqs/latest.txt"]),
        ("py36-{min,dj18}", "tox", ["reqs/18.txt"]),
        ("py37-dj{18,19}", "tox", ["reqs/py37.txt", "reqs/19.txt"]),
    ],
)
def test_of_lists_for_each_version_of_a_package_the_newest_is_installed(
    listed: str, script: str, wanted: list[str]
) -> None:
    deps = "dj18: -rreqs/18.txt\n    dj19: -r {toxinidir}/reqs/19.txt\n    lint: -r reqs/lint.txt"
    more = ("djmaster", "latest", "min", "py37")
    deps += "".join(f"\n    {name}: -r reqs/{name.removeprefix('dj')}.txt" for name in more)
    files = {
        "tox.ini": f"[tox]\nenvlist = {listed}\n[testenv]\ndeps =\n    {deps}\n",
        ".travis.yml": f"language: python\nscript: {script}\n",
        **{f"reqs/{name}.txt": "mock" for name in ("18", "19", "lint", "latest", "master", "min", "py37")},
    }
    words = [word for each in installed(detected({**files, **TESTS})) for word in each]
    assert [word for word in words if word.startswith("reqs")] == wanted


def test_a_factor_of_a_version_that_cannot_be_compared_gives_no_end() -> None:
    lines = ["a1: Django===one", "a2: Django<2"]
    assert list(limited_versions(lines)) == ["Django"]
    assert installed(detected({"tox.ini": "[testenv]\ndeps =\n    a1: Django===one\n", **TESTS})) == [["pytest"]]


ENVLIST = "\n py{36,37,39,py3}-{unittests,min}, django{32,42},\n flake8"


@pytest.mark.parametrize(
    ("line", "held"),
    [
        ("six", True),
        ("py: six", True),
        ("py3: six", True),
        ("py{3,py3}: six", True),
        ("py39: six", True),
        ("py{36,37,39,py3}-{unittests,integration}: six", True),
        ("docs,py39-unit: six", True),
        ("!docs: six", True),
        ("!py27-tests: six", True),
        ("py36: six", False),
        ("py{36,37,39}-integration: six", False),
        ("!py39: six", False),
        ("docs: six", False),
        ("{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}: six", False),
    ],
)
def test_a_condition_holds_for_the_suite_on_the_newest_python_that_tox_lists(line: str, held: bool) -> None:
    assert conditioned(line, own_factors(ENVLIST)) == ("six" if held else "")


DEPS = "[testenv]\ndeps =\n    crypto: cryptography\n    nocrypto: pretend\n    oldest: six==1.0\n"


@pytest.mark.parametrize(
    ("listed", "script", "wanted"),
    [
        ("py27-nocrypto, py{27,36}-crypto, py36-nocrypto", "tox", ["cryptography"]),
        ("py{35,36}-{nocrypto,crypto}", "tox", ["pretend"]),
        ("py36-crypto, py36-nocrypto", "tox -e py36-nocrypto", ["pretend"]),
        ("py36-crypto", "tox -e py", []),
        ("py36, py36-crypto", "tox", []),
        ("py36-oldest, py36-crypto, crypto", "tox", []),
        ("py36-lint, py36-docs-nocrypto, py36-crypto", "tox", ["cryptography"]),
    ],
)
def test_of_environments_for_the_newest_python_the_first_counts_where_the_ci_starts_none(
    listed: str, script: str, wanted: list[str]
) -> None:
    files = {"tox.ini": f"[tox]\nenvlist = {listed}\n{DEPS}", ".travis.yml": f"language: python\nscript: {script}\n"}
    environment = detected({**files, **TESTS})
    assert installed(environment) == [*([wanted] if wanted else []), ["pytest"]]


@pytest.mark.parametrize(
    ("listed", "wanted"),
    [
        ("lint, py3{8,12}-tests{,-optional}", ["six", "attrs"]),
        ("py312-tests{,-oldestdeps,-alldeps,-devdeps}{,-cov}", ["six", "extra"]),
        ("py312-tests-alldeps, py312-tests", ["six", "extra"]),
        ("py312-tests, py311-tests-optional", ["six"]),
        ("py312-tests, py312-devdeps-alldeps", ["six"]),
        ("py312-tests, py312-tests-nightly", ["six"]),
    ],
)
def test_of_two_that_differ_in_what_is_optional_the_environment_that_has_it_counts(
    listed: str, wanted: list[str]
) -> None:
    deps = "tests: six\n    optional: attrs\n    devdeps: old\n    alldeps: extra\n    nightly: new"
    tox = f"[tox]\nenvlist = {listed}\n[testenv]\ndeps =\n    {deps}\n"
    assert installed(detected({"tox.ini": tox, **TESTS})) == [wanted, ["pytest"]]


@pytest.mark.parametrize(
    ("listed", "wanted"),
    [
        ("py{36,37}-{mysql_innodb,postgres,sqlite}", "sqlite"),
        ("py37-pg, py37-sqlite-redis, py37-plain, py37-sqlite", "plain"),
        ("py36-sqlite, py37-{postgres,mysql}", "postgres"),
        ("py37-postgres, py37-djangomain, py37-oldestdeps", "postgres"),
        ("py37-{postgres,mysql}, py37-dev, py37-sqlite", "sqlite"),
    ],
)
def test_of_environments_the_first_counts_that_wants_no_server(listed: str, wanted: str) -> None:
    names = ("mysql_innodb", "postgres", "sqlite", "pg", "plain", "mysql")
    lines = "".join(f"    {name}: SHOP_DATABASE = {name}\n" for name in names)
    files = {"tox.ini": f"[tox]\nenvlist = {listed}\n[testenv]\nsetenv =\n{lines}", **TESTS}
    assert detected(files).test_variables["SHOP_DATABASE"] == wanted


def test_a_suite_that_tox_runs_under_conditions_is_found_with_what_it_needs() -> None:
    tox = f"""[tox]
envlist ={ENVLIST}

[testenv]
deps =
    py{{36,37,39}}-unittests: -rrequirements/project.txt
    min: old==1
commands =
    {{envpython}} --version
    py{{36,37,39}}-{{unittests,min}}: {{envbindir}}/coverage run --omit 'a/*' -m unittest discover -p '*tests.py' shop
    py{{36,37,39}}-integration: {{envpython}} -m shop.integration
"""
    files = {
        "tox.ini": tox,
        "requirements/project.txt": "babel",
        "shop/cart_tests.py": "import unittest",
        "setup.py": "",
    }
    environment = detected(files)
    assert ["-r", "requirements/project.txt"] in installed(environment)
    assert environment.shown_command == "python -m unittest discover -p '*tests.py' shop"


def test_lines_that_carry_a_command_on_hold_under_their_own_conditions() -> None:
    lines = ("python \\", "    -bb \\", "    opt: -O \\", "    -m shop.test.runtests \\", "    curl: --client=curl \\")
    other = ("docs: sphinx-build \\", "    -m shop.other.runtests")
    tox = "[testenv]\ncommands =\n" + "".join(f"    {line}\n" for line in (*other, *lines, "    {posargs:}"))
    suite = "import unittest\nclass ATest(unittest.TestCase): pass\nunittest.main()"
    files = {"tox.ini": tox, "shop/test/runtests.py": suite, "shop/other/runtests.py": suite, "setup.py": ""}
    environment = detected({**files, "shop/test/cart_test.py": "import unittest"})
    assert environment.shown_command == "python -m shop.test.runtests"


@pytest.mark.parametrize("name", ["py311-oldest", "py-lowest", "py39-min", "py311-test-oldestdeps", "py39-sixmin"])
def test_an_environment_of_the_oldest_packages_is_not_the_one_that_counts(name: str) -> None:
    workflow = f"jobs:\n  test:\n    runs-on: ubuntu-latest\n    steps:\n      - run: tox -e {name}\n"
    deps = "".join(f"    {factor}: six==1.0\n" for factor in ("oldest", "lowest", "min", "oldestdeps", "sixmin"))
    tox = f"[testenv]\ndeps =\n{deps}commands = pytest\n"
    assert installed(detected({"tox.ini": tox, ".github/workflows/ci.yml": workflow, **TESTS})) == [["pytest"]]


def test_a_factor_that_only_ends_as_minimum_is_short_counts() -> None:
    tox = "[tox]\nenvlist = py311-admin\n[testenv]\ndeps =\n    admin: six\ncommands = pytest\n"
    assert installed(detected({"tox.ini": tox, **TESTS})) == [["six"], ["pytest"]]


COMPUTED = """
from setuptools import setup
extras = {"test": ["six"], "web": ["flask"]}
everything = []
for listed in extras.values():
    everything += listed
extras["test_all"] = everything
setup(name="shop", extras_require=extras)
"""


@pytest.mark.parametrize("asked", ["extras = test_all", "deps = .[test_all]", "extras = test_all, web\n    test"])
def test_an_extra_that_only_a_run_of_setup_py_would_tell_is_installed_by_its_name(asked: str) -> None:
    environment = detected({"setup.py": COMPUTED, "tox.ini": f"[testenv]\n{asked}\n", **TESTS})
    assert ["--editable", ".[test_all]"] in installed(environment)
    assert ["six"] in installed(environment)


def test_so_is_one_that_a_file_beside_pyproject_toml_lists() -> None:
    project = "[project]\nname = 'a'\ndynamic = ['optional-dependencies']\n"
    environment = detected({"pyproject.toml": project, "tox.ini": "[testenv]\nextras = b\n", **TESTS})
    assert ["--editable", ".[b]"] in installed(environment)


def test_an_extra_that_no_manifest_has_is_not_asked_for() -> None:
    environment = detected({"pyproject.toml": "[project]\nname = 'a'\n", "tox.ini": "[testenv]\nextras = b\n", **TESTS})
    assert not any(".[b]" in words for words in installed(environment))


@pytest.mark.parametrize("typed", ["-Ur ci.txt", "-qUr ci.txt", "-rci.txt", "-Urci.txt", "--requirement=ci.txt -q"])
def test_files_of_requirements_are_read_however_pip_is_told_of_them(typed: str) -> None:
    tox = f"[testenv]\ncommands =\n    pip install {typed}\n    pytest\n"
    assert installed(detected({"tox.ini": tox, "ci.txt": "six", "tests/test_a.py": ""})) == [
        ["-r", "ci.txt"],
        ["pytest"],
    ]


@pytest.mark.parametrize("name", ["py36", "py3", "tests", "unit"])
def test_commands_of_an_environment_for_tests_count_where_the_general_one_has_none(name: str) -> None:
    tox = f"[tox]\nenvlist = py36\n[testenv]\ndeps = six\n[testenv:{name}]\ncommands = python -m unittest suite\n"
    tests = {"suite.py": "import unittest\n", "test_a.py": "import unittest\n"}
    assert detected({"tox.ini": tox, **tests}).tests[0].argv == ("python", "-m", "unittest", "suite")
    general = tox.replace("deps = six", "commands = pytest").replace("envlist = py36", "envlist = py37")
    assert detected({"tox.ini": general, **tests}).tests[0].argv[0] == "pytest"
