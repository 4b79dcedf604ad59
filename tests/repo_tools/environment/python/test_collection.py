"""Ansible collections are imported by where they are once installed, and tested where they lie."""

import subprocess
import sys
from pathlib import Path

import pytest

from repo_tools.environment.contract import Environment
from repo_tools.environment.python.install import UV_INSTALL
from tests.support.trees import planned

GALAXY = "---\nnamespace: acme\nname: 'tools'  # of ours\nversion: 1.0.0\n"
OWN = "ansible_collections.acme.tools"
FILES = {
    "galaxy.yml": GALAXY,
    "plugins/modules/thing.py": f"from {OWN}.plugins.module_utils.it import it\n",
    "plugins/module_utils/it.py": "it = 1\n",
    "tests/unit/requirements.txt": "six\n",
    "tests/unit/plugins/modules/test_thing.py": f"from {OWN}.plugins.modules.thing import it\n\ndef test(): pass\n",
}


def words(environment: Environment) -> tuple[str, ...]:
    (command,) = [each for each in environment.setup if each.argv[: len(UV_INSTALL)] == UV_INSTALL]
    return command.argv[len(UV_INSTALL) :]


def test_it_is_one_project_with_what_its_unit_tests_list_and_the_core_of_ansible() -> None:
    environment = planned(FILES)
    assert words(environment) == ("-r", "tests/unit/requirements.txt", "ansible-core", "pytest")
    assert "galaxy.yml" in environment.manifests
    assert environment.setup[-1].typed == "put the repository where Ansible has its collection acme.tools"
    assert [(test.argv, test.directory) for test in environment.tests] == [(("pytest", "--ignore=collections"), "")]


def test_a_release_of_ansible_is_installed_for_the_other_collections_that_are_imported() -> None:
    imports = "from ansible_collections.ansible.netcommon.plugins import x\n"
    assert "ansible" in words(planned(FILES | {"plugins/modules/thing.py": imports}))
    in_no_release = "from ansible_collections.community.internal_test_tools.tests import x\n"
    assert "ansible-core" in words(planned(FILES | {"tests/unit/test_other.py": in_no_release}))


def test_the_ansible_that_it_lists_itself_is_the_one() -> None:
    listed = words(planned(FILES | {"tests/unit/requirements.txt": "ansible-base<2.11\n"}))
    assert listed == ("-r", "tests/unit/requirements.txt", "pytest")


def test_tests_of_the_whole_are_left_to_ansible() -> None:
    environment = planned(FILES | {"tests/integration/targets/thing/files/test_db.py": "def test(): pass\n"})
    assert environment.tests[0].argv == ("pytest", "--ignore=collections", "--ignore=tests/integration")


@pytest.mark.parametrize(
    "more",
    [
        {"tests/unit/plugins/modules/test_more.py": "from .data import x\n\ndef test(): pass\n"},
        {"tests/unit/plugins/lookup/test_thing.py": "def test(): pass\n"},
    ],
    ids=["imports what stands beside it", "is called as another one"],
)
def test_files_in_folders_that_are_no_packages_are_known_by_these(more: dict[str, str]) -> None:
    option = "--import-mode=importlib"
    assert option in planned(FILES | more).tests[0].argv
    packages = {f"{folder}/__init__.py": "" for folder in ("tests/unit/plugins/modules", "tests/unit/plugins/lookup")}
    assert option not in planned(FILES | more | packages).tests[0].argv


@pytest.mark.parametrize(
    "text", ["", "a: [", "namespace: acme\n", "namespace: ../..\nname: tools\n", "- namespace: a\n"]
)
def test_what_names_no_collection_is_none(text: str) -> None:
    environment = planned({"galaxy.yml": text, "requirements.txt": "six", "tests/test_a.py": "def test(): pass"})
    assert environment.tests[0].argv == ("pytest",)
    assert not any("collection" in (command.typed or "") for command in environment.setup)


def test_it_takes_the_place_of_a_release_of_it(tmp_path: Path) -> None:
    program = planned(FILES).setup[-1].argv[1:]
    library = tmp_path / "lib"
    released = library / "ansible_collections/acme/tools/plugins"
    released.mkdir(parents=True)
    here = tmp_path / "here"
    for path, text in FILES.items():
        (here / path).parent.mkdir(parents=True, exist_ok=True)
        (here / path).write_text(text)
    at_library = f"import sysconfig; sysconfig.get_path = lambda name: {str(library)!r}\n"
    for _ in range(2):
        subprocess.run([sys.executable, program[0], at_library + program[1], *program[2:]], cwd=here, check=True)
    code = f"import sys; sys.path.append({str(library)!r})\nfrom {OWN}.plugins.modules.thing import it; assert it == 1"
    subprocess.run([sys.executable, "-c", code], cwd=tmp_path, check=True)
    assert (here / "plugins/module_utils/it.py").is_file()
