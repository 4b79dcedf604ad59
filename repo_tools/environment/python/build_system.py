"""How a Python project is built: by which file, with what, and when."""

import re
from collections.abc import Mapping
from typing import Any

from repo_tools.changes import Tree
from repo_tools.environment.contract import ReadFile
from repo_tools.environment.python.builders import builders
from repo_tools.environment.settings_text import entries, read_toml, table
from repo_tools.environment.texts import read_text, text_at

_OWN_DEVELOP = re.compile(r"\bsetuptools\.command(?:\.develop| import [^\n]{0,200}\bdevelop)\b")
"""https://setuptools.pypa.io/en/latest/userguide/extension.html#extending-or-customizing-setuptools"""


def packaging(tree: Tree, read: ReadFile) -> str | None:
    """The file by which pip can install the project."""
    if "pyproject.toml" in tree:
        document = read_toml(read_text(read, "pyproject.toml"))
        if table(document, "tool", "poetry").get("package-mode") is False:
            return None
        if "project" in document or ("build-system" in document and not _builds_nothing(document, tree)):
            return "pyproject.toml"
    return "setup.py" if "setup.py" in tree else None


def _builds_nothing(document: Mapping[str, Any], tree: Tree) -> bool:
    """Whether setuptools is named as the build, and nothing says of which project: the root of several; or no build."""
    backend = str(table(document, "build-system").get("build-backend", "setuptools"))
    others = {"poetry", "flit"} & table(document, "tool").keys()
    unsaid = not (others or {"setup.py", "setup.cfg"} & tree.keys())
    return not backend or (backend.startswith("setuptools") and unsaid)


def build_system(tree: Tree, read: ReadFile) -> Mapping[str, Any]:
    """Empty for most applications: their ``[project]`` lists dependencies, and is never built."""
    return table(read_toml(text_at("pyproject.toml", tree, read)), "build-system")


def is_built_by_setuptools(tree: Tree, read: ReadFile) -> bool:
    """As far as it has a build."""
    return str(build_system(tree, read).get("build-backend", "setuptools")).startswith("setuptools")


def built_with(tree: Tree, read: ReadFile) -> tuple[str, ...]:
    named = entries(build_system(tree, read), "requires")
    return tuple(map(str, named)) or builders(tree, read)


def rebuilds(tree: Tree, read: ReadFile) -> str:
    """The name of a project that each import of it builds again, by what it was built with, which has to be there
    still; empty for any other: https://mesonbuild.com/meson-python/how-to-guides/editable-installs.html"""
    name = table(read_toml(text_at("pyproject.toml", tree, read)), "project").get("name")
    by_meson = build_system(tree, read).get("build-backend") == "mesonpy"
    return name if isinstance(name, str) and by_meson else ""


def has_own_develop(tree: Tree, read: ReadFile) -> bool:
    """Whether its ``setup.py`` has a command ``develop`` of its own."""
    return bool(_OWN_DEVELOP.search(text_at("setup.py", tree, read)))
