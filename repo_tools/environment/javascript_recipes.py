"""Targets of a Makefile that stands beside a ``package.json``, as if they were scripts of it. Pure."""

import re
from collections.abc import Iterator
from dataclasses import replace

from repo_tools.changes import Tree
from repo_tools.environment.contract import ReadFile
from repo_tools.environment.package_json import Package

_RULE = re.compile(r"(?P<targets>[\w.-]+(?:[ \t]+[\w.-]+)*)[ \t]*::?(?!=)(?P<needs>[^#;=]*)")
_VARIABLE = re.compile(r"(?P<name>\w+)[ \t]*[:?]{0,2}=[ \t]*(?P<value>.*)")
_USE = re.compile(r"\$[({](\w+)[)}]")
_MAKE = re.compile(r"\bmake\b")
_DEEPEST = 5


def with_recipes(package: Package, tree: Tree, read: ReadFile) -> Package:
    """`package` with a script ``make TARGET`` for each target that can be told without make, where it calls make."""
    path = f"{package.folder}/Makefile" if package.folder else "Makefile"
    if path not in tree or not any(map(_MAKE.search, package.scripts.values())):
        return package
    recipes = dict(_recipes(read(path).decode("utf-8", "replace")))
    return replace(package, content={**package.content, "scripts": {**recipes, **package.scripts}})


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
            under_way = [rules.setdefault(target, []) for target in found["targets"].split()]
            for commands in under_way:
                commands.extend(needs)
        elif found := _VARIABLE.fullmatch(line):
            variables[found["name"]] = found["value"]
    for target, commands in rules.items():
        told = _expanded(" && ".join(commands), variables)
        if not re.search(r"\$[({@<^*+]", told.replace("$$", "")):
            yield f"make {target}", told.replace("$$", "$")


def _expanded(text: str, variables: dict[str, str]) -> str:
    for _ in range(_DEEPEST):
        text = _USE.sub(lambda use: variables.get(use[1], use[0]), text)
    return text
