"""Runs in a box: puts an earlier release in the place of a package that no longer has what the sources import from it.

Where this Python cannot run the packages of the commit's own day, it has those of years later, and some of them have
lost names since. Of each such package the last release is taken that has them, of no earlier day than the commit's, if
all that could be imported still can be, and nothing that is installed asks for a later one; else it stays as it is.
Argument: uv. No import but the standard library's: it is sent as text.
"""

from __future__ import annotations

import ast
import importlib.metadata
import json
import os
import subprocess
import sys
import sysconfig
import time
import warnings
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import NamedTuple

SAID = "lowered to the last release that has what the sources import from it: "
DAY, LATER, COMMITTED = "UV_EXCLUDE_NEWER", "AGENT_FIX_LATER_PACKAGES", "AGENT_FIX_COMMIT_DAY"
"""In set-up: the day that is in force, the last one, and the commit's."""
ANY_DAY = "9999-12-31"
MOST_FILES, MAX_BYTES, MOST_LOWERED = 2_000, 300_000, 3
MOST_SECONDS, MOST_OF_A_STEP = 120, 60
NEVER = ("pip", "setuptools", "wheel", "pytest")
"""What installs and runs the tests fits this Python as it is."""
ASIDE = frozenset(("doc", "docs", "example", "examples", "benchmark", "benchmarks", "node_modules", "build"))
LACKING = """
import importlib, json, os, sys, warnings
to, sys.stdout = os.dup(1), sys.stderr
os.dup2(2, 1)
warnings.simplefilter("ignore")
lacking, broken = [], []
for module, names in json.load(sys.stdin).items():
    try:
        found = importlib.import_module(module)
    except ModuleNotFoundError as error:
        (lacking if (module + ".").startswith(str(error.name) + ".") else broken).append([module, ""])
        continue
    except BaseException:
        broken.append([module, ""])
        continue
    for name in names:
        try:
            hasattr(found, name) or importlib.import_module(module + "." + name)
        except ImportError:
            lacking.append([module, name])
        except BaseException:
            broken.append([module, name])
os.write(to, json.dumps([lacking, broken]).encode())
os._exit(0)  # whatever the packages would do when they are left
"""
"""Of modules and names in them: those that are not there, and those that end in another error. Whatever the packages
say as they are imported is none of its answer."""


class State(NamedTuple):
    """Of what the sources import, as (module, name in it or empty)."""

    lacking: frozenset[tuple[str, str]]
    broken: frozenset[tuple[str, str]]

    def is_better_than(self, other: State) -> bool:
        """Whether something is there again, and nothing else went for it."""
        return self.lacking < other.lacking and self.broken <= other.broken


def owners(library: Path) -> dict[str, str]:
    """Top module -> the one distribution that it is of, if that is an index's: no release stands for a work tree, a
    commit or an archive (https://packaging.python.org/en/latest/specifications/direct-url/)."""
    found: dict[str, set[str]] = {}
    for distribution in importlib.metadata.distributions(path=[str(library)]):
        name = str(distribution.metadata["Name"])
        stays = name.lower() in NEVER or distribution.read_text("direct_url.json") is not None
        for file in distribution.files or ():
            if file.suffix == ".py" and ".." not in file.parts:
                found.setdefault(file.parts[0].partition(".")[0], set()).add("" if stays else name)
    return {top: "".join(names) for top, names in found.items() if len(names) == 1 and "" not in names}


def sources(root: Path) -> Iterator[Path]:
    for folder, below, names in os.walk(root):
        below[:] = sorted(name for name in below if name.lower() not in ASIDE and name[0] != ".")
        yield from (Path(folder, name) for name in sorted(names) if name.endswith(".py"))


def imported(root: Path, tops: dict[str, str]) -> dict[str, list[str]]:
    """Module of `tops` -> the names that files import from it wherever they are loaded: not in a ``try``, or on a
    condition; none that the repository has a module of its own for."""
    files = list(islice(sources(root), MOST_FILES))
    own = {part.partition(".")[0] for file in files for part in file.relative_to(root).parts}
    wanted: dict[str, list[str]] = {}
    for module, names in (found for file in files for node in plain(file) for found in asked(node)):
        top = module.partition(".")[0]
        if top in tops and top not in own:
            wanted.setdefault(module, []).extend(names)
    return {module: sorted(set(names)) for module, names in sorted(wanted.items())}


def asked(node: ast.stmt) -> list[tuple[str, list[str]]]:
    """The modules that it imports, and the names from each."""
    if isinstance(node, ast.Import):
        return [(alias.name, []) for alias in node.names]
    if isinstance(node, ast.ImportFrom) and not node.level and node.module:
        return [(node.module, [alias.name for alias in node.names if alias.name != "*"])]
    return []


def plain(file: Path) -> list[ast.stmt]:
    """Its outermost statements; none of a file that this Python cannot read."""
    try:
        return ast.parse(file.read_bytes()).body if file.stat().st_size < MAX_BYTES else []
    except (OSError, ValueError, SyntaxError, RecursionError, MemoryError):
        return []


def answer(*words: str, given: str = "", day: str = "") -> subprocess.CompletedProcess[str]:
    """How a command ended; with packages of before `day`, if one is named."""
    variables = {**os.environ, DAY: day} if day else None
    try:
        return subprocess.run(
            words,
            input=given,
            env=variables,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=MOST_OF_A_STEP,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return subprocess.CompletedProcess(words, 1, "", "")


def state(wanted: dict[str, list[str]]) -> State | None:
    """None where that cannot be found out."""
    done = answer(sys.executable, "-I", "-c", LACKING, given=json.dumps(wanted))
    if done.returncode or not done.stdout:
        return None
    return State(*(frozenset((module, name) for module, name in pairs) for pairs in json.loads(done.stdout)))


def complaints(uv: str) -> int:
    """How many requirements of what is installed are not met."""
    done = answer(uv, "pip", "check", "--python", sys.executable)
    return done.returncode and len(done.stderr.splitlines())


def days() -> list[str]:
    """Each a year before the one before it, and the commit's own at last."""
    last, own = (os.environ.get(name, "") for name in (DAY, COMMITTED))
    earlier = (f"{year}{last[4:]}" for year in range(int(last[:4] or 0) - 1, int(own[:4] or 9999) - 1, -1))
    found = [day.replace("02-29", "02-28") for day in earlier if day > own]
    return [*found, own] if own and own < last else []


def lowered(uv: str, name: str, wanted: dict[str, list[str]], until: float) -> str:
    """The version of the distribution that is there now, if it is another."""
    before, known, unmet = version_of(name), state(wanted), complaints(uv)
    install = (uv, "pip", "install", "--python", sys.executable, "--no-deps", "--reinstall-package", name)
    tried = before
    for day in days() if known else ():
        if time.monotonic() > until or answer(*install, name, day=day).returncode:
            break
        if tried == (tried := version_of(name)):
            continue
        found = state(wanted)
        if known and found and found.is_better_than(known):
            if complaints(uv) <= unmet:
                return tried
            break
    if version_of(name) != before:
        again = (*install, f"{name}=={before}")
        if answer(*again, day=os.environ[LATER]).returncode:
            answer(*again, day=ANY_DAY)
    return ""


def version_of(name: str) -> str:
    """Empty where an install that was broken off left none."""
    importlib.invalidate_caches()
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return ""


def main() -> None:
    uv, until = sys.argv[1], time.monotonic() + MOST_SECONDS
    warnings.simplefilter("ignore")
    tops = owners(Path(sysconfig.get_path("purelib")))
    wanted = imported(Path.cwd(), tops)
    known = state(wanted)
    found = sorted({tops[module.partition(".")[0]] for module, _ in known.lacking}) if known else []
    for name in found[:MOST_LOWERED]:
        if version := lowered(uv, name, wanted, until):
            sys.stdout.write(f"{SAID}{name} {version}\n")


if __name__ == "__main__":
    main()
