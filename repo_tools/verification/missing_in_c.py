"""What a test in C or C++ lacks that cannot be compiled: read from the compiler's and the linker's errors. Pure.

https://gcc.gnu.org/onlinedocs/gcc/Diagnostic-Message-Formatting-Options.html
"""

import re
from collections.abc import Callable

from repo_tools.environment.runners.ctest import NO_PROGRAM
from repo_tools.verification.missing_name import Missing, named

_COMPILER = re.compile(
    r"^(?:/workspace/)?(?P<path>[^\s:]+\.(?:c|cc|cpp|cxx|h|hh|hpp|hxx|inl|ipp)):\d+:\d+: (?:fatal )?error: "
    r"(?P<words>.*)$"
    r"|^.*(?P<linker>undefined reference to .*)$",
    re.MULTILINE,
)
_C_NAME = re.compile(
    r"['`‘](?:\w+::)*(?P<name>\w+)(?:\([^'’]*)?['’] (?:undeclared|was not declared|is not a member|does not name)"
    r"|(?:named|function|type name|call to|reference to|type) ['`‘](?:[\w ]+ )?(?:\w+::)*(?P<called>\w+)"
)
_REFUSED = re.compile(
    r"is ambiguous|deleted function|is (?:private|protected)|(?:cannot|could not) convert|invalid conversion"
    r"|static assertion|discards? qualifiers|narrowing conversion|constant expression|incomplete type"
)


def is_uncompiled(message: str, *, only_exit_code: bool) -> bool:
    """Whether `message` says so, or may hold such an error, where it is all that a build and its tests said: what a
    test itself says may be of what it compiles."""
    return message.startswith(NO_PROGRAM) or (only_exit_code and bool(_COMPILER.search(message)))


def missing_to_compile(message: str, is_product: Callable[[str], bool]) -> Missing | None:
    """None where it is the product's fault: product files alone have errors, or what the test uses is there and
    refuses it."""
    errors = list(_COMPILER.finditer(message))
    if not errors:
        return Missing(frozenset(), "it cannot be built")
    own = [error["linker"] or error["words"] for error in errors if error["linker"] or not is_product(error["path"])]
    names = frozenset().union(*(named(found) for words in own for found in _C_NAME.finditer(words)))
    refused = not names and any(map(_REFUSED.search, own))
    return Missing(names, own[0]) if own and not refused else None
