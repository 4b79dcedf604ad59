"""Tests behind a task of gulp: what it gives mocha (https://github.com/sindresorhus/gulp-mocha), or jest. Pure."""

import re
from collections.abc import Iterator
from itertools import islice

from repo_tools.changes import Tree
from repo_tools.environment.contract import ReadFile
from repo_tools.environment.javascript.object_text import BUILDS_NOTHING, TEXT, block_of, option_words, texts_of
from repo_tools.environment.javascript.package_json import Package
from repo_tools.environment.javascript.script_commands import words_of
from repo_tools.environment.javascript.walk import Suite
from repo_tools.environment.runners.javascript_command import ScriptCommand, program_name
from repo_tools.environment.texts import as_text

_FILES = ("gulpfile.js", "Gulpfile.js")
_TASK = re.compile(
    rf"""\bgulp\.task\(\s{{0,99}}(?P<name>{TEXT})"""
    rf"""(?:\s{{0,99}},\s{{0,99}}(?:gulp\.(?:series|parallel)\()?(?P<needs>\[[^][]{{0,500}}\]|(?:{TEXT})(?:,\s{{0,99}}(?:{TEXT})){{0,20}}))?"""
)
"""https://github.com/gulpjs/gulp/blob/v3.9.1/docs/API.md#gulptask-name--deps--fn, and ``gulp.series`` of gulp 4"""
_SOURCES = re.compile(rf"""\bgulp\s{{0,99}}\.src\(\s{{0,99}}(?P<texts>\[[^][]{{0,2000}}\]|{TEXT})""")
_NAMED_SOURCES = re.compile(
    r"(\bgulp\s{0,99}\.src\(\s{0,99})([A-Za-z_$][\w$]{0,99}(?:\.[A-Za-z_$][\w$]{0,99})?)(?=\s{0,99}[,)])"
)
_CONSTANT = re.compile(
    rf"(?m)^(?:var|let|const) (?P<name>[\w$]{{1,99}})\s{{0,9}}=\s{{0,9}}(?P<texts>\[[^][]{{0,2000}}\]|{TEXT})"
)
_OBJECT = re.compile(r"(?m)^(?:var|let|const) (?P<name>[\w$]{1,99})\s{0,9}=\s{0,9}\{")
_PROPERTY = re.compile(
    rf"""(?:^|[{{,])\s{{0,99}}['"]?(?P<name>[\w$]{{1,99}})['"]?\s{{0,9}}:\s{{0,9}}"""
    rf"(?P<texts>\[[^][]{{0,2000}}\]|{TEXT})(?=\s{{0,9}}(?:,|$|//))",
    re.MULTILINE,
)
_IN_SEQUENCE = re.compile(
    rf"\b(?:runSequence|gulpSequence|sequence)\(\s{{0,99}}"
    rf"(?P<needs>(?:(?:\[[^][]{{0,500}}\]|{TEXT})\s{{0,99}},?\s{{0,99}}){{1,30}})"
)
"""https://github.com/OverZealous/run-sequence#usage"""
_FUNCTION = re.compile(
    r"(?ms)^(?:(?:async )?function (?P<name>[\w$]{1,99})\((?:\w{0,99})\)"
    r"|(?:var|let|const) (?P<other>[\w$]{1,99}) = (?:function ?)?\(?\w{0,99}\)?(?: =>)?)"
    r"\s{0,9}\{(?P<does>.{0,3000}?)^\};?$"
)
"""One of the file itself, as far as its end stands alone."""
_CALLED = re.compile(r"(?<![\w$.])(?P<name>[A-Za-z_$][\w$]{0,99})\(\)")
_GIVEN = re.compile(r"(,\s{0,99})(?P<name>[A-Za-z_$][\w$]{0,99})(?=\s{0,99}\))")
_RETURNED = re.compile(r"(?s)\s*return\s(?P<value>[^;]+?);?\s*")
_ANY_SOURCES = re.compile(r"\bgulp\s{0,99}\.src\(")
_MOCHA = re.compile(r"\.pipe\(\s{0,99}(?:\$\.|plugins\.)?mocha\((?P<options>[^()]{0,500})\)")
_JEST = re.compile(r"\.pipe\(\s{0,99}(?:\$\.|plugins\.)?jest\(")
"""It runs what jest's own settings say (https://github.com/alansouzati/gulp-jest)."""
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
_CHECKS = re.compile(r"\b(?:jshint|eslint|jscs|tslint|nsp)\b")
_GIVEN_TO = {"mocha", "gulp-mocha", "gulp-jest"}
_DEEPEST = 5
_MOST_TASKS = 100
_MOST_OBJECTS, _LONGEST_OBJECT = 20, 5_000
_MOST_BYTES = 100_000


def of_gulp(suite: Suite, package: Package, tree: Tree, read: ReadFile) -> tuple[list[Suite], str] | None:
    """What `suite`, of which only the exit code would be known, has gulp give mocha or jest, after the tasks that
    build, and what is left out then, and why; None where that cannot be told."""
    path = next((path for name in _FILES if (path := f"{package.start}{name}") in tree), None)
    if path is None or suite.runner != "exit_code" or not _GIVEN_TO & package.dependencies.keys():
        return None
    *earlier, last = suite.commands or [""]
    variables, words = words_of(last)
    words = words[1:] if words[:1] == ("node",) else words
    asked = [word for word in words[1:] if not word.startswith("-")] or ["default"]
    if not words or program_name(words[0]) != "gulp" or len(asked) > 1:
        return None
    text = _with_functions(_spelled_out(as_text(read(path)[:_MOST_BYTES])))
    tasks = _tasks(text)
    steps = list(dict.fromkeys(_steps(asked[0], tasks, 0)))
    known = [(index, argv) for index, name in enumerate(steps) if (argv := _tests_of(tasks[name][1]))]
    if len(known) != 1:
        return None
    index, (runner, *words_of_it) = known[0]
    loaded = [word for found in _REGISTERED.finditer(text) for word in ("--require", found["name"])]
    argv = (runner, *(loaded if runner == "mocha" else ()), *words_of_it)
    builds = [f"gulp {name}" for name in steps[:index] if _builds(name, tasks[name][1])]
    command = ScriptCommand(argv, (*earlier, *builds), variables)
    told = f"{suite.source}, of which only the exit code would be known, but for {path}: {steps[index]}"
    return [Suite(command, runner, f"{path}: {steps[index]}")], told


def _with_functions(text: str) -> str:
    """With what functions of the file do in the places of their names: where a task is one (``gulp.task('test',
    run)``), or goes on with what it returns (``return run().pipe(...)``)."""
    found = {made["name"] or made["other"]: made["does"] for made in _FUNCTION.finditer(text)}
    returned = {name: told["value"] for name, does in found.items() if (told := _RETURNED.fullmatch(does))}
    if not found:
        return text
    tasks = _FUNCTION.sub("", text)
    tasks = _CALLED.sub(lambda call: returned.get(call["name"], call[0]), tasks)
    return _GIVEN.sub(lambda use: f"{use[1]}{{{found[use['name']]}}}" if use["name"] in found else use[0], tasks)


def _spelled_out(text: str) -> str:
    """With the files that have a name (``gulp.src(TESTS)``, ``gulp.src(paths.tests)``) in the place of it."""
    known = {found["name"]: found["texts"] for found in _CONSTANT.finditer(text)}
    for found in islice(_OBJECT.finditer(text), _MOST_OBJECTS):
        own = _PROPERTY.finditer(block_of(text[found.end() : found.end() + _LONGEST_OBJECT]))
        known |= {f"{found['name']}.{each['name']}": each["texts"] for each in own}
    return _NAMED_SOURCES.sub(lambda found: found[1] + known.get(found[2], found[2]), text)


def _tasks(text: str) -> dict[str, tuple[list[str], str]]:
    """By name: the tasks that each needs first, or, of one that builds nothing, starts one after the other, and what it
    does, as it is written."""
    starts = list(_TASK.finditer(text))[:_MOST_TASKS]
    ends = [*(task.start() for task in starts[1:]), len(text)][: len(starts)]
    found: dict[str, tuple[list[str], str]] = {}
    for task, end in zip(starts, ends, strict=True):
        name, does = texts_of(task["name"])[0], text[task.end() : end]
        started = _IN_SEQUENCE.search(does) if name == "default" or BUILDS_NOTHING.fullmatch(name) else None
        found[name] = (texts_of((task["needs"] or "") + (started["needs"] if started else "")), does)
    return found


def _steps(name: str, tasks: dict[str, tuple[list[str], str]], depth: int) -> Iterator[str]:
    if name in tasks and depth < _DEEPEST:
        for needed in tasks[name][0]:
            yield from _steps(needed, tasks, depth + 1)
        yield name


def _builds(name: str, does: str) -> bool:
    """A task that checks the sources may be called as it likes (``static``)."""
    only_checks = _CHECKS.search(does) and ".dest(" not in does
    return not (only_checks or BUILDS_NOTHING.fullmatch(name))


def _tests_of(does: str) -> tuple[str, ...]:
    """The runner and its words that come to what a task does; empty where it does something else too, or with
    names."""
    if _JEST.search(does):
        return () if _SETS.search(does) else ("jest",)
    does = _MEASURED.sub("", does)
    mocha, sources = _MOCHA.search(does), _SOURCES.search(does)
    if not (mocha and sources) or _SETS.search(does) or len(_ANY_SOURCES.findall(does[: mocha.start()])) != 1:
        return ()
    files = dict.fromkeys(texts_of(sources["texts"]))
    left_out = [word for one in files if one.startswith("!") for word in ("--ignore", one[1:])]
    return ("mocha", *option_words(mocha["options"]), *left_out, *(one for one in files if not one.startswith("!")))
