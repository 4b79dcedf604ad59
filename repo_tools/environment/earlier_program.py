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

SAID = "lowered to the last release that has what the sources import from it: "
DAY, LATER, COMMITTED = "UV_EXCLUDE_NEWER", "AGENT_FIX_LATER_PACKAGES", "AGENT_FIX_COMMIT_DAY"
"""In set-up: the day that is in force, the last one, and the commit's."""
MOST_FILES, MAX_BYTES, MOST_LOWERED = 2_000, 300_000, 3
MOST_SECONDS, MOST_OF_A_STEP = 120, 60
ASIDE = frozenset(("doc", "docs", "example", "examples", "benchmark", "benchmarks", ".git", "node_modules", "build"))
LACKING = """
import importlib, json, os, sys, warnings
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
print("\\n" + json.dumps([lacking, broken]), flush=True)
os._exit(0)  # whatever the packages would do when they are left
"""
"""Of modules and names in them: those that are not there, and those that end in another error."""


def owners(library: Path) -> dict[str, str]:
    """Top module -> the one distribution that it is of, if that does not come from the work tree."""
    found: dict[str, set[str]] = {}
    for distribution in importlib.metadata.distributions(path=[str(library)]):
        own = '"file://' in (distribution.read_text("direct_url.json") or "")
        for file in distribution.files or ():
            if file.suffix == ".py" and ".." not in file.parts:
                name = "" if own else str(distribution.metadata["Name"])
                found.setdefault(file.parts[0].partition(".")[0], set()).add(name)
    return {top: "".join(names) for top, names in found.items() if len(names) == 1 and "" not in names}


def sources(root: Path) -> Iterator[Path]:
    for folder, below, names in os.walk(root):
        below[:] = sorted(name for name in below if name.lower() not in ASIDE)
        yield from (Path(folder, name) for name in sorted(names) if name.endswith(".py"))


def imported(root: Path, tops: dict[str, str]) -> dict[str, list[str]]:
    """Module of `tops` -> the names that files import from it wherever they are loaded: not in a ``try``, or on a
    condition; none that the repository has a module of its own for."""
    files = list(islice(sources(root), MOST_FILES))
    own = {part.partition(".")[0] for file in files for part in file.relative_to(root).parts}
    wanted: dict[str, list[str]] = {}
    for node in (node for file in files for node in plain(file)):
        if isinstance(node, ast.ImportFrom) and not node.level and node.module:
            top = node.module.partition(".")[0]
            if top in tops and top not in own:
                wanted.setdefault(node.module, []).extend(alias.name for alias in node.names if alias.name != "*")
    return {module: sorted(set(names)) for module, names in sorted(wanted.items())}


def plain(file: Path) -> list[ast.stmt]:
    """Its outermost statements; none of a file that this Python cannot read."""
    try:
        return ast.parse(file.read_bytes()).body if file.stat().st_size < MAX_BYTES else []
    except (OSError, ValueError, SyntaxError, RecursionError, MemoryError):
        return []


def answer(*words: str, given: str = "", day: str = "") -> tuple[int, str]:
    """(how a command ended, what it said); with packages of before `day`, if one is named."""
    variables = {**os.environ, DAY: day} if day else None
    try:
        done = subprocess.run(
            words, input=given, env=variables, capture_output=True, text=True, timeout=MOST_OF_A_STEP, check=False
        )
    except subprocess.TimeoutExpired:
        return 1, ""
    return done.returncode, done.stdout


def state(wanted: dict[str, list[str]]) -> tuple[list[list[str]], int]:
    """(what is lacking, as [module, name], how much ends in another error)."""
    code, said = answer(sys.executable, "-I", "-c", LACKING, given=json.dumps(wanted))
    lacking, broken = json.loads(said.splitlines()[-1]) if code == 0 and said else ([], [])
    return lacking, len(broken) if code == 0 else len(wanted) + 1


def complaints(uv: str) -> int:
    """How many requirements of what is installed are not met."""
    done = subprocess.run([uv, "pip", "check", "--python", sys.executable], capture_output=True, text=True, check=False)
    return done.returncode and len(done.stderr.splitlines())


def days() -> list[str]:
    """Each a year before the one before it, and the commit's own at last."""
    last, own = (os.environ.get(name, "") for name in (DAY, COMMITTED))
    earlier = (f"{year}{last[4:]}" for year in range(int(last[:4] or 0) - 1, int(own[:4] or 9999) - 1, -1))
    found = [day.replace("02-29", "02-28") for day in earlier if day > own]
    return [*found, own] if own and own < last else []


def lowered(uv: str, name: str, wanted: dict[str, list[str]], until: float) -> str:
    """The version of the distribution that is there now, if it is another."""
    before, (lacking, broken), unmet = importlib.metadata.version(name), state(wanted), complaints(uv)
    install = (uv, "pip", "install", "--python", sys.executable, "--no-deps", "--reinstall-package", name)
    tried = before
    for day in days():
        if time.monotonic() > until or answer(*install, name, day=day)[0]:
            break
        if tried == (tried := version_of(name)):
            continue
        still, errors = state(wanted)
        if len(still) < len(lacking) and errors <= broken:
            if complaints(uv) <= unmet:
                return tried
            break
    if version_of(name) != before:
        answer(*install, f"{name}=={before}", day=os.environ[LATER])
    return ""


def version_of(name: str) -> str:
    importlib.invalidate_caches()
    return importlib.metadata.version(name)


def main() -> None:
    uv, until = sys.argv[1], time.monotonic() + MOST_SECONDS
    warnings.simplefilter("ignore")
    tops = owners(Path(sysconfig.get_path("purelib")))
    wanted = imported(Path.cwd(), tops)
    found = sorted({tops[module.partition(".")[0]] for module, _ in state(wanted)[0]})
    for name in found[:MOST_LOWERED]:
        own = {module: names for module, names in wanted.items() if tops[module.partition(".")[0]] == name}
        if version := lowered(uv, name, own, until):
            sys.stdout.write(f"{SAID}{name} {version}\n")


if __name__ == "__main__":
    main()
