"""What tests in Java and Kotlin lack that do not compile: read from the compilers' errors. Pure."""

import re

from repo_tools.verification.missing_name import Missing, named

_ERROR = re.compile(r"^\S+\.(?:java|kt|groovy):(?:\[\d+,\d+\]|\d+:\d+|\(\d+, \d+\):|\d+:) (?P<words>.+)$", re.MULTILINE)
_SYMBOL = re.compile(r"^[ \t]+symbol: +(?P<what>.{1,200})$", re.MULTILINE)
_NAME = re.compile(
    r"^[ \t]+symbol: +(?:[a-z]+ )+(?:<[^>\n]{0,200}>)?(?P<name>\w+)|package (?P<package>[\w.]{1,200}) does not exist"
    r"|[Uu]nresolved reference:? ['`]?(?P<kotlin>\w+)|unable to resolve class (?:\w+\.)*(?P<groovy>\w+)",
    re.MULTILINE,
)


def missing_to_compile(message: str) -> Missing | None:
    """None where nothing says. What is there, and is called in another way than before, is no name."""
    errors = _ERROR.findall(message)
    if not errors:
        return None
    names = [named(found) for found in _NAME.finditer(message)]
    symbol = _SYMBOL.search(message)
    words = f"{errors[0]}: {symbol['what']}" if symbol else errors[0]
    return Missing(frozenset().union(*names), words)
