"""Tests behind a task runner: what grunt starts mocha with (https://github.com/pghalliday/grunt-mocha-test). Pure."""

import re
from collections.abc import Iterator
from itertools import islice

from repo_tools.changes import Tree
from repo_tools.environment.contract import ReadFile
from repo_tools.environment.javascript.package_json import Package
from repo_tools.environment.javascript.scripts import Suite
from repo_tools.environment.runners.javascript_command import ScriptCommand

_FILES = ("Gruntfile.js", "gruntfile.js", "Gruntfile.cjs")
_MOCHA = re.compile(r"""(?m)^[ \t]*['"]?(?:mochaTest|simplemocha|mochacli)['"]?\s*:\s*\{""")
_KARMA = re.compile(r"""(?m)^[ \t]*['"]?karma['"]?\s*:\s*\{""")
_TEXT = r"""'[^'\n]*'|"[^"\n]*\""""
_SOURCES = re.compile(rf"""\b(?:src|all)['"]?\s*:\s*(?P<texts>\[[^][{{}}]*\]|{_TEXT})""")
_OPTIONS = re.compile(rf"""\b(?P<name>require|timeout|ui)['"]?\s*:\s*(?P<value>\[[^][{{}}]*\]|{_TEXT}|\d+)""")
_MOST_TASKS = 10
_MOST_BYTES = 100_000


def without_browser(suite: Suite, package: Package, tree: Tree, read: ReadFile) -> list[Suite]:
    """`suite`, or what grunt would run in node where its task also wants a browser, and so could never end well."""
    start = f"{package.folder}/" if package.folder else ""
    path = next((f"{start}{name}" for name in _FILES if f"{start}{name}" in tree), None)
    if path is None or suite.runner != "exit_code" or "mocha" not in package.dependencies:
        return [suite]
    text = read(path)[:_MOST_BYTES].decode("utf-8", "replace")
    runs_grunt = any(re.search(r"\bgrunt\b", word) for word in suite.command.words)
    found = list(_mocha_suites(text, path)) if runs_grunt and _KARMA.search(text) else []
    return found or [suite]


def _mocha_suites(text: str, path: str) -> Iterator[Suite]:
    for task in islice(_MOCHA.finditer(text), _MOST_TASKS):
        block = _block(text[task.end() :])
        patterns = [text for found in _SOURCES.finditer(block) for text in _texts(found["texts"])]
        options = [
            word
            for found in _OPTIONS.finditer(block)
            for value in _texts(found["value"])
            for word in (f"--{found['name']}", value)
        ]
        if patterns and not any("<%" in pattern for pattern in patterns):
            options += [word for one in patterns if one.startswith("!") for word in ("--ignore", one[1:])]
            files = [one for one in patterns if not one.startswith("!")]
            yield Suite(ScriptCommand(("mocha", *options, *files)), "mocha", f"{path}: mocha's task")


def _block(text: str) -> str:
    """Up to the brace that closes what was open before `text`."""
    depth = 1
    for index, character in enumerate(text):
        depth += {"{": 1, "}": -1}.get(character, 0)
        if not depth:
            return text[:index]
    return text


def _texts(value: str) -> list[str]:
    return [value] if value.isdigit() else [text[1:-1] for text in re.findall(_TEXT, value)]
