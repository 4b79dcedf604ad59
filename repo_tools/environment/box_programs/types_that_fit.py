"""Runs in a box: asks for TypeScript as the manifest names it at least, and for the newest declarations that it takes.

Each release of declarations says in the registry which TypeScript it needs (``typeScriptVersion``); where none does,
what the manifest names it is, too. The compiler loads all that lie in ``node_modules/@types``, whoever asked for them
(https://www.typescriptlang.org/tsconfig/#types). So, called with a command that installs, it has what does not fit of
these replaced by it. No import but the standard library's: it is sent as text.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

MANIFEST = "package.json"
KINDS = ("dependencies", "devDependencies")
COMPILER = "typescript"
DECLARATIONS = "@types/"
LEAST = re.compile(r"[\^~>=v\s]*(\d+)\.(\d+)")
FIELDS = ("version", "typeScriptVersion")
INSTALLED = Path("node_modules")
MOST = 40
MOST_SECONDS = 60
Release = dict[str, Any]


def main() -> None:
    if sys.argv[1:]:
        sys.exit(replace_installed(sys.argv[1:]))
    with open(MANIFEST, encoding="utf-8-sig") as file:
        manifest: dict[str, Any] = json.load(file)
    declared = [each for kind in KINDS if isinstance(each := manifest.get(kind), dict)]
    compiler = next((least_of(each[COMPILER]) for each in declared if COMPILER in each), ())
    for each in declared:
        for name, asked in each.items():
            if name == COMPILER:
                each[name] = as_named(asked)
            elif name.startswith(DECLARATIONS):
                each[name] = newest(name, asked, compiler) or as_named(asked)
    with open(MANIFEST, "w", encoding="utf-8") as file:
        json.dump(manifest, file)


def replace_installed(install: list[str]) -> int:
    """The exit code of `install`, called with the declarations to be had instead; 0 where all fit."""
    compiler = least_of(installed(COMPILER).get("version", ""))
    names = sorted(DECLARATIONS + each.name for each in INSTALLED.glob(f"{DECLARATIONS}*"))[:MOST]
    unfit = [name for name in names if least_of(installed(name).get("typeScriptVersion", "")) > compiler > ()]
    wanted = [f"{name}@{version}" for name in unfit if (version := newest(name, "*", compiler))]
    return subprocess.run([*install, *wanted], check=False).returncode if wanted else 0


def installed(name: str) -> Release:
    """What an installed package says of itself; empty where it says nothing."""
    try:
        told = json.loads((INSTALLED / name / MANIFEST).read_text("utf-8-sig"))
    except (OSError, ValueError):
        return {}
    return told if isinstance(told, dict) else {}


def as_named(asked: str) -> str:
    """No later minor release."""
    return re.sub(r"^\^(?=\d+\.\d)", "~", asked)


def newest(name: str, asked: str, compiler: tuple[int, ...]) -> str:
    """Of the releases that will do, the newest one which this compiler takes; empty where that cannot be told."""
    fitting = [each for each in releases(name, asked) if () < least_of(each.get("typeScriptVersion", "")) <= compiler]
    return max((each["version"] for each in fitting), key=numbers_of, default="")


def releases(name: str, asked: str) -> list[Release]:
    """Any will do: npm tells of the newest alone, unless it is asked for those from 0 on."""
    command = ["npm", "view", f"{name}@{'>=0' if asked == '*' else asked}", *FIELDS, "--json"]
    try:
        done = subprocess.run(command, capture_output=True, timeout=MOST_SECONDS, check=False)
        told = json.loads(done.stdout)
    except (OSError, ValueError, subprocess.TimeoutExpired):
        return []
    every = told if isinstance(told, list) else [told]
    return [each for each in every if isinstance(each, dict) and "version" in each]


def least_of(asked: str) -> tuple[int, ...]:
    found = LEAST.match(asked)
    return tuple(map(int, found.groups())) if found else ()


def numbers_of(version: str) -> list[int]:
    return [int(number) for number in re.findall(r"\d+", version)]


if __name__ == "__main__":
    main()
