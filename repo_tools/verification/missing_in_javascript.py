"""What a JavaScript test lacks, or its file that cannot be loaded or compiled: what Node, jest, vitest and TypeScript
say. Pure."""

import posixpath
import re
from collections.abc import Callable, Collection

from repo_tools.environment.junit import without_colours
from repo_tools.sandbox.contract import WORKSPACE
from repo_tools.verification.javascript_source import without_comments
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
_NO_FUNCTION = re.compile(
    r"^(?:\"(?:before|after) (?:each|all)\" hook[^\n]{0,300}?: )?(?:Uncaught )?(?P<words>TypeError: (?:\(0 ?, ?)?"
    r"(?:[\w$]{1,100}(?:\(\.\.\.\))?\.){0,9}(?P<name>[\w$]{1,100})\)?"
    r" is not a (?:function|constructor))\b",
    re.MULTILINE,
)
_ASSERTION = re.compile(r"^(?:Uncaught )?AssertionError\b", re.MULTILINE)
_FRAME = re.compile(
    r"^[ ]+at (?:[^\n]{0,500} \()?(?:file://)?(?P<path>[^\s():][^\n():]{0,500}):\d+:\d+\)?$", re.MULTILINE
)
"""https://v8.dev/docs/stack-trace-api: the innermost comes first."""
_BOUND = re.compile(r"(?<![\w$.])[A-Za-z_$][\w$]*|(?<=\.)[A-Za-z_$][\w$]*(?=\s*=(?!=))")
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


def missing_to_call(message: str, added: Collection[str]) -> Missing | None:
    """Of a test that calls what is not there, where it is one of the names that the change adds; else None."""
    found = _NO_FUNCTION.search(message)
    return Missing(frozenset({found["name"]}), found["words"]) if found and found["name"] in added else None


def ran(message: str, own_file: str, is_product: Callable[[str], bool]) -> bool:
    """Whether an assertion failed, or the product's is the innermost code of the repository that was running."""
    if _ASSERTION.search(message):
        return True
    paths = (frame["path"].removeprefix(f"{WORKSPACE}/") for frame in _FRAME.finditer(message))
    return next((path for path in paths if path == own_file or is_product(path)), own_file) != own_file


def bound_names(source: bytes) -> frozenset[str]:
    """Words that may be names which the code binds: all but members that it only uses."""
    return frozenset(_BOUND.findall(without_comments(source)))
