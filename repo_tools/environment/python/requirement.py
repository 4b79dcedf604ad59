"""One requirement: https://packaging.python.org/en/latest/specifications/dependency-specifiers/. Pure."""

from packaging.requirements import InvalidRequirement, Requirement

_MOST_CHARACTERS = 1_000


def read_requirement(word: str) -> Requirement | None:
    """None where it is none, and where it is longer or deeper than people write."""
    try:
        return Requirement(word) if len(word) <= _MOST_CHARACTERS else None
    except (InvalidRequirement, RecursionError):
        return None
