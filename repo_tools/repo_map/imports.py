"""What a source file imports, by the lines that say so: names of modules as they are written."""

import re
from collections.abc import Callable, Iterable, Iterator
from functools import cache

MAX_IMPORTS = 200
LONGEST_NAME = 200

_JAVASCRIPT = rb"""(?:\bfrom\s*|\bimport(?:\s*\(\s*|\s*)|\brequire\(\s*)['"]([^'"\n]{1,200})['"]"""
_C = rb"""^[ \t]*#[ \t]*include[ \t]*["<]([^">\n]{1,200})[">]"""
_PATTERNS = {
    "python": rb"^[ \t]*(?:from[ \t]+([.\w]+)[ \t]+import|import[ \t]+([.\w][.\w, \t]*))",
    "javascript": _JAVASCRIPT,
    "typescript": _JAVASCRIPT,
    "tsx": _JAVASCRIPT,
    "component": _JAVASCRIPT,
    "go": rb"""^[ \t]*(?:import[ \t]+)?(?:[\w.]+[ \t]+)?"([\w./~-]{1,200})"[ \t]*(?:$|\r|//|/\*)""",
    "rust": rb"^[ \t]*(?:pub(?:\([^)\n]{0,200}\))?[ \t]+)?(?:use[ \t]+([\w:]+\*?(?:\{[^;]{1,2000})?)|mod[ \t]+(\w+))",
    # A class is written with a capital: what stands behind it is in that class.
    "java": rb"^[ \t]*import[ \t]+(?:static[ \t]+)?((?:[a-z_]\w*\.){1,20}(?:[A-Z]\w*|\*)|[\w.]+)",
    "c_sharp": rb"^[ \t]*(?:global[ \t]+)?using[ \t]+(?:static[ \t]+|\w+[ \t]*=[ \t]*)?([\w.]+)[ \t]*;",
    "php": rb"""^[ \t]*(?:use[ \t]+(?:function[ \t]+|const[ \t]+)?([^;({]{1,1000}(?:(?<=\\)\{[^;(]{1,2000})?)"""
    rb"""|(?:require|include)(?:_once)?[ \t(]+"""
    rb"""(?:__DIR__[ \t]*\.[ \t]*['"]/*+([^'"\n]{1,200})|['"]([^'"\n]{1,200}))['"])""",
    "ruby": rb"""^[ \t]*require(?:[ \t(]+['"]([^'"\n]{1,200})|_relative[ \t(]+['"]([^'"\n]{1,200}))['"]""",
    "c": _C,
    "cpp": _C,
}

_RENAMED = rb"//[^\n]*|\bas\s+\w+|\s+"
_MARKS = rb"([{},])"


def _listed(found: re.Match[bytes]) -> Iterator[bytes]:
    """Python's ``import a, b as c``."""
    if found[1]:
        yield found[1]
    else:
        yield from (name.split(None, 1)[0] for name in found[2].split(b",") if name.strip())


def _expanded(found: re.Match[bytes]) -> Iterator[bytes]:
    """``a::{b, c::{d, e}}`` as ``a::b``, ``a::c::d`` and ``a::c::e``."""
    before, name = [b""], b""
    for part in re.split(_MARKS, re.sub(_RENAMED, b"", found[1])):
        if part == b"{":
            before.append(before[-1] + name)
            name = b""
            if len(before[-1]) > LONGEST_NAME:
                return
        elif part in (b",", b"}"):
            if name:
                yield before[-1] + name
            name = b""
            if part == b"}" and len(before) > 1:
                before.pop()
        else:
            name = part
    if name:
        yield before[-1] + name


def _rust(found: re.Match[bytes]) -> Iterator[bytes]:
    return _expanded(found) if found[1] else iter((found[2],))


def _php(found: re.Match[bytes]) -> Iterator[bytes]:
    if found[1]:
        return _expanded(found)
    return iter((_from_here(found[2]) if found[2] else found[3],))


def _ruby(found: re.Match[bytes]) -> Iterator[bytes]:
    yield found[1] or _from_here(found[2])


def _from_here(path: bytes) -> bytes:
    """A path that is taken from the folder of its file."""
    return path if path.startswith(b".") else b"./" + path


_NAMES: dict[str, Callable[[re.Match[bytes]], Iterable[bytes]]] = {
    "python": _listed,
    "rust": _rust,
    "php": _php,
    "ruby": _ruby,
}
"""Of a match; elsewhere it is its only group."""


@cache
def _pattern(language: str) -> re.Pattern[bytes]:
    """Compiled when a file asks for it: a process meets few languages."""
    return re.compile(_PATTERNS[language], re.M)


def imports(language: str, content: bytes) -> tuple[str, ...]:
    """Modules, packages or files that `content` names in its imports; each once, in order."""
    if language not in _PATTERNS:
        return ()
    pattern = _pattern(language)
    matches = _python_lines(pattern, content) if language == "python" else pattern.finditer(content)
    names = _NAMES.get(language, re.Match.groups)
    found: dict[bytes, None] = {}
    for match in matches:
        found |= dict.fromkeys(names(match))
        if len(found) >= MAX_IMPORTS:
            break
    kept = (name for name in found if len(name) <= LONGEST_NAME)
    return tuple(dict.fromkeys(name.decode("utf-8", "replace") for name in kept))[:MAX_IMPORTS]


def _python_lines(pattern: re.Pattern[bytes], content: bytes) -> Iterator[re.Match[bytes]]:
    """What `pattern` finds, tried only in lines that hold the word: a third of the time."""
    at = content.find(b"import")
    while at >= 0:
        match = pattern.match(content, content.rfind(b"\n", 0, at) + 1)
        if match:
            yield match
        at = content.find(b"import", max(at + 1, match.end() if match else 0))
