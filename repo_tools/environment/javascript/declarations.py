"""TypeScript's compiler where it only checks: by its settings it writes no JavaScript, but declarations or nothing
(https://www.typescriptlang.org/tsconfig/#emitDeclarationOnly). Pure."""

import re
from posixpath import normpath

from repo_tools.changes import Tree
from repo_tools.environment.contract import ReadFile
from repo_tools.environment.javascript.package_json import Package
from repo_tools.environment.texts import as_text

_TSC = re.compile(r"(?<![\w./-])tsc(?P<words>(?:[ \t]+[\w./=-]+)*)(?=[ \t]*(?:$|&&|;|\|\|))")
_SETTINGS = re.compile(r"(?:^|\s)(?:-p|--project|-b|--build)[ =]([\w./-]+)(?:\s|$)")
_WRITES_NO_CODE = re.compile(r'"(?:emitDeclarationOnly|noEmit)"\s*:\s*true')
_OF_OTHERS = re.compile(r'"references"\s*:')
"""What it builds has settings of its own."""
_COMMENT = re.compile(r"(?m)^[ \t]*//.*$|/\*[^*]*\*/")
_MOST_BYTES = 50_000


def with_checks_only(package: Package, tree: Tree, read: ReadFile) -> Package:
    """`package`, with ``tsc --noEmit`` in its scripts in the place of each call that writes no code by its settings:
    what that finds amiss in a newer library's types says nothing of the tests."""

    def checked(call: re.Match[str]) -> str:
        named = _SETTINGS.search(call["words"])
        place = named[1] if named and not named[1].startswith("-") else ""
        file = place if place.endswith(".json") else f"{place or '.'}/tsconfig.json"
        path = normpath(f"{package.start}{file}")
        text = _COMMENT.sub("", as_text(read(path)[:_MOST_BYTES])) if path in tree else ""
        checks = _WRITES_NO_CODE.search(text) and not _OF_OTHERS.search(text) and "false" not in call["words"]
        return "tsc --noEmit" if checks else call[0]

    if not any(map(_TSC.search, package.scripts.values())):
        return package
    return package.with_scripts({name: _TSC.sub(checked, text) for name, text in package.scripts.items()})
