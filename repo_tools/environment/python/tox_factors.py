"""Lines of tox's settings that hold for some environments alone: https://tox.wiki/en/stable/config.html#conditional-settings

Pure.
"""

import re
from collections.abc import Iterable, Iterator

from packaging.requirements import Requirement
from packaging.specifiers import Specifier
from packaging.version import InvalidVersion, Version

from repo_tools.environment.python.imports import normal
from repo_tools.environment.python.requirement import read_requirement

_FACTOR = re.compile(r"([\w,{}.!-]+):\s+(.*)")
_NUMBERED = re.compile(r"(?<![A-Za-z_])([A-Za-z_]+)\{?\d")
_INTERPRETERS = ("py", "pypy", "cp", "python", "jython")


def unconditional(line: str) -> str:
    """A line for the factor that is every Python's (``py``, ``test``), or for none; empty for another's."""
    found = _FACTOR.fullmatch(line)
    if found is None or found[1].endswith("+"):
        return line
    every = found[1] in ("py", "py3", "test", "tests") or re.match(r"py\{3,", found[1])
    return found[2] if every else ""


def limited_versions(lines: Iterable[str]) -> Iterator[str]:
    """Of each package that is asked for in a version a factor (``django41: Django>=4.1,<4.2``, ``django42: …``): it,
    below the end of the newest; without a beginning, since not every Python can have the newest."""
    asked: dict[str, list[Requirement]] = {}
    for requirement in _of_numbered_factors(lines):
        asked.setdefault(normal(requirement.name), []).append(requirement)
    for each in asked.values():
        if len(each) > 1:
            yield f"{each[-1].name}{_newest_end(each)}"


def _of_numbered_factors(lines: Iterable[str]) -> Iterator[Requirement]:
    """Those of an index; a factor that numbers interpreters alone tells of no package's versions."""
    for line in lines:
        found = _FACTOR.fullmatch(line)
        if found is None or set(_NUMBERED.findall(found[1])) <= set(_INTERPRETERS):
            continue
        requirement = read_requirement(found[2])
        if requirement and not requirement.url:
            yield requirement


def _newest_end(asked: Iterable[Requirement]) -> str:
    """As a specifier; empty where one of them has no end."""
    ends = [min(filter(None, map(_end, each.specifier)), default=None) for each in asked]
    known = [end for end in ends if end]
    if len(known) < len(ends):
        return ""
    version, is_one_of_them = max(known)
    return f"{'<=' if is_one_of_them else '<'}{version}"


def _end(specifier: Specifier) -> tuple[Version, bool] | None:
    """(version, whether that is taken, too) above which it takes none.
    https://packaging.python.org/en/latest/specifications/version-specifiers/"""
    try:
        version = Version(Version(specifier.version.removesuffix(".*")).public)  # no order takes ``+cpu``
    except InvalidVersion:
        return None
    if specifier.operator == "~=":
        return _after(version.release[:-1]), False
    if specifier.operator == "==" and specifier.version.endswith(".*"):
        return _after(version.release), False
    return (version, specifier.operator != "<") if specifier.operator in ("<", "<=", "==") else None


def _after(release: tuple[int, ...]) -> Version:
    return Version(".".join(map(str, (*release[:-1], release[-1] + 1))))
