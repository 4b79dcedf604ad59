"""A project of Python alone whose build cannot be done where it is set up: its build backend fetches something, or has
a plug-in that does, or the setuptools of today refuses how an old one lies. Its sources need no build to be imported,
and what is asked of its metadata is in its manifest.

https://packaging.python.org/en/latest/specifications/recording-installed-packages/
"""

import re

from repo_tools.changes import Tree
from repo_tools.environment.contract import NOTE, ReadFile, SetupCommand
from repo_tools.environment.missing import NOT_BUILT
from repo_tools.environment.python.install import VENV
from repo_tools.environment.python.manifests import COMPILED
from repo_tools.environment.python.metadata import name_and_entry_points
from repo_tools.environment.texts import read_text

_IN_RUST = re.compile(r"(?m)^[^#\n]*\b(?:maturin|setuptools[-_]rust)\b")
_BESIDE = re.compile(r"(?:tests?|testing|docs?|examples?|benchmarks?)/.*")
"""Where sources to compile are samples, or none of the project's own."""
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
print("{NOTE}{NOT_BUILT}: it is tested as it lies, without what a build would add to it")
"""


def as_it_lies(tree: Tree, read: ReadFile, version: str) -> SetupCommand | None:
    """What makes it importable, and known by its name, this `version` and its entry points; None for one with sources
    to compile (Rust's may be a project of their own, which is not in `tree`), or without a name. Before anything that
    may depend on it: no release of it is installed then."""
    name, groups = name_and_entry_points(tree, read)
    built_in_rust = "pyproject.toml" in tree and _IN_RUST.search(read_text(read, "pyproject.toml"))
    if not name or built_in_rust or any(re.fullmatch(COMPILED, path) for path in tree if not _BESIDE.fullmatch(path)):
        return None
    entry_points = "\n".join(line for group, entries in groups.items() for line in (f"[{group}]", *entries))
    words = (f"{VENV}/bin/python", "-c", _PROGRAM, name, version, f"{entry_points}\n")
    return SetupCommand(words, typed=f"make {name} known to Python as it lies")
