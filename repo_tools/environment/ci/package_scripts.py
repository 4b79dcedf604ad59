"""What stands in the scripts of a ``package.json`` that a CI's commands start. Nothing is run."""

import re
from collections.abc import Iterable, Iterator
from itertools import chain
from posixpath import dirname

from repo_tools.environment.ci.commands import CommandEvidence, commands_of
from repo_tools.environment.commands import root_relative
from repo_tools.environment.contract import ReadFile
from repo_tools.environment.javascript.package_json import Package, read_package
from repo_tools.environment.javascript.script_calls import called_scripts

MANIFEST = "package.json"


def scripts_started(command: CommandEvidence, read: ReadFile) -> tuple[str, ...]:
    """Names of the scripts of the package in its directory that a command starts."""
    scripts = _package(command.directory, read).scripts
    called = () if command.is_install else called_scripts(" ".join(command.program), scripts)
    return tuple(dict.fromkeys(name for name, _ in called))


def commands_in_scripts(names: Iterable[str], path: str, directory: str, read: ReadFile) -> Iterator[CommandEvidence]:
    """Those of the scripts of the ``package.json`` at `path`, each behind what the manager runs before it."""
    package = _package(dirname(path), read)
    lines = read(path).decode(errors="replace").split("\n")
    for name in chain.from_iterable((f"pre{called}", called) for called in names):
        if name in package.scripts:
            key = re.compile(rf'\s*"{re.escape(name)}"\s*:')
            line = next((number for number, text in enumerate(lines, start=1) if key.match(text)), 1)
            yield from commands_of(package.scripts[name], directory, path, line)


def manifest_of(command: CommandEvidence) -> str:
    return root_relative(MANIFEST, command.directory)


def _package(folder: str, read: ReadFile) -> Package:
    return read_package(folder, read) or Package(folder)
