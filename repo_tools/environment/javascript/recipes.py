"""Targets of a Makefile that stands beside a ``package.json``, as if they were scripts of it. Pure."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice
from posixpath import normpath

from repo_tools.changes import Tree
from repo_tools.environment.contract import ReadFile
from repo_tools.environment.javascript.package_json import Package
from repo_tools.environment.javascript.programs import needs_browser
from repo_tools.environment.javascript.script_calls import DEFAULT_GOAL
from repo_tools.environment.texts import as_text

_RULE = re.compile(r"(?P<targets>[\w.-]+(?:[ \t]+[\w.-]+)*)[ \t]*::?(?!=)(?P<needs>[^#;=]*)")
_DEFAULT_GOAL = (
    re.compile(r"(?m)^\.DEFAULT_GOAL[ \t]*:?=[ \t]*(?P<target>\S+)"),
    re.compile(r"(?m)^(?!\.[^/]|[^:=#\n]*%)(?P<target>[^\s:=#]+)[^:=#\n]*:(?!:?=)"),
)
"""https://www.gnu.org/software/make/manual/make.html#How-Make-Processes-a-Makefile"""
_VARIABLE = re.compile(r"(?P<name>\w+)[ \t]*(?P<operator>[:?]{0,2}=)[ \t]*(?P<value>.*)")
_USE = re.compile(r"\$[({](\w+)[)}]")
_CHANGED = re.compile(r"\$[({](\w+):[^(){}$]{0,200}=[^(){}$]{0,200}[)}]")
"""Each word of a variable by another one; of none there is none."""
_SHELL = re.compile(r"\$[({]shell[ \t]+(?P<command>[^(){}$`|&;<>]+)(?:\|[ \t]*sort[ \t]*)?[)}]")
_WILDCARD = re.compile(r"\$[({]wildcard[ \t]+(?P<patterns>[^(){}$`]+)[)}]")
_OWN_FOLDER = re.compile(r"\$[({](?:realpath|abspath)[ \t]+\.[)}]")
_ITSELF = re.compile(r"\$[({](?:realpath|abspath)[ \t]+\$[({](?:first|last)word[ \t]+\$[({]MAKEFILE_LIST[)}]{3}")
_FOLDER_OF = re.compile(r"\$[({]dir[ \t]+(?P<folder>[^\s(){}$]{0,200}/)[^\s(){}$/]{0,200}[)}]")
_WITHOUT_SLASH = re.compile(r"\$[({]patsubst[ \t]+%/,%,[ \t]*(?P<folder>[^\s(){}$]{0,200}?)/?[)}]")
"""https://www.gnu.org/software/make/manual/make.html#Functions"""
_HERE = "`pwd`"
_PATH_FROM_HERE = re.compile(r"""(?<![^\s"'=:,])`pwd`(?=[\s"'/:;&|,]|$)""")
_LEAVES = re.compile(r"(?:^|[\s;&|({])(?:cd|pushd)\s+(?!`pwd`(?:[\s;&|]|$))\S")
_OF_THE_ENVIRONMENT = frozenset(("CI", "HOME", "PATH", "SHELL", "TMPDIR", "USER"))
_VALUE = r"""\w+=(?:"[^"]*"|'[^']*'|[^\s"'&;|]*)"""
_WITH_VARIABLES = re.compile(
    rf"(?P<set>(?:export[ \t]+{_VALUE}[ \t]*(?:&&|;)[ \t]*|(?<!\S){_VALUE}[ \t]+){{0,9}})"
    rf"(?<![\w./-])make[ \t]+(?P<given>(?:{_VALUE}[ \t]+)*)(?P<target>[\w.-]+)(?=\s*(?:&&|;|$))"
)
_GIVEN = re.compile(r"""(?P<name>\w+)=(?P<value>"[^"]*"|'[^']*'|[^\s;&]*)""")
_SEVERAL = re.compile(
    r"(?<![\w./-])make(?P<options>(?:[ \t]+-[\w-]+)*)(?P<targets>(?:[ \t]+[\w.][\w.-]*){2,20})(?=\s*(?:&&|;|$))"
)
_INCLUDE = re.compile(r"(?m)^[ ]*[-s]?include[ \t]+(?P<path>[\w./-]+)[ \t]*$")
_ONLY_MAKE_KNOWS = re.compile(r"\$[({@<^*+]")
_COMMENT = re.compile(r"""\s#\s[^'"]{0,500}$""")
_BETWEEN_COMMANDS = re.compile(r"\s*(?:#|$)|(?:ifn?eq|ifn?def|else|endif)\b")
"""Lines that end no rule."""
_FROM_SHELL = re.compile(r"`[^`]*`")
_MAKE = re.compile(r"\bmake\b")
_DEEPEST = 8
_LONGEST = 4_000
_MOST_TARGETS = 200
_MOST_CHARACTERS = 50_000
_MOST_INCLUDED = 10


@dataclass
class _Makefile:
    """What is read of one. `defaults`: variables that hold only where nobody else sets them."""

    variables: dict[str, str] = field(default_factory=lambda: {"MAKE": "make", "CURDIR": _HERE, "PWD": _HERE})
    defaults: set[str] = field(default_factory=set)
    rules: dict[str, list[str]] = field(default_factory=dict)


def with_recipes(package: Package, tree: Tree, read: ReadFile) -> Package:
    """`package` with a script ``make TARGET`` for each target that can be told without make, or that tests in a
    browser, and one for the first of them, where it calls make; what its own scripts set for make is put in."""
    path = f"{package.start}Makefile"
    if path not in tree or not any(map(_MAKE.search, package.scripts.values())):
        return package
    text = _with_included(path, package.start, tree, read, set())
    makefile = _read(text, {path.removeprefix(package.start) for path in tree})
    recipes = dict(_recipes(makefile))
    goal = next(filter(None, (pattern.search(text) for pattern in _DEFAULT_GOAL)), None)
    if goal and (called := f"make {goal['target']}") in recipes:
        recipes[DEFAULT_GOAL] = called
    own = {
        name: _calls_told(script, makefile) if _MAKE.search(script) else script
        for name, script in package.scripts.items()
    }
    return package.with_scripts({**recipes, **own})


def _with_included(path: str, folder: str, tree: Tree, read: ReadFile, seen: set[str]) -> str:
    """A Makefile and, in their places, those that it includes, each once; make looks for them where it is started."""
    seen.add(path)
    text = as_text(read(path)[:_MOST_CHARACTERS])

    def included(found: re.Match[str]) -> str:
        other = normpath(f"{folder}{found['path']}")
        is_new = other in tree and other not in seen and len(seen) < _MOST_INCLUDED
        return _with_included(other, folder, tree, read, seen) if is_new else ""

    return _INCLUDE.sub(included, text)[:_MOST_CHARACTERS]


def _read(text: str, files: set[str]) -> _Makefile:
    makefile = _Makefile()
    under_way: list[list[str]] = []
    for line in text.replace("\\\n", " ").splitlines():
        if line.startswith("\t"):
            command = _COMMENT.sub("", line.strip().lstrip("@-+").strip())
            for commands in under_way:
                commands.extend([command] if command and not command.startswith("#") else [])
        elif found := _VARIABLE.fullmatch(line):
            makefile.variables[found["name"]] = found["value"][: _LONGEST + 1]  # too long already
            under_way = []
            (makefile.defaults.add if found["operator"] == "?=" else makefile.defaults.discard)(found["name"])
        elif found := _RULE.match(_expanded(line, makefile.variables)[: _LONGEST + 1]):
            needs = [
                f"make {word}"
                for word in _FROM_SHELL.sub("", found["needs"]).split()
                if "/" not in word and word != "|"
            ]
            under_way = [makefile.rules.setdefault(target, []) for target in found["targets"].split()[:_MOST_TARGETS]]
            for commands in under_way:
                commands.extend(needs)
        elif not _BETWEEN_COMMANDS.match(line):
            under_way = []
    there = files - makefile.rules.keys()
    for commands in makefile.rules.values():
        commands[:] = [command for command in commands if command.removeprefix("make ") not in there]
    return makefile


def _recipes(makefile: _Makefile) -> Iterator[tuple[str, str]]:
    for target, commands in islice(makefile.rules.items(), _MOST_TARGETS):
        told = _from_here(_calls_told(_expanded(" && ".join(commands), makefile.variables), makefile))
        if _can_be_told(told):
            yield f"make {target}", told.replace("$$", "$")
        elif page := next((command for command in commands if needs_browser(tuple(command.split()))), ""):
            yield f"make {target}", page


def _can_be_told(text: str) -> bool:
    return len(text) <= _LONGEST and _HERE not in text and not _ONLY_MAKE_KNOWS.search(text.replace("$$", ""))


def _from_here(text: str) -> str:
    """With paths from the Makefile's folder, where tests start, in the place of paths to it; not where it is left
    before."""
    return text if _LEAVES.search(text[: text.rfind(_HERE)]) else _PATH_FROM_HERE.sub(".", text)


def _calls_told(text: str, makefile: _Makefile) -> str:
    """With each call of make that has one target, or the commands of it where anything is set for it."""
    if len(text) > _LONGEST:
        return text
    text = _WITH_VARIABLES.sub(lambda call: _called(call, makefile), text)
    return _SEVERAL.sub(_one_by_one, text)


def _one_by_one(call: re.Match[str]) -> str:
    return " && ".join(f"make{call['options']} {target}" for target in call["targets"].split())


def _called(call: re.Match[str], makefile: _Makefile) -> str:
    """``make FILES="a b" x`` as the commands of x; what these do not use of the variables is for the programs. What is
    set before make holds where the Makefile sets nothing else."""
    text = " && ".join(makefile.rules.get(call["target"], []))
    given = {found["name"]: found["value"] for found in _GIVEN.finditer(call["given"])}
    before = {found["name"]: found["value"] for found in _GIVEN.finditer(call["set"])}
    holds = {name: value for name, value in before.items() if name not in makefile.variables.keys() - makefile.defaults}
    used = {use[1] for use in _USE.finditer(text)}
    values = {name: value.strip("\"'") for name, value in {**holds, **given}.items()}
    told = _from_here(_expanded(text, {**makefile.variables, **values}))
    exported = [
        f"export {name}={value}" for name, value in {**before, **given}.items() if name in before or name not in used
    ]
    is_told = text and (given or used.intersection(holds)) and _can_be_told(told)
    return " && ".join((*exported, told)) if is_told else call[0]


def _expanded(text: str, variables: dict[str, str]) -> str:
    """Variables may stand for many of one another: what grows out of hand is left as it is. One that nobody sets is
    empty; what make asks a shell for, a shell is asked for later, as for the Makefile's folder, where it is started."""
    for _ in range(_DEEPEST):
        if len(text) > _LONGEST:
            break
        text = _OWN_FOLDER.sub(_HERE, _ITSELF.sub(f"{_HERE}/Makefile", text))
        text = _WITHOUT_SLASH.sub(r"\g<folder>", _FOLDER_OF.sub(r"\g<folder>", text))
        text = _SHELL.sub(lambda found: f"`{found['command'].strip()}`", text)
        text = _WILDCARD.sub(lambda found: found["patterns"].strip(), text)
        text = _CHANGED.sub(lambda use: use[0] if variables.get(use[1]) else "", text)
        text = _USE.sub(lambda use: variables.get(use[1], use[0] if use[1] in _OF_THE_ENVIRONMENT else ""), text)
    return text
