"""How a repository configures pytest: which file holds it and what of it matters for set-up and selection.

Order of files: https://docs.pytest.org/en/stable/reference/customize.html
"""

import configparser
import shlex
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from repo_tools.changes import Tree
from repo_tools.environment.contract import ReadFile

_INI_SECTIONS = {
    "pytest.ini": "pytest",
    ".pytest.ini": "pytest",
    "tox.ini": "pytest",
    "setup.cfg": "tool:pytest",
}
_TOML_TABLES: Mapping[str, tuple[tuple[str, ...], ...]] = {
    "pytest.toml": (("pytest",),),
    ".pytest.toml": (("pytest",),),
    "pyproject.toml": (("tool", "pytest", "ini_options"), ("tool", "pytest")),
}
_ORDER = ("pytest.toml", ".pytest.toml", "pytest.ini", ".pytest.ini", "pyproject.toml", "tox.ini", "setup.cfg")
_COUNT_WHEN_EMPTY = ("pytest.ini", ".pytest.ini", "pytest.toml", ".pytest.toml")

_PLUGIN_OF_OPTION = {
    "--asyncio-mode": "pytest-asyncio",
    "--benchmark": "pytest-benchmark",
    "--cov": "pytest-cov",
    "--disable-socket": "pytest-socket",
    "--dist": "pytest-xdist",
    "--doctest-plus": "pytest-doctestplus",
    "--ds": "pytest-django",
    "--html": "pytest-html",
    "--no-cov": "pytest-cov",
    "--numprocesses": "pytest-xdist",
    "--randomly": "pytest-randomly",
    "--reruns": "pytest-rerunfailures",
    "--snapshot": "syrupy",
    "--timeout": "pytest-timeout",
    "-n": "pytest-xdist",
}
_PLUGIN_OF_SETTING = {
    "asyncio_mode": "pytest-asyncio",
    "DJANGO_SETTINGS_MODULE": "pytest-django",
    "env": "pytest-env",
    "timeout": "pytest-timeout",
}


@dataclass(frozen=True)
class PytestSettings:
    """`source` is the file; `settings` its keys as read (text from ini files, any TOML value else)."""

    source: str
    settings: Mapping[str, Any]

    @property
    def test_paths(self) -> tuple[str, ...]:
        return tuple(path.strip("/").removeprefix("./") for path in self._words("testpaths"))

    @property
    def python_files(self) -> tuple[str, ...]:
        return self._words("python_files")

    @property
    def plugins(self) -> tuple[str, ...]:
        """Distributions that the settings cannot do without, as far as their options tell."""
        by_option = (
            plugin
            for word in self._words("addopts")
            for option, plugin in _PLUGIN_OF_OPTION.items()
            if (word.startswith(option) if option.startswith("--") else word[:2] == option)
        )
        by_setting = (plugin for key, plugin in _PLUGIN_OF_SETTING.items() if key in self.settings)
        required = (word for word in self._words("required_plugins") if word[0].isalnum())
        return tuple(sorted({*by_option, *by_setting, *required}))

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
    for name in _ORDER:
        if name in tree:
            settings = _settings(name, read(name).decode("utf-8", "replace"))
            if settings is not None:
                return PytestSettings(name, settings)
    return None


def read_toml(text: str) -> Mapping[str, Any]:
    """The document, or an empty one where it is not TOML: its own tools will say so better."""
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return {}


def read_ini(text: str) -> configparser.RawConfigParser:
    """The sections, keys kept as written; none where it is not an ini file."""
    parser = configparser.RawConfigParser(strict=False, allow_no_value=True)
    parser.optionxform = str  # type: ignore[assignment,method-assign]
    try:
        parser.read_string(text)
    except configparser.Error:
        return configparser.RawConfigParser()
    return parser


def table(document: Mapping[str, Any], *keys: str) -> Mapping[str, Any]:
    """The table at `keys`; empty where there is none."""
    for key in keys:
        value = document.get(key)
        if not isinstance(value, Mapping):
            return {}
        document = value
    return document


def _settings(name: str, text: str) -> Mapping[str, Any] | None:
    if name in _INI_SECTIONS:
        ini, section = read_ini(text), _INI_SECTIONS[name]
        found: Mapping[str, Any] | None = dict(ini.items(section)) if ini.has_section(section) else None
    else:
        document = read_toml(text)
        found = next((t for keys in _TOML_TABLES[name] if (t := table(document, *keys))), None)
    return {} if found is None and name in _COUNT_WHEN_EMPTY else found
