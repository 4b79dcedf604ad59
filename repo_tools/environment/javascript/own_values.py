"""What a manifest says, where its scripts use it by the variables that npm sets (``$npm_package_options_mocha``;
https://docs.npmjs.com/cli/using-npm/scripts#packagejson-vars). From npm 7 on it sets few of them. Pure."""

import re
from collections.abc import Iterator
from typing import Any

from repo_tools.environment.javascript.package_json import Package

_USE = re.compile(r"\$(?:\{npm_package_(?P<braced>\w+)\}|npm_package_(?P<plain>\w+))")
_DEEPEST = 4


def with_own_values(package: Package) -> Package:
    """`package` with the values in the place of the variables, in its scripts; what it does not say stays as it is."""
    if not any(map(_USE.search, package.scripts.values())):
        return package
    values = dict(_values(package.content, _DEEPEST))

    def value(use: re.Match[str]) -> str:
        return values.get(use["braced"] or use["plain"], use[0])

    return package.with_scripts({name: _USE.sub(value, text) for name, text in package.scripts.items()})


def _values(content: Any, deep: int) -> Iterator[tuple[str, str]]:
    for key, value in content.items():
        name = re.sub(r"\W", "_", key)
        if isinstance(value, dict) and deep > 1:
            yield from ((f"{name}_{inner}", text) for inner, text in _values(value, deep - 1))
        elif isinstance(value, str | int) and not isinstance(value, bool):
            yield name, str(value)
