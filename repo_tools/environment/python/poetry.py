"""Poetry's dependencies, and pipenv's, which are written the same way, as pip takes them.

https://python-poetry.org/docs/dependency-specification/
"""

import re
from collections.abc import Mapping
from typing import Any

from repo_tools.environment.settings_text import entries, table

_OPERATOR = {None: "==", "^": ">=", "~": "=="}
_ELSEWHERE = frozenset(("path", "git", "url", "file", "hg", "svn"))


def poetry_requirements(dependencies: Mapping[str, Any]) -> list[str]:
    """Without those that are no index's (a name of such a one may be anybody's there), and without optional ones."""
    found: list[str] = []
    for name, value in dependencies.items():
        for each in value if isinstance(value, list) else (value,):
            left_out = isinstance(each, Mapping) and (_ELSEWHERE & each.keys() or each.get("optional") is True)
            if name.lower() != "python" and not left_out:
                found.append(_requirement(name, each))
    return found


def poetry_extra(poetry: Mapping[str, Any], names: Any) -> list[str]:
    """The optional dependencies that an extra names: https://python-poetry.org/docs/pyproject/#extras"""
    known = table(poetry, "dependencies")
    wanted = names if isinstance(names, list) else []
    chosen = {name: known[name] for name in wanted if isinstance(name, str) and name in known}
    return poetry_requirements({name: _as_asked_for(value) for name, value in chosen.items()})


def _as_asked_for(value: Any) -> Any:
    return {**value, "optional": False} if isinstance(value, Mapping) else value


def _requirement(name: str, value: Any) -> str:
    """Poetry's constraint as a requirement; none for alternatives."""
    named = entries(value, "extras") if isinstance(value, Mapping) else []
    extras = ",".join(extra for extra in named if isinstance(extra, str))
    version = value.get("version", "*") if isinstance(value, Mapping) else value
    head = f"{name}[{extras}]" if extras else name
    if isinstance(version, str) and version.strip() != "*" and "|" not in version:
        head += ",".join(specifier(part.strip()) for part in version.split(","))
    marker = _marker(value) if isinstance(value, Mapping) else ""
    return f"{head}; {marker}" if marker else head


def specifier(part: str) -> str:
    """``^1.2`` is below the next release whose first number that is not zero is another; ``~1.2`` below 1.3."""
    found = re.fullmatch(r"(\^|~(?!=))\s*(\d{1,9}(?:\.\d{1,9})*)(.*)", part)
    if found is None:
        return f"=={part}" if part[:1].isdigit() else part
    numbers = [int(number) for number in found[2].split(".")]
    if found[1] == "~":
        kept = min(2, len(numbers))
    else:
        kept = next((place for place, number in enumerate(numbers, 1) if number), len(numbers))
    above = [*numbers[: kept - 1], numbers[kept - 1] + 1]
    return f">={found[2]}{found[3]},<{'.'.join(map(str, above))}"


def _marker(value: Mapping[str, Any]) -> str:
    """Of ``python`` and ``markers``; empty where it is not plain."""
    python = value.get("python", "")
    parts = [part.strip() for part in python.split(",")] if isinstance(python, str) and "|" not in python else []
    plain = [re.fullmatch(r"(\^|~|>=|<=|<|>|==|!=)?\s*(\d+\.\d+)(?:\.\*)?", part) for part in parts if part]
    words = [f"python_version {_OPERATOR.get(m[1], m[1])} '{m[2]}'" for m in plain if m] if all(plain) else []
    markers = value.get("markers")
    return " and ".join([*words, *([f"({markers})"] if isinstance(markers, str) and markers else [])])
