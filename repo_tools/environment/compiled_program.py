"""Runs in a box: keeps what a Python project is compiled with, where setuptools does that in place, and compiles it
again, with no network, where its sources changed since.

- ``begin``, in the project's folder, before anything is installed: keeps the sources as the commit has them
- ``keep PYTHON REQUIREMENT… -- INSTALLER… -- MADE…``, in that folder, at the end of set-up: ends what `begin` began,
  unless nothing was compiled in place or it cannot be compiled again; `MADE` are the sources that Cython has to make
  first, by a command of its own
- ``again PYTHON``, before tests are run: prints a line, a JSON list of two: what changed where anything was made of it,
  and what did where the build itself is another, so that nothing is compiled; exits with 1 where that cannot be
  compiled, or a build of the change's writes what the base commit's did not

No import but the standard library's: it is sent as text.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Iterable
from typing import Any

TOP = "/workspace"
BEGUN = "/env/compiling.json"
KEPT = "/env/compiled.json"
TOOLS = "/env/compiled"
LAST = "/tmp/agent-fix-compiled.json"  # noqa: S108 - inside a box
"""As `KEPT`: what the box's own work tree was compiled from, once that is no longer the base commit."""
OBJECTS = "/tmp/agent-fix-compiled"  # noqa: S108 - inside a box

SOURCE = re.compile(r".*\.(?:c|cc|cpp|cxx|h|hh|hpp|pyx|pxd|pxi)")
BUILD = ("setup.py", "setup.cfg", "pyproject.toml")
INCLUDED = re.compile(r".*\.(?:h|hh|hpp|pxd|pxi)")
OF_CYTHON = re.compile(r".*\.(?:pyx|pxd|pxi)")
MODULE = re.compile(r".*\.so")
OF_BUILD = re.compile(rf"{SOURCE.pattern}|.*\.(?:so|o|html)|(?:.*/)?[\w.-]+\.egg-info/.*")
READ_BY_TESTS = re.compile(r".*\.(?:py|pyc|pth|ini|cfg|toml)")
ALTERS = "The build writes what tests may be run from, and did not on the base commit:"
PASSED_BY = {"build", "dist", "node_modules", "venv", "env"}
SETUP = """
import os, runpy, sys
import setuptools
from setuptools.command import build_ext as own
from distutils.command import build_ext as plain
own.build_ext.run = plain.build_ext.run
sys.argv[0] = "setup.py"
runpy.run_path("setup.py", run_name="__main__") if os.path.isfile("setup.py") else setuptools.setup()
"""
"""Setuptools is imported first, as pip does it: many a ``setup.py`` imports distutils, which it brings where Python has
none. Its own command compiles beside, all that it does not find there, and copies it into its place."""


class AltersError(Exception):
    """Tests may be run from what the build wrote."""


def files(ending: re.Pattern[str], folder: str = ".") -> list[str]:
    """Those below `folder`, relative to it."""
    found = []
    for place, folders, names in os.walk(folder):
        folders[:] = [name for name in folders if name not in PASSED_BY and not name.startswith(".")]
        found += [os.path.relpath(os.path.join(place, name), folder) for name in names if ending.fullmatch(name)]
    return sorted(found)


def contents(folder: str, paths: Iterable[str]) -> dict[str, str]:
    found = {}
    for path in paths:
        if os.path.isfile(place := os.path.join(folder, path)):
            with open(place, "rb") as file:
                found[path] = hashlib.sha256(file.read()).hexdigest()
    return found


def begin() -> int:
    own = {
        "build": contents(".", BUILD),
        "sources": contents(".", files(SOURCE)),
        "made": [],
        "alters": [],
        "cythonized": [],
    }
    write(BEGUN, {**read(BEGUN), os.getcwd(): own})
    return 0


def keep(python: str, *words: str) -> int:
    requirements, installer, cythonized = parts(words)
    own = read(BEGUN)[os.getcwd()]
    if own["sources"] and files(MODULE):
        subprocess.run([*installer, "--quiet", "--target", tools(), *requirements], check=True)
        before = states()
        compile_in_place(python, [])
        alters = altered(before)
        made = [path for path in files(SOURCE) if path not in own["sources"]]
        write(KEPT, {**read(KEPT), os.getcwd(): {**own, "made": made, "alters": alters, "cythonized": cythonized}})
    return 0


def parts(words: tuple[str, ...]) -> list[list[str]]:
    """What stands between the ``--``."""
    found: list[list[str]] = [[]]
    for word in words:
        if word == "--":
            found.append([])
        else:
            found[-1].append(word)
    return found


def again(python: str) -> int:
    root, base = os.getcwd(), read(KEPT)
    last = read(LAST) or base
    changed: list[str] = []
    stale: list[str] = []
    for folder, own in last.items():
        now = contents(folder, (path for path in files(SOURCE, folder) if path not in own["made"]))
        mine = differing(own["sources"], now)
        named = [os.path.relpath(os.path.join(folder, path), root) for path in mine]
        if contents(folder, BUILD) != own["build"]:
            stale += named  # what a change does to manifests is never installed, and starts no program of its own
        elif mine:
            write(LAST, {**last, folder: {**own, "sources": {}}})  # until it is compiled
            os.chdir(folder)
            touched = sorted(filter(now.get, {*mine, *differing(base[folder]["sources"], now)}))
            try:
                if compile_changed(python, own, mine, touched):
                    changed += named
            except subprocess.CalledProcessError:
                return told([*changed, *named], stale, 1)
            except AltersError as error:
                sys.stdout.write(f"{error}\n")
                return told([*changed, *named], stale, 1)
            last[folder] = {**own, "sources": now}
            write(LAST, last)
    return told(changed, stale, 0)


def compile_changed(python: str, own: dict[str, Any], changed: list[str], touched: list[str]) -> bool:
    """In this folder; whether any module is another one then. CalledProcessError: it cannot be compiled."""
    before = modules()
    outlast(before)
    for path in touched:  # the time of a commit's files is the commit's, and a build's own are put back after each run
        os.utime(path)
    others = states()
    if any(map(OF_CYTHON.fullmatch, changed)):
        cythonize(python, own["cythonized"])
    compile_in_place(python, changed)
    if new := [path for path in altered(others) if path not in own["alters"]]:
        raise AltersError(f"{ALTERS} {', '.join(new[:5])}")
    return modules() != before


def differing(one: dict[str, str], other: dict[str, str]) -> list[str]:
    return sorted(path for path in {*one, *other} if one.get(path) != other.get(path))


def states() -> dict[str, int]:
    """When each file of the work tree was last touched, but those that builds are for: a build runs programs of the
    change's, before any test is read."""
    found = {}
    for place, folders, names in os.walk(TOP):
        if place == os.getcwd():
            folders[:] = [name for name in folders if name != "build"]
        for path in (os.path.join(place, name) for name in (*names, *folders)):
            if os.path.islink(path) or not (os.path.isdir(path) or OF_BUILD.fullmatch(path)):
                found[os.path.relpath(path, TOP)] = os.lstat(path).st_ctime_ns
    return found


def altered(before: dict[str, int]) -> list[str]:
    now = states()
    new = [path for path in now if path not in before and READ_BY_TESTS.fullmatch(path)]
    return sorted(new + [path for path, time in before.items() if now.get(path) != time])


def told(changed: list[str], stale: list[str], code: int) -> int:
    sys.stdout.write(f"\n{json.dumps([changed, stale])}\n")
    return code


def modules() -> dict[str, float]:
    """When each was made."""
    return {path: os.stat(path).st_mtime for path in files(MODULE)}


def outlast(made: dict[str, float]) -> None:
    """Wait until the second is over in which the last was made: distutils compares whole ones, and the clock of files
    is a little slow."""
    time.sleep(min(1.1, max(0.0, int(max(made.values(), default=0.0)) + 1.1 - time.time())))


def cythonize(python: str, made: list[str]) -> None:
    for path in made:
        source, ending = os.path.splitext(path)
        options = ["--cplus"] if ending != ".c" else []
        subprocess.run([os.path.join(os.path.dirname(python), "cython"), *options, f"{source}.pyx"], check=True)


def compile_in_place(python: str, changed: list[str]) -> None:
    """In this folder."""
    path = os.pathsep.join(filter(None, (tools(), os.environ.get("PYTHONPATH"))))
    variables = {**os.environ, "PYTHONPATH": path, "PYTHONDONTWRITEBYTECODE": "1"}
    subprocess.run(command(python, changed), env=variables, check=True)


def command(python: str, changed: list[str]) -> list[str]:
    """What includes a file is compiled for it only where ``depends`` tells of that."""
    force = ["--force"] if any(map(INCLUDED.fullmatch, changed)) else []
    return [python, "-c", SETUP, "--quiet", "build_ext", "--inplace", "--build-temp", OBJECTS, *force]


def tools() -> str:
    return os.path.join(TOOLS, hashlib.sha256(os.getcwd().encode()).hexdigest()[:8])


def read(path: str) -> dict[str, Any]:
    if not os.path.isfile(path):
        return {}
    with open(path, encoding="utf-8") as file:
        kept: dict[str, Any] = json.load(file)
    return kept


def write(path: str, kept: dict[str, Any]) -> None:
    with open(path, "w", encoding="utf-8") as file:
        json.dump(kept, file)


def main(step: str, *rest: str) -> int:
    if step == "begin":
        return begin()
    return keep(*rest) if step == "keep" else again(*rest)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
