"""What stands in the scripts, and in the goals of Makefiles, that a CI's commands start. Nothing is run."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from functools import cache, partial
from itertools import islice
from posixpath import basename

from repo_tools.changes import Tree
from repo_tools.environment.ci.commands import CommandEvidence
from repo_tools.environment.ci.contained import containing
from repo_tools.environment.ci.files import content_at
from repo_tools.environment.ci.package_scripts import commands_in_scripts, scripts_started
from repo_tools.environment.ci.programs import MANAGERS, SHELLS, migrates, name_of
from repo_tools.environment.ci.script_commands import MAX_LINE_CHARACTERS, commands_of
from repo_tools.environment.ci.servers import is_of_a_client, starts_server
from repo_tools.environment.ci.steps import MOST_COMMANDS, Expand
from repo_tools.environment.ci.task_files import Tasks, commands_of_tasks, places_of_tasks
from repo_tools.environment.commands import root_relative
from repo_tools.environment.contract import ReadFile
from repo_tools.environment.javascript.package_json import Package, read_package
from repo_tools.environment.make import MAKEFILES
from repo_tools.environment.texts import as_text

MAX_BYTES = 50_000
MOST_DEEP = 2
"""Scripts that call scripts."""

MOST_GOALS = 30
MOST_SCRIPTS = 100

_MAKE_VARIABLE = re.compile(r"(?m)^([A-Za-z_]\w*)[ \t]*[?:]{0,2}=([^\n#]*)")
_MAKE_NAME = re.compile(r"\$[({](\w+)[)}]")
_ENDS_RECIPE = re.compile(r"(?<!\\)\n")
"""Each line has a shell of its own: https://www.gnu.org/software/make/manual/make.html#One-Shell"""
_IN_ONE_SHELL = re.compile(r"(?m)^\.ONESHELL[ \t]*:")
_SHEBANG = re.compile(rb"#!.*\b(?:ba|da|z)?sh\b")


def expanding(tree: Tree, read: ReadFile) -> Expand:
    """For what commands start in `tree`: scripts, of which so many are read, goals, tasks, containers."""
    contained = containing(tree, read)

    @cache
    def package(folder: str) -> Package:
        return read_package(folder, read) or Package(folder)

    @cache
    def written(path: str, directory: str, goals: tuple[str, ...]) -> tuple[CommandEvidence, ...]:
        if path == Package(directory).path:
            found = commands_in_scripts(goals, package(directory), read)
        else:
            by_make = basename(path) in MAKEFILES and goals
            found = _recipes(goals, path, directory, tree, read) if by_make else _script(path, directory, tree, read)
        return tuple(islice(found, MOST_COMMANDS))

    @cache
    def named(tasks: Tasks) -> tuple[CommandEvidence, ...]:
        return tuple(islice(commands_of_tasks(tasks, tree, read), MOST_COMMANDS))

    def started_by(command: CommandEvidence) -> tuple[CommandEvidence, ...]:
        if written.cache_info().currsize + named.cache_info().currsize >= MOST_SCRIPTS:
            return ()
        if found := next(filter(None, map(named, places_of_tasks(command, tree))), ()):
            return found
        own = Package(command.directory).path
        names = scripts_started(command, package(command.directory)) if own in tree else ()
        place = (own, command.directory, names) if names else _place(command, tree)
        return written(*place) if place else ()

    def expanded(command: CommandEvidence, deep: int) -> tuple[CommandEvidence, ...]:
        within = contained(command) if deep else ()
        inner = within or (started_by(command) if deep else ())
        each_whole = (own for each in inner for own in expanded(each, deep - 1))
        found = tuple(islice(each_whole, MOST_COMMANDS))  # a script may start itself many times
        return (command, *found) if within else _with_started(command, found)

    return partial(expanded, deep=MOST_DEEP)


def _with_started(command: CommandEvidence, started: Iterable[CommandEvidence]) -> tuple[CommandEvidence, ...]:
    """A command that tests stays what it is, with the variables that its script sets for the first tests in it, and
    behind what that installs, the servers that it starts and the tables that it makes; the databases that it makes are
    not there before. So does one that starts scripts of a package, but for those: the package's own detection reads
    them."""
    started = tuple(started)
    installs = [each for each in started if each.is_install]
    servers = [each for each in started if _is_for_data(each) and not (is_of_a_client(each) and command.is_test)]
    tests = [each for each in started if each.is_test]
    if command.name in MANAGERS:
        return (*servers, command, *([] if command.is_test or command.built_script else tests))
    if not command.is_test:
        return (*installs, *servers, *tests) or (command,)
    told = dict(tests[0].variables) if tests else {}
    variables = tuple((told | dict(command.variables)).items())
    return (*installs, *servers, replace(command, variables=variables, started=tuple(tests)))


def _is_for_data(command: CommandEvidence) -> bool:
    return starts_server(command) or is_of_a_client(command) or migrates(command.program)


def _place(command: CommandEvidence, tree: Tree) -> tuple[str, str, tuple[str, ...]] | None:
    """(file, directory, goals of a Makefile) of what a command starts, if it may be one."""
    words = [word for word in command.program if not word.startswith("-")]
    if words and words[0] == "make":
        paths = [root_relative(name, command.directory) for name in MAKEFILES]
        return next((path for path in paths if path in tree), paths[-1]), command.directory, tuple(words[1:])
    by_shell = name_of(tuple(words)) in SHELLS
    started = next(iter(words[by_shell:]), "")
    return (root_relative(started, command.directory), command.directory, ()) if by_shell or "/" in started else None


def _script(path: str, directory: str, tree: Tree, read: ReadFile) -> Iterator[CommandEvidence]:
    content = content_at(path, tree, read, MAX_BYTES)
    if path.endswith(".sh") or _SHEBANG.match(content):
        yield from commands_of(as_text(content), directory, path, 1)


def _recipes(
    goals: tuple[str, ...], path: str, directory: str, tree: Tree, read: ReadFile
) -> Iterator[CommandEvidence]:
    """Of each goal, and of those that it needs: https://www.gnu.org/software/make/manual/make.html#Rules"""
    text = as_text(content_at(path, tree, read, MAX_BYTES))
    variables = {name: value.strip() for name, value in _MAKE_VARIABLE.findall(text)}
    for goal in _needed(goals, text):
        if found := _rule(goal, text):
            script = re.sub(r"(?m)^\t[@+-]*", "", _expanded(found[2], variables)).replace("$$", "$")
            line = text[: found.start(2)].count("\n") + 1
            for recipe in [script] if _IN_ONE_SHELL.search(text) else _ENDS_RECIPE.split(script):
                yield from commands_of(recipe, directory, path, line)
                line += recipe.count("\n") + 1


def _needed(goals: Iterable[str], text: str) -> list[str]:
    """`goals`, each before what it needs: its own tests are what it is for."""
    found: list[str] = []
    waiting = [*goals][::-1]
    while waiting and len(found) < MOST_GOALS:
        if (goal := waiting.pop()) not in found:
            found.append(goal)
            rule = _rule(goal, text)
            waiting += reversed(rule[1].split() if rule else [])
    return found


def _rule(goal: str, text: str) -> re.Match[str] | None:
    return re.search(rf"(?m)^{re.escape(goal)}[ \t]*:(?![=:])([^\n#]*).*\n((?:\t.*(?:\n|$))*)", text)


def _expanded(recipe: str, variables: Mapping[str, str]) -> str:
    """With the file's own variables, as far as they are plain text; what they make longer than a file is cut."""
    for _ in range(MOST_DEEP):
        recipe = _MAKE_NAME.sub(lambda found: variables.get(found[1], found[0])[:MAX_LINE_CHARACTERS], recipe)
        recipe = recipe[:MAX_BYTES]
    return recipe
