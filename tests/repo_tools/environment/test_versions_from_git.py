"""Projects whose version is read from git: they install, and their tests run, though a box has no history."""

from collections.abc import Callable, Mapping

import pytest

from repo_tools.environment.run import run_tests
from repo_tools.fresh_box import fresh_box
from repo_tools.git_checkout import GitCheckout
from repo_tools.sandbox.bubblewrap import BubblewrapEngine
from tests.support.laboratory import prepared_for
from tests.support.long import first_of

pytestmark = [pytest.mark.bubblewrap, pytest.mark.registry, pytest.mark.timeout(900)]

Repository = Callable[[Mapping[str, str]], GitCheckout]
TEST = "from importlib.metadata import version\ndef test_version(): assert version('dated').split('.')[0] == '99'\n"
PACKAGE = "dated/__init__.py"
SETUPTOOLS = "[tool.setuptools]\npackages = ['dated']\n"


def project(requires: str, backend: str, rest: str) -> str:
    build = f"[build-system]\nrequires = [{requires}]\nbuild-backend = '{backend}'\n"
    return f"{build}[project]\nname = 'dated'\ndynamic = ['version']\n{rest}"


DESCRIBE = """
import subprocess
from setuptools import setup
version = subprocess.check_output(["git", "describe", "--tags"], text=True).strip().lstrip("v")
setup(name="dated", version=version, packages=["dated"])
"""
DESCRIBE_NUMBER = """
import re, subprocess
from setuptools import setup
said = subprocess.check_output(["git", "describe", "--tags", "--long"], text=True).strip()
if not re.fullmatch("[0-9.]+-[0-9]+-g[0-9a-f]+", said):
    raise ValueError(f"unknown description: {said}")
setup(name="dated", version=said.partition("-")[0], packages=["dated"])
"""
VERSIONEER = """
import sys, os
sys.path.insert(0, os.path.dirname(__file__))
import versioneer
from setuptools import setup
setup(name="dated", version=versioneer.get_version(), cmdclass=versioneer.get_cmdclass(), packages=["dated"])
"""
PROJECTS = {
    "setuptools-scm": {
        "pyproject.toml": project(
            "'setuptools', 'setuptools-scm'", "setuptools.build_meta",
            SETUPTOOLS + "[tool.setuptools_scm]\nversion_file = 'dated/_version.py'\n",
        ),
        PACKAGE: "from dated._version import version as __version__\n",
        ".gitignore": "_version.py\n",
    },
    "hatch-vcs": {
        "pyproject.toml": project(
            "'hatchling', 'hatch-vcs'", "hatchling.build",
            "[tool.hatch.version]\nsource = 'vcs'\n[tool.hatch.build.hooks.vcs]\nversion-file = 'dated/_version.py'\n",
        ),
        PACKAGE: "from dated._version import version as __version__\n",
        ".gitignore": "_version.py\n",
    },
    "pdm-backend": {
        "pyproject.toml": project("'pdm-backend'", "pdm.backend", "[tool.pdm.version]\nsource = 'scm'\n"),
        PACKAGE: "",
    },
    "poetry-dynamic-versioning": {
        "pyproject.toml": "[tool.poetry]\nname = 'dated'\nversion = '0'\ndescription = ''\nauthors = []\n"
        "[tool.poetry-dynamic-versioning]\nenable = true\n[build-system]\n"
        "requires = ['poetry-core', 'poetry-dynamic-versioning']\n"
        "build-backend = 'poetry_dynamic_versioning.backend'\n",
        PACKAGE: "",
    },
    "pbr": {
        "setup.cfg": "[metadata]\nname = dated\n[files]\npackages = dated\n",
        "setup.py": "from setuptools import setup\nsetup(setup_requires=['pbr'], pbr=True)\n",
        "pyproject.toml": "[build-system]\nrequires = ['setuptools', 'pbr']\nbuild-backend = 'setuptools.build_meta'\n",
        PACKAGE: "",
    },
    "versioneer": {
        "pyproject.toml": "[build-system]\nrequires = ['setuptools', 'versioneer']\n"
        "build-backend = 'setuptools.build_meta'\n",
        "setup.cfg": "[versioneer]\nVCS = git\nstyle = pep440\nversionfile_source = dated/_version.py\n"
        "versionfile_build = dated/_version.py\ntag_prefix = v\n",
        "setup.py": VERSIONEER,
        PACKAGE: "",
    },
    "git describe in setup.py": {"setup.py": DESCRIBE, PACKAGE: ""},
    "git describe of numbers in setup.py": {"setup.py": DESCRIBE_NUMBER, PACKAGE: ""},
}  # fmt: skip


@pytest.mark.parametrize("name", first_of(PROJECTS))
def test_a_version_is_found_without_a_history(engine: BubblewrapEngine, repository: Repository, name: str) -> None:
    checkout = repository({**PROJECTS[name], "tests/test_version.py": f"import dated\n{TEST}", "README.md": ""})
    prepared = prepared_for(engine, checkout)
    with fresh_box(engine, checkout, prepared) as box:
        report = run_tests(box, prepared.environment, timeout_seconds=120)
    assert report.passed == {"tests/test_version.py::test_version"}, prepared.log + report.output
