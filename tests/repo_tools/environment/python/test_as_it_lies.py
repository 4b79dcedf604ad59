"""A project of Python alone that cannot be built is tested as it lies."""

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from repo_tools.environment.contract import NOTE, SetupCommand
from repo_tools.environment.python.as_it_lies import as_it_lies
from tests.repo_tools.environment.python.test_detector import TESTS, detected
from tests.support.files_checkout import FilesCheckout
from tests.support.venvs import bare_venv

PROJECT = """
[build-system]
requires = ["setuptools", "odd"]
[project]
name = "acme.shop-till"
version = "1"
dependencies = ["six"]
[project.scripts]
till = "shop:main"
odd = "[x]\\n[y]"
[project.entry-points.pytest11]
shop = "shop.plugin [extra]"
"""
ASKED = """
import importlib.metadata as known, shop
print(known.version("acme.shop_till"), sorted(e.group for e in known.distribution("acme.shop-till").entry_points))
"""


def made(**files: str) -> SetupCommand | None:
    checkout = FilesCheckout(files)
    return as_it_lies(checkout.tree, checkout.read, "2.5")


def last_resorts(commands: tuple[SetupCommand, ...]) -> Iterator[tuple[SetupCommand, ...]]:
    """What stands in the place of each command that has nothing in its place in turn."""
    for command in commands:
        yield from last_resorts(command.otherwise) if command.otherwise else ((command,),)
    ends = [command for command in commands if not command.otherwise]
    if ends == list(commands):
        yield commands


def test_its_sources_its_version_and_its_entry_points_are_there(tmp_path: Path) -> None:
    bare_venv(tmp_path / "venv")
    (tmp_path / "work" / "src").mkdir(parents=True)
    (tmp_path / "work" / "src" / "shop.py").touch()
    command = made(**{"pyproject.toml": PROJECT})
    assert command is not None

    def run(*words: str, folder: str) -> str:
        argv = [str(tmp_path / "venv" / "bin" / "python"), *words]
        return subprocess.run(argv, cwd=tmp_path / folder, check=True, capture_output=True, text=True).stdout

    assert run(*command.argv[1:], folder="work").startswith(NOTE)
    assert run("-c", ASKED, folder=".") == "2.5 ['console_scripts', 'pytest11']\n"


POETRY = """
[tool.poetry]
name = "acme.shop-till"
[tool.poetry.dependencies]
python = "^3.6"
six = "*"
[tool.poetry.scripts]
till = "shop:main"
[tool.poetry.plugins.pytest11]
shop = "shop.plugin"
[build-system]
requires = ["poetry>=0.12"]
build-backend = "poetry.masonry.api"
"""


def test_so_are_those_of_a_project_that_names_itself_as_poetry_or_pdm_had_it() -> None:
    command = made(**{"pyproject.toml": POETRY})
    assert command is not None
    assert command.argv[-3:] == (
        *("acme.shop-till", "2.5"),
        "[console_scripts]\ntill = shop:main\n[pytest11]\nshop = shop.plugin\n",
    )
    assert made(**{"pyproject.toml": "[tool.pdm]\nname = 'shop'\n"}) is not None


@pytest.mark.parametrize(
    "files",
    [
        {
            "setup.cfg": "[metadata]\nname = acme.shop\n[options.entry_points]\nconsole_scripts =\n till=shop:main\n",
            "setup.py": "import setuptools\nsetuptools.setup()\n",
        },
        {"setup.cfg": "[metadata]\nname = acme.shop\n[entry_points]\nconsole_scripts =\n  till = shop:main\n"},
        {"setup.py": "setup(name='acme.shop', entry_points={'console_scripts': ['till = shop:main', f'a={b}()']})"},
        {"setup.py": "setup(name='acme.shop', entry_points={'console_scripts': 'till = shop:main'})"},
        {"setup.py": "setup(name='acme.shop', entry_points='[console_scripts]\\ntill=shop:main\\n')"},
    ],
)
def test_so_are_those_of_a_project_that_only_setuptools_knows(files: dict[str, str]) -> None:
    command = made(**files)
    assert command is not None
    assert command.argv[-3:-1] == ("acme.shop", "2.5")
    assert command.argv[-1].replace(" ", "") == "[console_scripts]\ntill=shop:main\n"


def test_what_only_tests_or_examples_have_to_compile_keeps_nobody_from_it() -> None:
    assert made(**{"pyproject.toml": PROJECT, "test/samples/module.c": "", "examples/fast.pyx": ""}) is not None


@pytest.mark.parametrize("told", ["5", "{'a': 5}", "{5: ['a']}", "['a']", "None"])
def test_entry_points_that_are_none_are_left_out(told: str) -> None:
    command = made(**{"setup.py": f"setup(name='shop', entry_points={told})"})
    assert command is not None
    assert command.argv[-1] == "\n"


def test_it_stands_before_what_the_project_needs_where_no_build_can_be_had() -> None:
    needed = {"pyproject.toml": PROJECT, "CHANGES.md": "# 2.5\n", **TESTS}
    last = [command.argv for commands in last_resorts(detected(needed).setup) for command in commands]
    place = next(number for number, argv in enumerate(last) if "acme.shop-till" in argv)
    assert last[place][-2] == "2.5"
    assert "six" in last[place + 1]


@pytest.mark.parametrize(
    "files",
    [
        {"pyproject.toml": PROJECT, "src/a.pyx": ""},
        {"pyproject.toml": PROJECT.replace("odd", "setuptools-rust>=1", 1)},
        {"pyproject.toml": PROJECT.replace('"setuptools", "odd"', '"maturin"')},
        {"pyproject.toml": "[project]\n"},
        {"setup.py": ""},
        {},
        {"setup.py": "setup(name='../x')"},
    ],
)
def test_one_that_has_to_be_compiled_or_has_no_name_is_not(files: dict[str, str]) -> None:
    assert made(**files) is None


@pytest.mark.parametrize(
    ("files", "packaged"),
    [
        ({"pyproject.toml": "[build-system]\nrequires = ['setuptools']\n"}, False),
        ({"pyproject.toml": "[build-system]\nbuild-backend = 'setuptools.build_meta'\n"}, False),
        ({"pyproject.toml": "[build-system]\nbuild-backend = ''\nrequires = []\n", "setup.cfg": ""}, False),
        ({"pyproject.toml": "[build-system]\nrequires = ['setuptools']\n", "setup.cfg": ""}, True),
        ({"pyproject.toml": "[build-system]\nbuild-backend = 'poetry.core.masonry.api'\n"}, True),
        ({"pyproject.toml": PROJECT}, True),
    ],
)
def test_the_root_of_several_projects_is_none_of_them(files: dict[str, str], packaged: bool) -> None:
    assert ("pyproject.toml: installed editable" in detected({**files, **TESTS}).evidence) is packaged


@pytest.mark.parametrize(
    ("setup", "is_told"),
    [
        ("setup(name='shop', use_2to3=True)", True),
        ("if PY3:\n    kwargs['use_2to3'] = True\nsetup(**kwargs)", True),
        ("setup(name='shop', use_2to3=False)", False),
        ("# use_2to3=True\nsetup(name='shop')", False),
    ],
)
def test_sources_of_python_2_that_a_build_translates_are_told_of(setup: str, is_told: bool) -> None:
    environment = detected({"setup.py": setup, "tests/test_a.py": "def test_a(): pass"})
    assert any(line.startswith("setup.py use_2to3: ") for line in environment.evidence) is is_told
