"""Packages of an old commit's day that can be installed, and not run."""

from importlib.resources import files

from repo_tools.environment.contract import SetupCommand


def fitting_versions(uv: str) -> SetupCommand:
    """Puts a later release in the place of what the environment's Python cannot import, by `uv`."""
    program = (files("repo_tools.environment") / "fitting_program.py").read_text("utf-8")
    return SetupCommand(("python3", "-c", program, uv), required=False)
