"""Tests behind a task of gulp: what it gives mocha (https://github.com/sindresorhus/gulp-mocha), as far as the task
itself says so in plain words. Pure."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from repo_tools.changes import Tree
from repo_tools.environment.contract import ReadFile
from repo_tools.environment.javascript.object_text import (
    BUILDS_NOTHING,
    TEXT,
    TEXTS,
    call_of,
    option_words,
    texts_of,
    without_comments,
)
from repo_tools.environment.javascript.package_json import Package
from repo_tools.environment.javascript.script_commands import words_of
from repo_tools.environment.javascript.suite import Suite
from repo_tools.environment.runners.javascript_command import ScriptCommand, program_name
from repo_tools.environment.texts import read_text

_FILES = ("gulpfile.js", "Gulpfile.js")
_TASK = re.compile(
    rf"""\bgulp\.task\(\s{{0,99}}(?P<name>{TEXT})"""
    rf"""(?:\s{{0,99}},\s{{0,99}}(?:gulp\.(?:series|parallel)\(\s{{0,99}})?(?P<needs>(?:{TEXTS})(?:,\s{{0,99}}(?:{TEXT})){{0,20}}))?"""
)
"""https://github.com/gulpjs/gulp/blob/v3.9.1/docs/API.md#gulptask-name--deps--fn, and ``gulp.series`` of gulp 4"""
_SOURCES = re.compile(rf"\bgulp\s{{0,99}}\.src\(\s{{0,99}}(?P<texts>{TEXTS})(?=\s{{0,99}}[,)])")
_IN_SEQUENCE = re.compile(
    rf"\b(?:runSequence|gulpSequence|sequence)\(\s*+(?P<needs>(?:(?:{TEXTS})\s*+,?+\s*+){{1,30}}+)"
)
"""https://github.com/OverZealous/run-sequence#usage"""
_ANY_SOURCES = re.compile(r"\bgulp\s{0,99}\.src\(")
_MOCHA = re.compile(r"\.pipe\(\s{0,99}(?:\$\.|plugins\.)?mocha\((?P<options>[^()]{0,500})\)")
_MEASURED = re.compile(
    rf"{_ANY_SOURCES.pattern}(?:(?!{_ANY_SOURCES.pattern})[^;]){{0,1000}}?"
    r"\.pipe\(\s{0,99}(?:\$\.|plugins\.)?istanbul\("
)
"""What is only watched for what tests reach of it (https://github.com/SBoudrias/gulp-istanbul#usage)."""
_REGISTERED = re.compile(r"""(?m)(?:require\(|^import )\s{0,9}['"](?P<name>[\w@][\w@/-]{0,99}[/-]register)['"]""")
"""Mocha runs in gulp's own process: what its file loads to compile what is loaded later holds for tests too."""
_SETS = re.compile(
    r"""\b(?:process\.env[\w.[\]'"]*|global\.\w+)\s{0,9}=(?!=)|\.\.\.|\bcompilers\s{0,9}:\s{0,9}[^'"\s]"""
)
"""What no command line can say."""
_NAMED_LIKE_TESTS = re.compile(
    r"(?!.*(?:lint|hint|jscs|standard|prettier|watch|clean|build|compil|cover|serve|istanbul))"
    r"(?!.*(?:karma|browser|phantom|protractor|webdriver|sauce))"
    r".*(?:test|unit|spec|integration|functional|acceptance|smoke|e2e|mocha).*",
    re.IGNORECASE,
)
_WATCHES_OR_SHOWS = re.compile(
    r"\b(?:istanbul|watch)\(|\b(?:karma|protractor|phantomjs|webdriver|saucelabs)\b", re.IGNORECASE
)
"""What tests reach of the sources, or what a browser does."""
_NOTHING = re.compile(
    r"\b(?:async|function|return|done|cb|callback|next|(?:console\.|gutil\.|util\.)?log\([^()]{0,200}\))|[\s,;(){}=>]"
)
_IS_NOT_STARTED = re.compile(
    r".*(?:lint|hint|jscs|standard|prettier|karma|jasmine|watch|server|connect|bump|release).*", re.IGNORECASE
)
"""Whatever it writes."""
_CHECKS = re.compile(r"\b(?:jshint|eslint|jscs|tslint|nsp)\b")
_GIVEN_TO = {"mocha", "gulp-mocha"}
_DEEPEST = 5
_MOST_TASKS = 100
_MOST_BYTES = 100_000


@dataclass(frozen=True)
class _Task:
    """`call`: how it is made known, without what it `needs` first; `does`: with what is written after it."""

    needs: tuple[str, ...]
    call: str
    does: str


def of_gulp(suite: Suite, package: Package, tree: Tree, read: ReadFile) -> tuple[list[Suite], str] | None:
    """What `suite`, of which only the exit code would be known, has gulp give mocha, after the tasks that build, and
    what is left out then, and why; None where that cannot be told."""
    path = next((path for name in _FILES if (path := f"{package.start}{name}") in tree), None)
    if path is None or suite.runner != "exit_code" or not _GIVEN_TO & package.dependencies.keys():
        return None
    *earlier, last = suite.commands or [""]
    variables, words = words_of(last)
    words = words[1:] if words[:1] == ("node",) else words
    asked = [word for word in words[1:] if not word.startswith("-")] or ["default"]
    if not words or program_name(words[0]) != "gulp" or len(asked) > 1:
        return None
    text = without_comments(read_text(read, path)[:_MOST_BYTES])
    tasks = _tasks(text)
    started = list(dict.fromkeys(_steps(asked[0], tasks, 0)))
    steps = [name for name in started if name in tasks]
    known = [(index, argv) for index, name in enumerate(steps) if (argv := _tests_of(tasks[name]))]
    if len(known) != 1 or any(_may_test(name, tasks.get(name)) for name in started if name != steps[known[0][0]]):
        return None
    index, words_of_it = known[0]
    loaded = [word for found in _REGISTERED.finditer(text) for word in ("--require", found["name"])]
    argv = ("mocha", *loaded, *words_of_it)
    builds = [f"gulp {name}" for name in steps[:index] if _builds(name, tasks[name])]
    command = ScriptCommand(argv, (*earlier, *builds), variables)
    told = f"{suite.source}, of which only the exit code would be known, but for {path}: {steps[index]}"
    return [Suite(command, "mocha", f"{path}: {steps[index]}")], told


def _tasks(text: str) -> dict[str, _Task]:
    """By name. What one needs first is also what it starts one after the other, if it builds nothing and does no
    more."""
    starts = list(_TASK.finditer(text))[:_MOST_TASKS]
    ends = [*(task.start() for task in starts[1:]), len(text)][: len(starts)]
    found: dict[str, _Task] = {}
    for task, end in zip(starts, ends, strict=True):
        name, needs = texts_of(task["name"])[0], texts_of(task["needs"] or "")
        call = call_of(text[task.start() : end])[len(task[0]) :]
        rest = _IN_SEQUENCE.sub("", call)
        if (name == "default" or BUILDS_NOTHING.fullmatch(name)) and not _NOTHING.sub("", rest):
            needs += [one for started in _IN_SEQUENCE.finditer(call) for one in texts_of(started["needs"])]
            call = rest
        found[name] = _Task(tuple(needs), call, text[task.end() : end])
    return found


def _steps(name: str, tasks: dict[str, _Task], depth: int) -> Iterator[str]:
    if depth < _DEEPEST:
        for needed in tasks[name].needs if name in tasks else ():
            yield from _steps(needed, tasks, depth + 1)
        yield name


def _builds(name: str, task: _Task) -> bool:
    """What writes files does, whatever it is called; a task that checks the sources may be called as it likes too
    (``static``)."""
    if ".dest(" in task.call:
        return not _IS_NOT_STARTED.fullmatch(name)
    return not (_CHECKS.search(task.call) or BUILDS_NOTHING.fullmatch(name))


def _may_test(name: str, task: _Task | None) -> bool:
    """Whether it is called like tests, and does what nobody knows."""
    called_so = bool(_NAMED_LIKE_TESTS.fullmatch(name))
    if task is None:
        return called_so
    known = ".dest(" in task.call or _CHECKS.search(task.call) or _WATCHES_OR_SHOWS.search(task.call)
    return (called_so or name == "default") and bool(_NOTHING.sub("", task.call)) and not known


def _tests_of(task: _Task) -> tuple[str, ...]:
    """Mocha's words that come to what a task does; empty where it does something else too, or with names."""
    does = _MEASURED.sub("", task.call)
    mocha, sources = _MOCHA.search(does), _SOURCES.search(does)
    if not (mocha and sources) or _SETS.search(task.does) or does.count("mocha(") != 1:
        return ()
    if len(_ANY_SOURCES.findall(does[: mocha.start()])) != 1:
        return ()
    files = dict.fromkeys(texts_of(sources["texts"]))
    left_out = [word for one in files if one.startswith("!") for word in ("--ignore", one[1:])]
    return (*option_words(mocha["options"]), *left_out, *(one for one in files if not one.startswith("!")))
