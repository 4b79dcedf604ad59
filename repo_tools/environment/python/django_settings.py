"""The settings that a Django suite runs with, where a command says so and pytest's own configuration does not.

https://pytest-django.readthedocs.io/en/latest/configuring_django.html
"""

import re

from repo_tools.changes import Tree
from repo_tools.environment.contract import ReadFile
from repo_tools.environment.python.pytest_settings import PytestSettings
from repo_tools.environment.texts import read_text

_VARIABLE = "DJANGO_SETTINGS_MODULE"
_NAMED = re.compile(r"--ds[= ]([A-Za-z_]\w*(?:\.\w+)*)")
_COMMANDS = ("tox.ini", "Makefile", "setup.py")
"""What holds commands for pytest: ``setup.py`` in a command ``test`` of its own."""


def django_variables(tree: Tree, read: ReadFile, settings: PytestSettings | None) -> dict[str, str]:
    """The variable that pytest-django looks at, for a module that is in `tree`."""
    if settings and (_VARIABLE in settings.settings or "--ds" in str(settings.settings.get("addopts", ""))):
        return {}
    texts = (read_text(read, path) for path in _COMMANDS if path in tree)
    named = (name for text in texts for name in _NAMED.findall(text))
    return next(({_VARIABLE: name} for name in named if _is_there(name.replace(".", "/"), tree)), {})


def _is_there(module: str, tree: Tree) -> bool:
    return any(f"{place}{module}{end}" in tree for place in ("", "src/") for end in (".py", "/__init__.py"))
