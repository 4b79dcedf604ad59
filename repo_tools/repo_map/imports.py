"""What a source file imports, by the lines that say so: names of modules as they are written."""

import re
from collections.abc import Iterator
from functools import cache

MAX_IMPORTS = 200

_JAVASCRIPT = rb"""(?:\bfrom\s*|\bimport\s*\(?\s*|\brequire\(\s*)['"]([^'"\n]{1,200})['"]"""
_C = rb"""^[ \t]*#[ \t]*include[ \t]*["<]([^">\n]{1,200})[">]"""
_PATTERNS = {
    "python": rb"^[ \t]*(?:from[ \t]+([.\w]+)[ \t]+import|import[ \t]+([.\w]+))",
    "javascript": _JAVASCRIPT,
    "typescript": _JAVASCRIPT,
    "tsx": _JAVASCRIPT,
    "go": rb"""^[ \t]*(?:import[ \t]+)?(?:[\w.]+[ \t]+)?"([\w./~-]{1,200})"[ \t]*$""",
    "rust": rb"^[ \t]*(?:pub(?:\([^)]*\))?[ \t]+)?(?:use|mod)[ \t]+([\w:]+)",
    "java": rb"^[ \t]*import[ \t]+(?:static[ \t]+)?([\w.]+)",
    "c_sharp": rb"^[ \t]*using[ \t]+(?:static[ \t]+)?([\w.]+)[ \t]*;",
    "php": rb"^[ \t]*use[ \t]+(?:function[ \t]+)?([\w\\]+)",
    "ruby": rb"""^[ \t]*require(?:_relative)?[ \t(]+['"]([^'"\n]{1,200})['"]""",
    "c": _C,
    "cpp": _C,
}


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
    found = (match[match.lastindex or 1] for match in matches)
    return tuple(dict.fromkeys(name.decode("utf-8", "replace") for name in found))[:MAX_IMPORTS]


def _python_lines(pattern: re.Pattern[bytes], content: bytes) -> Iterator[re.Match[bytes]]:
    """What `pattern` finds, tried only in lines that hold the word: a third of the time."""
    at = content.find(b"import")
    while at >= 0:
        match = pattern.match(content, content.rfind(b"\n", 0, at) + 1)
        if match:
            yield match
        at = content.find(b"import", max(at + 1, match.end() if match else 0))
