"""Runs in a box: asks for TypeScript as the manifest names it at least, and for the newest declarations that it takes.

Each release of declarations says in the registry which TypeScript it needs (``typeScriptVersion``); where none does,
what the manifest names it is, too. No import but the standard library's: it is sent as text.
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
MOST_SECONDS = 60


def main() -> None:
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


def as_named(asked: str) -> str:
    """No later minor release."""
    return re.sub(r"^\^(?=\d+\.\d)", "~", asked)


def newest(name: str, asked: str, compiler: tuple[int, ...]) -> str:
    """Of the releases that will do, the newest one which this compiler takes; empty where that cannot be told."""
    fitting = [each for each in releases(name, asked) if () < least_of(each.get("typeScriptVersion", "")) <= compiler]
    return max((each["version"] for each in fitting), key=numbers_of, default="")


def releases(name: str, asked: str) -> list[dict[str, str]]:
    command = ["npm", "view", f"{name}@{asked}", "version", "typeScriptVersion", "--json"]
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
