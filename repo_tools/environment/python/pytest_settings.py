"""How a repository configures pytest: which file holds it and what of it matters for set-up and selection.

Order of files: https://docs.pytest.org/en/stable/reference/customize.html
"""

import re
import shlex
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise
from pathlib import PurePosixPath
from posixpath import basename
from typing import Any

from repo_tools.changes import Tree
from repo_tools.environment.contract import ReadFile
from repo_tools.environment.folders import is_template
from repo_tools.environment.settings_text import read_ini, read_toml, table
from repo_tools.environment.texts import read_text

_INI_SECTIONS = {
    "pytest.ini": ("pytest",),
    ".pytest.ini": ("pytest",),
    "tox.ini": ("pytest",),
    "setup.cfg": ("tool:pytest", "pytest"),
}
_REFUSED = ("setup.cfg", "pytest")
"""Since pytest 4 (https://docs.pytest.org/en/stable/changelog.html#id1034)."""
_TOML_TABLES: Mapping[str, tuple[tuple[str, ...], ...]] = {
    "pytest.toml": (("pytest",),),
    ".pytest.toml": (("pytest",),),
    "pyproject.toml": (("tool", "pytest", "ini_options"), ("tool", "pytest")),
}
COLLECTED = ("test_*.py", "*_test.py")
"""Test files by pytest's own rule: https://docs.pytest.org/en/stable/reference/reference.html#confval-python_files"""
ORDER = ("pytest.toml", ".pytest.toml", "pytest.ini", ".pytest.ini", "pyproject.toml", "tox.ini", "setup.cfg")
"""The first of them that counts is the one that pytest reads."""
_COUNT_WHEN_EMPTY = ("pytest.ini", ".pytest.ini", "pytest.toml", ".pytest.toml")

_PLUGIN_OF_OPTION = {
    "--allow-hosts": "pytest-socket",
    "--alluredir": "allure-pytest",
    "--asyncio-mode": "pytest-asyncio",
    "--benchmark": "pytest-benchmark",
    "--black": "pytest-black",
    "--block-network": "pytest-recording",
    "--cov": "pytest-cov",
    "--create-db": "pytest-django",
    "--disable-socket": "pytest-socket",
    "--dist": "pytest-xdist",
    "--doctest-plus": "pytest-doctestplus",
    "--ds": "pytest-django",
    "--flake8": "pytest-flake8",
    "--forked": "pytest-forked",
    "--html": "pytest-html",
    "--instafail": "pytest-instafail",
    "--isort": "pytest-isort",
    "--mpl": "pytest-mpl",
    "--mypy": "pytest-mypy",
    "--nbval": "nbval",
    "--no-cov": "pytest-cov",
    "--nomigrations": "pytest-django",
    "--numprocesses": "pytest-xdist",
    "--random-order": "pytest-random-order",
    "--randomly": "pytest-randomly",
    "--record-mode": "pytest-recording",
    "--remote-data": "pytest-remotedata",
    "--reruns": "pytest-rerunfailures",
    "--reuse-db": "pytest-django",
    "--snapshot": "syrupy",
    "--timeout": "pytest-timeout",
    "--xdoctest": "xdoctest",
    "-n": "pytest-xdist",
}
_KNOWN_PLUGINS = frozenset(_PLUGIN_OF_OPTION.values())
_LOADED = re.compile(r"(?:^|\s)-p[ =]?(?:pytest_)?(\w+)")
"""A plug-in by its name: https://docs.pytest.org/en/stable/reference/reference.html#command-line-flags"""
_PLUGINS_OF_SETTING = {
    "asyncio_mode": ("pytest-asyncio",),
    "DJANGO_SETTINGS_MODULE": ("pytest-django", "django"),  # the one does not ask for the other
    "django_find_project": ("pytest-django", "django"),
    "env": ("pytest-env",),
    "timeout": ("pytest-timeout",),
}

_FLAGS = ("--doctest-modules", "--doctest-continue-on-failure", "--pyargs")
_WITH_VALUE = ("--doctest-glob", "--ignore", "--ignore-glob", "--deselect", "--import-mode", "-m", "-k")
"""What of pytest itself decides which tests there are."""
_ALL_WARNINGS = frozenset(("error", "error::Warning", "error::UserWarning"))
"""https://docs.python.org/3/library/warnings.html#describing-warning-filters"""

_OF_WORDS = ("addopts", "norecursedirs", "python_classes", "python_files", "python_functions", "testpaths")
"""A new line is no more than a space there: https://docs.pytest.org/en/stable/reference/reference.html#ini-options-ref"""


@dataclass(frozen=True)
class PytestSettings:
    """`source` is the file; `settings` its keys as read (text from ini files, any TOML value else). `refused`: today's
    pytest does not start with that file."""

    source: str
    settings: Mapping[str, Any]
    refused: bool = False

    @property
    def options(self) -> tuple[str, ...]:
        """For pytest's command line, which must say what the file cannot."""
        kept = {key: value for key, value in self.settings.items() if key != "minversion"}
        said = (f"{key}={_on_one_line(value) if key in _OF_WORDS else value}" for key, value in kept.items())
        return ("-c", "/dev/null", *(word for each in said for word in ("-o", each))) if self.refused else ()

    @property
    def own_options(self) -> tuple[str, ...]:
        """Those of ``addopts`` that pytest takes without a plug-in, as far as they decide which tests there are."""
        return tuple(_of_pytest_itself(iter(self._words("addopts"))))

    @property
    def test_paths(self) -> tuple[str, ...]:
        return tuple(path.strip("/").removeprefix("./") for path in self._words("testpaths"))

    @property
    def python_files(self) -> tuple[str, ...]:
        return tuple(word for word in self._words("python_files") if word.strip("./"))  # the others are no patterns

    @property
    def plugins(self) -> tuple[str, ...]:
        """Distributions that the settings cannot do without, as far as their options tell."""
        by_option = (
            plugin
            for word in self._words("addopts")
            for option, plugin in _PLUGIN_OF_OPTION.items()
            if (word.startswith(option) if option.startswith("--") else word[:2] == option)
        )
        by_setting = (plugin for key, found in _PLUGINS_OF_SETTING.items() if key in self.settings for plugin in found)
        named = (f"pytest-{name.replace('_', '-')}" for name in _LOADED.findall(" ".join(self._words("addopts"))))
        by_name = _KNOWN_PLUGINS.intersection(named)
        required = (word for word in self._words("required_plugins") if word[0].isalnum())
        return tuple(sorted({*by_option, *by_name, *by_setting, *required}))

    @property
    def markers(self) -> frozenset[str]:
        """Those that it registers itself."""
        value = self.settings.get("markers", "")
        lines = value if isinstance(value, list) else str(value).splitlines()
        return frozenset(re.split(r"[:(]", line)[0].strip() for line in lines if isinstance(line, str))

    @property
    def warnings_are_errors(self) -> bool:
        """Those of pytest itself, as far as the settings tell."""
        value = self.settings.get("filterwarnings", "")
        lines = value if isinstance(value, list) else str(value).splitlines()
        options = self._words("addopts")
        given = [word.removeprefix("-W") for word in options if word.startswith("-W")]
        given += [second for first, second in pairwise(options) if first == "-W"]
        return not _ALL_WARNINGS.isdisjoint(each.strip() for each in (*lines, *given) if isinstance(each, str))

    def _words(self, key: str) -> tuple[str, ...]:
        value = self.settings.get(key, "")
        if isinstance(value, list):
            return tuple(word for word in value if isinstance(word, str) and word)
        try:
            return tuple(shlex.split(str(value)))
        except ValueError:
            return tuple(str(value).split())


def read_pytest_settings(tree: Tree, read: ReadFile) -> PytestSettings | None:
    """The first file that configures pytest at the root, or None."""
    for name in ORDER:
        if name in tree:
            settings = _settings(name, read_text(read, name))
            if settings is not None:
                return settings
    return None


def is_collected(path: str, patterns: Iterable[str] = COLLECTED) -> bool:
    """Whether pytest takes it for a test file, told of these ``python_files``."""
    return any(PurePosixPath(path).match(pattern) for pattern in patterns)


def conftests(tree: Tree) -> list[str]:
    """What pytest loads before the tests beside and below it."""
    return [path for path in tree if basename(path) == "conftest.py" and not is_template(path)]


def _of_pytest_itself(words: Iterator[str]) -> Iterator[str]:
    for word in words:
        if word in _WITH_VALUE:
            yield from (word, next(words, ""))
        elif word.partition("=")[0] in (*_FLAGS, *_WITH_VALUE):
            yield word


def _on_one_line(value: Any) -> str:
    """As a person would write it in a command, which is shown."""
    return " ".join(line.strip() for line in str(value).splitlines() if line.strip())


def _settings(name: str, text: str) -> PytestSettings | None:
    if name in _INI_SECTIONS:
        ini = read_ini(text)
        section = next((section for section in _INI_SECTIONS[name] if ini.has_section(section)), "")
        found: Mapping[str, Any] | None = dict(ini.items(section)) if section else None
    else:
        document, section = read_toml(text), ""
        found = next((t for keys in _TOML_TABLES[name] if (t := table(document, *keys))), None)
    if found is None and name not in _COUNT_WHEN_EMPTY:
        return None
    return PytestSettings(name, found or {}, refused=(name, section) == _REFUSED)
