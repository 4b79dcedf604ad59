"""A project of Python alone whose build cannot be done where it is set up: its build backend fetches something, or has
a plug-in that does. Its sources need no build to be imported, and what is asked of its metadata is in its manifest.

https://packaging.python.org/en/latest/specifications/recording-installed-packages/
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from repo_tools.changes import Tree
from repo_tools.environment.contract import NOTE, ReadFile, SetupCommand
from repo_tools.environment.python.install import VENV
from repo_tools.environment.python.manifests import COMPILED
from repo_tools.environment.python.pytest_settings import read_toml, table
from repo_tools.environment.texts import read_text

_PROGRAM = f"""
import os, sys, sysconfig
name, version, entry_points = sys.argv[1:]
library = sysconfig.get_path("purelib")
facts = os.path.join(library, f"{{name.replace('-', '_')}}-{{version}}.dist-info")
os.makedirs(facts, exist_ok=True)
for file, text in (
    ("METADATA", f"Metadata-Version: 2.1\\nName: {{name}}\\nVersion: {{version}}\\n"),
    ("entry_points.txt", entry_points), ("INSTALLER", "as it lies\\n"), ("RECORD", ""),
):
    with open(os.path.join(facts, file), "w") as opened:
        opened.write(text)
with open(os.path.join(library, "zz_sources.pth"), "w") as opened:
    opened.write(os.path.join(os.getcwd(), "src") + "\\n")
print("{NOTE}the project cannot be built here: it is tested as it lies, without what a build would add to it")
"""
_PLACES = (("project",), ("tool", "poetry"), ("tool", "pdm"))
"""Where its name is, and its entry points: since https://peps.python.org/pep-0621/, and before."""
_GROUPS = {"scripts": "console_scripts", "gui-scripts": "gui_scripts"}
_PLAIN = re.compile(r"[\w.:\[\], -]+")


def as_it_lies(tree: Tree, read: ReadFile, version: str) -> SetupCommand | None:
    """What makes it importable, and known by its name, this `version` and its entry points; None for one with sources
    to compile, or without a name. Before anything that may depend on it: no release of it is installed then."""
    document = read_toml(read_text(read, "pyproject.toml")) if "pyproject.toml" in tree else {}
    project = next((found for place in _PLACES if "name" in (found := table(document, *place))), {})
    name = project.get("name")
    if not isinstance(name, str) or any(re.fullmatch(COMPILED, path) for path in tree):
        return None
    entry_points = "\n".join(_entry_points(project))
    return SetupCommand((f"{VENV}/bin/python", "-c", _PROGRAM, name, version, f"{entry_points}\n"))


def _entry_points(project: Mapping[str, Any]) -> Iterator[str]:
    for key, group in _GROUPS.items():
        yield from _section(group, table(project, key).items())
    for group, entries in (*table(project, "entry-points").items(), *table(project, "plugins").items()):
        yield from _section(group, entries.items() if isinstance(entries, Mapping) else ())


def _section(group: str, entries: Iterable[tuple[str, Any]]) -> Iterator[str]:
    lines = [f"{key} = {value}" for key, value in entries if isinstance(value, str) and _PLAIN.fullmatch(value)]
    if lines and _PLAIN.fullmatch(group):
        yield from (f"[{group}]", *lines)
