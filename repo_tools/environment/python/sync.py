"""Extras and groups of the project itself that ``uv sync``, ``poetry install``, ``pdm install`` and their kin name.

https://docs.astral.sh/uv/reference/cli/#uv-sync, https://python-poetry.org/docs/cli/#install,
https://pdm-project.org/latest/reference/cli/#install
"""

import re
from collections.abc import Sequence
from posixpath import basename

EVERY = "*"
"""Stands for all that there are."""

_SYNCS = {"uv": ("sync", "run"), "poetry": ("install", "sync"), "pdm": ("install", "sync"), "pip": ("install",)}
_OPTION = re.compile(
    r"^(--extras?|-E|--group|--only-group|--with|--only|-d?G)(?:[=\n]|(?<=[EG]))([^-\n].*)$|^--all-(extra|group)s$",
    re.MULTILINE,
)
_OF_EXTRAS = ("--extra", "--extras", "-E")
_NAME = re.compile(r"[\w.-]+")


def named_by_sync(words: Sequence[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """(extras, groups) of a command, each of which may be `EVERY`; none where it is no such command, or one that is
    about another member of a workspace."""
    program = basename(words[0]) if words else ""
    goal = _SYNCS.get(program, ()) if len(words) > 1 else ()
    if program == "uv" and tuple(words[1:3]) == ("pip", "install"):
        goal = ("pip",)
    if not goal or words[1] not in goal or any(word.startswith("--package") for word in words):
        return (), ()
    extras: list[str] = []
    groups: list[str] = []
    for option, value, every in _OPTION.findall("\n".join(words[2:])):
        names = [EVERY] if every or value == ":all" else _names(value)
        of_extras = option in _OF_EXTRAS or every == "extra"
        if not (option == "--with" and program == "uv"):  # a package beside the project
            extras += names if of_extras or program == "pdm" else ()
            groups += names if not of_extras or program == "pdm" else ()
    return tuple(dict.fromkeys(extras)), tuple(dict.fromkeys(groups))


def _names(value: str) -> list[str]:
    """Of a list with commas or blanks; of ``pyproject.toml:test``, the group."""
    parts = (part.removeprefix("pyproject.toml:") for part in re.split(r"[\s,]+", value))
    return [part for part in parts if _NAME.fullmatch(part)]
