"""Scripts that better-npm-run starts (https://github.com/benoror/better-npm-run), as if each were written out. Pure."""

import re
import shlex
from typing import Any

from repo_tools.environment.javascript.package_json import Package, texts

_CALL = re.compile(r"\b(?:better-npm-run|bnr)[ \t]+(?P<name>[\w:.-]+)")
_NAME = re.compile(r"[A-Za-z_]\w*")


def with_better_scripts(package: Package) -> Package:
    """`package` with what stands behind ``better-npm-run x`` in its place, and the variables that are set for it."""
    told = package.content.get("betterScripts")
    if not isinstance(told, dict):
        return package
    behind = {name: text for name, script in told.items() if (text := _written(script))}

    def written_out(call: re.Match[str]) -> str:
        return behind.get(call["name"], call[0])

    return package.with_scripts({name: _CALL.sub(written_out, text) for name, text in package.scripts.items()})


def _written(script: Any) -> str:
    if isinstance(script, str):
        return script
    command = script.get("command") if isinstance(script, dict) else None
    if not isinstance(command, str):
        return ""
    variables = texts(script.get("env"))
    return " ".join([*(f"{n}={shlex.quote(v)}" for n, v in variables.items() if _NAME.fullmatch(n)), command])
