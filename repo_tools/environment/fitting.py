"""Packages of an old commit's day that can be installed, and not run; and later ones that are not what the code is
for."""

from importlib.resources import files

from repo_tools.environment.contract import SetupCommand

MOST_SECONDS = 300.0
"""For a step: packages are imported, and raised, as often as another one shows up."""


def fitting_versions(uv: str) -> SetupCommand:
    """Puts a later release in the place of what the environment's Python cannot import, by `uv`. What stands in the
    work tree under the name of a package hides none."""
    program = (files("repo_tools.environment") / "fitting_program.py").read_text("utf-8")
    words = ("python3", "-I", "-c", program, uv)
    return SetupCommand(words, required=False, typed="import what was installed, and raise what this Python cannot run")


def earlier_releases(uv: str) -> SetupCommand:
    """Puts an earlier release in the place of what lost names since that the sources import, by `uv`."""
    program = (files("repo_tools.environment") / "earlier_program.py").read_text("utf-8")
    typed = "lower what no longer has the names that the sources import from it"
    return SetupCommand(("python3", "-I", "-c", program, uv), required=False, typed=typed)
