"""Runs in a box: tells which file each of cargo's targets is, puts the options that stand for asked files in the place
of one word, and becomes the command that is left.

Cargo itself tells paths from each crate's own folder, and a target may be called otherwise than its file. No import but
the standard library's: it is sent as text.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys

MARK = "--of-asked-files"
_OPTIONS = {"test": "--test", "bin": "--bin", "example": "--example", "bench": "--bench"}


def targets() -> list[tuple[str, str, str, str]]:
    """(name, file, kind, package) of each; none where cargo does not say."""
    argv = ["cargo", "metadata", "--no-deps", "--offline", "--format-version", "1"]
    try:
        told = subprocess.run(argv, check=False, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout
        packages = json.loads(told)["packages"]
        return [(t["name"], t["src_path"], t["kind"][0], p["name"]) for p in packages for t in p["targets"]]
    except (OSError, ValueError, KeyError, TypeError, IndexError):
        return []


def options(asked: list[str], known: list[tuple[str, str, str, str]]) -> list[str]:
    """None where a file belongs to no target alone: then every target is asked."""
    found = [option(path, known) for path in asked]
    return sorted({each for each in found if each}) if all(found) else []


def option(path: str, known: list[tuple[str, str, str, str]]) -> str:
    for name, place, kind, _ in known:
        folder, file = os.path.split(place)
        of_it = path.startswith(f"{folder}/") and file == "main.rs" and kind in ("test", "bin")
        if path == place or (of_it and os.path.basename(folder) != "src"):
            return f"{_OPTIONS[kind]}={name}" if kind in _OPTIONS else "" if kind == "custom-build" else "--lib"
    return ""


def main(asked: list[str], argv: list[str]) -> None:
    known = targets()
    sys.stdout.write(json.dumps({"targets": known}) + "\n")
    sys.stdout.flush()
    if MARK in argv:
        place = argv.index(MARK)
        argv[place : place + 1] = options(asked, known)
    os.execvp(argv[0], argv)  # noqa: S606 - no shell is wanted


if __name__ == "__main__":
    main(json.loads(sys.argv[1]), sys.argv[2:])
