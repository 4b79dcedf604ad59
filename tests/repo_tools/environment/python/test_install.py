"""Steps of an installation that run in the environment's own Python."""

import subprocess
from importlib.resources import files
from pathlib import Path

import pytest

from repo_tools.environment.contract import SetupCommand
from repo_tools.environment.python.install import (
    MAKE_VENV,
    UV_INSTALL,
    VENV,
    extras_one_by_one,
    own_develop,
    packages_before_folders,
    without_copies,
    without_tests_of_others,
    working_pytest,
)
from tests.repo_tools.environment.python.test_detector import TESTS, detected
from tests.support.venvs import bare_venv


def test_a_release_of_the_project_itself_is_taken_out_and_nothing_else(tmp_path: Path) -> None:
    library = bare_venv(tmp_path / "venv")
    work = tmp_path / "work"
    for folder in (work / "shop", work / "src" / "till", work / "docs"):
        folder.mkdir(parents=True)
    for package in (work / "shop", work / "src" / "till", work / "src" / "market" / "sums"):
        package.mkdir(parents=True, exist_ok=True)
        (package / "__init__.py").touch()
    (work / "src" / "market" / "__init__.py").touch()
    (work / "rack.py").touch()
    for name, file, url in (
        ("shop-plugin", "shop_plugin.py", ""),
        ("shop", "shop/__init__.py", ""),
        ("till", "till/__init__.py", f'{{"url": "file://{work}"}}'),
        ("docs", "docs/__init__.py", ""),
        ("rack", "rack/__init__.py", ""),
        ("rack-plugin", "rack_plugin/__init__.py", ""),
        ("market.sums", "market/sums/__init__.py", ""),
        ("market.fees", "market/fees/__init__.py", ""),
    ):
        (library / file).parent.mkdir(parents=True, exist_ok=True)
        (library / file).touch()
        facts = library / f"{name}-1.dist-info"
        facts.mkdir()
        (facts / "METADATA").write_text(f"Name: {name}\nVersion: 1\n")
        (facts / "RECORD").write_text(f"{file},,\n")
        (facts / "direct_url.json").write_text(url)
    (library / "zz_sources.pth").write_text("/built/src\n")
    program = without_copies().argv[1:]
    subprocess.run([tmp_path / "venv" / "bin" / "python", *program], cwd=work, check=True)
    left = {str(path.relative_to(library)) for path in library.rglob("*.py")}
    assert (library / "zz_sources.pth").read_text().split() == ["/built/src", str(work), str(work / "src")]
    others = {"shop_plugin.py", "rack_plugin/__init__.py", "docs/__init__.py", "market/fees/__init__.py"}
    assert left == {"till/__init__.py", *others}


@pytest.mark.parametrize("command", [without_copies(), without_tests_of_others()])
def test_no_source_is_taken_for_a_copy_and_no_program_for_a_source(tmp_path: Path, command: SetupCommand) -> None:
    """What setuptools leaves in the root beside an editable install lists the sources."""
    library, work = bare_venv(tmp_path / "venv"), tmp_path / "work" / "deep" / "root"
    facts, program = library / "tool-1.dist-info", tmp_path / "venv" / "bin" / "tool"
    for file, text in (
        (work / "shop.egg-info" / "SOURCES.txt", "setup.py\nsrc/shop/__init__.py\ntests/__init__.py\n"),
        (work / "shop.egg-info" / "PKG-INFO", "Name: shop\nVersion: 1\n"),
        *((work / source, "") for source in ("setup.py", "src/shop/__init__.py", "tests/__init__.py")),
        (facts / "METADATA", "Name: tool\nVersion: 1\n"),
        (facts / "RECORD", "../../../bin/tool,,\n"),
        (program, ""),
        (tmp_path / "bin" / "tool", ""),
    ):
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    before = sorted(work.rglob("*"))
    subprocess.run([tmp_path / "venv" / "bin" / "python", *command.argv[1:]], cwd=work, check=True)
    assert sorted(work.rglob("*")) == before
    assert program.exists()


def test_what_is_installed_one_by_one_may_bring_a_release_of_the_project_itself() -> None:
    """At once, what needs a later one than is here cannot be had."""
    several = {"setup.py": "setup(name='shop', install_requires=['six'], extras_require={'test': ['shop-plugin']})"}
    assert without_copies() in _last_ways(detected({**several, **TESTS}).setup)


def test_a_project_in_a_folder_of_its_packages_name_is_found_behind_that_folder(tmp_path: Path) -> None:
    """The finder as setuptools writes it, but for what it does with the mapping."""
    library = bare_venv(tmp_path / "venv")
    work = tmp_path / "work"
    for package in ("shop/shop", "till/src/till", "rack"):
        (work / package).mkdir(parents=True)
        (work / package / "__init__.py").write_text("there = True\n")
    mapping = {"shop": str(work / "shop/shop"), "till": str(work / "till/src/till"), "rack": str(work / "rack")}
    (library / "__editable___all_1_finder.py").write_text(f"MAPPING: dict[str, str] = {mapping}\nNAMESPACES = {{}}\n")
    (library / "zz_workspace.pth").write_text(f"{work}\n")
    interpreter = str(tmp_path / "venv" / "bin" / "python")
    subprocess.run([interpreter, *packages_before_folders().argv[1:]], cwd=work, check=True)
    asked = "import shop, till, rack; assert shop.there and till.there and rack.there"
    subprocess.run([interpreter, "-c", asked], cwd=tmp_path, check=True)
    assert (library / "zz_z_projects.pth").read_text().splitlines() == [str(work / "shop"), str(work / "till/src")]


def test_of_extras_that_a_program_computes_each_requirement_is_asked_for_alone(tmp_path: Path) -> None:
    """`echo` in the installer's place. Who reads the markers is pip, which every environment has."""
    library = bare_venv(tmp_path / "venv")
    (library / "pip").symlink_to(str(files("pip")))
    work = tmp_path / "work"
    work.mkdir()
    facts = library / "shop-1.dist-info"
    facts.mkdir()
    requires = (
        "six",
        "redis>=2; extra == 'all'",
        "pyodbc[a]; extra == 'test' and python_version >= '3'",
        "mock; extra == 'test' and python_version < '3'",
        "sphinx; extra == 'docs'",
    )
    told = "".join(f"Requires-Dist: {each}\n" for each in requires)
    (facts / "METADATA").write_text(f"Metadata-Version: 2.1\nName: shop\nVersion: 1\n{told}")
    (facts / "direct_url.json").write_text(f'{{"url": "file://{work}"}}')
    program = extras_one_by_one("all, test").argv[1 : -len(UV_INSTALL)]
    run = [str(tmp_path / "venv" / "bin" / "python"), *program, "echo", "install"]
    done = subprocess.run(run, cwd=work, check=True, capture_output=True, text=True)
    assert done.stdout.splitlines() == ["install redis>=2", "install pyodbc[a]"]


def test_where_an_extra_as_a_whole_fails_what_can_be_had_of_it_is_asked_for() -> None:
    computed = {"setup.py": "setup(extras_require={'all': sum(MANY, [])})", "tox.ini": "[testenv]\ndeps = .[all]\n"}
    written = {**computed, "setup.py": "setup(extras_require={'all': ['redis', 'pyodbc']})"}
    assert extras_one_by_one("all") in _last_ways(detected({**computed, **TESTS}).setup)
    alone = [way.argv[-1] for way in _last_ways(detected({**written, **TESTS}).setup)]
    assert {"redis", "pyodbc"} <= {*alone}


@pytest.mark.parametrize(
    ("files", "are_removed"),
    [
        ({"tests/__init__.py": "", "requirements-test.txt": "pytest-django\n"}, True),
        ({"tests/__init__.py": "", "tests/settings.py": "INSTALLED_APPS = []\n"}, True),
        ({"tests/__init__.py": "", "setup.cfg": "[tool:pytest]\nDJANGO_SETTINGS_MODULE = tests.settings\n"}, True),
        ({"tests/__init__.py": "", "requirements-test.txt": "pytest\n"}, False),
        ({"requirements-test.txt": "pytest-django\n"}, False),
    ],
)
def test_tests_of_others_do_not_hide_those_of_which_settings_are_loaded_early(
    files: dict[str, str], *, are_removed: bool
) -> None:
    assert (without_tests_of_others() in detected({**TESTS, **files}).setup) is are_removed


def test_one_guessed_plug_in_is_no_more_asked_of_pip_which_knows_no_days_than_several_are() -> None:
    tests = {"tests/test_a.py": "def test_a(celery_app): pass"}
    alone = [way for way in _last_ways(detected(tests).setup) if way.argv[-1] == "pytest-celery"]
    assert alone[-1].argv == (*UV_INSTALL, "pytest-celery")


def _last_ways(commands: tuple[SetupCommand, ...]) -> list[SetupCommand]:
    return [last for way in commands for last in (_last_ways(way.otherwise) if way.otherwise else [way])]


@pytest.mark.parametrize(
    ("text", "own"),
    [
        ("from setuptools.command.develop import develop as Base\nsetup(cmdclass={'develop': Mine})", True),
        ("from setuptools.command import sdist, develop\nsetup(cmdclass={'develop': Mine})", True),
        ("setup(extras_require={'develop': ['six']})", False),
    ],
)
def test_what_a_project_does_when_it_is_installed_in_place_is_done(text: str, own: bool) -> None:
    assert (own_develop() in detected({"setup.py": text, **TESTS}).setup) is own


@pytest.mark.parametrize(("file", "is_found"), [("src/shop.py", True), ("src/__init__.py", False)])
def test_a_folder_of_sources_that_is_no_package_is_looked_in(tmp_path: Path, file: str, *, is_found: bool) -> None:
    bare_venv(tmp_path / "venv")
    (tmp_path / "src").mkdir()
    (tmp_path / file).touch()
    interpreter = tmp_path / "venv" / "bin" / "python"
    subprocess.run([interpreter, *MAKE_VENV[1].argv[1:]], cwd=tmp_path, check=True)
    program = (
        "import importlib.util as known; print(known.find_spec('shop') is not None, known.find_spec('src') is not None)"
    )
    told = subprocess.run([interpreter, "-c", program], cwd="/", check=True, capture_output=True, text=True).stdout
    assert told.split() == [str(is_found), "True"]


@pytest.mark.parametrize(
    ("options", "works"),
    [("-q -p -o --continue-on-collection-errors", True), ("-q -p --rootdir", False)],
)
def test_an_old_pytest_that_takes_what_the_runner_asks_of_it_stays(
    tmp_path: Path, options: str, *, works: bool
) -> None:
    """3.0 to 3.2 cannot be told their root."""
    library = bare_venv(tmp_path / "venv")
    lines = ["import sys", f"known = {options.split()!r}"]
    lines += ["sys.exit(any(word.partition('=')[0] not in known for word in sys.argv[1:] if word[0] == '-'))"]
    (library / "pytest.py").write_text("\n".join(lines))
    argv = [word.replace(VENV, str(tmp_path / "venv")) for word in working_pytest().argv]
    assert (subprocess.run(argv, cwd=tmp_path, check=False).returncode == 0) is works


def test_an_old_pytest_that_cannot_look_at_a_class_of_unittests_goes(tmp_path: Path) -> None:
    """3.0 on Python 3.7 and later."""
    library = bare_venv(tmp_path / "venv")
    (library / "pytest.py").write_text("import sys, test_it\nsys.exit(hasattr(test_it, 'TestCase'))\n")
    argv = [word.replace(VENV, str(tmp_path / "venv")) for word in working_pytest().argv]
    assert subprocess.run(argv, cwd=tmp_path, check=False).returncode == 1


def test_another_pytest_leaves_no_release_of_the_project_over_its_sources() -> None:
    """Of pluggy, which pytest needs: its suite passed whatever was changed."""
    assert working_pytest().otherwise[-1] == without_copies()


@pytest.mark.parametrize(
    ("pin", "held"),
    [
        ("pytest<5", True),
        ("py==1.4.12", True),
        ("pluggy ==0.3.1", True),
        ("py>=1.4", False),
        ("py-cpuinfo==9.0", False),
    ],
)
def test_whatever_holds_pytest_back_has_it_tried_before_the_suite(pin: str, *, held: bool) -> None:
    """What pytest is made of is pinned sooner than itself, where a list is what an environment once had."""
    environment = detected({"requirements.txt": f"{pin}\n", "tests/test_a.py": ""})
    assert (working_pytest() in environment.setup) is held
