"""Packages that were given up, and that no Python of today can import."""

from repo_tools.environment.contract import NOTE, SetupCommand

_STAND_IN = f"""
import pathlib, subprocess, sys, sysconfig
library = pathlib.Path(sysconfig.get_path("purelib"))
package = library / "unittest2"
if package.is_dir() and subprocess.run((sys.executable, "-c", "import unittest2"), capture_output=True).returncode:
    package.rename(library / "unittest2.given-up")
    (library / "unittest2.py").write_text("import sys, unittest\\nsys.modules[__name__] = unittest\\n")
    print("{NOTE}unittest2 was given up, and cannot be imported: the standard library's unittest is in its place")
"""


def standing_in() -> SetupCommand:
    """For unittest2, where it cannot be imported, what it was, ahead of its time: https://pypi.org/project/unittest2/"""
    words = ("python3", "-I", "-c", _STAND_IN)
    return SetupCommand(words, required=False, typed="put unittest in the place of an unittest2 that was given up")
