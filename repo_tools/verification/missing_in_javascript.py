"""What a JavaScript test file lacks that cannot be loaded: what Node, jest, vitest and TypeScript say. Pure."""

import re

from repo_tools.verification.missing_name import Missing

_NOT_LOADED = re.compile(
    r"(?:Cannot find module|Failed to resolve import|Failed to load url) ['\"]?(?P<path>[\w@.~/$-]{1,300})"
    r"|does not provide an export named '(?P<export>[\w$]{1,100})'"
    r"|error TS\d+: .{1,300}? has no exported member (?:named )?['\"](?P<member>[\w$]{1,100})['\"]"
    r"|error TS\d+: Property '(?P<property>[\w$]{1,100})' does not exist on type"
)
_ENDING = re.compile(r"(?:/index)?(?:\.[cm]?[jt]sx?)?$")


def missing_to_load(message: str) -> Missing | None:
    """None where nothing says."""
    found = _NOT_LOADED.search(message)
    if found is None:
        return None
    path = _ENDING.sub("", found["path"] or "")
    names = {path.rpartition("/")[2], found["export"], found["member"], found["property"]} - {None, ""}
    return Missing(frozenset(names), found[0])
