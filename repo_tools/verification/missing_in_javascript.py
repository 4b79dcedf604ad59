"""What a JavaScript test file lacks that cannot be loaded, or compiled: what Node, jest, vitest and TypeScript say.
Pure."""

import posixpath
import re
from collections.abc import Callable

from repo_tools.verification.missing_name import Missing

_NOT_LOADED = re.compile(
    r"(?:Cannot find module|Failed to resolve import|Failed to load url) ['\"]?(?P<path>[\w@.~/$-]{1,300})"
    r"|does not provide an export named '(?P<export>[\w$]{1,100})'"
    r"|error TS\d+: .{1,300}? has no exported member (?:named )?['\"](?P<member>[\w$]{1,100})['\"]"
    r"|error TS\d+: (?:Property|.{1,300}? known properties, and) '(?P<property>[\w$]{1,100})' does not exist"
    r" (?:on|in) type"
)
_COMPILED = re.compile(r"^(?P<path>[^\s:(]{1,300}\.[cm]?tsx?)[(:]\d+[,:]\d+\)?(?: -|:) error TS\d+: .*$", re.MULTILINE)
"""As tsc and ts-node write where an error is."""
_ENDING = re.compile(r"(?:/index)?(?:\.[cm]?[jt]sx?)?$")


def missing_to_load(message: str) -> Missing | None:
    """None where nothing says."""
    found = _NOT_LOADED.search(message)
    if found is None:
        return None
    path = _ENDING.sub("", found["path"] or "")
    names = {path.rpartition("/")[2], found["export"], found["member"], found["property"]} - {None, ""}
    return Missing(frozenset(names), found[0])


def missing_to_compile(message: str, directory: str, is_product: Callable[[str], bool]) -> Missing | None:
    """What files of tests lack, of all that a command in `directory` said; None where nothing says: product files alone
    have errors, or what the tests use is there and has another type."""
    errors = _COMPILED.finditer(message)
    own = (error[0] for error in errors if not is_product(posixpath.normpath(f"{directory}/{error['path']}")))
    return next(filter(None, map(missing_to_load, own)), None)
