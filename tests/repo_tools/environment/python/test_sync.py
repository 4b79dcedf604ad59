"""What ``uv sync``, ``poetry install`` and their kin install of a project's extras and groups, wherever they stand."""

import shlex

import pytest

from repo_tools.environment.python.requirements import declared_requirements
from repo_tools.environment.python.sync import EVERY, named_by_sync
from tests.support.ci_jobs import ci_running
from tests.support.trees import reader_of, tree_of

EXTRAS = '[project]\nname = "x"\n[project.optional-dependencies]\nyaml = ["pyyaml"]\ncli = ["click"]\ndocs = ["furo"]\n'
GROUPS = '[dependency-groups]\nlint = ["ruff"]\ncheck = ["sybil", {include-group = "more"}]\nmore = ["trio"]\n'
POETRY = (
    '[tool.poetry.dependencies]\nrich = {version = "*", optional = true}\n'
    '[tool.poetry.extras]\nsyntax = ["rich"]\n[tool.poetry.group.check.dependencies]\nsybil = "*"\n'
)
PDM = '[project]\nname = "x"\n[tool.pdm.dev-dependencies]\ncheck = ["sybil"]\n'


@pytest.mark.parametrize(
    ("command", "extras", "groups"),
    [
        ("uv sync --frozen --extra cli --group=test", ("cli",), ("test",)),
        ("uv sync --all-extras --all-groups", (EVERY,), (EVERY,)),
        ("uv sync --package other --all-extras", (), ()),
        ("uv run --extra cli --with rich pytest", ("cli",), ()),
        ("uv pip install --group pyproject.toml:test .", (), ("test",)),
        ("pip install --group test --only-binary :all: .", (), ("test",)),
        ("poetry install -E a -Eb --extras 'c d' --with test,more", ("a", "b", "c", "d"), ("test", "more")),
        ("poetry run pytest --with-x", (), ()),
        ("pdm install -dG test", ("test",), ("test",)),
        ("pdm sync --group :all", (EVERY,), (EVERY,)),
        ("uv", (), ()),
        ("pip install --group --quiet", (), ()),
        ("npm install --with x", (), ()),
    ],
)
def test_extras_and_groups_that_a_command_names(command: str, extras: tuple[str, ...], groups: tuple[str, ...]) -> None:
    assert named_by_sync(shlex.split(command)) == (extras, groups)


def declared(files: dict[str, str]) -> set[str]:
    tree = tree_of(files)
    found = declared_requirements(tree, reader_of(files))
    return {word for source in found for word in source.arguments}


@pytest.mark.parametrize(
    ("command", "pyproject", "wanted"),
    [
        ("uv sync --all-extras --group check", EXTRAS + GROUPS, {"pyyaml", "click", "sybil", "trio"}),
        ("uv sync --extra cli --extra docs --extra unknown", EXTRAS, {"click", "furo"}),
        ("uv sync --all-groups", EXTRAS + GROUPS, {"sybil", "trio"}),
        ("poetry install --extras syntax --with check", POETRY, {"rich", "sybil"}),
        ("pdm install -G check", PDM, {"sybil"}),
        ("uv run --extra cli --extra $X pytest --shard=$X", EXTRAS, {"click"}),
        ("cd other && uv sync --all-extras", EXTRAS, set()),
    ],
)
def test_what_a_ci_has_the_package_manager_install_is_needed_by_tests(
    command: str, pyproject: str, wanted: set[str]
) -> None:
    assert declared({"pyproject.toml": pyproject, **ci_running(command, "pytest")}) == wanted


@pytest.mark.parametrize(
    "files",
    [
        {"noxfile.py": "def tests(session):\n    session.run('uv', 'sync', '--all-extras')\n"},
        {"noxfile.py": "def tests(session):\n    session.run('poetry', 'install', '-E', 'cli', '-E', 'yaml')\n"},
        {"tox.ini": "[testenv]\ncommands_pre = uv sync --all-extras\ncommands = pytest\n"},
        {"tox.ini": "[testenv]\ncommands =\n    poetry install --extras 'cli yaml'\n    pytest\n"},
        {"tox.ini": "[testenv]\ncommands_pre = pip install --upgrade-strategy eager -i https://x click pyyaml\n"},
    ],
)
def test_what_tox_and_nox_have_the_package_manager_install_is_needed_by_tests(files: dict[str, str]) -> None:
    assert declared({"pyproject.toml": EXTRAS, **files}) == {"pyyaml", "click"}
