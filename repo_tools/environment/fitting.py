"""Packages of an old commit's day that can be installed, and not run."""

from importlib.resources import files

from repo_tools.environment.contract import SetupCommand

MOST_SECONDS = 300.0
"""For all of it: packages are imported, and raised, as often as another one shows up."""


def fitting_versions(uv: str) -> SetupCommand:
    """Puts a later release in the place of what the environment's Python cannot import, by `uv`. What stands in the
    work tree under the name of a package hides none."""
    program = (files("repo_tools.environment") / "fitting_program.py").read_text("utf-8")
    words = ("python3", "-I", "-c", program, uv)
    return SetupCommand(words, required=False, typed="import what was installed, and raise what this Python cannot run")
