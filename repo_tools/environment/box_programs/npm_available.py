"""Runs in a box: npm's command, and where the registry lacks something that the manifest asks for, with one that asks
for less.

Of a package whose release is not there (a tag such as ``next``, one that was taken back) any other will do. A
development dependency that cannot be had at all, or that needs what cannot (from a git server, say), is left out: what
does not need it can still be tested. Members of a workspace go without those that they have from elsewhere. What only
another manager understands (``workspace:*``) is put as npm has it. No import but the standard library's: it is sent as
text.
"""

from __future__ import annotations

import glob
import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

MANIFEST = "package.json"
MISSING = re.compile(
    r"(?:No matching version found for |404\s.*?'|\bgit\b.* ls-remote |403 Forbidden - GET )(@?[^@'\s]+)"
)
ELSEWHERE = re.compile(r"(?:git|https?|ssh|github|gitlab|bitbucket|gist|jsr)[:+@].*|[\w-][\w.-]*/[\w.-]+(?:#.*)?")
"""What is no release in a registry (https://docs.npmjs.com/cli/configuring-npm/package-json#dependencies)."""
ANY = "*"
KINDS = ("dependencies", "devDependencies", "optionalDependencies", "peerDependencies")
OF_MEMBERS = re.compile(r"(?:workspace|link|portal):.*")
OF_OTHER_MANAGERS = re.compile(r"(?:workspace|link|portal|catalog|patch):.*")
"""https://yarnpkg.com/protocols, https://pnpm.io/catalogs"""
NOTE = "note of set-up: "  # as `repo_tools.environment.contract` has it


class Manifest:
    """package.json, with fewer development dependencies and other releases."""

    def __init__(self, command: list[str]) -> None:
        self.command = command
        with open(MANIFEST, encoding="utf-8-sig") as file:
            self.content: dict[str, Any] = json.load(file)
        self.development = dict(self.content.get("devDependencies") or {})
        self.loosened: dict[str, str] = {}

    def ask_for_less(self) -> None:
        """What can be had; only as it was where not even `dependencies` can."""
        every = list(self.development)
        while lacking := self.lacking([]):
            if not self.loosen(lacking):
                return
        kept = self.available(every)
        self.write(kept)
        left_out = {*every} - {*kept}
        for name in sorted(left_out):
            say(f"{NOTE}{name} is left out: it cannot be had, or needs what cannot")
        for name in sorted(self.loosened.keys() - left_out):
            say(f"{NOTE}{name}@{self.loosened[name]} is not in the registry: any other release is taken")

    def available(self, names: list[str]) -> list[str]:
        """Those of `names` that can be had."""
        lacking = self.lacking(names)
        if not lacking:
            return names
        if self.loosen(lacking):
            return self.available(names)
        if lacking in names:
            return self.available([name for name in names if name != lacking])
        middle = len(names) // 2
        return [*self.available(names[:middle]), *self.available(names[middle:])] if middle else []

    def lacking(self, names: list[str]) -> str:
        """The first package that is missing where these are asked for; empty where none is."""
        self.write(names)
        code, lacking = carried_out([*self.command, "--dry-run"])
        if code and not lacking:
            sys.exit(code)
        return lacking

    def loosen(self, name: str) -> bool:
        """Whether another release of it may do, from here on."""
        for declared in (self.content.get("dependencies") or {}, self.development):
            if declared.get(name, ANY) != ANY:
                self.loosened[name], declared[name] = declared[name], ANY
                return True
        return False

    def write(self, names: list[str]) -> None:
        self.content["devDependencies"] = {name: self.development[name] for name in names}
        with open(MANIFEST, "w", encoding="utf-8") as file:
            json.dump(self.content, file)


def carried_out(command: list[str]) -> tuple[int, str]:
    """(exit code, the first package that the registry lacks, where that is why)."""
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    output = done.stdout.decode("utf-8", "replace")
    say(output)
    found = MISSING.search(output) if done.returncode else None
    return done.returncode, found[1] if found else ""


def without_elsewhere() -> dict[str, str]:
    """Manifests of members as they were; each has no development dependency from elsewhere now."""
    before = {}
    for path in members():
        text, content = manifest_of(path)
        declared = dict(content["devDependencies"]) if isinstance(content.get("devDependencies"), dict) else {}
        gone = [name for name, version in declared.items() if ELSEWHERE.fullmatch(str(version))]
        if gone:
            before[path] = text
            content["devDependencies"] = {name: version for name, version in declared.items() if name not in gone}
            put(path, json.dumps(content))
        for name in gone:
            say(f"{NOTE}{name}, of {os.path.dirname(path)}, is left out: it is not in the registry")
    return before


def as_npm_has_it() -> dict[str, str]:
    """Manifests as they were, the root's and its members'; each has now what npm knows: of a member its own copy, of
    another manager's list or patch any release, and nothing of a folder that is no member."""
    paths = [MANIFEST, *members()]
    manifests = {path: manifest_of(path) for path in paths}
    own = {content.get("name") for _, content in manifests.values()}
    before = {}
    for path, (text, content) in manifests.items():
        declared = [content[kind] for kind in KINDS if isinstance(content.get(kind), dict)]
        others = [(of, name) for of in declared for name in of if OF_OTHER_MANAGERS.fullmatch(str(of[name]))]
        for of, name in others:
            if OF_MEMBERS.fullmatch(of[name]) and name not in own:
                say(f"{NOTE}{name} is left out: {of.pop(name)} names no member of the workspace")
            else:
                of[name] = ANY
        if others:
            before[path] = text
            put(path, json.dumps(content))
    return before


def manifest_of(path: str) -> tuple[str, dict[str, Any]]:
    """Its text and what it says; nothing where npm says what is wrong with it."""
    try:
        with open(path, encoding="utf-8-sig", newline="") as file:
            text = file.read()
        content = json.loads(text)
    except (OSError, ValueError):
        return "", {}
    return (text, content) if isinstance(content, dict) else ("", {})


def members() -> Iterator[str]:
    """https://docs.npmjs.com/cli/configuring-npm/package-json#workspaces"""
    with open(MANIFEST, encoding="utf-8-sig") as file:
        told = json.load(file).get("workspaces") or []
    patterns = told.get("packages") if isinstance(told, dict) else told
    for pattern in patterns or []:
        yield from sorted(glob.glob(f"{pattern}/{MANIFEST}"))


def put(path: str, text: str) -> None:
    with open(path, "w", encoding="utf-8", newline="") as file:
        file.write(text)


def say(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


def main() -> None:
    command = sys.argv[1:]
    before = as_npm_has_it()
    try:
        code, lacking = carried_out(command)
        if lacking:
            before = {**without_elsewhere(), **before}
            Manifest(command).ask_for_less()
            code, _ = carried_out(command)
    finally:
        for path, text in before.items():
            put(path, text)
    sys.exit(code)


if __name__ == "__main__":
    main()
