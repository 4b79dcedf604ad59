"""Python that is newer than the one that reads it: parameters of types, and their aliases. Pure.

https://peps.python.org/pep-0695/: ``class A[T: Bound](B)``, ``def f[*Ts](a)`` and ``type X[T] = list[T]`` are read as
``class A(B)``, ``def f(a)`` and ``X = list[T]`` on the same lines; the parameters follow as those of a function, so
that nothing which they hold goes unseen.
"""

import ast
import re

_PLAIN = r"(?:[^\"'\[\]{}#]|\"[\w.]+\"|'[\w.]+'|#[^\n\"'\[\]{}]*\n)*"
"""No quotes but a name's: text that may begin in a string ends there, too. Nothing that a string of code (``f"{a}"``)
runs, and no comment that hides where the brackets end."""
_ONCE = rf"{_PLAIN}(?:\[{_PLAIN}\]{_PLAIN})*"
_TWICE = rf"{_PLAIN}(?:\[{_ONCE}\]{_PLAIN})*"
_STARS = re.compile(r"((?:^|,)\s*)\*+")
_HEADER = re.compile(
    rf"^(?P<start>[ \t]*)(?:(?P<kind>(?:class|(?:async[ \t]+)?def)[ \t]+\w+)[ \t]*\[(?P<of_kind>{_TWICE})\]"
    rf"|type[ \t]+(?P<alias>\w+)(?:[ \t]*\[(?P<of_alias>{_TWICE})\])?(?P<is>[ \t]*=)(?!=))",
    re.MULTILINE,
)


def parsed_as_older(source: str) -> ast.Module:
    """SyntaxError, ValueError, RecursionError and MemoryError as `ast.parse`."""
    module = ast.parse(_HEADER.sub(_older, source))
    line = place = 0
    for header in _HEADER.finditer(source):
        line += source.count("\n", place, header.start())
        place = header.start()
        parameters = ast.parse(f"def _({_parameters(header)}\n): pass")
        ast.increment_lineno(parameters, line)
        module.body += parameters.body
    return module


def _older(header: re.Match[str]) -> str:
    """The same without parameters, on as many lines."""
    lines = "\\\n" * _parameters(header).count("\n")
    return f"{header['start']}{header['kind'] or header['alias']}{lines}{header['is'] or ''}"


def _parameters(header: re.Match[str]) -> str:
    """Without stars, which those of a function have in one order only."""
    return _STARS.sub(r"\1", header["of_kind"] or header["of_alias"] or "")
