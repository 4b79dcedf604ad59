"""Projects side by side in one repository that require each other are installed from there, and not from an index."""

import pytest

from repo_tools.environment.contract import Environment
from repo_tools.environment.python.install import PIP_INSTALL, UV_INSTALL
from repo_tools.environment.python.setup_file import required_words
from tests.support.trees import planned

COMPUTED = """
from setuptools import setup
own = '1.4.0.dev0'
needed = [f'demo-core>={own}', 'six']
if not offline:
    needed.extend(['demo_log==%s' % own])
setup(name='demo-cli', version=own, install_requires=needed)
"""
FILES = {
    "core/pyproject.toml": "[project]\nname = 'demo_core'\ndependencies = ['six', 'demo.base[fast]>=2']\n",
    "core/demo_core/__init__.py": "",
    "core/tests/test_core.py": "def test(): pass",
    "base/setup.cfg": "[metadata]\nname = demo-base\n",
    "base/setup.py": "import setuptools\nsetuptools.setup()\n",
    "base/requirements.txt": "six\n",
    "log/setup.py": "from setuptools import setup\nsetup(name='demo-log')\n",
    "cli/setup.py": COMPUTED,
    "cli/tests/test_cli.py": "def test(): pass",
    "alone/setup.py": "from setuptools import setup\nsetup(name='demo-alone', install_requires=['six'])\n",
    "alone/tests/test_alone.py": "def test(): pass",
}


def first_words(environment: Environment) -> list[list[str]]:
    """Of each installation, without what is tried in its place."""
    return [list(c.argv[len(UV_INSTALL) :]) for c in environment.setup if c.argv[: len(UV_INSTALL)] == UV_INSTALL]


def test_what_a_project_requires_of_its_repository_is_installed_from_there_before_it() -> None:
    environment = planned(FILES, "wrong in cli/setup.py")
    before, own, *_ = first_words(environment)
    assert before == ["--editable", "./base", "--editable", "./log", "--editable", "./core"]
    assert own[:2] == ["--editable", "."]
    assert (
        "the repository's own base, log, core, which it requires: installed editable, if it can be built"
        in environment.evidence
    )


def test_where_they_cannot_be_had_together_each_is_installed_after_what_it_requires_and_none_has_to_be() -> None:
    environment = planned(FILES, "wrong in cli/setup.py")
    (together,) = [command for command in environment.setup if "./core" in command.argv]
    assert [step.argv[-1] for step in together.otherwise] == ["./base", "./log", "./core"]
    assert [step.otherwise[0].argv[: len(PIP_INSTALL)] for step in together.otherwise] == [PIP_INSTALL] * 3
    assert not any(step.required for step in (together, *together.otherwise))
    steps = (together, *together.otherwise, *(other for step in together.otherwise for other in step.otherwise))
    assert all(step.spare and not step.directory for step in steps)


def test_their_manifests_decide_of_the_layer_too() -> None:
    assert {"base/setup.cfg", "base/requirements.txt", "core/pyproject.toml"} <= {
        *planned(FILES, "wrong in cli/setup.py").manifests
    }


def test_a_project_that_requires_none_of_the_others_is_set_up_as_if_it_were_alone() -> None:
    alone = {path: text for path, text in FILES.items() if path.startswith("alone/")}
    assert planned(FILES, "wrong in alone/setup.py") == planned(alone)


def test_what_a_root_requires_of_a_folder_is_installed_from_there() -> None:
    root = "from setuptools import setup\nsetup(name='demo', install_requires=['demo-log'])\n"
    words = first_words(planned({**FILES, "setup.py": root, "tests/test_a.py": ""}))
    assert words[0] == ["--editable", "./log"]


def test_requirements_of_the_tests_count_but_no_release_that_a_list_names() -> None:
    files = {**FILES, "alone/requirements-dev.txt": "demo-log\ndemo-base==1.0\n"}
    assert first_words(planned(files, "wrong in alone/setup.py"))[0] == ["--editable", "./log"]


def test_a_list_in_the_folder_of_a_project_may_name_others_from_the_root() -> None:
    files = {**FILES, "alone/requirements-dev.txt": "-e log\n-e nowhere\n"}
    assert first_words(planned(files, "wrong in alone/setup.py"))[0] == ["--editable", "./log"]


@pytest.mark.parametrize("folder", ["tests/log", "examples/log", "vendor/log", "cli/tests/log"])
def test_a_project_that_serves_tests_or_readers_is_not_the_one_that_an_index_has(folder: str) -> None:
    files = {path.replace("log/", f"{folder}/"): text for path, text in FILES.items()}
    assert "./log" not in str(first_words(planned(files, "wrong in cli/setup.py")))
    assert folder not in str(first_words(planned(files, "wrong in cli/setup.py")))


@pytest.mark.parametrize("place", ["pyproject.toml", "core/pyproject.toml"])
def test_what_uv_finds_by_itself_is_left_to_it(place: str) -> None:
    sources = "[tool.uv.sources]\ndemo-base = { workspace = true }\n[tool.uv.workspace]\nmembers = ['core', 'base']\n"
    files = {**FILES, place: FILES.get(place, "") + sources}
    assert first_words(planned(files, "wrong in core/demo_core/__init__.py"))[0][:2] == ["--editable", "."]


def test_poetry_s_folders_are_left_to_it() -> None:
    poetry = "[tool.poetry]\nname = 'demo-core'\n[tool.poetry.dependencies]\ndemo-base = { path = '../base' }\n"
    files = {**FILES, "core/pyproject.toml": poetry + "[build-system]\nbuild-backend = 'poetry.core.masonry.api'\n"}
    assert first_words(planned(files, "wrong in core/demo_core/__init__.py"))[0][:2] == ["--editable", "."]


def test_tests_of_a_project_that_has_none_are_those_of_one_that_requires_it() -> None:
    environment = planned(FILES, "wrong in log/setup.py")
    assert environment.tests[0].directory == "cli"
    assert "./log" in first_words(environment)[0]


def test_a_root_that_tells_of_the_tests_of_all_comes_before_those_that_require_it() -> None:
    environment = planned({**FILES, "pytest.ini": "[pytest]\n"}, "wrong in log/setup.py")
    assert not environment.tests[0].directory


def test_requirements_are_read_whose_versions_are_computed() -> None:
    assert required_words(COMPUTED) == {"demo-core>={}", "six", "demo_log==%s"}
    more = "needed = []\nneeded += ['a-b=={0!s}'.format(own)]\nneeded.append('c [x]; python_version < \"3\"')\n"
    found = required_words(f"{more}setup(install_requires=needed, keywords=['d'])")
    assert found == {"a-b=={0!s}", 'c [x]; python_version < "3"'}
    assert required_words("setup(") == frozenset()


def requiring(requirements: str, **more: str) -> list[list[str]]:
    """The installations of a project that requires so."""
    setup = f"from setuptools import setup\nsetup(name='demo-alone', install_requires={requirements})\n"
    return first_words(planned({**FILES, **more, "alone/setup.py": setup}, "wrong in alone/setup.py"))


@pytest.mark.parametrize("nothing", ["True", "5", "None", "{}"])
def test_what_is_no_list_requires_nothing(nothing: str) -> None:
    assert requiring(nothing)[0][:2] == ["--editable", "."]
    assert first_words(planned({**FILES, "log/setup.py": f"setup(name='demo-log', install_requires={nothing})"}))


def test_a_text_lists_a_requirement_on_each_line() -> None:
    letters = {f"{x}/setup.py": f"from setuptools import setup\nsetup(name='{x}')\n" for x in "sixdemog"}
    assert requiring("'six\\ndemo-log'", **letters)[0] == ["--editable", "./log"]


@pytest.mark.parametrize("name", ["pip", "install", "uv", "requirements-dev", "requirements-dev.txt", "python"])
def test_words_of_the_command_itself_are_no_requirements(name: str) -> None:
    own = {"own/setup.py": f"from setuptools import setup\nsetup(name='{name}')\n"}
    assert requiring("['six']", **own, **{"alone/requirements-dev.txt": "six\n"})[0][:2] == ["--editable", "."]


@pytest.mark.parametrize(
    ("marker", "holds"),
    [
        ("sys_platform == 'win32'", False),
        ("platform_system=='Windows' and python_version >= '3'", False),
        ("os_name == 'nt' or extra == 'x'", False),
        ("sys_platform != 'win32'", True),
        ("python_version < '3'", True),
        ("'3' > python_version and platform_system == 'Linux'", True),
        ("python_full_version in '2.7.1' and sys_platform == 'linux'", True),
        ("nobody knows", True),
        ("os_name ~= 'posix'", True),
    ],
)
@pytest.mark.parametrize("version", ["", ">=1", "==%s"])
def test_what_another_system_alone_requires_is_not_installed(marker: str, holds: bool, version: str) -> None:
    word = f'"demo-log{version}; {marker}"'
    first = requiring(f"[{word} % own]" if "%" in version else f"[{word}]")[0]
    assert (first == ["--editable", "./log"]) == holds
    listed = {**FILES, "alone/requirements-dev.txt": f"demo-log; {marker}\n"}
    first = first_words(planned(listed, "wrong in alone/setup.py"))[0]
    assert (first == ["--editable", "./log"]) == holds


@pytest.mark.parametrize(
    ("own", "asked", "is_it"),
    [
        ("1.17.0", "==1.16.0", False),
        ("1.17.0", "==1.17", True),
        ("1.17.0", "==1.*", True),
        ("1.17.0", "===1.16.0", False),
        ("1.17.0", ">=2", True),
        ("1.40.0.dev", "== 1.40.0.dev", True),
        ("attr: demo.version", "==1.16.0", True),
        ("nonsense", "==1.16.0", True),
        ("9" * 5_000, "==1.16.0", True),
    ],
)
@pytest.mark.parametrize("manifest", ["setup.cfg", "setup.py", "pyproject.toml"])
def test_the_index_has_the_release_that_a_project_beside_is_not(
    own: str, asked: str, is_it: bool, manifest: str
) -> None:
    log = {
        "setup.cfg": f"[metadata]\nname = demo-log\nversion = {own}\n",
        "setup.py": f"from setuptools import setup\nsetup(name='demo-log', version='{own}')\n",
        "pyproject.toml": f"[project]\nname = 'demo-log'\nversion = '{own}'\n",
    }
    base = {"log/setup.py": "from setuptools import setup\nsetup()\n"}
    first = requiring(f"['demo-log{asked}']", **{**base, f"log/{manifest}": log[manifest]})[0]
    assert (first == ["--editable", "./log"]) == is_it


def test_a_marker_of_a_list_is_no_release() -> None:
    files = {**FILES, "alone/requirements-dev.txt": "demo-log; sys_platform == 'linux'\n"}
    assert first_words(planned(files, "wrong in alone/setup.py"))[0] == ["--editable", "./log"]


def test_a_project_is_not_among_those_that_it_requires() -> None:
    both = {**FILES, "log/setup.py": FILES["log/setup.py"].replace("log')", "log', install_requires=['demo-cli'])")}
    environment = planned(both, "wrong in cli/setup.py")
    assert "./cli" not in str(environment.setup)
    assert not any("repository's own" in told and "cli" in told for told in environment.evidence)
    assert {"./base", "./core", "./log"} <= set(first_words(environment)[0])


@pytest.mark.parametrize("folder", ["e2e/log", "integration-tests/log", "cookiecutters/log", "a/template_b", "cli/e2e"])
def test_a_project_that_serves_trials_or_is_a_pattern_is_not_the_one_that_an_index_has(folder: str) -> None:
    files = {path.replace("log/", f"{folder}/"): text for path, text in FILES.items()}
    assert folder not in str(first_words(planned(files, "wrong in cli/setup.py")))


def test_of_two_projects_of_one_name_neither_is_the_one_that_an_index_has() -> None:
    files = {**FILES, "old/setup.py": FILES["log/setup.py"].replace("demo-log", "Demo_Log")}
    assert first_words(planned(files, "wrong in cli/setup.py"))[0] == ["--editable", "./base", "--editable", "./core"]


@pytest.mark.parametrize("manifest", ["setup.py", "requirements.txt"])
def test_a_manifest_that_is_too_large_is_passed_over(manifest: str) -> None:
    fat = {f"{folder}/{manifest}": "#" * 290_000 for folder in "abc"}
    assert "./log" in first_words(planned({**fat, **FILES}, "wrong in cli/setup.py"))[0]


def test_the_project_itself_is_looked_at_before_all_others() -> None:
    deep = {path.replace("cli/", "z/y/cli/"): text for path, text in FILES.items()}
    others = {f"z{n}/setup.py": "" for n in range(300)}
    assert "./log" in first_words(planned({**others, **deep}, "wrong in z/y/cli/setup.py"))[0]


def test_a_member_that_a_group_of_anothers_asks_for_is_installed_from_the_workspace() -> None:
    root = "[tool.uv.sources]\ndemo-checks = { workspace = true }\ndemo-old = { git = 'https://example.org/demo' }\n"
    group = "[dependency-groups]\ndev = ['demo_checks', 'demo-old']\n"
    files = {
        "pyproject.toml": f"{root}demo-log = {{ workspace = true }}\n[tool.uv.workspace]\nmembers = ['packages/*']\n",
        "packages/a/pyproject.toml": f"[project]\nname = 'demo-a'\ndependencies = ['demo-log']\n{group}",
        "packages/a/tests/test_a.py": "def test(): pass",
        "packages/checks/pyproject.toml": "[project]\nname = 'demo-checks'\n",
        "packages/log/pyproject.toml": "[project]\nname = 'demo-log'\n",
        "packages/old/pyproject.toml": "[project]\nname = 'demo-old'\n",
    }
    environment = planned(files, "wrong in packages/a/pyproject.toml")
    before, own_words, *_ = first_words(environment)
    assert before == ["--editable", "./packages/checks"]
    assert own_words[:2] == ["--editable", "."]
