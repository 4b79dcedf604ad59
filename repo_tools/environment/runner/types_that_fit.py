"""Runs in a box: asks for TypeScript as the manifest names it at least, and for the newest declarations that it takes.

Each release of declarations says in the registry which TypeScript it needs (``typeScriptVersion``); where none does,
what the manifest names it is, too. So do declarations that others depend on (``overrides``, from npm 8.3 on). No import
but the standard library's: it is sent as text.
"""

from __future__ import annotations

import json
import re
import subprocess
from typing import Any

MANIFEST = "package.json"
KINDS = ("dependencies", "devDependencies")
COMPILER = "typescript"
DECLARATIONS = "@types/"
LEAST = re.compile(r"[\^~>=v\s]*(\d+)\.(\d+)")
FIELDS = ("version", "typeScriptVersion", "dependencies")
MOST = 40
MOST_SECONDS = 60
Release = dict[str, Any]


def main() -> None:
    with open(MANIFEST, encoding="utf-8-sig") as file:
        manifest: dict[str, Any] = json.load(file)
    declared = [each for kind in KINDS if isinstance(each := manifest.get(kind), dict)]
    compiler = next((least_of(each[COMPILER]) for each in declared if COMPILER in each), ())
    known: dict[str, Release] = {}
    for each in declared:
        for name, asked in each.items():
            if name == COMPILER:
                each[name] = as_named(asked)
            elif name.startswith(DECLARATIONS):
                known[name] = newest(name, asked, compiler)
                each[name] = known[name].get("version") or as_named(asked)
    below = beneath(known, compiler)
    manifest["overrides"] = {**below, **(manifest.get("overrides") or {})}
    with open(MANIFEST, "w", encoding="utf-8") as file:
        json.dump(manifest, file)


def beneath(known: dict[str, Release], compiler: tuple[int, ...]) -> dict[str, str]:
    """Name to version of the declarations that `known` ones depend on, and are not among them."""
    every = dict(known)
    left = [each for release in known.values() for each in release.get("dependencies", {}).items()]
    while left and len(every) < MOST:
        name, asked = left.pop(0)
        if name.startswith(DECLARATIONS) and name not in every:
            every[name] = newest(name, asked, compiler)
            left += every[name].get("dependencies", {}).items()
    return {name: release["version"] for name, release in every.items() if release and name not in known}


def as_named(asked: str) -> str:
    """No later minor release."""
    return re.sub(r"^\^(?=\d+\.\d)", "~", asked)


def newest(name: str, asked: str, compiler: tuple[int, ...]) -> Release:
    """Of the releases that will do, the newest one which this compiler takes; empty where that cannot be told."""
    fitting = [each for each in releases(name, asked) if () < least_of(each.get("typeScriptVersion", "")) <= compiler]
    return max(fitting, key=lambda each: numbers_of(each["version"]), default={})


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
