"""The settings that a Django suite runs with, where a command says so and pytest's own configuration does not.

https://pytest-django.readthedocs.io/en/latest/configuring_django.html
"""

import re
from collections.abc import Iterable, Iterator
from posixpath import basename

from repo_tools.changes import Tree
from repo_tools.environment.contract import ReadFile
from repo_tools.environment.python.pytest_settings import PytestSettings
from repo_tools.environment.texts import read_text

_VARIABLE = "DJANGO_SETTINGS_MODULE"
_NAMED = re.compile(r"--ds[= ]([A-Za-z_]\w*(?:\.\w+)*)")
_COMMANDS = ("tox.ini", "Makefile", "setup.py")
"""What holds commands for pytest: ``setup.py`` in a command ``test`` of its own."""
_SET = re.compile(rf"""{_VARIABLE}['"]\s*(?:,|\]\s*=)\s*['"]([A-Za-z_]\w*(?:\.\w+)*)['"]""")
_PROGRAMS = ("runtests.py", "run_tests.py", "manage.py")
"""What sets the variable itself before it starts pytest, or Django."""
_CONFIGURES = re.compile(rf"\bsettings\.configure\(|{_VARIABLE}")


def django_variables(tree: Tree, read: ReadFile, settings: PytestSettings | None) -> dict[str, str]:
    """The variable that pytest-django looks at, for a module that is in `tree`."""
    if settings and (_VARIABLE in settings.settings or "--ds" in str(settings.settings.get("addopts", ""))):
        return {}
    told = next(_found(_NAMED, _COMMANDS, tree, read), None)
    if told is None and (set_by_program := next(_found(_SET, _PROGRAMS, tree, read), None)):
        files = (path for path in tree if basename(path) == "conftest.py")
        told = None if any(_CONFIGURES.search(read_text(read, path)) for path in files) else set_by_program
    return {_VARIABLE: told} if told else {}


def _found(pattern: re.Pattern[str], paths: Iterable[str], tree: Tree, read: ReadFile) -> Iterator[str]:
    """Modules that are in `tree`, of those that the files name."""
    named = (name for path in paths if path in tree for name in pattern.findall(read_text(read, path)))
    return (name for name in named if _is_there(name.replace(".", "/"), tree))


def _is_there(module: str, tree: Tree) -> bool:
    return any(f"{place}{module}{end}" in tree for place in ("", "src/") for end in (".py", "/__init__.py"))
