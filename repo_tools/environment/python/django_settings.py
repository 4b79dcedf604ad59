"""The settings that a Django suite runs with, where a command says so and pytest's own configuration does not.

https://pytest-django.readthedocs.io/en/latest/configuring_django.html
"""

import re
from collections.abc import Iterable, Iterator
from itertools import chain

from repo_tools.changes import Tree
from repo_tools.environment.contract import ReadFile
from repo_tools.environment.python.pytest_settings import PytestSettings, conftests
from repo_tools.environment.texts import read_text

_VARIABLE = "DJANGO_SETTINGS_MODULE"
_NAMED = re.compile(r"--ds[= ]([A-Za-z_]\w*(?:\.\w+)*)")
_COMMANDS = ("tox.ini", "Makefile", "setup.py")
"""What holds commands for pytest: ``setup.py`` in a command ``test`` of its own."""
_SET = re.compile(rf"""{_VARIABLE}['"]\s*(?:,|\]\s*=)\s*['"]([A-Za-z_]\w*(?:\.\w+)*)['"]""")
_IN_A_SHELL = rf"\b{_VARIABLE}[ \t]*[:?]?=[ \t]*([A-Za-z_]\w*(?:\.\w+)*)(?![.\w])"
_BEFORE_TESTS = re.compile(rf"{_IN_A_SHELL}(?=[^\n]{{0,300}}test)")
_FOR_EVERYTHING = re.compile(rf"{_IN_A_SHELL}(?=[^\w.\n]*$)", re.MULTILINE)
"""What stands before another program (``runserver``) is not the tests'."""
_PROGRAMS = ("runtests.py", "run_tests.py", "manage.py")
"""What sets the variable itself before it starts pytest, or Django."""
_OF_TESTS = re.compile(r"tests?/\w*settings\.py"), re.compile(r"(?:src/)?\w+/tests?/\w*settings\.py")
"""Of all of them, or else of the package's; what lies deeper may be one application's among others."""
_AMONG_SETTINGS = re.compile(r"(?:\w+/)?settings/tests?\.py")
_HOLDS_APPS = re.compile(r"^INSTALLED_APPS\b", re.MULTILINE)
_CONFIGURES = re.compile(rf"\bsettings\.configure\(|{_VARIABLE}")


def django_variables(
    tree: Tree, read: ReadFile, settings: PytestSettings | None, *, by_program: bool = False
) -> dict[str, str]:
    """The variable that pytest-django looks at, for a module that is in `tree`: the one that a command names; where
    none does, the only one that lies among tests. `by_program`: a program of the repository's own is started in the
    place of pytest, and sets it itself where no command does; a ``manage.py`` that sets none gets the module that is
    called after tests among others."""
    if _is_settled(settings):
        return {}
    named = next(_found(_NAMED, _COMMANDS, tree, read), None)
    if named is None and not _is_configured(tree, read):
        places = ((_BEFORE_TESTS, _COMMANDS), (_FOR_EVERYTHING, _COMMANDS), (_SET, () if by_program else _PROGRAMS))
        set_before = chain.from_iterable(_found(pattern, paths, tree, read) for pattern, paths in places)
        among = _for_tests_of_django if by_program else _among_tests
        named = next(set_before, None) or among(tree, read)
    return {_VARIABLE: named} if named else {}


def django_plugin(tree: Tree, read: ReadFile, settings: PytestSettings | None) -> tuple[str, ...]:
    """What sets Django up for pytest, where nothing but settings beside the tests tells of either."""
    alone = django_variables(tree, read, settings).get(_VARIABLE)
    return ("pytest-django",) if alone and alone == _among_tests(tree, read) else ()


def _is_settled(settings: PytestSettings | None) -> bool:
    return bool(settings and (_VARIABLE in settings.settings or "--ds" in str(settings.settings.get("addopts", ""))))


def _is_configured(tree: Tree, read: ReadFile) -> bool:
    """Whether a file that pytest runs before tests says it."""
    return any(_CONFIGURES.search(read_text(read, path)) for path in conftests(tree))


def _among_tests(tree: Tree, read: ReadFile) -> str | None:
    for of_tests in _OF_TESTS:
        named = (path for path in tree if of_tests.fullmatch(path))
        if found := [path for path in named if _HOLDS_APPS.search(read_text(read, path))]:
            return found[0].removeprefix("src/").removesuffix(".py").replace("/", ".") if len(found) == 1 else None
    return None


def _for_tests_of_django(tree: Tree, read: ReadFile) -> str | None:
    if "manage.py" not in tree or _VARIABLE in read_text(read, "manage.py"):
        return None
    found = [path for path in tree if _AMONG_SETTINGS.fullmatch(path)]
    return found[0].removesuffix(".py").replace("/", ".") if len(found) == 1 else None


def _found(pattern: re.Pattern[str], paths: Iterable[str], tree: Tree, read: ReadFile) -> Iterator[str]:
    """Modules that are in `tree`, of those that the files name."""
    named = (name for path in paths if path in tree for name in pattern.findall(read_text(read, path)))
    return (name for name in named if _is_there(name.replace(".", "/"), tree))


def _is_there(module: str, tree: Tree) -> bool:
    return any(f"{place}{module}{end}" in tree for place in ("", "src/") for end in (".py", "/__init__.py"))
