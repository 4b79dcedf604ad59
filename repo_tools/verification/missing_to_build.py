"""What a test lacks that cannot be compiled or loaded: read from the errors of compilers and linkers, and from Ruby's
own words. Pure. Nowhere is a name missing that is there, and is called or compared in another way than before.

https://gcc.gnu.org/onlinedocs/gcc/Diagnostic-Message-Formatting-Options.html,
https://pkg.go.dev/internal/types/errors, https://doc.rust-lang.org/error_codes/error-index.html
"""

import re
from collections.abc import Callable

from repo_tools.environment.runners.ctest import NO_PROGRAM
from repo_tools.verification.missing_name import Missing, named

_C = re.compile(
    r"^(?:/workspace/)?(?P<path>[^\s:]+\.(?:c|cc|cpp|cxx|h|hh|hpp|hxx|inl|ipp)):\d+:\d+: (?:fatal )?error: "
    r"(?P<words>.*)$"
    r"|^.*(?P<linker>undefined reference to .*)$",
    re.MULTILINE,
)
_C_NAME = re.compile(
    r"['`‘](?:\w+::)*(?P<name>\w+)(?:\([^'’]*)?['’] (?:undeclared|was not declared|is not a member|does not name)"
    r"|(?:named|function|type name|call to|reference to|type) ['`‘](?:[\w ]+ )?(?:\w+::)*(?P<called>\w+)"
)
_C_REFUSED = re.compile(
    r"is ambiguous|deleted function|is (?:private|protected)|(?:cannot|could not) convert|invalid conversion"
    r"|static assertion|discards? qualifiers|narrowing conversion|constant expression|incomplete type"
)
_GO = re.compile(r"^(?:vet: )?\S+_test\.go:\d+:\d+: (?P<words>.{1,1000})", re.MULTILINE)
"""No more of a line: what it quotes may be of any length, and a name is looked for from each of its places."""
_GO_NAME = re.compile(
    r"(?:undefined: |(?=\S+ undefined \())(?:\w+\.)*(?P<name>\w+)"
    r"|unknown field '?(?P<field>\w+)'? in struct literal"
    r"|(?:package|provides package) (?:\S+/)?(?P<package>[\w.-]+)"
)
_JAVA = re.compile(r"^\S+\.(?:java|kt|groovy):(?:\[\d+,\d+\]|\d+:\d+|\(\d+, \d+\):|\d+:) (?P<words>.+)$", re.MULTILINE)
_JAVA_SYMBOL = re.compile(r"^[ \t]+symbol: +(?P<what>.{1,200})$", re.MULTILINE)
_JAVA_NAME = re.compile(
    r"^[ \t]+symbol: +(?:[a-z]+ )+(?:<[^>\n]{0,200}>)?(?P<name>\w+)|package (?P<package>[\w.]{1,200}) does not exist"
    r"|[Uu]nresolved reference:? ['`]?(?P<kotlin>\w+)|unable to resolve class (?:\w+\.)*(?P<groovy>\w+)",
    re.MULTILINE,
)
_RUST = re.compile(r"^error(?:\[E\d+\])?: (?P<words>.{1,500})", re.MULTILINE)
_RUST_NAME = re.compile(
    r"(?:cannot find [a-z ,/-]{3,60}|no [a-z ,]{3,60}|could not find|undeclared [a-z ]{3,30}|can't find crate for|crate"
    r"|a field named|for module) `(?P<name>\w+)`|method `(?P<method>\w+)` is not a member"
)
_RUST_IMPORTED = re.compile(r"`(?:\w+::)*(?P<name>\w+)`")
_RUBY = re.compile(
    r"uninitialized constant (?:\w+::)*(?P<constant>\w+)|cannot load such file -- (?:\S*/)?(?P<file>[\w-]+)"
    r"|undefined (?:local variable or )?method [`'](?P<method>\w+[?!]?)'"
)


def is_uncompiled(message: str, *, only_exit_code: bool) -> bool:
    """Whether `message` says so of C or C++, or may hold such an error, where it is all that a build and its tests
    said: what a test itself says may be of what it compiles."""
    return message.startswith(NO_PROGRAM) or (only_exit_code and bool(_C.search(message)))


def in_c(message: str, is_product: Callable[[str], bool]) -> Missing | None:
    """None where it is the product's fault: product files alone have errors, or what the test uses is there and
    refuses it."""
    errors = list(_C.finditer(message))
    if not errors:
        return Missing(frozenset(), "it cannot be built")
    own = [error["linker"] or error["words"] for error in errors if error["linker"] or not is_product(error["path"])]
    names = frozenset().union(*(named(found) for words in own for found in _C_NAME.finditer(words)))
    refused = not names and any(map(_C_REFUSED.search, own))
    return Missing(names, own[0]) if own and not refused else None


def in_go(message: str) -> Missing | None:
    """None where nothing says; so in the others."""
    errors = _GO.findall(message)
    names = [named(found) for words in errors if (found := _GO_NAME.search(words))]
    return Missing(frozenset().union(*names), errors[0]) if errors else None


def in_java(message: str) -> Missing | None:
    """In Kotlin and Groovy, too."""
    errors = _JAVA.findall(message)
    if not errors:
        return None
    names = [named(found) for found in _JAVA_NAME.finditer(message)]
    symbol = _JAVA_SYMBOL.search(message)
    words = f"{errors[0]}: {symbol['what']}" if symbol else errors[0]
    return Missing(frozenset().union(*names), words)


def in_rust(message: str) -> Missing | None:
    errors = _RUST.findall(message)
    patterns = ((words, _RUST_IMPORTED if words.startswith("unresolved import") else _RUST_NAME) for words in errors)
    names = [named(found) for words, pattern in patterns for found in pattern.finditer(words)]
    return Missing(frozenset().union(*names), errors[0]) if errors else None


def in_ruby(message: str) -> Missing | None:
    found = _RUBY.search(message)
    return Missing(named(found), found[0]) if found else None
