"""Suites that vitest runs in a browser by its settings (https://vitest.dev/guide/browser/): whole ones, or some of the
projects of one (https://vitest.dev/guide/projects). Pure."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from posixpath import normpath

from repo_tools.changes import Tree
from repo_tools.environment.contract import ReadFile
from repo_tools.environment.javascript.object_text import block_of, without_comments
from repo_tools.environment.javascript.package_json import Package
from repo_tools.environment.javascript.suite import Suite
from repo_tools.environment.runners.javascript_command import without_options
from repo_tools.environment.texts import as_text

_SETTINGS = tuple(
    f"{name}.{ending}"
    for name in ("vitest.workspace", "vitest.config", "vite.config")
    for ending in ("ts", "mts", "js", "mjs")
)
_KEY = r"""(?<![\w.$])['"]?{}['"]?\s*:\s*"""
_BROWSER = re.compile(_KEY.format("browser") + r"\{")
_ENABLED = re.compile(_KEY.format("enabled") + r"true\b")
_TEST = re.compile(_KEY.format("test") + r"\{")
_NAME = re.compile(_KEY.format("name") + r"""['"]([^'"]+)['"]""")
_SEVERAL = re.compile(_KEY.format("(?:projects|workspace)") + r"\[|defineWorkspace\(\s*\[|export\s+default\s*\[")
_PROJECT = frozenset(("--project",))
_MOST_BYTES = 100_000


@dataclass(frozen=True)
class _Project:
    """One without a name is called by its place among them."""

    name: str
    in_a_browser: bool


def in_node(suite: Suite, package: Package, tree: Tree, read: ReadFile) -> tuple[Suite | None, str]:
    """`suite` as far as it needs no browser, and what is left out, for a person; where no settings tell, all of it."""
    words = suite.command.words
    if suite.runner != "vitest":
        return suite, ""
    if asked := next((word for word in words if re.fullmatch(r"--browser(?:\.enabled)?(?:=(?!false).*)?", word)), ""):
        return None, f"{suite.source} ({asked}), which needs a browser"
    place = next((path for path in _places(words, package) if path in tree), "")
    every = _projects(without_comments(as_text(read(place)[:_MOST_BYTES]))) if place else []
    wanted = re.findall(r"(?<=--project[ =])[^\s*!]+(?= |$)", " ".join(words))
    projects = [project for project in every if project.name in wanted] or every
    left_out = [project.name for project in projects if project.in_a_browser]
    if not left_out:
        return suite, ""
    if len(left_out) == len(projects):
        return None, f"{suite.source} ({place}), which needs a browser"
    names = (project.name for project in projects if not project.in_a_browser)
    kept = (f"--project={name}*" if name.isdigit() else f"--project={name}" for name in names)  # a number is refused
    command = replace(suite.command, words=(*without_options(words, _PROJECT, _PROJECT), *kept))
    told = f"{suite.source}: project {', '.join(left_out)} ({place}), which needs a browser"
    return replace(suite, command=command), told


def _projects(text: str) -> list[_Project]:
    """Those that stand in these settings, or the one that these are; none where they are told otherwise."""
    found = _SEVERAL.search(text)
    written = _objects(text[found.end() :]) if found else [text]
    return [_Project(_name_of(one) or str(place), _is_in_a_browser(one)) for place, one in enumerate(written)]


def _objects(text: str) -> list[str]:
    """Of an array that has begun; none where something else stands in it."""
    objects, depth, began = list[str](), 0, 0
    for found in re.finditer(r"[][{}()]|[^][{}()\s,]+", text):
        mark = found[0]
        if not depth and mark == "{":
            began = found.start()
        elif not depth:
            return objects if mark == "]" else []
        depth += (mark in "[{(") - (mark in "]})")
        if not depth:
            objects.append(text[began : found.end()])
    return []


def _name_of(project: str) -> str:
    test = _TEST.search(project)
    found = _NAME.search(project[test.end() :] if test else project)
    return found[1] if found else ""


def _is_in_a_browser(project: str) -> bool:
    return any(_ENABLED.search(block_of(project[found.end() :])) for found in _BROWSER.finditer(project))


def _places(words: tuple[str, ...], package: Package) -> Iterator[str]:
    """Where its settings may stand, the likeliest first."""
    named = re.search(r"(?:^| )(?:-c|--config)[ =](\S+)", " ".join(words))
    for name in (named[1],) if named else _SETTINGS:
        yield normpath(f"{package.start}{name}")
