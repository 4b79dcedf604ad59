"""Targets of a Makefile that stands beside a ``package.json``, as if they were scripts of it. Pure."""

import re
from collections.abc import Iterator
from itertools import islice

from repo_tools.changes import Tree
from repo_tools.environment.contract import ReadFile
from repo_tools.environment.javascript.package_json import Package
from repo_tools.environment.javascript.script_calls import DEFAULT_GOAL
from repo_tools.environment.texts import as_text

_RULE = re.compile(r"(?P<targets>[\w.-]+(?:[ \t]+[\w.-]+)*)[ \t]*::?(?!=)(?P<needs>[^#;=]*)")
_DEFAULT_GOAL = (
    re.compile(r"(?m)^\.DEFAULT_GOAL[ \t]*:?=[ \t]*(?P<target>\S+)"),
    re.compile(r"(?m)^(?!\.[^/]|[^:=#\n]*%)(?P<target>[^\s:=#]+)[^:=#\n]*:(?!:?=)"),
)
"""https://www.gnu.org/software/make/manual/make.html#How-Make-Processes-a-Makefile"""
_VARIABLE = re.compile(r"(?P<name>\w+)[ \t]*[:?]{0,2}=[ \t]*(?P<value>.*)")
_USE = re.compile(r"\$[({](\w+)[)}]")
_SHELL = re.compile(r"\$[({]shell[ \t]+(?P<command>[^(){}$`|&;<>]+)(?:\|[ \t]*sort[ \t]*)?[)}]")
_WILDCARD = re.compile(r"\$[({]wildcard[ \t]+(?P<patterns>[^(){}$`]+)[)}]")
"""https://www.gnu.org/software/make/manual/make.html#Functions"""
_OF_THE_ENVIRONMENT = frozenset(("CI", "CURDIR", "HOME", "PATH", "PWD", "SHELL", "TMPDIR", "USER"))
_WITH_VARIABLES = re.compile(
    r"""make[ \t]+(?P<given>(?:\w+=(?:"[^"]*"|'[^']*'|[^\s"'&;|]*)[ \t]+)+)(?P<target>[\w.-]+)(?=\s*(?:&&|$))"""
)
_GIVEN = re.compile(r"""(?P<name>\w+)=(?P<value>"[^"]*"|'[^']*'|\S*)""")
_MAKE = re.compile(r"\bmake\b")
_DEEPEST = 5
_LONGEST = 4_000
_MOST_TARGETS = 200
_MOST_CHARACTERS = 50_000


def with_recipes(package: Package, tree: Tree, read: ReadFile) -> Package:
    """`package` with a script ``make TARGET`` for each target that can be told without make, and one for the first of
    them, where it calls make."""
    path = f"{package.start}Makefile"
    if path not in tree or not any(map(_MAKE.search, package.scripts.values())):
        return package
    text = as_text(read(path)[:_MOST_CHARACTERS])
    recipes = dict(_recipes(text))
    goal = next(filter(None, (pattern.search(text) for pattern in _DEFAULT_GOAL)), None)
    if goal and (called := f"make {goal['target']}") in recipes:
        recipes[DEFAULT_GOAL] = called
    return package.with_scripts({**recipes, **package.scripts})


def _recipes(text: str) -> Iterator[tuple[str, str]]:
    variables = {"MAKE": "make"}
    rules: dict[str, list[str]] = {}
    under_way: list[list[str]] = []
    for line in text.replace("\\\n", " ").splitlines():
        if line.startswith("\t"):
            command = line.strip().lstrip("@-+").strip()
            for commands in under_way:
                commands.extend([command] if command and not command.startswith("#") else [])
        elif found := _RULE.match(line):
            needs = [f"make {word}" for word in found["needs"].split() if "/" not in word]
            under_way = [rules.setdefault(target, []) for target in found["targets"].split()[:_MOST_TARGETS]]
            for commands in under_way:
                commands.extend(needs)
        elif found := _VARIABLE.fullmatch(line):
            variables[found["name"]] = found["value"][: _LONGEST + 1]  # too long already
    for target, commands in islice(rules.items(), _MOST_TARGETS):
        told = _expanded(" && ".join(commands), variables)
        told = _WITH_VARIABLES.sub(lambda call: _called(call, rules, variables), told)
        if len(told) <= _LONGEST and not re.search(r"\$[({@<^*+]", told.replace("$$", "")):
            yield f"make {target}", told.replace("$$", "$")


def _called(call: re.Match[str], rules: dict[str, list[str]], variables: dict[str, str]) -> str:
    """``make FILES="a b" x`` as the commands of x; what these do not use of the variables is for the programs."""
    text = " && ".join(rules.get(call["target"], []))
    given = {found["name"]: found["value"] for found in _GIVEN.finditer(call["given"])}
    used = {use[1] for use in _USE.finditer(text)}
    told = _expanded(text, {**variables, **{name: value.strip("\"'") for name, value in given.items()}})
    exported = [f"export {name}={value}" for name, value in given.items() if name not in used]
    return " && ".join((*exported, told)) if text else call[0]


def _expanded(text: str, variables: dict[str, str]) -> str:
    """Variables may stand for many of one another: what grows out of hand is left as it is. One that nobody sets is
    empty; what make asks a shell for, a shell is asked for later."""
    for _ in range(_DEEPEST):
        if len(text) > _LONGEST:
            break
        text = _SHELL.sub(lambda found: f"`{found['command'].strip()}`", text)
        text = _WILDCARD.sub(lambda found: found["patterns"].strip(), text)
        text = _USE.sub(lambda use: variables.get(use[1], use[0] if use[1] in _OF_THE_ENVIRONMENT else ""), text)
    return text
