"""Runs in a box: prints the versions that a lock file settles, one ``name==version`` a line.

uv.lock, poetry.lock, pdm.lock, pylock.toml, Pipfile.lock. What comes from elsewhere than an index has no line, and
neither has what is locked differently for different platforms or Pythons. No import but the standard library's: it is
sent as text.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from typing import Any

ELSEWHERE = ("git", "path", "editable", "virtual", "directory", "url", "file", "vcs", "archive")


def settled(document: Any) -> Iterator[str]:
    versions: dict[str, set[str]] = {}
    for name, version in packages(document):
        versions.setdefault(name, set()).add(version)
    for name, found in sorted(versions.items()):
        if len(found) == 1:
            yield f"{name}=={found.pop()}"


def packages(document: Any) -> Iterator[tuple[str, str]]:
    for package in document.get("package") or document.get("packages") or ():
        source = package.get("source") or {}
        kind = {source["type"]} if "type" in source else set(source) | set(package)
        if "version" in package and not kind & set(ELSEWHERE):
            yield package["name"], package["version"]
    for section in ("default", "develop"):
        for name, package in (document.get(section) or {}).items():
            if str(package.get("version", "")).startswith("=="):
                yield name, package["version"][2:]


def read(path: str) -> Any:
    with open(path, "rb") as file:
        if path.endswith("Pipfile.lock"):
            return json.load(file)
        import tomllib  # noqa: PLC0415 - not there before Python 3.11, and not needed for JSON

        return tomllib.load(file)


if __name__ == "__main__":
    sys.stdout.write("".join(f"{line}\n" for line in settled(read(sys.argv[1]))))
