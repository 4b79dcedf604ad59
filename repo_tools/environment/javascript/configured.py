"""A runner that a package has settings for, in the place of a program of its own that starts it. Pure."""

import re
from dataclasses import replace

from repo_tools.changes import Tree
from repo_tools.environment.contract import ReadFile
from repo_tools.environment.javascript.package_json import Package
from repo_tools.environment.javascript.script_commands import is_build, may_test
from repo_tools.environment.javascript.suite import Scripted, Suite
from repo_tools.environment.runners.javascript_command import ScriptCommand
from repo_tools.environment.texts import text_at

_SETTINGS = {
    "jest": re.compile(r"jest\.config\.(?:[cm]?[jt]s|json)"),
    "vitest": re.compile(r"vitest\.(?:config|workspace)\.[cm]?[jt]s"),
}
"""https://jestjs.io/docs/configuration, https://vitest.dev/config/: files that these find by themselves."""
_WORDS = {"jest": ("jest",), "vitest": ("vitest", "run")}


def as_configured(found: Scripted, package: Package, tree: Tree) -> Scripted:
    """`found`, with the runner that has settings here where only an exit code of the package's tests would be known
    (``test: ./scripts/test.sh``, ``test: make test``), and this runner is not known to be started otherwise."""
    name, place = _settings(package, tree)
    whole = next((suite for suite in found.suites if suite.runner == "exit_code" and not suite.everywhere), None)
    if whole is None or not name or any(suite.runner == name for suite in found.suites):
        return found
    builds = tuple(part for part in whole.commands if is_build(part) and not may_test(part))
    suite = Suite(ScriptCommand(_WORDS[name], builds), name, f"{place}: {name}'s settings")
    told = f"{whole.source}, of which only the exit code would be known, but for {suite.source}"
    suites = tuple(suite if each is whole else each for each in found.suites)
    return replace(found, suites=suites, left_out=(told, *found.left_out))


def of_every_project(own: Scripted, root: Package, tree: Tree, read: ReadFile) -> Suite | None:
    """The runner whose settings at the root name the projects of the repository, where the root has nx test these: it
    needs no scripts of theirs (https://nx.dev/docs/reference/project-configuration)."""
    by_nx = next((suite for suite in own.suites if suite.everywhere and "nx" in suite.command.words[:2]), None)
    name, place = _settings(root, tree)
    if by_nx is None or not place or not re.search(r"(?i)projects|workspace", place + text_at(place, tree, read)):
        return None
    return Suite(ScriptCommand(_WORDS[name]), name, f"{place}: {name}'s settings, for what nx tests")


def _settings(package: Package, tree: Tree) -> tuple[str, str]:
    """(runner, where its settings stand); empty where none is installed that has any."""
    for name, file in _SETTINGS.items():
        if name in package.dependencies:
            if isinstance(package.content.get(name), dict):
                return name, "package.json"
            if places := [
                path for path in tree if path.startswith(package.start) and file.fullmatch(path, len(package.start))
            ]:
                return name, min(places).removeprefix(package.start)
    return "", ""
