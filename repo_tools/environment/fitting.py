"""Packages of an old commit's day that can be installed, and not run; and later ones that are not what the code is
for."""

import shlex
from importlib.resources import files

from repo_tools.environment.contract import NOTE, SetupCommand

_HAS_PYTEST = "import importlib.util, sys; sys.exit(not importlib.util.find_spec('pytest'))"
_RUNS_A_TEST = (
    r"cd $(mktemp -d) && printf 'def test_it():\n    assert [1]\n' > test_it.py &&"
    " python3 -m pytest -q -p no:cacheprovider test_it.py"
)
_WITHOUT_PLUGINS = f"export PYTEST_DISABLE_PLUGIN_AUTOLOAD=1; {_RUNS_A_TEST}"
_LATER = "pytest is one of a later day: the one that goes with what is tested here runs no test on this Python"
MOST_SECONDS = 300.0
"""For a step: packages are imported, and raised, as often as another one shows up."""


def fitting_versions(uv: str) -> SetupCommand:
    """Puts a later release in the place of what the environment's Python cannot import, by `uv`. What stands in the
    work tree under the name of a package hides none."""
    program = (files("repo_tools.environment") / "fitting_program.py").read_text("utf-8")
    words = ("python3", "-I", "-c", program, uv)
    return SetupCommand(words, required=False, typed="import what was installed, and raise what this Python cannot run")


def loading_pytest(uv: str) -> SetupCommand:
    """The same where pytest runs no test with what it loads: a repository may pin what is older than its own day."""
    text = f'python3 -c {shlex.quote(_HAS_PYTEST)} || exit 0; ({_RUNS_A_TEST}) || exec "$@"'
    typed = "try pytest with its plug-ins, and raise what this Python cannot run if no test is run"
    return SetupCommand(("sh", "-c", text, "sh", *fitting_versions(uv).argv), required=False, typed=typed)


def earlier_releases(uv: str) -> SetupCommand:
    """Puts an earlier release in the place of what lost names since that the sources import, by `uv`."""
    program = (files("repo_tools.environment") / "earlier_program.py").read_text("utf-8")
    typed = "lower what no longer has the names that the sources import from it"
    return SetupCommand(("python3", "-I", "-c", program, uv), required=False, typed=typed)


def running_pytest(uv: str) -> SetupCommand:
    """Puts another pytest, by `uv`, in the place of one that runs no test, whatever it loads: it may need what is
    tested here itself, which keeps it at a release that no later Python runs (attrs as of 2019). 7.3 is the first that
    needs no attrs (https://docs.pytest.org/en/stable/changelog.html#pytest-7-3-0-2023-04-08)."""
    text = (
        f"python3 -c {shlex.quote(_HAS_PYTEST)} || exit 0; ({_WITHOUT_PLUGINS}) || {{"
        f" env -u UV_EXCLUDE_NEWER -u UV_CONFIG_FILE UV_NO_CONFIG=1 {uv} pip install --no-deps"
        ' --python "$(command -v python3)" iniconfig packaging tomli exceptiongroup "pytest>=7.3,<8" &&'
        f" echo {shlex.quote(NOTE + _LATER)}; }}"
    )
    return SetupCommand(("sh", "-c", text), required=False, typed="try pytest without plug-ins")
