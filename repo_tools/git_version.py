"""The oldest git that the host may have."""

import subprocess

from repo_tools.errors import ConfigError
from repo_tools.versions import has_fixes

FIRST_FIXED = ("2.39.4", "2.40.2", "2.41.1", "2.42.2", "2.43.4", "2.44.1", "2.45.1")
"""The first of each series in which cloning and reading a hostile repository runs none of its code (CVE-2024-32002,
-32004, -32465; https://github.com/git/git/blob/master/Documentation/RelNotes/2.45.1.txt). What later ones mend is in
submodules and bundles, which are never read here."""


def check_git() -> str:
    """``git version 2.45.1``. ConfigError where there is none, or an older one."""
    remedy = f"Install git {FIRST_FIXED[-1]}, or the last release of an older series ({', '.join(FIRST_FIXED[:-1])})"
    try:
        said = subprocess.run(["git", "--version"], capture_output=True, text=True, check=True, timeout=30).stdout
    except (OSError, subprocess.SubprocessError) as error:
        raise ConfigError("PATH", f"git does not run ({error})", remedy) from error
    if problem := git_problem(said):
        raise ConfigError("PATH", problem, remedy)
    return said.strip()


def git_problem(said: str) -> str:
    """`said`: what ``git --version`` says. Empty where it is new enough."""
    if has_fixes(said, FIRST_FIXED):
        return ""
    return f"{said.strip() or 'git'} may run code of a repository that it reads"
