"""What a JavaScript test file lacks that cannot be loaded, or compiled: what Node, jest, vitest and TypeScript say.
Pure."""

import posixpath
import re
from collections.abc import Collection

from repo_tools.environment.junit import without_colours
from repo_tools.sandbox.contract import WORKSPACE
from repo_tools.verification.missing_name import Missing

_NOT_LOADED = re.compile(
    r"(?:Cannot find module|Failed to resolve import|Failed to load url) ['\"]?(?P<path>[\w@.~/$-]{1,300})"
    r"|does not provide an export named '(?P<export>[\w$]{1,100})'"
    r"|error TS\d+: .{1,300}? has no exported member (?:named )?['\"](?P<member>[\w$]{1,100})['\"]"
    r"|error TS\d+: .{1,300}? declares '(?P<local>[\w$]{1,100})' locally, but it is not exported"
    r"|error TS\d+: Module '\"?(?P<module>[^'\"\n]{1,300})\"?' has no default export"
    r"|error TS\d+: Cannot find name '(?P<name>[\w$]{1,100})'"
    r"|error TS\d+: Property '(?P<property>[\w$]{1,100})' does not exist on type"
    r"|known properties, and '(?P<option>[\w$]{1,100})' does not exist in type"
)
_COMPILED = re.compile(
    r"^(?P<path>[^\n:(]{1,300}\.[cm]?tsx?)[(:]\d+[,:]\d+\)?(?: -|:) error TS\d+: .*$(?:\n[ ]+\S.*$)*", re.MULTILINE
)
"""As tsc and ts-node write where an error is, with the lines that explain it."""
_ENDING = re.compile(r"(?:/index)?(?:\.[cm]?[jt]sx?)?$")


def missing_to_load(message: str) -> Missing | None:
    """None where nothing says."""
    found = _NOT_LOADED.search(message)
    if found is None:
        return None
    path = _ENDING.sub("", found["path"] or found["module"] or "")
    others = ("export", "member", "local", "name", "property", "option")
    names = {path.rpartition("/")[2], *map(found.__getitem__, others)} - {None, ""}
    return Missing(frozenset(names), found[0])


def missing_to_compile(message: str, test_files: Collection[str]) -> Missing | None:
    """What the changed `test_files` lack, of all that a command said, wherever it was started; None where nothing says:
    other files alone have errors, or what the tests use is there and has another type."""
    errors = _COMPILED.finditer(without_colours(message))
    own = (error[0] for error in errors if _is_one(posixpath.normpath(error["path"]), test_files))
    return next(filter(None, map(missing_to_load, own)), None)


def _is_one(path: str, files: Collection[str]) -> bool:
    return any(f"/{file}".endswith(f"/{path}") or path == f"{WORKSPACE}/{file}" for file in files)
