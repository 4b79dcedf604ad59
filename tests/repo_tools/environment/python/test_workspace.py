"""What a repository has itself is installed in place, what no index has is asked of none; and how uv sets it up."""

import pytest

from repo_tools.environment.python.install import UV_INSTALL, packages_before_folders
from tests.repo_tools.environment.python.test_detector import attempts, detected, installed, singles

ROOT = """
[project]
name = "app"
dependencies = ["app-types"]
[dependency-groups]
dev = ["app[cli]", "pytest", "app-examples>=1", "odd_one", "beside", "mirrored", "lost"]
[tool.uv.sources]
app = { workspace = true }
app-types = { workspace = true }
App_Examples = { workspace = true }
odd-one = { git = "https://example.org/odd" }
beside = [{ path = "tools/beside", marker = "sys_platform == 'linux'" }]
lost = { path = "../elsewhere" }
mirrored = { index = "ours" }
[tool.uv.workspace]
members = ["src/*", "examples"]
exclude = ["src/old"]
"""
FILES = {
    "pyproject.toml": ROOT,
    "src/types/pyproject.toml": "[project]\nname = 'app-types'",
    "src/old/pyproject.toml": "[project]\nname = 'app-old'",
    "examples/pyproject.toml": "[project]\nname = 'app_examples'",
    "tools/beside/pyproject.toml": "[project]\nname = 'beside'",
    "tests/test_a.py": "",
}


def test_requirements_that_the_repository_has_itself_are_installed_from_there() -> None:
    wanted = ["app[cli]", "pytest", "--editable", "./examples", "--editable", "./tools/beside", "mirrored"]
    assert installed(detected(FILES))[1] == wanted


def test_what_an_application_needs_of_itself_is_asked_of_no_index() -> None:
    (last,) = [command for command in detected(FILES).setup if command.argv[-1] == "mirrored"]
    without = attempts(last)[1]
    assert without.argv[len(UV_INSTALL) :][:2] == ("--editable", "./src/types")


@pytest.mark.parametrize("sources", ["", "[tool.uv]\nsources = 3\n", "[tool.uv.sources]\nother = []\n"])
def test_without_sources_every_requirement_is_an_indexs(sources: str) -> None:
    root = f"[project]\nname = 'x'\n[dependency-groups]\ndev = ['other', 'more']\n{sources}"
    assert installed(detected({"pyproject.toml": root, "tests/test_a.py": ""}))[1] == ["other", "more"]


def test_members_are_installed_for_a_root_that_is_no_package() -> None:
    root = "[dependency-groups]\ndev = ['mock']\n[tool.uv.workspace]\nmembers = ['packages/*']\n"
    files = {
        "pyproject.toml": root,
        "packages/a/pyproject.toml": "[project]\nname = 'a'",
        "packages/a/tests/test_a.py": "",
        "packages/b/pyproject.toml": "[project]\nname = 'b'",
    }
    assert installed(detected(files))[:2] == [["mock"], ["--editable", "./packages/a"]]


MEMBERS = """
[project]
name = "%s"
[dependency-groups]
dev = ["pytest"]
[tool.uv.workspace]
members = ["packages/*"]
[tool.uv.sources]
shop = { workspace = true }
"""


def test_members_that_a_root_requires_nothing_of_are_installed_with_what_they_are_developed_with() -> None:
    member = "[project]\nname = 'shop'\n[project.optional-dependencies]\ntest = ['mock']\n"
    files = {
        "pyproject.toml": MEMBERS % "all",
        "packages/shop/pyproject.toml": f"{member}[dependency-groups]\ndev = ['freezegun', 'shop-base>=1']\n",
        "packages/shop/tests/test_shop.py": "",
        "packages/base/pyproject.toml": "[project]\nname = 'shop-base'\n",
        "packages/base/tests/test_base.py": "",
    }
    wanted = ["--editable", "./packages/base", "--editable", "./packages/shop"]
    assert installed(detected(files))[2:5] == [wanted, ["mock"], ["freezegun"]]


@pytest.mark.parametrize("project", ["[project]\nname = 'all'\n", ""])
def test_so_are_those_that_the_roots_own_tests_import(project: str) -> None:
    files = {
        "pyproject.toml": f"{project}[dependency-groups]\ndev = ['mock']\n[tool.uv.workspace]\nmembers = ['libs/*']\n",
        "libs/shop/pyproject.toml": "[project]\nname = 'acme-shop'\n[dependency-groups]\ndev = ['freezegun']\n",
        "libs/shop/src/shop/__init__.py": "",
        "libs/more/pyproject.toml": "[project]\nname = 'acme-more'\n",
        "libs/more/src/more/__init__.py": "",
        "tests/test_shop.py": "import os\nfrom shop.cart import Cart\n",
    }
    wanted = [["mock"], ["--editable", "./libs/shop"], ["freezegun"], ["pytest"]]
    assert installed(detected(files))[-4:] == wanted


def test_those_that_it_requires_come_with_it() -> None:
    files = {
        "pyproject.toml": (MEMBERS % "all").replace("[dep", "dependencies = ['shop[fast]>=1']\n[dep", 1),
        "packages/shop/pyproject.toml": "[project]\nname = 'shop'\ndependencies = ['base', 'all']\n",
        "packages/shop/tests/test_shop.py": "",
        "packages/base/pyproject.toml": "[project]\nname = 'base'\n[dependency-groups]\ndev = ['freezegun']\n",
        "packages/base/tests/test_base.py": "",
    }
    assert [line for line in installed(detected(files)) if "--editable" in line and line != ["--editable", "."]] == []
    assert ["freezegun"] in installed(detected(files))


@pytest.mark.parametrize("manifest", ["src/setup.py", "src/pyproject.toml"])
def test_the_project_in_the_folder_of_sources_is_installed_for_a_root_that_is_none(manifest: str) -> None:
    root = {"requirements.txt": "pytest", "tests/test_a.py": ""}
    environment = detected({**root, manifest: ""})
    assert ["--editable", "./src"] in installed(environment)
    assert manifest in environment.evidence
    assert ["--editable", "./src"] not in installed(detected({**root, manifest: "", "setup.py": ""}))


def test_the_projects_that_hold_the_tests_are_installed_for_a_root_that_is_none() -> None:
    built = "[build-system]\nrequires = []\n"
    files = {
        "pytest.ini": "[pytest]\n",
        "requirements/test.txt": "mock",
        "a/setup.py": "",
        "a/tests/test_a.py": "",
        "a/part/setup.py": "",
        "a/part/tests/test_part.py": "",
        "lib/b/pyproject.toml": built,
        "lib/b/tests/test_b.py": "",
        "c/pyproject.toml": "[tool.black]\n",
        "c/test_c.py": "",
        "untested/setup.py": "",
        "examples/e/setup.py": "",
        "examples/e/test_e.py": "",
        "{{ cookiecutter.name }}/setup.py": "",
        "{{ cookiecutter.name }}/tests/test_it.py": "",
        "tests/data/setup.py": "",
        "tests/data/test_data.py": "",
    }
    environment = detected(files)
    words = ["--editable", "./a", "--editable", "./lib/b"]
    assert installed(environment)[:2] == [["-r", "requirements/test.txt"], words]
    assert "the projects in a, lib/b: installed editable" in environment.evidence
    assert {"a/setup.py", "lib/b/pyproject.toml"} <= {*environment.manifests}
    assert words not in installed(detected({**files, "setup.py": ""}))


def test_the_projects_that_the_tests_import_are_installed_for_a_root_that_is_none() -> None:
    files = {
        "pytest.ini": "[pytest]\n",
        "tests/test_a.py": "import a.part\nfrom b_of_c import x\nimport json, loose, alone, untested_too as u",
        "a/setup.py": "",
        "a/a/__init__.py": "",
        "c-python/pyproject.toml": "[project]\nname = 'c'\n",
        "c-python/src/b_of_c/__init__.py": "",
        "c-python/setup.cfg": "[options.extras_require]\ntest = mock\ndocs = sphinx\n",
        "json/setup.py": "",
        "json/json/__init__.py": "",
        "loose/__init__.py": "",
        "loose/loose/__init__.py": "",
        "untested/setup.py": "",
        "untested/untested/__init__.py": "",
        "examples/alone/setup.py": "",
        "examples/alone/alone/__init__.py": "",
    }
    words = ["--editable", "./a", "--editable", "./c-python"]
    assert installed(detected(files))[:2] == [words, ["mock"]]
    assert packages_before_folders() in detected(files).setup
    assert packages_before_folders() not in detected({"setup.py": "", "tests/test_a.py": ""}).setup
    assert words not in installed(detected({**files, "setup.py": ""}))


def test_the_groups_that_uv_installs_by_default_are_installed_too() -> None:
    groups = "[dependency-groups]\ndev = ['mock']\ndocs = ['griffe']\nlint = ['ruff']\n"
    root = f"[project]\nname = 'x'\n{groups}[tool.uv]\ndefault-groups = ['dev', 'docs', 'none']\n"
    assert installed(detected({"pyproject.toml": root, "tests/test_a.py": ""}))[1:3] == [["mock"], ["griffe"]]


def test_a_project_whose_setup_imports_it_is_built_among_what_it_needs() -> None:
    setup = "from x import version\nsetup(name='x', install_requires=['six'])"
    project = singles(detected({"setup.py": setup, "tests/test_a.py": ""}))[0]
    needed, by_pip = project.otherwise
    assert (needed.argv, needed.required) == ((*UV_INSTALL, "six"), False)
    assert [command.argv[len(UV_INSTALL) :] for command in by_pip.otherwise] == [
        *(("wheel",), ("--no-build-isolation", "--editable", "."))
    ]
    assert [command.required for command in by_pip.otherwise] == [False, True]


def test_what_a_project_is_built_with_is_there_where_it_is_built_among_what_it_needs() -> None:
    built = "[build-system]\nrequires = ['setuptools>=61', 'wheel', 'setuptools-rust']\n"
    files = {"pyproject.toml": f"{built}[project]\nname = 'x'\ndependencies = ['six']\n", "tests/test_a.py": ""}
    by_pip = singles(detected(files))[0].otherwise[-1]
    assert [command.argv[len(UV_INSTALL) :] for command in by_pip.otherwise][:-1] == [
        *(("wheel",), ("setuptools>=61",), ("setuptools-rust",))
    ]


def test_what_a_project_is_built_with_may_be_another_version_and_is_never_itself_built_for_long() -> None:
    numpy_of_its_day = 'numpy==1.13.1; python_version>="3.7"'
    built = f"[build-system]\nrequires = ['{numpy_of_its_day}', 'x @ https://x.org', 'Cython>=0.25']\n"
    files = {"pyproject.toml": f"{built}[project]\nname = 'x'\n", "tests/test_a.py": ""}
    project = singles(detected(files))[0]
    assert project.argv[len(UV_INSTALL) :] == ("--editable", ".", "--only-binary=numpy")
    _, numpy, elsewhere, cython, _ = project.otherwise[-1].otherwise
    assert numpy.argv[len(UV_INSTALL) :] == (numpy_of_its_day, "--only-binary=numpy")
    assert [step.argv[len(UV_INSTALL) :] for step in numpy.otherwise[0].otherwise] == [
        ('numpy!=1.13.1; python_version >= "3.7"', "--only-binary=numpy")
    ]
    assert [step.argv[len(UV_INSTALL) :] for step in cython.otherwise[0].otherwise] == [("Cython",)]
    assert not elsewhere.otherwise[0].otherwise


def test_what_is_built_again_when_it_is_imported_is_built_by_what_stays_there() -> None:
    built = "[build-system]\nbuild-backend = 'mesonpy'\nrequires = ['meson-python>=0.16', 'numpy>=2']\n"
    files = {"pyproject.toml": f"{built}[project]\nname = 'X-y'\n", "tests/test_a.py": ""}
    words = [command.argv[len(UV_INSTALL) :] for command in detected(files).setup if command.argv[0] == UV_INSTALL[0]]
    assert words == [
        *(("meson-python>=0.16",), ("numpy>=2", "--only-binary=numpy"), ("ninja",)),
        ("--editable", ".", "--no-build-isolation-package=X-y", "--only-binary=numpy", "pytest"),
    ]


def test_what_a_project_needs_is_there_before_pip_which_knows_no_days_is_asked_for_it() -> None:
    setup = "setup(name='x', install_requires=['six', 'attrs<20'])"
    steps = singles(detected({"setup.py": setup, "tests/test_a.py": ""}))[0].otherwise
    ways = [
        [step.argv[0] == UV_INSTALL[0], *(other.argv[0] == UV_INSTALL[0] for other in step.otherwise)] for step in steps
    ]
    assert {step.argv[-1]: way for step, way in zip(steps, ways, strict=True)} == {
        "six": [True],
        "attrs<20": [True, False],
        ".": [True, False],
    }
    (attrs,) = next(step for step in steps if step.argv[-1] == "attrs<20").otherwise[0].otherwise
    assert attrs.argv == (*UV_INSTALL, "attrs")
    assert steps[-1].argv == (*UV_INSTALL, "--no-deps", "--editable", ".")


HATCH = """
[project]
name = "app"
[tool.hatch.envs.test]
dependencies = ["six", "app-core[fast] @ {root:uri}/core", "gone @ {root:uri}/gone", "odd @ {env:ODD}/odd"]
"""


def test_folders_that_hatch_installs_are_installed_in_place() -> None:
    files = {"pyproject.toml": HATCH, "core/setup.py": "", "tests/test_a.py": ""}
    assert installed(detected(files))[1] == ["six", "--editable", "./core[fast]"]


@pytest.mark.parametrize(
    "files",
    [
        {"tox.ini": "[testenv]\ndeps =\n  -e core[fast]\n  --editable=./plain\n  -e gone\n  {toxinidir}{/}more/last\n"},
        {"tox.ini": "[testenv]\ncommands = pip install -e {toxinidir}/core[fast] ./plain -e more/last/\n"},
        {
            "pytest.ini": "",
            "noxfile.py": "@s\ndef tests(s):\n  s.install('-e', 'core[fast]', './plain', '-emore/last', '-e', 'no')\n",
        },
    ],
)
def test_folders_that_tox_and_nox_install_are_installed_in_place(files: dict[str, str]) -> None:
    projects = {f"{folder}/setup.py": "" for folder in ("core", "plain", "more/last")}
    places = (word for folder in ("core[fast]", "plain", "more/last") for word in ("--editable", f"./{folder}"))
    assert installed(detected({**files, **projects, "core/test_a.py": ""}))[0] == [*places]
