"""What a Python project says of itself in its manifest: its name and its entry points."""

import re
from collections.abc import Callable, Mapping
from typing import Any

from packaging.version import Version

from repo_tools.changes import Tree
from repo_tools.environment.contract import ReadFile
from repo_tools.environment.python.setup_file import setup_arguments
from repo_tools.environment.settings_text import read_ini, read_toml, table
from repo_tools.environment.texts import read_text, text_at

_PLACES = (("project",), ("tool", "poetry"), ("tool", "pdm"))
"""Where its name is, and its entry points: since https://peps.python.org/pep-0621/, and before."""
_GROUPS = {"scripts": "console_scripts", "gui-scripts": "gui_scripts"}
_NAME = re.compile(r"[A-Za-z0-9](?:[\w.-]*[A-Za-z0-9])?")
_PLAIN = re.compile(r"[\w.:\[\],= -]+")

_Told = tuple[str, Mapping[str, Any]]
"""The name, empty where there is none, and the entry points of each group: a mapping, or a list or lines of
``name = place``."""


def name_and_entry_points(tree: Tree, read: ReadFile) -> tuple[str, Mapping[str, tuple[str, ...]]]:
    """The name, empty where it cannot be known, and the entry points, ``name = place``, of each group that has some."""
    found = (tell(read_text(read, path)) for path, tell in _MANIFESTS.items() if path in tree)
    name, groups = next((told for told in found if told[0]), ("", {}))
    plain = {g: tuple(filter(_PLAIN.fullmatch, _entries(told))) for g, told in groups.items() if _is_plain(g)}
    return name, {group: entries for group, entries in plain.items() if entries}


def literal_version(tree: Tree, read: ReadFile) -> Version | None:
    """None where no manifest says it: it may be computed, or stand in a file of its own."""
    told = (
        _of_project(read_toml(text_at("pyproject.toml", tree, read))).get("version"),
        read_ini(text_at("setup.cfg", tree, read)).get("metadata", "version", fallback=""),
        setup_arguments(text_at("setup.py", tree, read)).get("version"),
    )
    try:
        return next((Version(each) for each in told if isinstance(each, str) and each), None)
    except ValueError:  # that of numbers without end, too
        return None


def _of_project(document: Mapping[str, Any]) -> Mapping[str, Any]:
    return next((found for place in _PLACES if "name" in (found := table(document, *place))), {})


def _of_pyproject(text: str) -> _Told:
    document = read_toml(text)
    project = _of_project(document)
    groups = {group: table(project, key) for key, group in _GROUPS.items()}
    return _name(project.get("name")), {**groups, **table(project, "entry-points"), **table(project, "plugins")}


def _of_setup_cfg(text: str) -> _Told:
    """https://setuptools.pypa.io/en/latest/userguide/declarative_config.html; pbr's section has no prefix."""
    ini = read_ini(text)
    sections = (dict(ini[name]) for name in ("options.entry_points", "entry_points") if ini.has_section(name))
    return _name(ini.get("metadata", "name", fallback="")), next(sections, {})


def _of_setup_py(text: str) -> _Told:
    arguments = setup_arguments(text)
    groups = arguments.get("entry_points")
    if isinstance(groups, str):
        ini = read_ini(groups)
        groups = {name: dict(ini[name]) for name in ini.sections()}
    return _name(arguments.get("name")), groups if isinstance(groups, Mapping) else {}


_MANIFESTS: Mapping[str, Callable[[str], _Told]] = {
    "pyproject.toml": _of_pyproject,
    "setup.cfg": _of_setup_cfg,
    "setup.py": _of_setup_py,
}


def _name(value: object) -> str:
    return value if isinstance(value, str) and _NAME.fullmatch(value) else ""


def _entries(told: object) -> list[str]:
    if isinstance(told, Mapping):
        return [f"{key} = {place}" for key, place in told.items() if isinstance(place, str)]
    lines = told.splitlines() if isinstance(told, str) else told
    if not isinstance(lines, list):
        return []
    return [line.strip() for line in lines if isinstance(line, str)]


def _is_plain(group: object) -> bool:
    return isinstance(group, str) and bool(_PLAIN.fullmatch(group))
