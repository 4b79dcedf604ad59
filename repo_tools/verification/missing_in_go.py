"""What the tests of a Go package lack that do not compile: read from the compiler's errors. Pure.

https://pkg.go.dev/internal/types/errors
"""

import re

from repo_tools.verification.missing_name import Missing, named

_ERROR = re.compile(r"^(?:vet: )?\S+_test\.go:\d+:\d+: (?P<words>.{1,1000})", re.MULTILINE)
"""No more of a line: what it quotes may be of any length, and a name is looked for from each of its places."""
_NAME = re.compile(
    r"(?:undefined: |(?=\S+ undefined \())(?:\w+\.)*(?P<name>\w+)"
    r"|unknown field '?(?P<field>\w+)'? in struct literal"
    r"|(?:package|provides package) (?:\S+/)?(?P<package>[\w.-]+)"
)


def missing_to_compile(message: str) -> Missing | None:
    """None where nothing says. What is called in another way than before is there: no name is missing then."""
    errors = _ERROR.findall(message)
    names = [named(found) for words in errors if (found := _NAME.search(words))]
    return Missing(frozenset().union(*names), errors[0]) if errors else None
