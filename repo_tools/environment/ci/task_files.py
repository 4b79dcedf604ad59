"""What stands in the recipes of the runners of tasks that a CI starts: just, Task, invoke, and the tables of scripts of
Python's managers. Nothing is run.

https://just.systems/man/en/, https://taskfile.dev/reference/schema/, https://docs.pyinvoke.org/,
https://poethepoet.natn.io/, https://pdm-project.org/latest/usage/scripts/, https://pixi.sh/latest/workspace/advanced_tasks/,
https://github.com/taskipy/taskipy, https://pipenv.pypa.io/en/latest/scripts.html
"""

import re
import shlex
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from posixpath import basename
from typing import Any

from repo_tools.changes import Tree
from repo_tools.environment.ci.commands import CommandEvidence
from repo_tools.environment.ci.files import content_at, parsed
from repo_tools.environment.ci.programs import plain_words
from repo_tools.environment.ci.script_commands import commands_of
from repo_tools.environment.ci.values import items_at, node_at, text_of
from repo_tools.environment.commands import root_relative
from repo_tools.environment.contract import ReadFile
from repo_tools.environment.settings_text import read_toml, strings, table
from repo_tools.environment.texts import as_text
from repo_tools.yaml_text import Node

MAX_BYTES = 100_000
_MOST_TASKS = 20
"""That one needs, or names."""
_JUST = ("justfile", "Justfile", ".justfile")
_TASK = tuple(f"{name}.{end}" for name in ("Taskfile", "taskfile", "Taskfile.dist") for end in ("yml", "yaml"))
_INVOKE = ("tasks.py",)
_TABLES: Mapping[str, tuple[tuple[str, tuple[str, ...]], ...]] = {
    "poe": (("pyproject.toml", ("tool", "poe", "tasks")), ("poe_tasks.toml", ("tool", "poe", "tasks"))),
    "pdm": (("pyproject.toml", ("tool", "pdm", "scripts")),),
    "rye": (("pyproject.toml", ("tool", "rye", "scripts")),),
    "task": (("pyproject.toml", ("tool", "taskipy", "tasks")),),
    "pixi": (("pyproject.toml", ("tool", "pixi", "tasks")), ("pixi.toml", ("tasks",))),
    "pipenv": (("Pipfile", ("scripts",)),),
}
_FILES: Mapping[str, tuple[str, ...]] = {
    "just": _JUST,
    "task": _TASK,
    **dict.fromkeys(("invoke", "inv"), _INVOKE),
}
_MANAGERS = frozenset(("pdm", "rye", "pixi", "pipenv"))
_RECIPE = re.compile(r"@?([A-Za-z_][\w-]*)(?:[ \t][^:\n]*)?:(?!=)([^\n#]*)(?:#.*)?")
_EXPORTED = re.compile(r"""export[ \t]+([A-Za-z_]\w*)[ \t]*:=[ \t]*(["'][^"'\n]*["'])""")
_SET = re.compile(r"""(?m)^(?:export[ \t]+)?([A-Za-z_]\w*)[ \t]*:=[ \t]*(?:"([^"\\\n]*)"|'([^'\n]*)')[ \t]*(?:#.*)?$""")
"""A variable of just that is plain text."""
_NAMED = re.compile(r"\{\{\s*(\w+)\s*\}\}")
_FILLED = re.compile(r"\{\{[^{}]*\}\}")
"""By what a task is told; here nothing."""
_CALLS = re.compile(
    r"""\.run\(\s*(?P<kind>[rf]{0,2})(?P<mark>["'])(?P<said>(?:(?!(?P=mark))[^\n\\]){1,900})(?P=mark)"""
)
_CALLED = re.compile(r"(?m)^[ \t]+(\w+)\((?:c|ctx|context)[,)]")
_VALUE = re.compile(r"\{([^{}]*)\}")
_TEXT = re.compile(r"""(\w+)(?:[ ]?:[ ]?[\w. |]{1,40}?)?[ ]?=[ ]?(?:"([^"\\\n]*)"|'([^'\\\n]*)')[ ]*[,)\n]""")
"""Of a parameter's default, or of a variable."""

Tasks = tuple[str, str, tuple[str, ...]]
"""(file, directory, the runner and its words)."""


def places_of_tasks(command: CommandEvidence, tree: Tree) -> Iterator[Tasks]:
    """Of what a command starts, if it may be tasks of such files. What a manager starts for want of a task has the rest
    of its words for that, and may be another runner (``pdm run inv test``)."""
    words = command.program
    runner, goals = basename(words[0]) if words else "", tuple(plain_words(words[1:]))
    manager = basename(command.argv[0]) if command.argv else ""
    told = [(manager, (goals if runner == manager else words)[:1])] if manager in _MANAGERS else []
    told += [(runner, goals)] if runner not in _MANAGERS else []
    for program, named in told:
        paths = (*_FILES.get(program, ()), *(path for path, _ in _TABLES.get(program, ())))
        there = (path for path in (root_relative(path, command.directory) for path in paths) if path in tree)
        yield from ((path, command.directory, (program, *named)) for path in there if named)


def commands_of_tasks(tasks: Tasks, tree: Tree, read: ReadFile) -> Iterator[CommandEvidence]:
    """Of each that is named, behind those that it needs."""
    path, directory, (runner, *goals) = tasks
    text = as_text(content_at(path, tree, read, MAX_BYTES))
    if basename(path) in _JUST:
        scripts = _in_order(goals, lambda name: _just(name, text))
    elif basename(path) in _TASK:
        root = parsed(content_at(path, tree, read, MAX_BYTES))
        scripts = _in_order(goals, lambda name: _task(name, root))
    elif basename(path) in _INVOKE:
        scripts = _in_order(goals, lambda name: _invoke(name, text))
    else:
        keys = next((keys for name, keys in _TABLES[runner] if name == basename(path)), ())
        listed = table(read_toml(text), *keys)
        scripts = _in_order(goals, lambda name: _of_table(name, listed))
    for name, script in scripts:
        line = next((i for i, each in enumerate(text.split("\n"), 1) if each.strip(" \t\"'@").startswith(name)), 1)
        for command in commands_of(script, directory, path, line):
            yield replace(command, source=f"{path}:{line}")


_Said = tuple[list[str], str]
"""(the tasks that one needs, its lines)."""


def _in_order(goals: list[str], said: Callable[[str], _Said | None]) -> Iterator[tuple[str, str]]:
    """(name, lines) of each task once, behind those that it needs; what is no task is a word for one."""
    found: dict[str, str] = {}
    waiting = [(goal, False) for goal in reversed(goals[:_MOST_TASKS])]
    seen: set[str] = set()
    while waiting and len(seen) < _MOST_TASKS:
        name, is_ready = waiting.pop()
        told = None if name in found else said(name)
        if told and (is_ready or name in seen or not told[0]):
            found[name] = told[1]
        elif told:
            waiting.append((name, True))
            waiting += [(each, False) for each in reversed(told[0][:_MOST_TASKS])]
        seen.add(name)
    return iter(found.items())


def _just(name: str, text: str) -> _Said | None:
    known = {name: double or single for name, double, single in _SET.findall(text)}
    lines = text.split("\n")
    exported = [f"export {found[1]}={found[2]}" for line in lines if (found := _EXPORTED.match(line))]
    for i, line in enumerate(lines):
        recipe = _RECIPE.fullmatch(line.rstrip())
        if recipe and recipe[1] == name:
            body = []
            for each in lines[i + 1 :]:
                if each.strip() and not each.startswith((" ", "\t")):
                    break
                told = _NAMED.sub(lambda found: known.get(found[1], ""), each.strip().lstrip("@-"))
                body.append(_FILLED.sub("", told))
            needed = re.findall(r"(?<![\w(\"'-])\(?([A-Za-z_][\w-]*)", recipe[2].replace("&&", " "))
            return needed, "\n".join((*exported, *body))
    return None


def _task(name: str, root: Node | None) -> _Said | None:
    task = node_at(root, "tasks", name)
    if task is None:
        return None
    needed = [text_of(item) or text_of(item.mapping.get("task")) for item in items_at(task, "deps")]
    given = {**_mapping(root, "env"), **_mapping(task, "env")}
    variables = [f"export {key}={shlex.quote(text_of(value))}" for key, value in given.items()]
    listed = items_at(task, "cmds") or (task.items if task.items else [task])
    commands: list[str] = []
    for item in listed:
        needed += filter(None, [text_of(item.mapping.get("task"))])
        commands += filter(None, [text_of(item) or text_of(item.mapping.get("cmd"))])
    folder = text_of(task.mapping.get("dir"))
    lines = [f"cd {shlex.quote(folder)}"] if folder and "{{" not in folder else []
    return needed, "\n".join((*variables, *lines, *(_FILLED.sub("", each) for each in commands)))


def _mapping(node: Node | None, key: str) -> dict[str, Node]:
    found = node_at(node, key)
    return dict(found.mapping) if found else {}


def _invoke(name: str, text: str) -> _Said | None:
    """A function of that name: those that it calls with its context, and the words that it starts a shell with, as if
    nothing else were told than its defaults."""
    found = re.search(rf"(?m)^def {re.escape(name.replace('-', '_'))}\(.*\n(?:[ \t)].*\n|\n)*", f"{text}\n")
    if found is None:
        return None
    known = {name: double or single for name, double, single in _TEXT.findall(found[0])}

    def filled(said: str) -> str:
        return _VALUE.sub(lambda value: known.get(value[1], "$value"), said)

    calls = (filled(each["said"]) if "f" in each["kind"] else each["said"] for each in _CALLS.finditer(found[0]))
    return _CALLED.findall(found[0]), "\n".join(calls)


def _of_table(name: str, scripts: Mapping[str, Any]) -> _Said | None:
    said = scripts.get(name)
    if isinstance(said, str):
        return [], _FILLED.sub("", said)
    if isinstance(said, list):
        return [each for each in said if isinstance(each, str)], ""
    if not isinstance(said, dict):
        return None
    needed = [each for key in ("deps", "depends-on", "depends_on") for each in strings(said.get(key))]
    text = next((said[key] for key in ("cmd", "shell", "script") if isinstance(said.get(key), str)), "")
    text = text or shlex.join(strings(said.get("cmd")))
    of_others = [each for key in ("composite", "sequence") for each in strings(said.get(key))]
    lines = [each for each in of_others if each not in scripts]
    needed += [each for each in of_others if each in scripts]
    given = table(said, "env")
    variables = [f"export {key}={shlex.quote(str(value))}" for key, value in given.items()]
    return needed, "\n".join((*variables, text, *lines))
