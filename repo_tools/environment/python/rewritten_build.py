"""Projects whose ``[build-system]`` is written anew while they are installed.

- ``poetry.masonry.api``, of before poetry-core, builds nothing in place, in any release (https://peps.python.org/pep-0660/).
  All that it does is to hand over to poetry-core, which does
  (https://github.com/python-poetry/poetry-core#why-is-this-required).
- flit_core 2, which flit once wrote down as the newest that may build, builds nothing in place either; 3 reads the same
  settings (https://flit.pypa.io/en/stable/history.html).
- coherent.licensed downloads the text of the license, from where set-up does not reach, and does nothing else
  (https://pypi.org/project/coherent.licensed/).
"""

import re
from collections.abc import Iterable

from repo_tools.changes import Tree
from repo_tools.environment.contract import SCRATCH, ReadFile, SetupCommand
from repo_tools.environment.python.build_system import build_system, built_with

_BACKEND = "poetry.masonry.api"
_CORE = "poetry-core"
_POETRY = re.compile(r"poetry(?![\w.-]).*")
_FLIT = re.compile(r"flit[_-]core(?![\w.-]).*<[ ]*3(?:\.0)*")
_DOWNLOADS = re.compile(r"coherent[._-]licensed(?![\w.-]).*", re.IGNORECASE)
_KEPT = f"{SCRATCH}/pyproject.toml"
_PROGRAM = f"""
import re, shutil, sys
shutil.copyfile("pyproject.toml", sys.argv[1])
with open("pyproject.toml", encoding="utf-8", newline="") as file:
    head, table, told = re.split(r"(?m)^([ \\t]*\\[build-system\\])", file.read(), maxsplit=1)
told = re.sub(r"([\\"'])poetry(?![\\w.-])[^\\"'\\n]*\\1", r"\\1{_CORE}\\1", told)
told = re.sub(r"([\\"']){re.escape(_BACKEND)}\\1", r"\\1poetry.core.masonry.api\\1", told)
told = re.sub(r"([\\"'])(flit[_-]core)(?![\\w.-])[^\\"'\\n]*<[ ]*3(?:\\.0)*\\1", r"\\1\\2\\1", told)
told = re.sub(r"(?i)([\\"'])coherent[._-]licensed(?![\\w.-])[^\\"'\\n]*\\1[ \\t]*,?", "", told)
with open("pyproject.toml", "w", encoding="utf-8", newline="") as file:
    file.write(head + table + told)
"""


def rewritten(tree: Tree, read: ReadFile) -> str:
    """What its build is in place of what it says; empty where that stands."""
    if build_system(tree, read).get("build-backend") == _BACKEND:
        return f"build with {_CORE}"
    told = {_FLIT: "build with a later flit_core", _DOWNLOADS: "build without downloading the license"}
    named = built_with(tree, read)
    return next((said for pattern, said in told.items() if any(map(pattern.fullmatch, named))), "")


def as_rewritten(named: Iterable[str]) -> tuple[str, ...]:
    instead = ((_POETRY, _CORE), (_FLIT, "flit_core"))
    kept = [each for each in named if not _DOWNLOADS.match(each)]
    return tuple(next((new for pattern, new in instead if pattern.fullmatch(each)), each) for each in kept)


def begin(told: str) -> SetupCommand:
    """``pyproject.toml`` says so until `end`; where it cannot be rewritten it stays as it is."""
    return SetupCommand(("python3", "-I", "-c", _PROGRAM, _KEPT), required=False, typed=told)


def end() -> SetupCommand:
    script = 'if test -f "$0"; then cat "$0" >pyproject.toml; fi'
    return SetupCommand(("/bin/sh", "-c", script, _KEPT), typed="put pyproject.toml back")
