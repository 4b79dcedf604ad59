"""What stands in the scripts of a ``package.json`` that a CI's commands start. Nothing is run."""

import re
from collections.abc import Iterable, Iterator
from itertools import chain

from repo_tools.environment.ci.commands import CommandEvidence
from repo_tools.environment.ci.script_commands import commands_of
from repo_tools.environment.contract import ReadFile
from repo_tools.environment.javascript.package_json import Package
from repo_tools.environment.javascript.script_calls import called_scripts
from repo_tools.environment.texts import as_text


def scripts_started(command: CommandEvidence, package: Package) -> tuple[str, ...]:
    """Names of the scripts of the package in its directory that a command starts."""
    called = () if command.is_install else called_scripts(" ".join(command.program), package.scripts)
    return tuple(dict.fromkeys(name for name, _ in called))


def commands_in_scripts(names: Iterable[str], package: Package, read: ReadFile) -> Iterator[CommandEvidence]:
    """Those of these scripts, each behind what the manager runs before it."""
    lines = as_text(read(package.path)).split("\n")
    for name in chain.from_iterable((f"pre{called}", called) for called in names):
        if name in package.scripts:
            key = re.compile(rf'\s*"{re.escape(name)}"\s*:')
            line = next((number for number, text in enumerate(lines, start=1) if key.match(text)), 1)
            yield from commands_of(package.scripts[name], package.folder, package.path, line)
