"""What nyc loads into the programs that it measures (https://github.com/istanbuljs/nyc#require-additional-modules):
without it there is no compiler for tests in another form of the language. Pure."""

import json
import re
from collections.abc import Iterator
from typing import Any

from repo_tools.changes import Tree
from repo_tools.environment.contract import ReadFile
from repo_tools.environment.javascript.package_json import Package
from repo_tools.environment.settings_text import one_or_more
from repo_tools.environment.texts import read_text

_FILES = (".nycrc", ".nycrc.json")
_MEASURED = re.compile(r"\bnyc\s(?P<options>[^&|;]{0,500}?)(?<=\s)(?P<program>_?mocha|tape|node)(?=[\s&|;]|$)")
_ASKED = re.compile(r"(?:^|\s)(?:--require|-i)[ =](\S+)")
_BY_NPM = re.compile(r"\bnpm run(?:-script)?\s+$")
"""A script that is called like the runner."""
_MODULE = re.compile(r"[\w@./-]+")
_MOST = 10


def with_required_by_nyc(package: Package, tree: Tree, read: ReadFile) -> Package:
    """`package` with scripts whose runner, under nyc, is told to load it itself: tests are run without nyc."""
    told = [*_told(package, tree, read)]

    def loads(found: re.Match[str]) -> str:
        wanted = (*_ASKED.findall(found["options"]), *told)
        named = dict.fromkeys(each for each in wanted[:_MOST] if _MODULE.fullmatch(each))
        passed_on = " --" if named and _BY_NPM.search(found["options"]) else ""
        return "".join((found[0], passed_on, *(f" -r {each}" for each in named)))

    return package.with_scripts({name: _MEASURED.sub(loads, text) for name, text in package.scripts.items()})


def _told(package: Package, tree: Tree, read: ReadFile) -> Iterator[str]:
    paths = (f"{package.start}{name}" for name in _FILES)
    texts = [read_text(read, path) for path in paths if path in tree]
    for settings in (package.content.get("nyc"), *map(_of_file, texts)):
        asked = settings.get("require") if isinstance(settings, dict) else None
        yield from one_or_more(asked)


def _of_file(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None
