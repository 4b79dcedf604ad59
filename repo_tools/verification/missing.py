"""Whether a test is red on the base by what the code does there, or only because a name is not there yet. Pure.

Read from pytest's tracebacks: the first line that begins with ``E`` is the exception, and lines of the form
``path:7: in name`` or ``path:7: Error`` are the frames, the innermost last
(https://docs.pytest.org/en/stable/how-to/output.html#modifying-python-traceback-printing). Python's own, of unittest,
are read as if they were such. What cannot be read there counts as missing: a reproduction is to be seen.
"""

import re
from collections.abc import Callable

from repo_tools.verification import missing_in_javascript
from repo_tools.verification.missing_name import Missing, named
from repo_tools.verification.missing_to_build import in_c, in_go, in_java, in_ruby, in_rust, is_uncompiled
from repo_tools.verification.test_names import SOURCE_SUFFIXES

_BY_LANGUAGE = ((".rs", in_rust), ((".java", ".kt", ".groovy"), in_java))
_CHAINED = re.compile(r"^(?:During handling of the above exception|The above exception was the direct cause).*$", re.M)
_EXCEPTION = re.compile(r"^E\s+(\S.*)$", re.MULTILINE)
_FRAME = re.compile(r"^([^\s:<>][^\s:]*):\d+:(?: in .*| [\w.]+)?\s*$", re.MULTILINE)
_OWN_FRAME = re.compile(r'^  File "(?:/workspace/)?([^"\n]+)", line (\d+), in [^\n]*\n {4}(\S[^\n]*)$', re.MULTILINE)
_OWN_EXCEPTION = re.compile(r"^((?:\w+\.)*\w*(?:Error|Exception)\b[^\n]*)$", re.MULTILINE)
_OWN_TRACEBACK = re.compile(r"^(?=Traceback \(most recent call last\):$)", re.MULTILINE)
_NOT_LOADED = re.compile(r"^ImportError: Failed to import test module: [^\n]*$", re.MULTILINE)
_IMPORT = re.compile(
    r"(?:ImportError|ModuleNotFoundError)\b"
    r"(?:: cannot import name '(?P<name>\w+)'|: No module named '(?P<module>[\w.]+)')?"
)
_MODULE_ATTRIBUTE = re.compile(r"AttributeError: module '[\w.]+' has no attribute '(?P<name>\w+)'")
_OTHER_NAME = re.compile(
    r"AttributeError: .*(?:has no attribute|does not have the attribute) '(?P<name>\w+)'"
    r"|NameError: name '(?P<global>\w+)' is not defined"
)
_ASKED = re.compile(
    r"^E[^\n]*? where (?:False = hasattr|None = getattr)\([^\n]{1,200}?, *['\"](?P<found>\w+)[^\n]*"
    r"|^E[^\n]*? where ([^\n=]{1,100}) = getattr\([^\n]{1,200}?, *['\"](?P<lacks>\w+)['\"], *\2\)[ ]*$"
    r"|^>\s+(?:assert|self\.assert\w+\()\s*(?:hasattr\([^\n]{1,200}?, *['\"](?P<has>\w+)['\"]\)(?=\)?\s*(?:,|$))"
    r"|['\"](?P<member>\w+)['\"] in (?:(?:dir|vars)\(|[\w.]{1,200}\.__dict__))[^\n]*"
    r"|^>\s+(?:assert\b|self\.assert\w+\()[^\n]{0,200}?"
    r"getattr\([^\n'\"]{1,200}, *['\"](?P<default>\w+)['\"], *([^\n,()]{1,100})\)[^\n]*"
    r"(?=(?:\n(?!E)[^\n]*){0,9}\nE\s+AssertionError(?:: \7 [^\n]*|: [^\n]* \7)?$)"
    r"|^>\s+(?:assert|self\.assert\w+\()\s*(?:vars\([\w.]{1,200}\)|[\w.]{1,200}\.__dict__)\.get\(['\"](?P<got>\w+)['\"]\)"
    r"(?: is not None)?(?=\)?\s*(?:,|$))[^\n]*",
    re.MULTILINE,
)
"""An assertion that only asks whether a name is there, as the test has it, or what pytest found of one; or
that is told to have had the default of a ``getattr``, or nothing."""


def missing(
    message: str,
    own_file: str,
    added: frozenset[str],
    is_product: Callable[[str], bool],
    *,
    collected: bool,
    only_exit_code: bool = False,
    of_command: frozenset[str] = frozenset(),
) -> Missing | None:
    """What the test that failed with `message` lacks on the base; None where it ran, and what it ran is at fault.

    A name that is missing inside of product code is a fault of that code. An attribute of an object, or a global name,
    is missing in this sense only if it is one of `added`, the names that the change brings. `collected`: the test's own
    file was; where it was not, the test did not run. `only_exit_code`: the test is a command, of the changed test files
    `of_command` among others.
    """
    if not own_file.endswith(SOURCE_SUFFIXES) and is_uncompiled(message, only_exit_code=only_exit_code):
        return in_c(message, is_product)
    if of_command and (typed := missing_in_javascript.missing_to_compile(message, of_command)):
        return typed
    if len(own := _own_tracebacks(message)) > 1:
        lacks = [missing(each, own_file, added, is_product, collected=collected) for each in own]
        return None if None in lacks else lacks[0]
    last = _CHAINED.split(_as_pytest_has(message))[-1]
    if _in_product(last, own_file, is_product) or missing_in_javascript.ran(last, own_file, is_product):
        return None
    exception = _EXCEPTION.search(last)
    words = exception[1] if exception else ""
    found = _IMPORT.match(words) or _MODULE_ATTRIBUTE.match(words)
    if found is None and (other := _OTHER_NAME.match(words)) and added.intersection(named(other)):
        found = other
    if found:
        return Missing(named(found), words)
    if (asked := _ASKED.search(last)) and added.intersection(named(asked)):
        return Missing(named(asked), asked[0].lstrip(">E "))
    if told := missing_in_javascript.missing_to_call(last, added):
        return told
    if collected:
        return None
    in_language = next((reads for ending, reads in _BY_LANGUAGE if own_file.endswith(ending)), _of_others)
    return in_language(last) or Missing(frozenset(), "its file cannot be collected")


def _own_tracebacks(message: str) -> list[str]:
    """Python's own, of which a command's words may hold several; each as the last exception of its chain left it."""
    parts = _OWN_TRACEBACK.split(message)
    return [part for part in parts if _OWN_FRAME.search(part) and not _CHAINED.search(part)]


def _as_pytest_has(message: str) -> str:
    """Python's own traceback, which unittest and Django's runner give, in the form of pytest's."""
    if _EXCEPTION.search(message) or not _OWN_FRAME.search(message):
        return message
    return _OWN_EXCEPTION.sub(r"E   \1", _OWN_FRAME.sub(r"\1:\2: in\n>   \3", _NOT_LOADED.sub("", message)))


def _of_others(message: str) -> Missing | None:
    """Of JavaScript, of Go, whose tests are of a package, and of Ruby."""
    return missing_in_javascript.missing_to_load(message) or in_go(message) or in_ruby(message)


def _in_product(traceback: str, own_file: str, is_product: Callable[[str], bool]) -> bool:
    """Whether the innermost frame in the repository is the product's; those of libraries do not count."""
    frames = (frame[1] for frame in reversed(list(_FRAME.finditer(traceback))))
    decisive = next((path for path in frames if path == own_file or is_product(path)), own_file)
    return decisive != own_file
