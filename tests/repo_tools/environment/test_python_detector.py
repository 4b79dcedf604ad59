from collections.abc import Mapping

import pytest

from repo_tools.changes import FileMode, Tree, TreeEntry, blob_id
from repo_tools.environment.contract import Environment
from repo_tools.environment.detect import NoTestsError, detect

TESTS = {"tests/test_a.py": "def test_a(): pass"}


def detected(files: Mapping[str, str]) -> Environment:
    tree: Tree = {path: TreeEntry(FileMode.REGULAR, blob_id(text.encode())) for path, text in files.items()}
    return detect(tree, lambda path: files[path].encode())


def installed(environment: Environment) -> list[list[str]]:
    """What each ``pip install`` is asked for."""
    commands = [list(command.argv) for command in environment.setup if "install" in command.argv]
    return [words[words.index("off") + 1 :] for words in commands]


def required(environment: Environment) -> list[str]:
    return [command.argv[-1] for command in environment.setup if command.required and "install" in command.argv]


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
    assert environment.test.argv == ("pytest", "-o", "python_files=test*.py *_test.py")


def test_a_configured_suite_keeps_its_own_patterns() -> None:
    environment = detected(
        {"pytest.ini": "[pytest]\npython_files = check_*.py\ntestpaths = checks", "checks/check_a.py": ""}
    )
    assert environment.test.argv == ("pytest",)
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
"""
    environment = detected({"pyproject.toml": pyproject, "my/__init__.py": "", **TESTS})
    assert installed(environment) == [
        ["--editable", "."],
        ["pytest", "hypothesis>=6"],
        ["sphinx", "pytest", "hypothesis>=6", "ruff"],
        ["responses", "mypy"],
        ["pytest"],
    ]
    assert required(environment) == [".", "pytest"]


def test_a_pyproject_that_only_configures_tools_is_not_installed() -> None:
    environment = detected({"pyproject.toml": "[tool.ruff]\nline-length = 100\n", **TESTS})
    assert installed(environment) == [["pytest"]]


def test_requirements_files_for_development_and_tests_are_installed_compiled_ones_first() -> None:
    names = ["requirements.txt", "requirements-dev.in", "requirements-dev.txt", "requirements/test.txt"]
    names += ["requirements/docs.txt", "dev-requirements.txt", "docs/requirements.txt"]
    environment = detected({**dict.fromkeys(names, ""), **TESTS})
    wanted = ["requirements.txt", "dev-requirements.txt", "requirements-dev.txt", "requirements/test.txt"]
    assert installed(environment) == [*(["-r", name] for name in wanted), ["pytest"]]
    assert required(environment) == ["requirements.txt", "pytest"]


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
    wanted = [["--editable", "."], ["pytest", "mock", "six"], ["black"], ["pytest", "mock"], ["pytest"]]
    assert installed(environment) == wanted


def test_setup_cfg_and_tox_are_read() -> None:
    cfg = "[metadata]\nname = x\n[options.extras_require]\ntesting =\n    pytest\n    coverage>=5  # why\n"
    tox = "[testenv]\ndeps =\n    requests\n    py38: old\n    -r ci/reqs.txt\n    {toxinidir}/x\n    --pre\n"
    environment = detected({"setup.py": "", "setup.cfg": cfg, "tox.ini": tox, **TESTS})
    wanted = [["--editable", "."], ["pytest", "coverage>=5"], ["requests"], ["-r", "ci/reqs.txt"], ["pytest"]]
    assert installed(environment) == wanted


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
"""
    environment = detected({"pyproject.toml": pyproject, **TESTS})
    assert installed(environment)[1] == ["pytest>=8.0", "mock", "pinned==1.2", "both>=1,<3", "rich[jupyter]>=13.1"]


def test_plugins_that_the_configuration_names_are_installed() -> None:
    ini = "[tool:pytest]\naddopts = -n auto --cov=pkg -q\nasyncio_mode = auto\n"
    environment = detected({"setup.cfg": ini, **TESTS})
    assert installed(environment)[-1] == ["pytest-asyncio", "pytest-cov", "pytest-xdist"]


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
    assert "SETUPTOOLS_SCM_PRETEND_VERSION" in detected(TESTS).variables
