"""The commands that put a Python project, and what its tests need, into a virtual environment."""

import re
import shlex
from importlib.resources import files

from repo_tools.environment.contract import NOTE, SCRATCH, UV, SetupCommand
from repo_tools.sandbox.contract import ENVIRONMENT, WORKSPACE

VENV = f"{ENVIRONMENT}/venv"
PIP_INSTALL = (
    f"{VENV}/bin/python", "-m", "pip", "install",
    "--no-input", "--disable-pip-version-check", "--no-cache-dir", "--prefer-binary", "--progress-bar", "off",
)  # fmt: skip

_MAKE_VENV = (  # an interpreter without ensurepip borrows the box's own pip: soon `python3` is that of the environment
    "own=$(command -v python3); python=${AGENT_FIX_PYTHON:-python3};"
    f" $python -m venv {VENV} || {{ $python -m venv --clear --without-pip {VENV}"
    f" && $own -m pip --python {VENV}/bin/python install --no-input pip; }}"
)
_ROOT_ON_PATH = """
import os, sysconfig
places = [os.getcwd(), *(["src"] if os.path.isdir("src") and not os.path.isfile("src/__init__.py") else [])]
with open(sysconfig.get_path("purelib") + "/zz_workspace.pth", "w") as file:
    file.write("".join(os.path.abspath(place) + chr(10) for place in places))
"""
"""With the folder of sources, where that is no package; last, so that no file of the repository hides an installed
module."""
MAKE_VENV = (
    SetupCommand(("/bin/sh", "-c", _MAKE_VENV), typed=f"python -m venv {VENV}"),
    SetupCommand((f"{VENV}/bin/python", "-c", _ROOT_ON_PATH), typed="put the repository's folder on Python's path"),
)
"""Before anything is installed; also before set-up commands that a repository declares itself."""

# uv does in seconds what takes pip a minute (7 packages on a busy machine: 4 s and 64 s), and knows a workspace's
# members. Whatever it cannot do, pip tries again. Where the worker's own does not run (another libc, another
# processor), it is fetched.
LOCKED = f"{SCRATCH}/locked.txt"
"""Constraints: the versions of the repository's lock file."""
_UV_INSTALL = (UV, "pip", "install", "--python", f"{VENV}/bin/python")
UV_INSTALL = (*_UV_INSTALL, "--compile-bytecode")
"""It compiles all that is there, also from before."""
_MAKE_VENV_QUICKLY = (  # with what a virtual environment has by itself
    f"{{ {UV} --version >/dev/null 2>&1 || {{ rm -rf {SCRATCH}/uv &&"
    f" python3 -m pip install --no-input --disable-pip-version-check --quiet --target {SCRATCH}/uv uv; }}; }} &&"
    f" ${{AGENT_FIX_PYTHON:-python3}} -m venv --without-pip {VENV} &&"
    f" {shlex.join(_UV_INSTALL)} --quiet pip 'setuptools<81'"
)
_QUICKLY = ("/bin/sh", "-c", _MAKE_VENV_QUICKLY)
MAKE_VENV_QUICKLY = (SetupCommand(_QUICKLY, otherwise=MAKE_VENV[:1], typed=f"uv venv --seed {VENV}"), *MAKE_VENV[1:])

_FROM_ITS_SOURCES = """
import importlib.metadata, os, sysconfig
here = os.getcwd()
for found in importlib.metadata.distributions():
    if f'"file://{here}"' in (found.read_text("direct_url.json") or ""):
        for file in found.files or ():
            if ".dist-info" not in str(file) and ".." not in file.parts:
                os.path.exists(file.locate()) and os.unlink(file.locate())
with open(sysconfig.get_path("purelib") + "/zz_sources.pth", "w") as file:
    file.write(os.path.join(here, "src") + chr(10))
"""
_WITHOUT_COPIES = """
import importlib.metadata, os, sys, sysconfig
own, library, places = set(sys.argv[1:]), sysconfig.get_path("purelib"), set()
for found in importlib.metadata.distributions(path=[library]):
    if f'"file://{os.getcwd()}"' not in (found.read_text("direct_url.json") or ""):
        name = found.metadata["Name"]
        for file in found.files or ():
            of_old = name + ".py" if file.parts[0] == name else file  # a package now, and a module then
            paths = [(place, os.path.join(place, path)) for place in (".", "src") for path in (file, of_old)]
            place = next((place for place, path in paths if os.path.isfile(path)), "")
            if ".." not in file.parts and (file.parts[0] in own if own else place):
                os.path.exists(file.locate()) and os.unlink(file.locate())
                places.add(place)
if places and not own:
    with open(library + "/zz_sources.pth", "a") as file:
        file.write("".join(os.path.abspath(place) + chr(10) for place in sorted(places)))
"""
"""The path is the environment's: in the repository's folder lies an ``egg-info`` of its sources. What is installed in
place is gone where a release took its place."""
_IN_PLACE = f"""
import importlib.metadata, json, os, subprocess, sys, urllib.parse
for found in list(importlib.metadata.distributions()):
    origin = json.loads(found.read_text("direct_url.json") or "{{}}")
    place = urllib.parse.unquote(urllib.parse.urlsplit(origin.get("url", "")).path)
    copied = (place + "/").startswith("{WORKSPACE}/") and os.path.isdir(place)
    if copied and not origin.get("dir_info", {{}}).get("editable"):
        again = [*sys.argv[1:], "--no-deps", "--editable", place]
        # what meson-python has in place is built by each import, with programs that went with the build
        failed = os.path.isfile(os.path.join(place, "meson.build")) or subprocess.run(again).returncode
        how = "tests see that copy and no change: pip cannot install it in place" if failed else "it is in place now"
        print(f"{NOTE}set-up installed a copy of {{found.name}}; {{how}}", flush=True)
"""
_EXTRAS_ONE_BY_ONE = """
import importlib.metadata, os, subprocess, sys
from pip._vendor.packaging.requirements import Requirement
extras, installer = sys.argv[1].split(","), sys.argv[2:]
for found in list(importlib.metadata.distributions()):
    if f'"file://{os.getcwd()}"' in (found.read_text("direct_url.json") or ""):
        for asked in map(Requirement, found.requires or ()):
            marker, asked.marker = asked.marker, None
            if marker and not marker.evaluate({"extra": ""}) and any(marker.evaluate({"extra": x}) for x in extras):
                subprocess.run([*installer, str(asked)])
"""
_BEFORE_FOLDERS = """
import ast, glob, os, re, sysconfig
library, places = sysconfig.get_path("purelib"), {}
for finder in glob.glob(library + "/__editable___*_finder.py"):
    with open(finder) as file:
        found = re.search(r"(?m)^MAPPING\\b[^=]*= (.*)$", file.read())
    for name, place in (ast.literal_eval(found[1]) if found else {}).items():
        hidden = os.path.isdir(name) and not os.path.isfile(os.path.join(name, "__init__.py"))
        if hidden and os.path.basename(place) == name:
            places[os.path.dirname(place)] = None
if places:
    with open(library + "/zz_z_projects.pth", "w") as file:
        file.write("".join(place + chr(10) for place in places))
"""
"""Behind the repository's folder."""
# an old pytest starts, and yet cannot compile a test on a newer Python, look at a class of unittest's (3.0 ends a
# generator by StopIteration: https://peps.python.org/pep-0479/), or lacks options of our runner's
_PROBE = (
    "cd $(mktemp -d) && printf '%s\\n' 'def test_it(): assert [1]' 'from unittest import TestCase' > test_it.py && "
    f"{VENV}/bin/python -m pytest -q -p no:cacheprovider -o addopts= --continue-on-collection-errors test_it.py"
)


def install(
    *words: str,
    required: bool = True,
    before_pip: tuple[SetupCommand, ...] = (),
    loosened: bool = False,
    otherwise: tuple[SetupCommand, ...] = (),
) -> SetupCommand:
    """By uv, or else by pip, or else `otherwise`. What uv brings `before_pip` is of the commit's day: pip, which knows
    no days, finds it there. `loosened`: or in versions that `words` do not take; so these come without what they
    need, before pip would have to find it as well."""
    by_pip = SetupCommand((*PIP_INSTALL, *words), required=required, otherwise=otherwise)
    beside = SetupCommand((*UV_INSTALL, "--no-deps", *words), required=required, otherwise=(by_pip,))
    return SetupCommand(
        (*UV_INSTALL, *words), required=required, otherwise=(*before_pip, beside if loosened else by_pip)
    )


def plainly(otherwise: tuple[SetupCommand, ...] = ()) -> tuple[SetupCommand, ...]:
    """For builds that cannot be installed in place: tests must never see a copy of the sources. Where it cannot be
    built at all, `otherwise`."""
    built = SetupCommand((*PIP_INSTALL, "."), otherwise=otherwise)
    program = (f"{VENV}/bin/python", "-c", _FROM_ITS_SOURCES)
    return (built, SetupCommand(program, typed="put src/ in the place of the copy that was installed"))


def among_its_own(
    built_with: tuple[SetupCommand, ...], otherwise: tuple[SetupCommand, ...]
) -> tuple[SetupCommand, ...]:
    """For a ``setup.py`` that imports the project itself, and with it what that needs: built where that is installed,
    as pip did it before it built in an environment of its own. With what it is `built_with`: without that, setuptools
    leaves out what it would have compiled, and says nothing. A setuptools of before 64 builds in place for pip alone
    (https://setuptools.pypa.io/en/latest/history.html#v64-0-0). Where that cannot be had, `otherwise`."""
    words = ("--no-build-isolation", "--editable", ".")
    by_pip = SetupCommand((*PIP_INSTALL, *words), otherwise=otherwise)
    return (*built_with, SetupCommand((*UV_INSTALL, *words), otherwise=(by_pip,)))


def extras_one_by_one(names: str) -> SetupCommand:
    """Of the installed project's extras (``a,b``), all that can be had; for a ``setup.py`` that computes what they
    list. Never fails for want of one."""
    argv = (f"{VENV}/bin/python", "-c", _EXTRAS_ONE_BY_ONE, re.sub(r"\s", "", names), *UV_INSTALL)
    return SetupCommand(argv, required=False, typed=f"install one by one what .[{names}] asks for")


def packages_before_folders() -> SetupCommand:
    """Of projects whose folder is called as their package is: setuptools' finder of what is installed in place comes
    after Python's own, which takes the folder for a package without files, where the root is on its path
    (https://setuptools.pypa.io/en/latest/userguide/development_mode.html#limitations)."""
    argv = (f"{VENV}/bin/python", "-c", _BEFORE_FOLDERS)
    return SetupCommand(argv, required=False, typed="find packages before the folders that are called so")


def own_develop() -> SetupCommand:
    """For a ``setup.py`` with a command ``develop`` of its own, which compiles catalogs, or the like: an editable
    install of today passes that by (https://peps.python.org/pep-0660/)."""
    return SetupCommand((f"{VENV}/bin/python", "setup.py", "--quiet", "develop", "--no-deps"), required=False)


def without_copies() -> SetupCommand:
    """Where the project itself may not be installed, or things are installed one by one, a plug-in that needs it brings
    a release of it: tests must never see that in the place of the sources."""
    program = (f"{VENV}/bin/python", "-c", _WITHOUT_COPIES)
    return SetupCommand(program, required=False, typed="remove installed copies of the project")


def without_tests_of_others() -> SetupCommand:
    """pytest-django loads ``tests.settings`` before pytest puts the root first on the path: packages that install their
    own ``tests`` beside themselves, as some do by mistake, would hide the repository's."""
    program = (f"{VENV}/bin/python", "-c", _WITHOUT_COPIES, "tests")
    return SetupCommand(program, required=False, typed="remove what installed packages have as `tests`")


def in_place() -> SetupCommand:
    """After commands of the repository's own: what they installed as a copy (``pip install .``) is installed again in
    place, because tests would see the copy instead of a change."""
    program = (f"{VENV}/bin/python", "-c", _IN_PLACE, *PIP_INSTALL)
    return SetupCommand(program, required=False, typed="install in place what was installed as a copy")


def working_pytest() -> SetupCommand:
    """Where an old one is pinned that this Python cannot run: another, and `py` with it, which shares its parts. It
    would bring a release of what pytest itself needs over the sources of that (pluggy)."""
    other = (install("--upgrade", "pytest", "py"), without_copies())
    return SetupCommand(("/bin/sh", "-c", _PROBE), otherwise=other, typed="try pytest on a few lines")


def locked_versions(lock: str) -> SetupCommand:
    """Writes what `lock` settled to `LOCKED`."""
    program = (files("repo_tools.environment") / "locked_program.py").read_text("utf-8")
    script = f'exec python3 -I -S -c "$0" "$1" > {LOCKED}'
    return SetupCommand(("/bin/sh", "-c", script, program, lock), required=False, typed=f"read the versions in {lock}")
