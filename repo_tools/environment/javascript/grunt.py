"""Tests behind a task of grunt: what it starts mocha or nodeunit with. Pure.

https://github.com/pghalliday/grunt-mocha-test, https://github.com/gruntjs/grunt-contrib-nodeunit
"""

import re
from collections.abc import Iterator
from itertools import islice

from repo_tools.changes import Tree
from repo_tools.environment.contract import ReadFile
from repo_tools.environment.javascript.object_text import BUILDS_NOTHING, TEXT, block_of, option_words, texts_of
from repo_tools.environment.javascript.package_json import Package
from repo_tools.environment.javascript.script_commands import words_of
from repo_tools.environment.javascript.suite import Suite
from repo_tools.environment.runners.javascript_command import ScriptCommand
from repo_tools.environment.texts import as_text

_FILES = ("Gruntfile.js", "gruntfile.js", "Gruntfile.cjs")
_RUNNERS = {"mochaTest": "mocha", "simplemocha": "mocha", "mochacli": "mocha", "nodeunit": "nodeunit"}
"""By the name of a task."""
_PACKAGES = frozenset(
    ("mocha", "grunt-mocha-test", "grunt-simple-mocha", "grunt-mocha-cli", "nodeunit", "grunt-contrib-nodeunit")
)
"""Those with which these runners are installed."""
_TASK = re.compile(rf"""(?m)^[ \t]*['"]?(?P<task>{"|".join(_RUNNERS)})['"]?\s*:\s*\{{""")
_OPTIONS = re.compile(r"""\boptions['"]?\s*:\s*\{""")
_TEXTS = rf"(?P<texts>\[[^][{{}}]*\]|{TEXT})"
_SOURCES = {
    "mocha": re.compile(rf"""\b(?:src|all)['"]?\s*:\s*{_TEXTS}"""),
    "nodeunit": re.compile(rf"""\b[\w$-]{{1,99}}['\"]?\s{{0,99}}:\s{{0,99}}{_TEXTS}"""),
}
"""nodeunit's targets, each called as one likes, mostly hold nothing but files
(https://gruntjs.com/configuring-tasks#files-array-format)."""
_NEXT = r"\s{0,99},\s{0,99}"
_REGISTERED = re.compile(
    rf"registerTask\(\s{{0,99}}(?P<name>{TEXT}){_NEXT}(?:(?:{TEXT}){_NEXT})?"
    rf"(?P<tasks>\[[^][]{{0,2000}}\]|{TEXT})\s{{0,99}}(?:\)|\.concat\()"
)
"""https://gruntjs.com/creating-tasks#alias-tasks"""
_MAY_BE_KARMAS = re.compile(r"(?:karma|test|unit|spec)(?:\W.*)?")
_MOST_TASKS = 10
_MOST_TARGETS = 5
_MOST_STEPS = 100
_MOST_BYTES = 100_000


def in_parts(suite: Suite, package: Package, tree: Tree, read: ReadFile) -> tuple[list[Suite], str]:
    """`suite`, or what grunt would run in node with a known runner, and what is left out then, and why: only its exit
    code would be known."""
    path = next((path for name in _FILES if (path := f"{package.start}{name}") in tree), None)
    if path is None or suite.runner != "exit_code" or _PACKAGES.isdisjoint(package.dependencies):
        return [suite], ""
    text = as_text(read(path)[:_MOST_BYTES])
    *earlier, last = suite.commands or [""]
    asked = _asked(last)
    steps = _steps(asked, text) if asked else []
    wanted = {step for step in steps if step.partition(":")[0] in _RUNNERS}
    before = tuple(step for step in steps[: min(map(steps.index, wanted), default=0)] if _builds(step))
    builds = (*earlier, *((" ".join(("grunt", *before)),) if before else ()))
    found = list(_suites(text, path, builds, wanted))
    tasks = " and ".join(dict.fromkeys(f"{each.runner}'s task" for each in found))
    told = f"{suite.source}, of which only the exit code would be known, but for {path}: {tasks}"
    return (found, told) if found else ([suite], "")


def built_before_karma(part: str, package: Package, tree: Tree, read: ReadFile) -> str:
    """A command for what grunt builds before its first task that may be karma's; empty where `part` starts no grunt
    or that builds nothing. Its end decides nothing: some builds only guard, or write what is for people."""
    path = next((path for name in _FILES if (path := f"{package.start}{name}") in tree), None)
    steps = _steps(_asked(part), as_text(read(path)[:_MOST_BYTES])) if path else []
    first = next((place for place, step in enumerate(steps) if _MAY_BE_KARMAS.fullmatch(step)), 0)
    built = [step for step in steps[:first] if _builds(step)]
    return " ".join(("grunt", "--force", *built, "||", "true")) if built else ""


def _asked(part: str) -> list[str]:
    """The tasks that a command has grunt run; none where it starts something else."""
    words = words_of(part)[1]
    tasks = [word for word in words[1:] if re.fullmatch(r"[\w:.][\w:.-]*", word)]
    return (tasks or ["default"]) if words[:1] == ("grunt",) else []


def _steps(asked: list[str], text: str) -> list[str]:
    """What these come to, in their order; not what stands for others."""
    named = {texts_of(found["name"])[0]: texts_of(found["tasks"]) for found in _REGISTERED.finditer(text)}
    found: list[str] = []
    waiting = asked[::-1]
    for _ in range(_MOST_STEPS):
        if not waiting:
            break
        task = waiting.pop()
        others = named.pop(task, None)
        waiting += [] if others is None else others[::-1]
        found += [task] if others is None else []
    return found


def _builds(step: str) -> bool:
    return not BUILDS_NOTHING.fullmatch(step) and bool(re.fullmatch(r"[\w:.-]+", step))


def _suites(text: str, path: str, before: tuple[str, ...], wanted: set[str]) -> Iterator[Suite]:
    """Those of the tasks `wanted` (``mochaTest``, or ``mochaTest:unit``, which is one target of it)."""
    for task in islice(_TASK.finditer(text), _MOST_TASKS):
        block, runner = block_of(text[task.end() :]), _RUNNERS[task["task"]]
        whole = task["task"] in wanted
        targets = [name.partition(":")[2] for name in sorted(wanted) if name.startswith(f"{task['task']}:")]
        blocks = [block] if whole else [_target(block, name) for name in targets[:_MOST_TARGETS]]
        patterns = [text for each in blocks for text in _patterns(each, runner)]
        odd = ("<%",) if runner == "mocha" else ("<%", "!")
        if patterns and not any(mark in pattern for mark in odd for pattern in patterns):
            yield Suite(ScriptCommand(_words(runner, block, patterns), before), runner, f"{path}: {runner}'s task")


def _patterns(block: str, runner: str) -> list[str]:
    if runner == "nodeunit" and (options := _OPTIONS.search(block)):
        block = block[: options.start()] + block[options.end() + len(block_of(block[options.end() :])) :]
    return [text for found in _SOURCES[runner].finditer(block) for text in texts_of(found["texts"])]


def _words(runner: str, block: str, patterns: list[str]) -> tuple[str, ...]:
    files = dict.fromkeys(one for one in patterns if not one.startswith("!"))
    if runner != "mocha":
        return (runner, *files)
    ignored = [word for one in patterns if one.startswith("!") for word in ("--ignore", one[1:])]
    return (runner, *option_words(block), *ignored, *files)


def _target(block: str, name: str) -> str:
    start = rf"""(?<![\w$-])['"]?{re.escape(name)}['"]?\s{{0,99}}:\s{{0,99}}"""
    if found := re.search(rf"{start}\{{", block):
        return block_of(block[found.end() :])
    files = re.search(f"{start}{_TEXTS}", block)
    return files[0] if files else ""
