"""What Angular's own program tests with karma, each project that its settings name, or with vitest
(https://angular.dev/cli/test). Pure."""

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from repo_tools.changes import Tree
from repo_tools.environment.contract import ReadFile
from repo_tools.environment.javascript.package_json import Package
from repo_tools.environment.runners.javascript_command import split_operands
from repo_tools.environment.runners.karma import WITH_VALUE
from repo_tools.environment.runners.vitest import BY_ANGULAR
from repo_tools.environment.settings_text import table
from repo_tools.environment.texts import as_text

_COMMENT = re.compile(r"(?m)^[ \t]*//.*$")
_NO_PROJECT = {"": {"root": ""}}
_BY_VITEST = "@angular/build:unit-test"
_IN_A_BROWSER = ("--browsers", "--ui")


def by_project(words: tuple[str, ...], package: Package, tree: Tree, read: ReadFile) -> Iterator[tuple[str, ...]]:
    """`words` (``ng test``) once for each project that karma tests, its settings named as the program's release has
    it."""
    options, operands = split_operands(words[2:], WITH_VALUE)
    if f"{package.start}.angular-cli.json" in tree:  # before release 6
        yield (*words[:2], *options, "--single-run", "--config=karma.conf.js")
        return
    projects = _projects(f"{package.start}angular.json", tree, read)
    named = {name: project for name, project in projects.items() if name in operands} or projects
    tested = {name: project for name, project in named.items() if _is_tested(project, package, tree)}
    for name, project in (tested if projects else _NO_PROJECT).items():
        settings = table(_test(project), "options").get("karmaConfig") or ""
        yield (*words[:2], *filter(None, (name,)), *options, f"--karma-config={settings}")


def is_by_vitest(words: tuple[str, ...], package: Package, tree: Tree, read: ReadFile) -> bool:
    """Whether `words` (``ng test``) test one project, with vitest in node (https://angular.dev/guide/testing): this
    takes a reporter, and files of the one project alone."""
    if words[:2] != BY_ANGULAR or any(word.startswith(_IN_A_BROWSER) for word in words):
        return False
    operands = split_operands(words[2:], WITH_VALUE)[1]
    projects = _projects(f"{package.start}angular.json", tree, read)
    tested = [_test(project) for name, project in projects.items() if name in operands or not operands]
    tested = [test for test in tested if test]
    if len(tested) != 1:
        return False
    options = table(tested[0], "options")
    by_vitest = tested[0].get("builder") == _BY_VITEST and options.get("runner", "vitest") == "vitest"
    return by_vitest and not options.get("browsers") and "vitest" in package.dependencies


def _projects(path: str, tree: Tree, read: ReadFile) -> Mapping[str, Any]:
    if path not in tree:
        return {}
    try:
        told = json.loads(_COMMENT.sub("", as_text(read(path))))
    except (ValueError, RecursionError):
        return {}
    projects = table(told, "projects") if isinstance(told, dict) else {}
    return {name: project for name, project in projects.items() if isinstance(project, dict)}


def _is_tested(project: Mapping[str, Any], package: Package, tree: Tree) -> bool:
    folder = str(project.get("sourceRoot") or project.get("root") or "").strip("/")
    start = f"{package.start}{folder}/" if folder else package.start
    builder = str(_test(project).get("builder", ""))
    asked = table(_test(project), "options").get("runner")
    by_karma = "karma" in builder or asked == "karma"
    return by_karma and any(path.startswith(start) and path.endswith((".spec.ts", ".test.ts")) for path in tree)


def _test(project: Mapping[str, Any]) -> Mapping[str, Any]:
    return table(project, "architect", "test") or table(project, "targets", "test")
