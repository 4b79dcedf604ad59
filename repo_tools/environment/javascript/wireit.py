"""Scripts that wireit runs (https://github.com/google/wireit), as if each were written out. Pure."""

import re
from collections.abc import Iterator
from typing import Any

from repo_tools.environment.javascript.package_json import Package

_WIREIT = re.compile(r"(?:npx )?wireit")
_OWN_SCRIPT = re.compile(r"[\w:-]+")


def with_wireit(package: Package) -> Package:
    """`package` with what a script does in place of ``wireit``; one that starts only scripts of other packages is left
    as it is."""
    told = package.content.get("wireit")
    if not isinstance(told, dict):
        return package
    behind = {name for name, text in package.scripts.items() if _WIREIT.fullmatch(text.strip())}
    written = {name: " && ".join(_commands(told.get(name))) for name in behind}
    return package.with_scripts({**package.scripts, **{name: text for name, text in written.items() if text}})


def _commands(task: Any) -> Iterator[str]:
    """What it depends on in its own package, then its command."""
    if not isinstance(task, dict):
        return
    needed = task.get("dependencies")
    for one in needed if isinstance(needed, list) else ():
        name = one.get("script") if isinstance(one, dict) else one
        if isinstance(name, str) and _OWN_SCRIPT.fullmatch(name):
            yield f"npm run {name}"
    if isinstance(task.get("command"), str):
        yield task["command"]
