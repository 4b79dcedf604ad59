"""What Rust's tests lack that do not compile: read from the compiler's errors. Pure.

https://doc.rust-lang.org/error_codes/error-index.html
"""

import re

from repo_tools.verification.missing_name import Missing, named

_ERROR = re.compile(r"^error(?:\[E\d+\])?: (?P<words>.{1,500})", re.MULTILINE)
_NAME = re.compile(
    r"(?:cannot find [a-z ,/-]{3,60}|no [a-z ,]{3,60}|could not find|undeclared [a-z ]{3,30}|can't find crate for|crate"
    r"|a field named|for module) `(?P<name>\w+)`|method `(?P<method>\w+)` is not a member"
)
_IMPORTED = re.compile(r"`(?:\w+::)*(?P<name>\w+)`")


def missing_to_compile(message: str) -> Missing | None:
    """None where nothing says. What is there, and is called or compared in another way than before, is no name."""
    errors = _ERROR.findall(message)
    names = [named(found) for words in errors for found in _pattern(words).finditer(words)]
    return Missing(frozenset().union(*names), errors[0]) if errors else None


def _pattern(words: str) -> re.Pattern[str]:
    return _IMPORTED if words.startswith("unresolved import") else _NAME
