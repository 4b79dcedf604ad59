"""Whether a test is red on the base by what the code does there, or only because a name is not there yet. Pure.

Read from pytest's tracebacks, and of a JavaScript file that cannot be loaded from what Node, jest, vitest and
TypeScript say: the first line that begins with ``E`` is the exception, and lines of the form
``path:7: in name`` or ``path:7: Error`` are the frames, the innermost last
(https://docs.pytest.org/en/stable/how-to/output.html#modifying-python-traceback-printing). What cannot be read there
counts as missing: a reproduction is to be seen. Of what is compiled for a test, the compiler's and the linker's errors
are read (https://gcc.gnu.org/onlinedocs/gcc/Diagnostic-Message-Formatting-Options.html).
"""

import re
from collections.abc import Callable
from dataclasses import dataclass

_CHAINED = re.compile(r"^(?:During handling of the above exception|The above exception was the direct cause).*$", re.M)
_EXCEPTION = re.compile(r"^E\s+(\S.*)$", re.MULTILINE)
_FRAME = re.compile(r"^([^\s:<>][^\s:]*):\d+:(?: in .*| [\w.]+)?\s*$", re.MULTILINE)
_IMPORT = re.compile(
    r"(?:ImportError|ModuleNotFoundError)\b"
    r"(?:: cannot import name '(?P<name>\w+)'|: No module named '(?P<module>[\w.]+)')?"
)
_MODULE_ATTRIBUTE = re.compile(r"AttributeError: module '[\w.]+' has no attribute '(?P<name>\w+)'")
_OTHER_NAME = re.compile(
    r"AttributeError: .*(?:has no attribute|does not have the attribute) '(?P<name>\w+)'"
    r"|NameError: name '(?P<global>\w+)' is not defined"
)
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
_NOT_LOADED = re.compile(
    r"(?:Cannot find module|Failed to resolve import|Failed to load url) ['\"]?(?P<path>[\w@.~/$-]{1,300})"
    r"|does not provide an export named '(?P<export>[\w$]{1,100})'"
    r"|error TS\d+: .{1,300}? has no exported member (?:named )?['\"](?P<member>[\w$]{1,100})['\"]"
    r"|error TS\d+: Property '(?P<property>[\w$]{1,100})' does not exist on type"
)
_ENDING = re.compile(r"(?:/index)?(?:\.[cm]?[jt]sx?)?$")


@dataclass(frozen=True)
class Missing:
    """`names`: what is not there, a module's both whole and by its last part; empty where nothing says. `words` are for
    people."""

    names: frozenset[str]
    words: str


def missing(
    message: str, own_file: str, added: frozenset[str], is_product: Callable[[str], bool], *, collected: bool
) -> Missing | None:
    """What the test that failed with `message` lacks on the base; None where it ran, and what it ran is at fault.

    A name that is missing inside of product code is a fault of that code. An attribute of an object, or a global name,
    is missing in this sense only if it is one of `added`, the names that the change brings. `collected`: the test's own
    file was; where it was not, the test did not run.
    """
    if errors := list(_COMPILER.finditer(message)):
        return _not_compiled(errors, is_product)
    last = _CHAINED.split(message)[-1]
    if _in_product(last, own_file, is_product):
        return None
    exception = _EXCEPTION.search(last)
    words = exception[1] if exception else ""
    found = _IMPORT.match(words) or _MODULE_ATTRIBUTE.match(words)
    if found is None and (other := _OTHER_NAME.match(words)) and added.intersection(_named(other)):
        found = other
    if found:
        return Missing(_named(found), words)
    return None if collected else _not_loaded(last)


def _not_loaded(message: str) -> Missing:
    """What the test's file lacks that was not even begun."""
    found = _NOT_LOADED.search(message)
    if found is None:
        return Missing(frozenset(), "its file cannot be collected")
    path = _ENDING.sub("", found["path"] or "")
    names = {path.rpartition("/")[2], found["export"], found["member"], found["property"]} - {None, ""}
    return Missing(frozenset(names), found[0])


def _not_compiled(errors: list[re.Match[str]], is_product: Callable[[str], bool]) -> Missing | None:
    """A test that cannot be compiled; by the product's fault where product files alone have errors, or where what the
    test uses is there and refuses it."""
    own = [error["linker"] or error["words"] for error in errors if error["linker"] or not is_product(error["path"])]
    names = frozenset().union(*(_named(found) for words in own for found in _C_NAME.finditer(words)))
    refused = not names and any(map(_REFUSED.search, own))
    return Missing(names, own[0]) if own and not refused else None


def _in_product(traceback: str, own_file: str, is_product: Callable[[str], bool]) -> bool:
    """Whether the innermost frame in the repository is the product's; those of libraries do not count."""
    frames = (frame[1] for frame in reversed(list(_FRAME.finditer(traceback))))
    decisive = next((path for path in frames if path == own_file or is_product(path)), own_file)
    return decisive != own_file


def _named(found: re.Match[str]) -> frozenset[str]:
    names = [name for name in found.groupdict().values() if name]
    return frozenset(names) | {name.rpartition(".")[2] for name in names}
