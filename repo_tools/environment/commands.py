"""A command as people write it, in a file of theirs, as an argument list. Pure."""

import re
import shlex
from posixpath import normpath

_QUOTED = re.compile(r"""'[^']*'|"(?:[^"\\$`]|\\.)*"|\\.""", re.DOTALL)
_FOR_A_SHELL = re.compile(r"[|&;<>()$`\n*?\"']|(?:^|\s)[#~]|^\s*\w+=")
_CHANGE_DIRECTORY = re.compile(r"cd\s+([\w./-]+)\s*&&\s*(\S.*)", re.DOTALL)


def needs_shell(text: str) -> bool:
    """Whether `text` holds what only a shell understands: operators, expansions, patterns, assignments, an open
    quote. ``[`` alone is none: ``pip install .[test]`` means what it says in either."""
    return bool(_FOR_A_SHELL.search(_QUOTED.sub("x", text)))


def as_argv(text: str) -> tuple[str, ...]:
    """The words of `text`, or a shell that runs it, where it needs one."""
    return ("sh", "-c", text) if needs_shell(text) else tuple(shlex.split(text))


def is_shell(argv: tuple[str, ...]) -> bool:
    """Whether `as_argv` gave a shell."""
    return argv[:2] == ("sh", "-c")


def moved(text: str, directory: str = "") -> tuple[str, str]:
    """(command, root-relative directory) of a command that is run in `directory`: a ``cd`` in front of it moves it."""
    found = _CHANGE_DIRECTORY.fullmatch(text.strip())
    if not found or found[1].startswith("/") or ".." in found[1].split("/"):
        return text.strip(), directory
    return moved(found[2], root_relative(found[1], directory))


def root_relative(path: str, directory: str = "") -> str:
    """``./a/`` below `directory`, without dots; the root is empty."""
    joined = normpath(f"{directory}/{path}").lstrip("/")
    return "" if joined == "." else joined
