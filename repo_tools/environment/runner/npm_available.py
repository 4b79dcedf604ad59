"""Runs in a box: npm's command, and where the registry lacks something that the manifest asks for, with one that asks
for less.

Of a package whose release is not there (a tag such as ``next``, one that was taken back) any other will do. A
development dependency that cannot be had at all, or that needs what cannot (from a git server, say), is left out: what
does not need it can still be tested. No import but the standard library's: it is sent as text.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from typing import Any

MANIFEST = "package.json"
MISSING = re.compile(r"(?:No matching version found for |404\s.*?'|\bgit\b.* ls-remote )(@?[^@'\s]+)")
ANY = "*"
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


def say(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


def main() -> None:
    command = sys.argv[1:]
    code, lacking = carried_out(command)
    if lacking:
        Manifest(command).ask_for_less()
        code, _ = carried_out(command)
    sys.exit(code)


if __name__ == "__main__":
    main()
