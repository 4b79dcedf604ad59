"""What a test file in Ruby lacks that cannot be loaded: Ruby's own words. Pure."""

import re

from repo_tools.verification.missing_name import Missing, named

_NOT_LOADED = re.compile(
    r"uninitialized constant (?:\w+::)*(?P<constant>\w+)|cannot load such file -- (?:\S*/)?(?P<file>[\w-]+)"
    r"|undefined (?:local variable or )?method [`'](?P<method>\w+[?!]?)'"
)


def missing_to_load(message: str) -> Missing | None:
    """None where nothing says."""
    found = _NOT_LOADED.search(message)
    return Missing(named(found), found[0]) if found else None
