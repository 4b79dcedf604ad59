"""Builds that are written anew: Poetry itself is poetry-core, to which it hands over; a license is not downloaded."""

import subprocess
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from repo_tools.environment.contract import SCRATCH
from repo_tools.environment.python.rewritten_build import begin, end
from repo_tools.environment.run import run_tests
from repo_tools.fresh_box import fresh_box
from repo_tools.git_checkout import GitCheckout
from repo_tools.sandbox.bubblewrap import BubblewrapEngine
from tests.repo_tools.environment.python.test_detector import TESTS, detected
from tests.support.laboratory import prepared_for

TOOL = '[tool.poetry]\nname = "shop"\nversion = "1"\ndescription = "one for \\"poetry>=0.12\\""\nauthors = []\r\n'
SCRIPTS = '[tool.poetry.scripts]\ntill = "shop:main"\n'
BUILD = '[build-system]\nrequires = ["setuptools", "poetry>=0.12,<2"]\nbuild-backend = "poetry.masonry.api"\n'
CORE = BUILD.replace('"poetry>=0.12,<2"', '"poetry-core"').replace("poetry.masonry", "poetry.core.masonry")


LICENSED = '[build-system]\nrequires = [\n\t"setuptools>=77",\n\t# why\n\t"coherent.licensed>=0.5",\n]\n'
LAST = '[build-system]\nrequires = ["setuptools", "coherent.licensed"]\nbuild-backend = "setuptools.build_meta"\n'
FLIT = '[build-system]\nrequires = ["flit_core >=2,<3"]\nbuild-backend = "flit_core.buildapi"\n'
FLIT_3 = FLIT.replace("<3", "<4") + '[tool.flit.metadata]\nmodule = "shop"\nauthor = "A"\n'


@pytest.mark.parametrize(
    ("build", "then"),
    [
        (BUILD, CORE),
        (BUILD.replace('"', "'"), CORE.replace('"', "'")),
        (LICENSED, LICENSED.replace('"coherent.licensed>=0.5",', "")),
        (LAST, LAST.replace('"coherent.licensed"', "")),
        (FLIT, FLIT.replace(" >=2,<3", "")),
    ],
)
def test_the_manifest_names_it_while_the_project_is_installed(tmp_path: Path, build: str, then: str) -> None:
    manifest, kept = tmp_path / "pyproject.toml", str(tmp_path / "kept")
    manifest.write_bytes((TOOL + build + SCRIPTS).encode())
    for command, told in ((begin("build with"), then), (end(), build)):
        words = [kept if word == f"{SCRATCH}/pyproject.toml" else word for word in command.argv]
        subprocess.run(words, cwd=tmp_path, check=True)
        assert manifest.read_bytes().decode() == TOOL + told + SCRIPTS


def test_only_where_its_build_is_poetry_itself() -> None:
    shown = [str(command) for command in detected({"pyproject.toml": TOOL + BUILD, **TESTS}).setup]
    first, last = (shown.index(told) for told in ("build with poetry-core", "put pyproject.toml back"))
    assert [line for line in shown if "--editable ." in line] == shown[first + 1 : last]
    plain = detected({"pyproject.toml": TOOL + CORE, **TESTS}).setup
    assert not {"build with poetry-core", "put pyproject.toml back"} & set(map(str, plain))


def test_only_a_flit_core_that_builds_nothing_in_place_is_replaced() -> None:
    older = FLIT_3.replace("<4", "<3")
    shown = [[str(each) for each in detected({"pyproject.toml": f, **TESTS}).setup] for f in (older, FLIT_3)]
    assert ["build with a later flit_core" in each for each in shown] == [True, False]


def test_a_license_that_the_build_would_download_is_left_out_of_it() -> None:
    project = '[project]\nname = "shop"\nversion = "1"\nlicense = "MIT"\n'
    setup = detected({"pyproject.toml": LICENSED + project, **TESTS}).setup
    shown = [str(command) for command in setup]
    first, last = (shown.index(told) for told in ("build without downloading the license", "put pyproject.toml back"))
    assert [line for line in shown if "--editable ." in line] == shown[first + 1 : last]
    assert "licensed" not in repr([command.otherwise for command in setup])


@pytest.mark.bubblewrap
@pytest.mark.registry
@pytest.mark.timeout(900)
def test_so_it_is_installed_in_place_with_its_scripts(
    engine: BubblewrapEngine, repository: Callable[[Mapping[str, str]], GitCheckout]
) -> None:
    test = "import subprocess\ndef test_till(): assert subprocess.check_output(['till']) == b'1\\n'\n"
    checkout = repository(
        {
            "pyproject.toml": TOOL.replace('\\"', "") + BUILD.replace('"setuptools", ', "") + SCRIPTS,
            "shop/__init__.py": "def main(): print(1)\n",
            "tests/test_a.py": test,
        }
    )
    prepared = prepared_for(engine, checkout)
    assert "exit code 1" not in prepared.log
    with fresh_box(engine, checkout, prepared) as box:
        report = run_tests(box, prepared.environment, timeout_seconds=60)
    assert report.passed == {"tests/test_a.py::test_till"}, prepared.log + report.output
