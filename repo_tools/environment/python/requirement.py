"""Requirements as they are written: https://packaging.python.org/en/latest/specifications/dependency-specifiers/,
https://pip.pypa.io/en/stable/reference/requirements-file-format/. Pure."""

import re

from packaging.requirements import InvalidRequirement, Requirement

_MOST_CHARACTERS = 1_000
_MARKER = re.compile(r";[\s(]*(?:python_|sys_platform|os_name|platform_|implementation_|extra\b)")
"""https://packaging.python.org/en/latest/specifications/dependency-specifiers/#environment-markers"""
_PYTHON, _OPERATOR, _TEXT = (
    r"python_(?:full_)?version",
    r"\s*(?:[<>=!~]+|\bnot\s+in\b|\bin\b)\s*",
    r"(?:'[^']*'|\"[^\"]*\")",
)
_OF_PYTHON = re.compile(rf"\b{_PYTHON}{_OPERATOR}{_TEXT}|{_TEXT}{_OPERATOR}{_PYTHON}\b")
_TRUE = "os_name == 'posix'"
_LINUX = {"os_name": "posix", "sys_platform": "linux", "platform_system": "Linux"}


def normal(name: str) -> str:
    """https://packaging.python.org/en/latest/specifications/name-normalization/"""
    return re.sub(r"[-_.]+", "-", name).lower()


def name_of(requirement: str) -> str:
    """The normal name of what `requirement` asks for, in whatever version."""
    return normal(re.split(r"[^\w.-]", requirement)[0])


def read_requirement(word: str) -> Requirement | None:
    """None where it is none, and where it is longer or deeper than people write."""
    try:
        return Requirement(word) if len(word) <= _MOST_CHARACTERS else None
    except (InvalidRequirement, RecursionError):
        return None


def is_for_linux(word: str) -> bool:
    """Whether the marker of `word` holds there, on whatever Python; also where there is none, or none that can be read.
    The version before it may be computed."""
    asked = read_requirement("a;" + _OF_PYTHON.sub(_TRUE, word.partition(";")[2]))
    try:
        return asked is None or asked.marker is None or asked.marker.evaluate(_LINUX)
    except ValueError:  # what cannot be compared, or is known of locks alone
        return True


def is_requirement(value: object) -> bool:
    """A requirement by its name; options, paths and templates are none."""
    return (
        isinstance(value, str)
        and bool(re.match(r"[A-Za-z0-9][\w.-]*\s*(?:$|[\[(<>=!~;@ ])", value))
        and "{" not in value
    )


def lines_of(text: str) -> list[str]:
    """Of a list of requirements, without comments."""
    return [line for raw in text.splitlines() if (line := raw.split(" #")[0].strip()) and line[0] != "#"]


def without_options_behind(line: str) -> str:
    """A line without options, and without the mark that it goes on."""
    return re.split(r"\s--?\w", line)[0].rstrip("\\").strip()


def requirement_list(value: str | None) -> list[str]:
    """A value of ``setup.cfg``: a line each, which a backslash carries on, or parts of one line between semicolons
    (https://setuptools.pypa.io/en/latest/userguide/declarative_config.html#specifying-values, "list-semi")."""
    text = (value or "").strip()
    parts = text.splitlines() if "\n" in text or _MARKER.search(text) else text.split(";")
    told = (part.split(" #")[0].strip() for part in parts)
    lines = "\n".join(part for part in told if part and not part.startswith("#"))
    return lines.replace("\\\n", "").splitlines()
