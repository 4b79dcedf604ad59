"""Projects of before poetry-core, whose build is Poetry itself.

``poetry.masonry.api`` builds nothing in place, in any release (https://peps.python.org/pep-0660/). All that it does is
to hand over to poetry-core, which does (https://github.com/python-poetry/poetry-core#why-is-this-required).
"""

import re

from repo_tools.changes import Tree
from repo_tools.environment.contract import SCRATCH, ReadFile, SetupCommand
from repo_tools.environment.python.build_system import build_system

_BACKEND = "poetry.masonry.api"
_CORE = "poetry-core"
_POETRY = re.compile(r"poetry(?![\w.-]).*")
_KEPT = f"{SCRATCH}/pyproject.toml"
_PROGRAM = f"""
import re, shutil, sys
shutil.copyfile("pyproject.toml", sys.argv[1])
with open("pyproject.toml", encoding="utf-8", newline="") as file:
    head, table, told = re.split(r"(?m)^([ \\t]*\\[build-system\\])", file.read(), maxsplit=1)
told = re.sub(r"([\\"'])poetry(?![\\w.-])[^\\"'\\n]*\\1", r"\\1{_CORE}\\1", told)
told = re.sub(r"([\\"']){re.escape(_BACKEND)}\\1", r"\\1poetry.core.masonry.api\\1", told)
with open("pyproject.toml", "w", encoding="utf-8", newline="") as file:
    file.write(head + table + told)
"""


def is_built_by_poetry(tree: Tree, read: ReadFile) -> bool:
    return build_system(tree, read).get("build-backend") == _BACKEND


def built_by_core(built_with: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(_CORE if _POETRY.fullmatch(each) else each for each in built_with)


def begin() -> SetupCommand:
    """``pyproject.toml`` names poetry-core until `end`; where it cannot be rewritten it stays as it is."""
    return SetupCommand(("python3", "-I", "-c", _PROGRAM, _KEPT), required=False, typed="build with poetry-core")


def end() -> SetupCommand:
    script = 'if test -f "$0"; then cat "$0" >pyproject.toml; fi'
    return SetupCommand(("/bin/sh", "-c", script, _KEPT), typed="put pyproject.toml back")
